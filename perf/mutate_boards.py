"""10,000 damaged documents: no crash, no hang over 2 s, no accepted score that is not on the page.

    PYTHONPATH=include:plugins:. python perf/mutate_boards.py [--documents DIR] [--count 10000] [--seed 1]

Without ``--documents`` the small pages of the test suite are damaged; with it every ``answers.yaml`` key of the
directory is (documents whose scores are converted to another unit are left out of the last check).
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import yaml
from tests.unit.sources.mutations import invented, mutate
from tests.unit.sources.test_mutations import PAGES

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.refusal import ReadRefused

LIMIT_S = 2.0
LARGEST = 150_000
"""Bytes of a document; larger ones only take longer to damage."""


def own_pages() -> list[tuple[bytes, dict[str, Any], bool]]:
    return [
        (text.encode(), {"scrape_method": method, "primary_metric": "accuracy"}, True)
        for method, text in PAGES.items()
    ]


def documents(directory: Path) -> list[tuple[bytes, dict[str, Any], bool]]:
    found = []
    for key in yaml.safe_load((directory / "answers.yaml").read_text()):
        content = (directory / key["file"]).read_bytes()
        if len(content) > LARGEST:
            continue
        method = key["method"].split(" (")[0]
        checked = "minutes" not in str(key.get("note"))
        table = {"table": 1} if method in {"markdown", "html_table"} else None
        spec = {"scrape_method": method, "primary_metric": key["metric"], "higher_is_better": key["higher_is_better"]}
        found.append((content, spec | ({"locate": table} if table else {}), checked))
    return found


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    pool = documents(given.documents) if given.documents else own_pages()
    rng = random.Random(given.seed)
    tally: Counter[str] = Counter()
    slowest, faults = 0.0, []
    for number in range(given.count):
        content, fields, checked = rng.choice(pool)
        method = rng.choice([fields["scrape_method"], fields["scrape_method"], "auto"])
        spec = Leaderboard.model_validate(
            {"name": "B", "url": "x", "higher_is_better": True, **fields, "scrape_method": method}
        )
        page = mutate(content, rng)
        started = time.process_time()
        try:
            board = read_board(page, spec, source="https://example.org/b")
            outcome = "read"
        except ReadRefused as error:
            board, outcome = None, f"refused: {error.reason_code}"
        except Exception:
            board, outcome = None, "CRASH"
            faults.append(f"document {number}: {traceback.format_exc(limit=-3)}")
        took = time.process_time() - started
        slowest = max(slowest, took)
        if took > LIMIT_S:
            faults.append(f"document {number}: {took:.1f} s ({fields}, {len(page)} bytes)")
        if board and checked and (wrong := invented(board, page)):
            faults.append(f"document {number}: not on the page: {wrong[:3]} ({fields})")
        tally[outcome] += 1
    for outcome, count in tally.most_common():
        print(f"{count:>6}  {outcome}")
    print(f"slowest {slowest:.2f} s of process time; {len(faults)} faults")
    print("\n".join(faults[:20]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
