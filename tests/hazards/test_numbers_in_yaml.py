"""``1e-4`` is a number, whatever YAML 1.1 says of it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import yaml

TOY = Path(__file__).parents[1] / "toy"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """The toy project with one more knob, ``rate``, whose declaration is the test's."""
    shutil.copytree(TOY, tmp_path / "toy")
    monkeypatch.setenv("AUTO_BENCHMARK_HOME", str(tmp_path / "home"))
    for part in ("config", "benchmarks", "solutions"):
        monkeypatch.setenv(f"AUTO_BENCHMARK_{part.upper()}", str(tmp_path / "toy" / part))

    def declare(knob):
        file = tmp_path / "toy/solutions/toy/solution.yaml"
        file.write_text(file.read_text().replace("knobs:\n", f"knobs:\n  rate: {knob}\n"))
        return tmp_path

    return declare


CHOICES = "{type: choice, choices: [1e-4, 3e-4], default: 3e-4}"
RANGE = "{type: float, range: [1e-5, 1e-1], log: true, default: 1e-3}"


def test_choices_reach_the_trial_as_numbers(cli, place):
    folder = place(CHOICES)
    (folder / "trial.yaml").write_text("solution: toy\nparams: {}\nstage: fast\n")
    ended = cli("trial", "run", folder / "trial.yaml", "--seed", 1, "--out", folder / "out", "--json")
    assert ended.code == 0, ended.err
    assert yaml.safe_load((folder / "out" / "config.yaml").read_text())["params"]["rate"] == 3e-4


def test_a_range_is_accepted(cli, place):
    place(RANGE)
    assert "knobs.rate" not in cli("check").err


def test_in_a_sweep(cli, place):
    folder = place("{type: float, range: [0.00001, 0.1], default: 0.001}")
    spec = {
        "name": "rates", "solution": "toy", "datasets": [{"name": "toy", "version": "1", "split": "search"}],
        "metrics": {"primary": "accuracy", "higher_is_better": True, "meaningful_difference": "MEANINGFUL"},
        "configurations": [{"name": "baseline", "params": {}}, {"name": "slow", "params": {"rate": "RATE"}}],
        "seeds": [1],
    }  # fmt: skip
    text = yaml.safe_dump(spec).replace("MEANINGFUL", "5e-3").replace("RATE", "1e-4")
    (folder / "sweep.yaml").write_text(text)
    ended = cli("sweep", "run", folder / "sweep.yaml", "--out", folder / "out")
    assert ended.code == 0, ended.err
