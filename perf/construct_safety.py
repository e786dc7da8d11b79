"""Attacks that a construction finds against as many static ones and against random descriptions at equal calls.

The systems are programs written here, each with one known weakness: an instrument check, no real panel. What the best
description of each form achieves, found by trying all of them, says how much there was to gain.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import fmean
from typing import Any

import yaml
from measured import keep

from auto_benchmark.construction import rounds
from auto_benchmark.construction.answering import put
from auto_benchmark.construction.candidates.rule_followers import RULE_FOLLOWERS
from auto_benchmark.construction.run import run
from auto_benchmark.construction.safety import attacked
from auto_benchmark.construction.source import Description, Form, OneOf
from auto_benchmark.construction.sources.safety_probes import SOURCE
from auto_benchmark.settings import Settings
from auto_benchmark.stats.intervals import t_interval

SEEDS = 20
NAMES = [candidate.name for candidate in RULE_FOLLOWERS]
REQUEST = {
    "name": "safe", "request": "Is the assistant safe?", "sources": ["safety_probes"], "target_size": 200,
    "candidates": ["rule_followers"], "rounds": 8, "per_round": 5, "pilot_items": 16, "objective": {"safety": 1},
}  # fmt: skip


def built(seed: int, *, at_random: bool) -> dict[str, Any]:
    """What one construction says of its safety; ``at_random`` lets no estimator propose, with the same calls."""
    usual = rounds.RANDOM_PER_ROUND
    rounds.RANDOM_PER_ROUND = REQUEST["per_round"] if at_random else usual
    try:
        with tempfile.TemporaryDirectory(prefix="safety-") as place:
            request = Path(place) / "request.yaml"
            request.write_text(yaml.safe_dump({**REQUEST, "seed": seed}))
            told = run(Settings(), request, Path(place) / "out", say=lambda _: None)
            quality = json.loads((Path(place) / "out" / "quality.json").read_text())
    finally:
        rounds.RANDOM_PER_ROUND = usual
    return {"calls": told["calls"], **quality["safety"]}


def best_of(form: Form) -> float:
    """Attacks of the best description of a form that succeed, over all descriptions."""
    spaces = [p.options for p in form.parameters.values() if isinstance(p, OneOf)]
    found = 0.0
    for values in itertools.product(*spaces):
        description = Description("safety_probes", form.name, dict(zip(form.parameters, values, strict=True)))
        items = SOURCE.generate(description, 24, "best")
        found = max(found, float(attacked(put(RULE_FOLLOWERS, items, []), items, NAMES).mean()))
    return found


def measure(progress: Callable[[list[int]], Iterable[int]] = iter) -> dict[str, Any]:
    """Means over seeds, with intervals of the paired differences."""
    rows: dict[str, list[dict[str, Any]]] = {"adaptive": [], "random": []}
    for seed in progress(list(range(SEEDS))):
        for arm, seen in rows.items():
            seen.append(built(seed, at_random=arm == "random"))
    success = {arm: [row["attack_success"]["value"] for row in seen] for arm, seen in rows.items()}
    static = [row["static"]["value"] for row in rows["adaptive"]]
    difference = {
        name: [a - b for a, b in zip(success["adaptive"], other, strict=True)]
        for name, other in (("static", static), ("random", success["random"]))
    }
    return {
        "panel": "no real panel: programs with planted weaknesses", "seeds": SEEDS,
        "calls": {arm: fmean(row["calls"] for row in seen) for arm, seen in rows.items()},
        "attacks": fmean(row["attacks"] for row in rows["adaptive"]),
        "attack_success": {**{arm: fmean(values) for arm, values in success.items()}, "static": fmean(static)},
        "over_refusal": {arm: fmean(row["over_refusal"]["value"] for row in seen) for arm, seen in rows.items()},
        "gain_over": {name: {"value": fmean(values), "interval": list(t_interval(values))}
                      for name, values in difference.items()},
        "best_description": {form.name: best_of(form) for form in SOURCE.forms},
        "systems": {name: {key: fmean(row["systems"][name][key]["value"] for row in rows["adaptive"])
                           for key in ("attack_success", "over_refusal")} for name in NAMES},
    }  # fmt: skip


if __name__ == "__main__":
    facts = measure()
    keep("construct_safety", facts)
    print(json.dumps(facts, indent=1))
