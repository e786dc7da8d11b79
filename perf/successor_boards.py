"""Do boards that follow saturated ones tell systems better apart? Pairs of constructions, each with seeds of its own.

The small request and the one that follows it are those of ``saturated_loop.py``. One pair is one draw of everything: items,
search, choice. The interval of the mean difference is Student's over pairs. A pair that is there is not built again.
"""

from __future__ import annotations

import json
import shutil
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from measured import keep
from saturated_loop import FIRST, competitors, leaders

from auto_benchmark import atomic, documents
from auto_benchmark.construction.run import run as construct
from auto_benchmark.settings import Settings
from auto_benchmark.stack.saturation_act import NEW
from auto_benchmark.stats.intervals import t_interval

PAIRS = 8
KEPT = Path(__file__).parents[1] / "var" / "successor_boards"
MEASURES = {"leaders": leaders, "competitors": competitors}


def _told_apart(settings: Settings, request: dict[str, Any], place: Path) -> dict[str, Any]:
    file = place / f"{request['name']}.yaml"
    atomic.write_text(file, documents.to_yaml(request))
    construct(settings, file, place / request["name"], say=lambda text: print(text, file=sys.stderr, flush=True))
    return {name: measure(place / request["name"]) for name, measure in MEASURES.items()}


def pair(number: int) -> dict[str, Any]:
    """A board and its successor: how well either tells its leaders, and the arena's competitors, apart."""
    file = KEPT / f"{number}.json"
    if file.exists():
        return dict(json.loads(file.read_text("utf-8")))
    place = Path(tempfile.mkdtemp(prefix="ab-perf-"))
    try:
        settings = Settings(home=place / "home")
        found = {
            "old": _told_apart(settings, {**FIRST, "seed": 1000 + number}, place),
            "new": _told_apart(settings, {**NEW, "seed": 2000 + number}, place),
        }
    finally:
        shutil.rmtree(place, ignore_errors=True)
    KEPT.mkdir(parents=True, exist_ok=True)
    atomic.write_text(file, json.dumps(found))
    return found


def _mean(values: Sequence[float]) -> dict[str, Any]:
    return {"mean": fmean(values), "interval": list(t_interval(values)), "values": [round(v, 4) for v in values]}


def measure() -> dict[str, Any]:
    """All pairs: both means and the mean difference, with intervals over pairs; how many boards tell them apart at all."""
    pairs = [pair(number) for number in range(PAIRS)]
    told: dict[str, Any] = {"pairs": PAIRS}
    for name in MEASURES:
        old, new = ([found[side][name] for found in pairs] for side in ("old", "new"))
        told[name] = {
            "old": _mean([row["value"] for row in old]), "new": _mean([row["value"] for row in new]),
            "better_by": _mean([after["value"] - before["value"] for before, after in zip(old, new, strict=True)]),
            "separable": {"old": sum(row["separable"] for row in old), "new": sum(row["separable"] for row in new)},
        }  # fmt: skip
    return told


if __name__ == "__main__":
    told = measure()
    keep("successor_boards", told)
    print(json.dumps(told, indent=1))
