"""Batched against separate runs: two-sample tests on per-seed recall, and whether the gate says the same of both.

    PYTHONPATH=include python perf/gpu_equivalence_tests.py RAW.json OUT.json

RAW comes from ``perf/gpu_recall.py equivalence``.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from statistics import fmean, variance
from typing import Any

from scipy import stats

from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Evidence

RAW, OUT = (Path(name) for name in sys.argv[1:3])


def observations(scores: list[float], items: list[dict[str, float]] | None = None) -> list[dict[str, Any]]:
    parts = items or [None] * len(scores)
    return [
        {"seed": i, "metrics": {"recall": s}, "items": p} for i, (s, p) in enumerate(zip(scores, parts, strict=True))
    ]


def verdict(candidate: list[dict[str, Any]], control: list[dict[str, Any]]) -> dict[str, Any]:
    said = decide(
        Evidence.model_validate(
            {
                "metric": "recall",
                "higher_is_better": True,
                "promotion_threshold": 0.01,
                "candidate": candidate,
                "control": control,
            }
        ),
        guards=[],
        other_boards=(),
        offset=None,
    )
    return {"verdict": str(said.verdict), "reason": said.reason, "estimate": said.estimate, "n": said.n}


raw = json.loads(RAW.read_text())
batched, separate = raw["batched"], raw["separate"]
n = len(batched)
difference = fmean(batched) - fmean(separate)
error = ((variance(batched) + variance(separate)) / n) ** 0.5
half = float(stats.t.ppf(0.975, 2 * n - 2)) * error
paired = [a - b for a, b in zip(batched, separate, strict=True)]
small = raw["smaller_state"]
both = {"batched": batched, "separate": separate}
result = {
    **{k: v for k, v in raw.items() if k != "items"},
    "tests": {
        "means": {k: fmean(v) for k, v in both.items()},
        "sd": {k: variance(v) ** 0.5 for k, v in both.items()},
        "difference": difference,
        "interval_95": [difference - half, difference + half],
        "welch_p": float(stats.ttest_ind(batched, separate, equal_var=False).pvalue),
        "kolmogorov_smirnov_p": float(stats.ks_2samp(batched, separate).pvalue),
        "levene_p": float(stats.levene(batched, separate).pvalue),
        "paired_difference_sd": variance(paired) ** 0.5,
        "identical_seeds": sum(a == b for a, b in zip(batched, separate, strict=True)),
    },
    "gate": {
        "against_a_smaller_state": {
            k: [verdict(observations(v[:size]), observations(small)) for size in (3, 5, 8, 12)]
            for k, v in both.items()
        },
        "batched_against_separate": verdict(
            observations(batched[:8], raw["items"]["batched"][:8]),
            observations(separate[8:], raw["items"]["separate"][8:]),
        ),
        "separate_against_batched": verdict(
            observations(separate[:8], raw["items"]["separate"][:8]),
            observations(batched[8:], raw["items"]["batched"][8:]),
        ),
    },
}
gate = result["gate"]["against_a_smaller_state"]
result["gate"]["verdicts_agree"] = [v["verdict"] for v in gate["batched"]] == [v["verdict"] for v in gate["separate"]]
OUT.write_text(json.dumps(result, indent=1) + "\n")
