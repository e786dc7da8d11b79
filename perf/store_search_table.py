"""Real trials of the bundled solution on the search split, stored, so that searches can be compared cheaply.

Full factorials over eight knobs, 576 configurations x 5 seeds each, every one trained and scored:

    OMP_NUM_THREADS=1 nice python perf/store_search_table.py search_table [PROCESSES]
    OMP_NUM_THREADS=1 nice python perf/store_search_table.py held_out_table [PROCESSES]

The second has other conversations and half of its knobs are others: no constant of the search was chosen on it.
Rows that the file already holds are not run again. The levels of a table were fixed before its first trial ran.
"""

import csv
import itertools
import json
import os
import sys
import time
from dataclasses import dataclass
from multiprocessing import Pool
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "perf"), str(ROOT / "include")]

from auto_benchmark.documents import load  # noqa: E402
from auto_benchmark.registry.solution import Solution  # noqa: E402


@dataclass(frozen=True)
class Design:
    """Which trials a table holds; ``split`` and ``train`` are (generator seed, conversations)."""

    levels: dict[str, list]
    split: tuple[int, int]
    train: tuple[int, int]


DESIGNS = {
    "search_table": Design(  # the first conversations of the search and training splits
        {
            "multi_hop_steps": [1, 2, 3],
            "abstention_threshold": [0.0, 0.3, 0.6],
            "update_handling": ["none", "latest"],
            "time_filter": [False, True],
            "expansion_terms": [3, 12],
            "context_window": [2, 4],
            "rerank_weight": [0.3, 1.0],
            "summary_weight": [0.0, 0.3],
        },
        split=(20260202, 10),
        train=(20260101, 10),
    ),
    "held_out_table": Design(  # conversations of no split
        {
            "multi_hop_steps": [1, 2],
            "abstention_threshold": [0.0, 0.4, 0.7],
            "update_handling": ["none", "latest"],
            "time_filter": [False, True],
            "lexical_weight": [0.7, 0.3, 1.0],
            "top_k": [5, 10],
            "rerank_weight": [0.3, 0.8],
            "feedback_terms": [0, 4],
        },
        split=(20261111, 10),
        train=(20261010, 10),
    ),
}
SEEDS = (1, 2, 3, 4, 5)
SLICES = ("long_context", "multi_hop", "paraphrased", "single_hop", "temporal", "unanswerable", "updated")


def configurations(design: Design) -> list[dict]:
    levels = design.levels
    return [dict(zip(levels, values, strict=True)) for values in itertools.product(*levels.values())]


def cell(value) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def one(job):
    """One trial: its row."""
    from memory_retrieval_trials import scored

    levels, seed, defaults, design = job
    scores = scored({**defaults, **levels}, seed, design.split, design.train)
    parts = [scores.slices.get(name, {}).get("accuracy", "") for name in SLICES]
    numbers = [f"{value:.4f}" if value != "" else "" for value in (scores.metrics["accuracy"], *parts)]
    return [*map(cell, levels.values()), seed, *numbers]


def main() -> None:
    design, out = DESIGNS[sys.argv[1]], ROOT / "perf" / "data" / f"{sys.argv[1]}.csv"
    processes = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    limit_s = float(os.environ.get("LIMIT_S", "inf"))
    known = set()
    if out.exists():
        known = {tuple(row[: len(design.levels) + 1]) for row in csv.reader(out.open())}
    else:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(",".join([*design.levels, "seed", "accuracy", *SLICES]) + "\n")
    defaults = load(Solution, ROOT / "include" / "solutions" / "memory_retrieval" / "solution.yaml").defaults
    jobs = [
        (levels, seed, defaults, design)
        for seed in SEEDS
        for levels in configurations(design)
        if (*map(cell, levels.values()), str(seed)) not in known
    ]
    started = time.monotonic()
    with Pool(processes) as pool, out.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        for i, row in enumerate(pool.imap(one, jobs, chunksize=4), 1):
            writer.writerow(row)
            if i % 200 == 0:
                print(f"{i}/{len(jobs)} after {time.monotonic() - started:.0f} s", flush=True)
                file.flush()
            if time.monotonic() - started > limit_s:
                pool.terminate()
                break


if __name__ == "__main__":
    main()
