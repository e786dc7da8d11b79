"""Puts intervals on the differences between mixers that ``gpu_mixers.py`` measured.

    python perf/gpu_mixer_order.py MIXERS.json        adds "order" to the file

The interval is Welch's; where a mixer either learns the task or not (softmax attention) means are skewed and the rank
test is the one to read.
"""

from __future__ import annotations

import json
import sys
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from scipy import stats

ORDER = ("attention", "gated", "linear", "delta", "hybrid", "convolution")


def main() -> None:
    """Compare neighbours of the order, with and without a short convolution, and linear mixers at every state."""
    path = Path(sys.argv[1])
    found = json.loads(path.read_text(encoding="utf-8"))
    steps = [(part, f"{a}+conv", f"{b}+conv") for part in ("mixers", "longer") for a, b in pairwise(ORDER)]
    steps += [("mixers", f"{name}+conv", name) for name in ORDER if name in found["mixers"]]
    for row in list(found["by_state"]):
        name, _, state = row.partition("+conv, ")
        if name != "linear":
            steps.append(("by_state", row, f"linear+conv, {state}"))
    found["order"] = [compared(part, a, b, found[part]) for part, a, b in steps]
    path.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def compared(part: str, better: str, worse: str, rows: dict[str, Any]) -> dict[str, Any]:
    """Difference of mean recall with its 95 % interval, and the rank test."""
    a, b = (rows[name]["recall"]["seeds"] for name in (better, worse))
    low, high = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    return {
        "part": part, "better": better, "worse": worse, "difference": fmean(a) - fmean(b),
        "interval": [float(low), float(high)], "rank_test_p": float(stats.mannwhitneyu(a, b).pvalue),
    }  # fmt: skip


if __name__ == "__main__":
    main()
