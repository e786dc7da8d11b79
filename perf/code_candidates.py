"""What the gate does with code candidates of the bundled solution, written for the test and screened on the search split.

    PYTHONPATH=include:plugins nice .venv/bin/python perf/code_candidates.py [--limit SECONDS]

Every candidate is a patch in perf/code_candidates/, run on top of the best configuration of knobs and compared with it by
the gate's own decision code, look by look; a promotion is confirmed on three fresh seeds. Both sides are real trials, kept
in perf/data/code_candidate_trials.jsonl, so that a run that was killed goes on. Not part of this: queue, database and
the ways in (person, command, llm), which tests/integration show on the toy solution.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import Any

from code_candidate_trials import PATCHES, ROOT, Ran, ran
from measured import keep

from auto_benchmark.promotion.confirmation import LEAST_FRESH_SEEDS, confirm, refuted
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Decision, Evidence, Failures, Noise, Observation, Verdict
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.noise import pooled

KEPT = ROOT / "perf" / "data" / "code_candidate_trials.jsonl"
CONTROL, THRESHOLD = range(1, 11), 0.005
ORDER = ("helps", "cheat", "broken", "harms", "neutral")
FIRST, FRESH = 1000, range(2000, 2000 + LEAST_FRESH_SEEDS)
Trial = Callable[[str, str, int], Ran]


class OutOfTimeError(RuntimeError):
    """The limit is over; what ran is kept."""


def kept(until: float) -> Trial:
    """Trials from the file, or run now and written there."""
    known: dict[tuple[str, str, int], Ran] = {}
    if KEPT.exists():
        for line in KEPT.read_text().splitlines():
            row = json.loads(line)
            key = row.pop("name"), row.pop("place"), row.pop("seed")
            known[key] = Ran(**row)

    def one(name: str, place: str, seed: int) -> Ran:
        if (name, place, seed) not in known:
            if time.monotonic() > until:
                raise OutOfTimeError
            found = known[name, place, seed] = ran(name, place, seed)
            with KEPT.open("a") as lines:
                lines.write(json.dumps({"name": name, "place": place, "seed": seed, **asdict(found)}) + "\n")
        return known[name, place, seed]

    return one


def observed(trial: Trial, name: str, seed: int) -> Observation | None:
    """One trial on the gate split; None where it failed."""
    told = trial(name, "gate", seed)
    if told.accuracy is None:
        return None
    items = {str(number): float(right) for number, right in enumerate(told.items)}
    return Observation(seed=seed, metrics={"accuracy": told.accuracy}, items=items)


def judged(trial: Trial, name: str) -> tuple[Evidence, Decision]:
    """A candidate through the gate's looks until its verdict is final."""
    control = [each for seed in CONTROL if (each := observed(trial, "base", seed))]
    pool = pooled([[each.metrics["accuracy"] for each in control]])
    for look in LOOKS:
        candidate = [each for i in range(look) if (each := observed(trial, name, FIRST + i))]
        evidence = Evidence(
            metric="accuracy", higher_is_better=True, promotion_threshold=THRESHOLD,
            noise=Noise(sd=pool.sd, df=pool.df), candidate=candidate, control=control,
        )  # fmt: skip
        decision = decide(evidence)
        if decision.verdict.is_final:
            break
    return evidence, decision


def outcome(trial: Trial, name: str) -> dict[str, Any]:
    """What became of one candidate; one that has no score on the search split is never judged."""
    screened, base = trial(name, "search", 1), trial("base", "search", 1)
    if screened.accuracy is None or base.accuracy is None:
        return {"outcome": "broken", "reason": screened.failure}
    told: dict[str, Any] = {"search_gain": round(screened.accuracy - base.accuracy, 4)}
    if screened.items == base.items and trial(name, "search", 2).items == trial("base", "search", 2).items:
        return told | {
            "outcome": "changes nothing",
            "reason": "the same answers to all of the search split, two seeds",
        }
    evidence, decision = judged(trial, name)
    told |= {
        "outcome": str(decision.verdict),
        "seeds": decision.n,
        "claimed": decision.estimate,
        "reason": decision.reason,
    }
    if decision.verdict is not Verdict.PROMOTE:
        return told
    fresh = [each for seed in FRESH if (each := observed(trial, name, seed))]
    back = refuted(evidence, fresh, Failures(seeds=len(FRESH), failed=len(FRESH) - len(fresh)))
    found = confirm(evidence, decision, fresh)
    told |= {"confirmed": found.confirmed, "interval": found.interval, "score": found.score}
    return told | ({"outcome": "taken back", "reason": back} if back else {})


def measure(limit_s: float = float("inf"), first: Sequence[str] = ()) -> dict[str, Any]:
    """All candidates, ``first`` before the others, as far as the time goes; what it did not reach is named."""
    trial, told, left = kept(time.monotonic() + limit_s), {}, []
    names = sorted(each.stem for each in PATCHES.glob("*.diff"))
    for name in sorted(names, key=lambda each: (each not in first, ORDER.index(each.split("_")[0]))):
        try:
            told[name] = outcome(trial, name)
            print(name, json.dumps(told[name]), flush=True)
        except OutOfTimeError:
            left.append(name)
    wrong = [
        name for name, each in told.items()
        if each["outcome"] in {"promote", "challenger"} and not name.startswith("helps_")
    ]  # fmt: skip
    return {"base": "best configuration of knobs", "candidates": told, "not_reached": left, "wrong": wrong}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds after which no trial is begun")
    parser.add_argument(
        "--first", nargs="*", default=[], metavar="NAME", help="candidates to judge before the others"
    )
    given = parser.parse_args()
    keep("code_candidates", measure(given.limit, given.first))


if __name__ == "__main__":
    main()
