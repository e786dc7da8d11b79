"""The gate on real trials of the bundled solution: A/A, knobs of known worth, coverage of the confirmed interval.

Every trial trains and is scored; nothing is drawn from a distribution. Run with one thread per process:

    OMP_NUM_THREADS=1 PYTHONPATH=include python perf/gate_on_memory_retrieval.py OUT [aa|knobs|coverage] [LIMIT]

Results are appended to OUT as JSON lines while they come, so that an interrupted run keeps what it has.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from statistics import fmean

import numpy as np
from memory_retrieval_trials import trial

from auto_benchmark.documents import load
from auto_benchmark.promotion.aa import false_rate
from auto_benchmark.promotion.confirmation import confirm
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.schema import Evidence, Noise, Verdict
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.solution import Solution
from auto_benchmark.stats.looks import CAP, LOOKS
from auto_benchmark.stats.noise import pooled

ROOT = Path(__file__).resolve().parent.parent / "include"
SPLITS = load(Benchmark, ROOT / "benchmarks" / "memory" / "benchmark.yaml").splits
TRAIN, GATE = (SPLITS.train.seed, SPLITS.train.worlds), (SPLITS.gate.seed, SPLITS.gate.worlds)
DEFAULTS = load(Solution, ROOT / "solutions" / "memory_retrieval" / "solution.yaml").defaults
CONTROL = 10
HIDDEN_WORLDS = 50
THRESHOLD = 0.005
# abstention and update handling are planted to help, decay to harm, stemming to do nothing
KNOWN = {
    "multi_hop_steps=2": ({"multi_hop_steps": 2}, "better"),
    "abstention_threshold=0.4": ({"abstention_threshold": 0.4}, "better"),
    "update_handling=latest": ({"update_handling": "latest"}, "better"),
    "time_filter=true": ({"time_filter": True}, "better"),
    "recency_decay=0.3": ({"recency_decay": 0.3}, "worse"),
    "abstention_threshold=0.9": ({"abstention_threshold": 0.9}, "worse"),
    "top_k=1": ({"top_k": 1}, "worse"),
    "summary_weight=0.3": ({"summary_weight": 0.3}, "worse"),
    "stemming=none": ({"stemming": "none"}, "same"),
    "dense_dim=40": ({"dense_dim": 40}, "same"),
}


def on_gate(params: dict, seed: int):
    return trial({**DEFAULTS, **params}, seed, GATE, TRAIN)


def sequence(candidate, control: list, noise: Noise):
    """Look by look until final; ``candidate(i)`` runs or fetches the i-th trial."""
    seen = []
    for look in LOOKS:
        seen += [candidate(i) for i in range(len(seen), look)]
        evidence = Evidence(
            metric="accuracy",
            higher_is_better=True,
            promotion_threshold=THRESHOLD,
            noise=noise,
            candidate=seen,
            control=control,
        )
        decision = decide(evidence)
        if decision.verdict.is_final:
            break
    return evidence, decision


def production(seeds: range) -> list:
    return [on_gate({}, seed) for seed in seeds]


def noise_of(trials: list) -> Noise:
    pool = pooled([[t.metrics["accuracy"] for t in trials]])
    return Noise(sd=pool.sd, df=pool.df)


def aa(save, comparisons: int = 40) -> None:
    """Production against itself. Every trial is run once; a comparison's own trials are distinct."""
    trials = production(range(3 * comparisons))
    rng, verdicts, spent, order = np.random.default_rng(1), [], [], list(range(len(trials)))
    for j in range(comparisons):
        mine = [(3 * j + i) % len(trials) for i in range(CAP)]
        control = rng.choice([i for i in order if i not in mine], CONTROL, replace=False)
        rest = [trials[i] for i in order if i not in mine]
        _, decision = sequence(lambda i, m=mine: trials[m[i]], [trials[i] for i in control], noise_of(rest))
        verdicts.append(decision.verdict)
        spent.append(decision.n)
    rate = false_rate(verdicts)
    save(
        {
            "aa": comparisons,
            "trials_run": len(trials),
            "false": rate.wins,
            "interval": rate.interval,
            "verdicts": Counter(map(str, verdicts)),
            "gate_trials": sum(spent),
            "fixed_n10_trials": 10 * comparisons,
            "sd": noise_of(trials).sd,
        }
    )


def knobs(save, limit: int = len(KNOWN)) -> None:
    """Knobs whose worth is known, and what the gate spends on them beside ten seeds each."""
    control = production(range(CONTROL + 5))
    noise, spent = noise_of(control), 0
    for name, (change, truth) in list(KNOWN.items())[:limit]:
        _, decision = sequence(lambda i, c=change: on_gate(c, 1000 + i), control[:CONTROL], noise)
        spent += decision.n
        save(
            {
                "knob": name,
                "truth": truth,
                "verdict": decision.verdict,
                "n": decision.n,
                "estimate": decision.estimate,
                "interval": decision.interval,
                "reason": decision.reason,
            }
        )
    save({"knobs": limit, "gate_trials": spent, "fixed_n10_trials": 10 * limit})


def coverage(save, promotions: int = 50) -> None:
    """Promote random improvements; does the confirmed interval hold the change seen on a hidden board?

    The board is one submitted trial of each configuration on worlds that nobody has seen; one world seed serves five
    promotions, whose production entry is shared.
    """
    control, later = production(range(CONTROL)), production(range(500, 500 + CONTROL))
    noise, rng = noise_of(control + later), np.random.default_rng(7)
    board: dict[int, float] = {}
    covered, overrated, attempt = [], [], 0
    while len(covered) < promotions:
        attempt += 1
        change = {
            "multi_hop_steps": int(rng.integers(1, 4)),
            "abstention_threshold": round(float(rng.uniform(0.0, 0.5)), 2),
            "update_handling": str(rng.choice(["none", "latest"])),
            "time_filter": bool(rng.random() < 0.5),
            "lexical_weight": round(float(rng.uniform(0.5, 0.8)), 2),
            "expansion_terms": int(rng.integers(2, 8)),
        }
        evidence, decision = sequence(lambda i, c=change: on_gate(c, 1000 + i), control, noise)
        if decision.verdict is not Verdict.PROMOTE:
            continue
        fresh = [on_gate(change, seed) for seed in (2000, 2001, 2002)]
        world = 900_000 + len(covered) // 5
        hidden = (world, HIDDEN_WORLDS)
        if world not in board:
            board[world] = trial(DEFAULTS, 3000, hidden, TRAIN, items=False).metrics["accuracy"]
        ours = trial({**DEFAULTS, **change}, 3001, hidden, TRAIN)
        change_seen = ours.metrics["accuracy"] - board[world]
        found = confirm(evidence, decision, fresh, control=later, board_items=len(ours.items), board_trials=1)
        covered.append(found.interval[0] <= change_seen <= found.interval[1])
        overrated.append(found.claimed - found.confirmed)
        save(
            {
                "promotion": len(covered),
                "attempt": attempt,
                "n": decision.n,
                "claimed": found.claimed,
                "confirmed": found.confirmed,
                "interval": found.interval,
                "hidden_change": change_seen,
                "covered": covered[-1],
                "coverage": fmean(covered),
                "claimed_minus_confirmed": fmean(overrated),
            }
        )


def main() -> None:
    out, part = Path(sys.argv[1]), sys.argv[2]

    def save(row: dict) -> None:
        with out.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)

    limit = [int(sys.argv[3])] if len(sys.argv) > 3 else []
    {"aa": aa, "knobs": knobs, "coverage": coverage}[part](save, *limit)


if __name__ == "__main__":
    main()
