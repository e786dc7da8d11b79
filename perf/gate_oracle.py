"""What 200 adaptive questions to the gate teach an attacker about its items, before and after the gate was mended.

    PYTHONPATH=include python perf/gate_oracle.py [--runs N]

Each question is a configuration that guesses every answer (the worst case: nothing to lose). The attacker weighs each
with what it is told about it and, in the end, answers by weighted majority (boosting, Blum & Hardt 2015, section 4). Its
gain is what this last configuration scores on the gate's present items less what it scores on hidden ones, less the same
of a configuration that was fixed beforehand. Told are either the gate's estimates, or whether the gate promoted: that is
what a search or an agent can see. Verdicts come from the gate's own code, with its looks, its noise and its alpha wealth.
"""

import argparse
import json
import statistics
from dataclasses import asdict, dataclass
from multiprocessing import Pool
from pathlib import Path

import numpy as np
from measured import keep
from scipy import stats

from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.level import next_level
from auto_benchmark.promotion.schema import Evidence, Noise, Observation, Verdict
from auto_benchmark.settings import Settings
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.stats.prediction import prediction_interval

ITEMS, SEARCH_ITEMS, QUESTIONS = 4800, 1440, 200
"""Of the bundled benchmark's gate and search splits, about; questions as the requirement has them."""
HIDDEN_ITEMS, UNTOUCHED = 48_000, 20
"""More hidden items and more configurations that were fixed beforehand than one: less noise in what is compared with."""
FLIPPED = 0.02
"""Share of the answers that a seed changes."""
CONTROL_SEEDS, ALLOWED, POLICY = 5, 0.005, "sequential_wealth"
PLANNED = range(5000, 5024)
"""Seeds of the planned runs, which no earlier run has used. A mean is given when all have ended, and not before."""
RESULT = Path(__file__).resolve().parent / "results" / "gate_oracle.json"
DRAWN_AFTER = int(Settings.model_fields["gate_questions"].default)
ARMS = {
    "before: estimates told, one set of items": ("estimates", QUESTIONS + 1),
    "estimates told, items drawn anew": ("estimates", DRAWN_AFTER),
    "after: promotions told, items drawn anew": ("promotions", DRAWN_AFTER),
}


@dataclass(frozen=True)
class Ended:
    """One run: the attacker's gain, and the fixed configuration's; whether the last score would have been held."""

    attacked: float
    untouched: float
    promoted: int
    draws: int
    held: bool


def guesses(rng: np.random.Generator, items: int) -> np.ndarray:
    """Right (1) or wrong (-1) per item: the attacker sees the answers that it gave, never this."""
    return rng.integers(0, 2, items, dtype=np.int8) * np.int8(2) - np.int8(1)


def observed(rng: np.random.Generator, right: np.ndarray, seeds: int, first: int = 0) -> list[Observation]:
    """Trials of one configuration."""
    found = []
    for seed in range(first, seeds):
        row = (np.where(rng.random(right.size) < FLIPPED, -right, right) > 0).astype(float)
        items = {str(i): float(value) for i, value in enumerate(row)}
        found.append(Observation(seed=seed, metrics={"accuracy": float(row.mean())}, items=items))
    return found


def judged(rng: np.random.Generator, candidate: np.ndarray, control: list[Observation], alpha: float) -> Verdict:
    """The gate's last word on a candidate, look by look."""
    trials: list[Observation] = []
    noise = Noise(sd=(FLIPPED * (1 - FLIPPED) / ITEMS) ** 0.5, df=50)
    verdict = Verdict.INCONCLUSIVE
    for seeds in LOOKS:
        trials += observed(rng, candidate, seeds, first=len(trials))
        evidence = Evidence(
            policy=POLICY, metric="accuracy", higher_is_better=True, promotion_threshold=0.005, leader_score=None,
            noise=noise, candidate=trials, control=control,
        )  # fmt: skip
        verdict = decide(evidence, alpha=alpha).verdict
        if verdict.is_final:
            break
    return verdict


def attack(arm: str, seed: int) -> Ended:
    """One run of 200 questions and the configuration that they lead to."""
    told, drawn_after = ARMS[arm]
    rng = np.random.default_rng([seed, list(ARMS).index(arm)])
    votes, hidden_votes, search_votes = (np.zeros(n) for n in (ITEMS, HIDDEN_ITEMS, SEARCH_ITEMS))
    production = guesses(rng, ITEMS)
    control = observed(rng, production, CONTROL_SEEDS) if told == "promotions" else []
    verdicts: list[Verdict] = []
    pairs: list[tuple[float, float]] = []
    asked, draws, promoted = 0, 1, 0
    for _ in range(QUESTIONS):
        if asked == drawn_after:  # what was learned is worth nothing on new items: start anew
            asked, draws, production = 0, draws + 1, guesses(rng, ITEMS)
            votes, hidden_votes, search_votes = votes * 0, hidden_votes * 0, search_votes * 0
            control = observed(rng, production, CONTROL_SEEDS) if told == "promotions" else []
        answer, on_hidden, on_search = guesses(rng, ITEMS), guesses(rng, HIDDEN_ITEMS), guesses(rng, SEARCH_ITEMS)
        pairs.append((float((on_search > 0).mean()), float((answer > 0).mean())))
        if told == "estimates":
            weight = float(answer.mean())
        else:
            verdict = judged(rng, answer, control, next_level(POLICY, verdicts))
            verdicts.append(verdict)
            weight = 1.0 if verdict in {Verdict.PROMOTE, Verdict.CHALLENGER} else -1 / QUESTIONS
            if weight > 0:
                promoted, production = promoted + 1, answer
                control = observed(rng, production, CONTROL_SEEDS)
        votes, hidden_votes, search_votes = (
            votes + weight * answer, hidden_votes + weight * on_hidden, search_votes + weight * on_search,
        )  # fmt: skip
        asked += 1
    at_gate, at_hidden, at_search = (float((v > 0).mean()) for v in (votes, hidden_votes, search_votes))
    low, high = prediction_interval([x for x, _ in pairs], [y for _, y in pairs], at_search, 0.999)
    untouched = float((guesses(rng, UNTOUCHED * ITEMS) > 0).mean()) - float((guesses(rng, HIDDEN_ITEMS) > 0).mean())
    return Ended(at_gate - at_hidden, untouched, promoted, draws, not low <= at_gate <= high)


def summary(arm: str, ended: list[Ended]) -> dict[str, object]:
    """Mean gain over the untouched configuration, and its one-sided upper 95 % bound (Student's t over runs)."""
    gains = [run.attacked - run.untouched for run in ended]
    mean, error = statistics.fmean(gains), statistics.stdev(gains) / len(gains) ** 0.5
    upper = mean + float(stats.t.ppf(0.95, len(gains) - 1)) * error
    return {
        "arm": arm, "runs": len(ended), "questions": QUESTIONS, "draws": ended[0].draws,
        "gain": round(mean, 5), "upper_95": round(upper, 5), "allowed": ALLOWED, "holds": upper <= ALLOWED,
        "promoted_per_run": round(statistics.fmean(run.promoted for run in ended), 3),
        "held_by_prediction_interval": round(statistics.fmean(run.held for run in ended), 3),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=24)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--arm", choices=list(ARMS), help="run this one alone, beside what is known of the others")
    parser.add_argument(
        "--planned", action="store_true", help="the runs of PLANNED, and no more, into a file of their own"
    )
    options = parser.parse_args()
    if options.planned:
        print(json.dumps(planned(options.processes), indent=1))
        return
    known = {one["arm"]: one for one in json.loads(RESULT.read_text())["arms"]} if options.arm else {}
    with Pool(options.processes) as pool:
        for arm in [options.arm] if options.arm else ARMS:
            known[arm] = summary(arm, pool.starmap(attack, [(arm, seed) for seed in range(options.runs)]))
            print(known[arm], flush=True)
            keep("gate_oracle", {"items": ITEMS, "drawn_after": DRAWN_AFTER, "arms": list(known.values())})


def planned(processes: int) -> dict[str, object]:
    """The runs whose number and seeds were written down before the first of them: none is added, none is left out.

    Each is kept as it ends; what is known on the same plan is not run again.
    """
    name, arm = "gate_oracle_planned", list(ARMS)[-1]
    file = RESULT.with_name(f"{name}.json")
    kept = json.loads(file.read_text()) if file.exists() else {}
    runs = {int(seed): Ended(**run) for seed, run in kept.get("runs", {}).items()}
    facts: dict[str, object] = {}
    with Pool(processes) as pool:
        ahead = pool.imap(_planned_run, [seed for seed in PLANNED if seed not in runs])
        while True:
            told = (
                summary(arm, list(runs.values())) if len(runs) == len(PLANNED) else {"arm": arm, "ended": len(runs)}
            )
            facts = {
                "kind": "simulated attacker; verdicts by the gate's own code", "items": ITEMS, "drawn_after": DRAWN_AFTER,
                "planned_seeds": [PLANNED.start, PLANNED.stop - 1], "planned_runs": len(PLANNED), "added_runs": 0, **told,
                "runs": {seed: asdict(runs[seed]) for seed in sorted(runs)},
            }  # fmt: skip
            keep(name, facts)
            if len(runs) == len(PLANNED):
                return facts
            seed, run = next(ahead)
            runs[seed] = run


def _planned_run(seed: int) -> tuple[int, Ended]:
    return seed, attack(list(ARMS)[-1], seed)


if __name__ == "__main__":
    main()
