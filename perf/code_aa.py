"""Code A/A: 300 edits that keep the meaning and use random numbers otherwise, judged by the gate on their own real trials.

    PYTHONPATH=include:plugins nice .venv/bin/python perf/code_aa.py [--limit SECONDS]

Thirty productions of ten edits each, every production with control trials of its own, which its experiments share and add
to as the loop's do; a candidate has seeds of its own experiment. First the search split, two seeds: who answers as the
base does changes nothing. Then the gate, look by look. Levels come from the stream's alpha wealth. Trials are kept in
perf/data/code_aa_trials.jsonl, so that a run that was killed goes on. They run in this process; one edit of each family
also runs as a process of its own, and has to answer the same.

Half of the productions begin with the five control trials of a new one, half with the twelve of one that was defended.
The gate is asked as declared, then without a smallest gain and at a constant level (``the test alone``), which needs
trials beyond those.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

from code_candidate_trials import BEST, ROOT, ran
from edited_trials import Bank, edited, quickened
from measured import keep
from random_edits import RNG, Edit, edits

from auto_benchmark.experiments.gate.effect import CODE_SEEDS
from auto_benchmark.experiments.gate.evidence import POLICY
from auto_benchmark.experiments.gate.planning import SEEDS_PER_EXPERIMENT
from auto_benchmark.experiments.gate.rounds import LEAST_CONTROL
from auto_benchmark.experiments.outcome.promotion import FRESH_FROM, FRESH_SEEDS
from auto_benchmark.promotion.confirmation import refuted
from auto_benchmark.promotion.gate import ALPHA, decide
from auto_benchmark.promotion.level import DISCOVERIES, next_level
from auto_benchmark.promotion.schema import Decision, Evidence, Failures, Noise, Observation, Verdict
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import rate_interval
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.noise import pooled

KEPT = ROOT / "perf" / "data" / "code_aa_trials.jsonl"
STREAMS, BASE = 30, "base"
DEFENDED = 12
"""Control trials of a production that was measured again for some nights."""
DECLARED, ANY_GAIN = 0.005, 1e-9
MOST_FALSE = 0.025
"""Upper bound of the false promotions' rate that the gate's level allows for one test."""


@dataclass(frozen=True, slots=True)
class Way:
    """How the gate is asked."""

    name: str
    threshold: float
    level: Callable[[list[Verdict]], float]


AS_DECLARED = Way("as declared", DECLARED, lambda verdicts: next_level(POLICY, verdicts))
TEST_ALONE = Way("the test alone", ANY_GAIN, lambda verdicts: ALPHA)


@dataclass(slots=True)
class Production:
    """The base under a number, with control trials that its experiments share."""

    number: int
    bank: Bank
    way: Way
    control: list[Observation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)

    def need(self, count: int) -> None:
        """Run what control lacks."""
        for i in range(len(self.control), count):
            seed = 2**30 + self.number * SEEDS_PER_EXPERIMENT + i
            self.control.append(self.bank(BASE, "gate", seed).observation(seed))

    def judge(self, edit: Edit, experiment: int) -> Decision:
        """One experiment through the gate's looks; a promotion that fresh seeds refute is none."""
        candidate: list[Observation] = []
        level = self.way.level(self.verdicts)
        for look in LOOKS:
            candidate += [self._trial(edit, experiment, i) for i in range(len(candidate), look)]
            self.need(max(LEAST_CONTROL, look))
            evidence = self._evidence(candidate)
            decision = decide(evidence, alpha=level)
            if decision.verdict.is_final:
                break
        self.verdicts.append(decision.verdict)
        if decision.verdict not in DISCOVERIES:
            return decision
        fresh = [self._trial(edit, experiment, FRESH_FROM + i) for i in range(FRESH_SEEDS)]
        why = refuted(evidence, fresh, Failures(seeds=len(fresh), failed=0))
        return decision.model_copy(update={"verdict": Verdict.REJECT, "reason": why}) if why else decision

    def _trial(self, edit: Edit, experiment: int, i: int) -> Observation:
        seed = experiment * SEEDS_PER_EXPERIMENT + i
        return self.bank(edit.name, "gate", seed).observation(seed)

    def _evidence(self, candidate: list[Observation]) -> Evidence:
        groups = [[each.metrics["accuracy"] for each in side] for side in (candidate, self.control)]
        try:
            pool = pooled(groups)
            noise = Noise(sd=pool.sd, df=pool.df)
        except NotApplicableError:
            noise = None
        return Evidence(
            metric="accuracy", higher_is_better=True, promotion_threshold=self.way.threshold, noise=noise,
            policy=POLICY, candidate=candidate, control=self.control,
        )  # fmt: skip


def changes_nothing(bank: Bank, edit: Edit) -> bool:
    """Whether two seeds answer all of the search split as the base does; a first difference is enough to say no."""
    return all(bank(edit.name, "search", seed) == bank(BASE, "search", seed) for seed in CODE_SEEDS)


def judged(bank: Bank, way: Way, until: float) -> list[dict[str, Any]]:
    """Every edit's end, stream by stream, as far as the time goes."""
    found, per_stream = [], len(edits()) // STREAMS
    for i, edit in enumerate(edits()):
        stream = i // per_stream
        if i % per_stream == 0:
            production = Production(stream + 1, bank, way)
            production.need(DEFENDED if stream % 2 else LEAST_CONTROL)
        if time.monotonic() > until:
            break
        told: dict[str, Any] = {"edit": edit.name, "family": edit.family, "stream": stream}
        if changes_nothing(bank, edit):
            found.append(told | {"outcome": "changes nothing"})
            continue
        decision = production.judge(edit, i + 1)
        estimate = None if decision.estimate is None else round(decision.estimate, 5)
        found.append(told | {"outcome": str(decision.verdict), "seeds": decision.n, "estimate": estimate})
        print(way.name, i + 1, json.dumps(found[-1]), flush=True)
    return found


def summary(found: list[dict[str, Any]]) -> dict[str, Any]:
    """False promotions with their exact bounds, over edits and over productions."""
    asked = [each for each in found if each["outcome"] != "changes nothing"]
    false = [each for each in asked if each["outcome"] in DISCOVERIES]
    streams = {each["stream"] for each in found}
    spoiled = {each["stream"] for each in false}
    return {
        "edits": len(found),
        "refused_as_no_change": Counter(each["family"] for each in found if each not in asked),
        "asked": len(asked),
        "outcomes": Counter(each["outcome"] for each in asked),
        "seeds": sum(each["seeds"] for each in asked),
        "largest_estimate": max((each["estimate"] for each in asked if each["estimate"] is not None), default=None),
        "false_promotions": len(false),
        "upper_95_one_sided": round(rate_interval(len(false), len(asked), 0.90)[1], 4),
        "interval_95": [round(end, 4) for end in rate_interval(len(false), len(asked))],
        "productions": len(streams),
        "productions_with_one": len(spoiled),
        "productions_upper_95_one_sided": round(rate_interval(len(spoiled), len(streams), 0.90)[1], 3),
    }


def meaning(bank: Bank) -> dict[str, Any]:
    """Whether the edits keep the meaning: scores of their trials on the gate split beside the base's, by family."""
    family = {each.name: each.family for each in edits()}
    by: dict[str, list[float]] = {}
    for (name, place, _), trial in bank.known.items():
        if place == "gate":
            by.setdefault(family.get(name, BASE), []).append(trial.accuracy)
    told = {}
    for name, scores in sorted(by.items()):
        if len(scores) > 2:
            error = stdev(scores) / len(scores) ** 0.5
            told[name] = {
                "trials": len(scores), "mean": round(fmean(scores), 5), "sd": round(stdev(scores), 5),
                "error": round(error, 5),
            }  # fmt: skip
    return told


def edits_minus_base(bank: Bank) -> dict[str, Any]:
    """The same over all families together, with the standard error of the difference."""
    sides: dict[bool, list[float]] = {True: [], False: []}
    for (name, place, _), trial in bank.known.items():
        if place == "gate":
            sides[name == BASE].append(trial.accuracy)
    base, others = sides[True], sides[False]
    error = (stdev(base) ** 2 / len(base) + stdev(others) ** 2 / len(others)) ** 0.5
    return {
        "difference": round(fmean(others) - fmean(base), 5), "error": round(error, 5), "edits": len(others),
        "base": len(base), "sd_edits": round(stdev(others), 5), "sd_base": round(stdev(base), 5),
    }  # fmt: skip


def changed(edit: Edit, scratch: Path) -> Path:
    """The solution's folder with an edit."""
    return edited(edit.name, edit.file, edit.old, edit.new, scratch)


def bank_of(scratch: Path) -> Bank:
    """Trials of all edits and of the base."""
    by_name = {each.name: each for each in edits()}
    by_name[BASE] = Edit(BASE, BASE, "train.py", RNG, RNG)
    return Bank(KEPT, lambda name: quickened(changed(by_name[name], scratch)), lambda _: BEST)


def as_processes(bank: Bank, scratch: Path) -> dict[str, int]:
    """One edit of each family as the unchanged loops in a process of its own: how many answer bit for bit the same."""
    first = {each.family: each for each in reversed(edits())}.values()
    same = [
        ran(each.name, "search", 1, changed(each, scratch)).items == bank(each.name, "search", 1).bits
        for each in first
    ]
    return {"compared": len(same), "the_same": sum(same)}


def measure(limit_s: float = float("inf")) -> dict[str, Any]:
    """Both ways of asking, as far as the time goes."""
    until = time.monotonic() + limit_s
    with tempfile.TemporaryDirectory(prefix="ab-aa-") as place:
        scratch = Path(place)
        bank = bank_of(scratch / "quick")
        told: dict[str, Any] = {"streams": STREAMS, "as_processes": as_processes(bank, scratch / "plain")}
        for way in (AS_DECLARED, TEST_ALONE):
            if time.monotonic() < until:
                told[way.name] = summary(judged(bank, way, until))
    return told | {"meaning": meaning(bank), "edits_minus_base": edits_minus_base(bank), "trials": len(bank.known)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which no edit is begun")
    keep("code_aa", measure(parser.parse_args().limit))


if __name__ == "__main__":
    main()
