"""Streams of changes resampled from recorded trials: what the loop makes of a queue of knobs and code, and what greed does.

    PYTHONPATH=include:plugins nice .venv/bin/python perf/code_streams.py [STREAMS]

A stream is a queue in random order: knobs, code that helps, harms a little or much, and code that changes nothing but
random numbers. Production begins as the best configuration of knobs; what is promoted is production from then on, and
its control begins with the fresh seeds, as in the loop. Each trial is one of the recorded ones, drawn with replacement.
Levels come from the stream's alpha wealth, verdicts from the gate's own code. What a change is truly worth is its mean on
the hidden split, which no arm sees.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from code_stream_cells import BASE, HARMS, HELPS, KNOBS, LESS_DATA, bank_of, cells, recorded, same_as_base
from measured import RESULTS, keep
from quick_gate import checked, quick, stored

from auto_benchmark.experiments.gate.effect import CODE_SEEDS
from auto_benchmark.experiments.gate.evidence import POLICY
from auto_benchmark.experiments.gate.rounds import LEAST_CONTROL
from auto_benchmark.experiments.outcome.promotion import FRESH_SEEDS
from auto_benchmark.experiments.search.rounds import BASE_SEEDS
from auto_benchmark.promotion.confirmation import refuted
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.level import next_level
from auto_benchmark.promotion.schema import Decision, Evidence, Failures, Noise, Observation, Verdict
from auto_benchmark.stats.alpha_wealth import FALSE_SHARE
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import rate_interval
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.noise import pooled

STREAMS, THRESHOLD, BUDGET = 2000, 0.005, FALSE_SHARE
NEUTRAL, NEUTRALS = "neutral", 6
"""Code that shifts the use of random numbers: whatever production is, it is a draw from the same distribution."""
KNOBS_ALONE = (*KNOBS, *[NEUTRAL] * 2)
MIXED = (*KNOBS, *HELPS, *HARMS, LESS_DATA, *[NEUTRAL] * NEUTRALS)
NOTHING = (NEUTRAL,) * 10
LOW = 0.002
LONG, LATER_STREAMS = (*MIXED, *[NEUTRAL] * 54), 200
"""As many changes as three weeks bring, of which eight help as before: sixty that do nothing."""
RESULT = RESULTS / "code_streams.json"
CHECKED = 40
"""Decisions of the first streams that the gate makes a second time, without the shortcut."""


@dataclass
class World:
    """Recorded trials of every cell: observations on the gate split, scores on search, the truth on hidden."""

    gate: dict[str, list[Observation]]
    search: dict[str, list[float]]
    truth: dict[str, float]


@dataclass
class Stream:
    """One queue under way: production, what it was promoted for, and what that took."""

    world: World
    rng: np.random.Generator
    threshold: float = THRESHOLD
    production: str = BASE
    control: list[Observation] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    promoted: list[tuple[str, float, float]] = field(default_factory=list)
    trials: int = 0
    decisions: int = 0

    def _draw(self, cell: str) -> Observation:
        self.trials += 1
        found = self.world.gate[cell]
        return found[self.rng.integers(len(found))].model_copy(update={"seed": self.trials})

    def searched(self, cell: str, seeds: int = 1) -> float:
        """Mean of some trials on the search split."""
        self.trials += seeds
        return fmean(self.rng.choice(self.world.search[cell], seeds).tolist())

    def promote(self, cell: str, name: str, claimed: float) -> None:
        """Make a cell production."""
        truth = self.world.truth
        gain = 0.0 if name == NEUTRAL else truth[cell] - truth[self.production]
        self.promoted.append((name, claimed, gain))
        self.production = cell

    def judge(self, cell: str) -> tuple[Evidence, Decision]:
        """The gate's looks, with the control that all experiments on a production share."""
        candidate: list[Observation] = []
        level = next_level(POLICY, self.verdicts)
        for look in LOOKS:
            candidate += [self._draw(cell) for _ in range(len(candidate), look)]
            wanted = max(LEAST_CONTROL, look)
            self.control += [self._draw(self.production) for _ in range(len(self.control), wanted)]
            evidence = self._evidence(candidate)
            decision = decide(evidence, alpha=level)
            self.decisions += 1
            if decision.verdict.is_final:
                break
        self.verdicts.append(decision.verdict)
        return evidence, decision

    def _evidence(self, candidate: list[Observation]) -> Evidence:
        try:
            pool = pooled([[each.metrics["accuracy"] for each in side] for side in (candidate, self.control)])
            noise = Noise(sd=pool.sd, df=pool.df)
        except NotApplicableError:
            noise = None
        return Evidence(
            metric="accuracy", higher_is_better=True, promotion_threshold=self.threshold, noise=noise,
            policy=POLICY, candidate=candidate, control=list(self.control),
        )  # fmt: skip

    def confirm(self, cell: str, name: str, evidence: Evidence, decision: Decision) -> None:
        """Promote where fresh seeds bear it out; they are the first control of what is production then."""
        fresh = [self._draw(cell) for _ in range(FRESH_SEEDS)]
        if refuted(evidence, fresh, Failures(seeds=FRESH_SEEDS, failed=0)) is None:
            self.promote(cell, name, float(decision.estimate or 0.0))
            self.control = fresh


def loop(stream: Stream, queue: Sequence[str], *, screened: bool) -> None:
    """The loop's way; ``screened``: what does not score better on three seeds of search is not proposed, as of an agent."""
    home: dict[str, float] = {}
    for name in queue:
        if name in KNOBS and stream.production != BASE:
            continue  # what a knob does beside promoted code is not recorded
        cell = stream.production if name == NEUTRAL else name
        if screened and name not in KNOBS:
            if stream.production not in home:
                home[stream.production] = stream.searched(stream.production, BASE_SEEDS)
            if stream.searched(cell, BASE_SEEDS) <= home[stream.production]:
                continue
        stream.trials += len(CODE_SEEDS) if name not in KNOBS else 1  # fast validation; the base's own is shared
        evidence, decision = stream.judge(cell)
        if decision.verdict is Verdict.PROMOTE:
            stream.confirm(cell, name, evidence, decision)


def at_threshold(stream: Stream, queue: Sequence[str], threshold: float) -> None:
    """The loop's way where a promotion takes another gain than the declared one."""
    stream.threshold = threshold
    loop(stream, queue, screened=False)


def greedy(stream: Stream, queue: Sequence[str], *, seeds: int = 1) -> None:
    """Keep if better: whatever has a higher score on the search split than what is kept."""
    best = stream.searched(stream.production, seeds)
    for name in queue:
        if name in KNOBS and stream.production != BASE:
            continue
        cell = stream.production if name == NEUTRAL else name
        score = stream.searched(cell, seeds)
        if score > best:
            stream.promote(cell, name, score - best)
            best = score


ARMS: dict[str, tuple[Sequence[str], Any]] = {
    "loop, with code": (MIXED, lambda s, q: loop(s, q, screened=False)),
    "keep if better, one seed": (MIXED, greedy),
    "keep if better, three seeds": (MIXED, lambda s, q: greedy(s, q, seeds=BASE_SEEDS)),
    "loop, knobs alone": (KNOBS_ALONE, lambda s, q: loop(s, q, screened=False)),
    "loop, with code screened on search": (MIXED, lambda s, q: loop(s, q, screened=True)),
    "loop, nothing but neutral code": (NOTHING, lambda s, q: loop(s, q, screened=False)),
    "loop, with code, threshold 0.002": (MIXED, lambda s, q: at_threshold(s, q, LOW)),
    "loop, with code, long queue": (LONG, lambda s, q: loop(s, q, screened=False)),
    "keep if better, one seed, long queue": (LONG, greedy),
    "keep if better, three seeds, long queue": (LONG, lambda s, q: greedy(s, q, seeds=BASE_SEEDS)),
    "keep if better, one seed, knobs alone": (KNOBS_ALONE, greedy),
    "keep if better, one seed, nothing but neutral code": (NOTHING, greedy),
    "loop, with code screened on search, long queue": (LONG, lambda s, q: loop(s, q, screened=True)),
}


def world_of(scratch: Path) -> World:
    """Everything that is recorded; what is missing is run."""
    bank = bank_of(scratch)
    names = cells()
    gate = {name: [stored(each) for each in recorded(bank, name, "gate")] for name in names}
    gate[BASE] += [stored(each) for each in same_as_base()]
    search = {name: [each.accuracy for each in recorded(bank, name, "search")] for name in names}
    truth = {name: fmean(each.accuracy for each in recorded(bank, name, "hidden")) for name in names}
    return World(gate, search, truth)


def run(world: World, arm: str, streams: int) -> list[Stream]:
    """Streams of one arm, the same queues for all arms with the same proposals."""
    proposals, policy = ARMS[arm]
    done = []
    for number in range(streams):
        queue = np.random.default_rng([18, number]).permutation(proposals).tolist()
        stream = Stream(world, np.random.default_rng([list(ARMS).index(arm), number]))
        policy(stream, queue)
        done.append(stream)
    return done


def _mean(values: list[float], rng: np.random.Generator) -> dict[str, Any]:
    array = np.array(values)
    means = [float(rng.choice(array, len(array)).mean()) for _ in range(1000)]
    low, high = np.quantile(means, (0.025, 0.975)).tolist()
    return {"mean": round(float(array.mean()), 5), "interval": [round(low, 5), round(high, 5)]}


def summary(world: World, done: list[Stream]) -> dict[str, Any]:
    """Per stream: true gain, claimed gain, trials; false promotions as a rate of streams and as a share of promotions."""
    rng = np.random.default_rng(18)
    all_of = [each for stream in done for each in stream.promoted]
    false = [each for each in all_of if each[2] <= 0]
    spoiled = sum(any(gain <= 0 for *_, gain in stream.promoted) for stream in done)
    share = [sum(gain <= 0 for *_, gain in each.promoted) / max(len(each.promoted), 1) for each in done]
    kinds: dict[str, int] = {}
    for name, *_ in false:
        kinds[name] = kinds.get(name, 0) + 1
    return {
        "streams": len(done),
        "true_gain": _mean([world.truth[each.production] - world.truth[BASE] for each in done], rng),
        "claimed_gain": _mean([sum(claimed for _, claimed, _ in each.promoted) for each in done], rng),
        "trials": _mean([float(each.trials) for each in done], rng),
        "promotions": _mean([float(len(each.promoted)) for each in done], rng),
        "false_promotions": _mean([float(sum(g <= 0 for *_, g in each.promoted)) for each in done], rng),
        "false_share": _mean(share, rng),
        "streams_with_a_false_one": spoiled,
        "streams_with_a_false_one_interval": [round(end, 4) for end in rate_interval(spoiled, len(done))],
        "false_by_change": kinds,
    }  # fmt: skip


def check_the_shortcut(world: World) -> int:
    """Evidence of some experiments, decided with and without the shortcut."""
    rng = np.random.default_rng(5)
    for number in range(CHECKED):
        cell = list(world.gate)[number % len(world.gate)]
        stream = Stream(world, rng)
        stream.control = [stream._draw(BASE) for _ in range(LEAST_CONTROL + number % 4)]
        checked(stream._evidence([stream._draw(cell) for _ in range(LOOKS[1 + number % 4])]), 0.02)
    return CHECKED


def cells_of(world: World) -> dict[str, Any]:
    """What is recorded of each cell."""
    return {
        name: {
            "gate_trials": len(world.gate[name]), "search": round(fmean(world.search[name]), 4),
            "gate": round(fmean(each.metrics["accuracy"] for each in world.gate[name]), 4),
            "hidden": round(world.truth[name], 4),
        }
        for name in world.gate
    }  # fmt: skip


def measure(streams: int = STREAMS) -> dict[str, Any]:
    """All arms; those that have ended on the same cells are not run again."""
    with tempfile.TemporaryDirectory(prefix="ab-streams-") as scratch:
        world = world_of(Path(scratch))
    told: dict[str, Any] = {"cells": cells_of(world), "arms": {}}
    kept = json.loads(RESULT.read_text()) if RESULT.exists() else {}
    if kept.get("cells") == told["cells"]:
        told["arms"] = kept["arms"]
    told["decided_twice"] = check_the_shortcut(world)
    with quick():
        for arm in ARMS:
            wanted = min(streams, LATER_STREAMS) if "long queue" in arm or "threshold" in arm else streams
            if told["arms"].get(arm, {}).get("streams", 0) < wanted:
                told["arms"][arm] = summary(world, run(world, arm, wanted))
                keep("code_streams", told)
                print(arm, told["arms"][arm], flush=True)
    return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("streams", nargs="?", type=int, default=STREAMS)
    keep("code_streams", measure(parser.parse_args().streams))


if __name__ == "__main__":
    main()
