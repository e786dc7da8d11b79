"""What a promotion may not make worse is measured outside of the trial."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from typing import Any

import pytest
from tests.security.conftest import hostile_trials

pytestmark = pytest.mark.timeout(60)


@dataclass(frozen=True)
class Heavy:
    """What was measured outside, what stands as the trial's metrics, and the longest that it can have taken."""

    measured: dict[str, Any]
    metrics: dict[str, float]
    at_most_s: float


HEAVY = """
until = time.process_time() + 0.4
while time.process_time() < until: pass
report(latency_ms=1.0, memory_mb=20.0, wall_s=0.001, cpu_s=0.001, peak_memory_mb=1.0)
"""


@pytest.fixture(scope="module")
def heavy(open_directory):
    """A trial that computes for 0.4 s and reports a thousandth of a second."""
    with hostile_trials(open_directory) as hostile:
        started = time.monotonic()
        ended = hostile.run(HEAVY)
        at_most = time.monotonic() - started
        assert ended.state == "done", ended.err
        yield Heavy(ended.stored["measured"], ended.told["metrics"], at_most)


def test_wall_time_is_measured_outside(heavy):
    assert 0.4 <= heavy.measured["wall_s"] <= heavy.at_most_s


def test_cpu_time_is_measured_outside(heavy):
    seconds = [value for name, value in heavy.measured.items() if name.startswith("cpu")]
    assert seconds, f"only {sorted(heavy.measured)}"
    assert seconds[0] >= 0.4


def test_a_trial_cannot_report_what_is_measured(heavy):
    """Guards look at names: of ``wall_s`` there is the measured value, or none."""
    assert heavy.metrics.get("wall_s", heavy.measured["wall_s"]) >= 0.4
    assert heavy.metrics.get("peak_memory_mb", heavy.measured["peak_memory_mb"]) > 1.0


SLOWER = {"wall_s": 24.0, "cpu_s": 24.0, "peak_memory_mb": 440.0}
USUAL = {"wall_s": 1.0, "cpu_s": 1.0, "peak_memory_mb": 40.0}


@pytest.mark.parametrize("worse", sorted(SLOWER))
def test_a_candidate_that_costs_many_times_as_much_is_not_promoted(command, tmp_path, worse):
    """Better on the board, and its own report of latency and memory is production's."""

    def side(first, score, measured):
        reported = {"latency_ms": 1.0, "memory_mb": 20.0}
        return [
            {
                "seed": first + n,
                "metrics": {"accuracy": score + n / 1000, **reported, **measured, worse: value + n / 50},
            }
            for n, value in enumerate([measured[worse]] * 5)
        ]

    document = {
        "metric": "accuracy", "higher_is_better": True, "promotion_threshold": 0.02, "leader_score": 0.7,
        "candidate": side(100, 0.9, {**USUAL, worse: SLOWER[worse]}), "control": side(1, 0.6, USUAL),
    }  # fmt: skip
    file = tmp_path / "evidence.json"
    file.write_text(json.dumps(document))
    code, out = command("stats", "decide", str(file), "--json")
    assert code == 0
    assert json.loads(out)["verdict"] != "promote", out
