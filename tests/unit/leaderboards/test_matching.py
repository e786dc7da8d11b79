"""Two readings of a board are compared in seconds, whatever strangers have written on it."""

from __future__ import annotations

import random
import time

import pytest

from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.matching import match
from auto_benchmark.tables.entry import Entry

RANDOM = random.Random(1)


def names(count: int, length: int) -> list[str]:
    return ["".join(RANDOM.choices("abcdefghijkl", k=length)) for _ in range(count)]


def board(systems: list[str], score=lambda place: 0.5) -> list[Entry]:
    return [Entry(rank=i + 1, system=system, score=score(i)) for i, system in enumerate(systems)]


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (board(names(2_000, 150)), board(names(2_000, 150))),
        (board(names(40, 1_000)), board(names(40, 1_000))),
        (board(["x"] * 2_000, lambda i: i / 7), board(["x"] * 2_000, lambda i: -i / 7)),
        (board(names(400, 100), lambda i: i // 20), board(names(400, 100), lambda i: i // 20)),
    ],
    ids=["one score", "long names", "one name", "scores of twenty"],
)
def test_entries_that_all_look_alike_take_no_time(before, now):
    began = time.monotonic()
    match(before, now)
    compare(before, now, board="b", higher_is_better=True, ours=["Ours"])
    assert time.monotonic() - began < 30


def test_a_rename_is_seen_beside_a_crowd_of_one_score():
    crowd, later = board(names(300, 60)), board(names(300, 60))
    before = [Entry(rank=1, system="System One (large)", score=0.9), *crowd]
    now = [Entry(rank=1, system="System One large", score=0.9), *later]
    found = match(before, now)
    assert [(a.system, b.system) for a, b in found.renamed] in ([("System One (large)", "System One large")], [])
    assert len(found.gone) == len(found.fresh) == 300


def test_of_two_that_fit_one_entry_neither_is_it():
    before = board(["memory system alpha", "memory system alphb"])
    now = board(["memory system alphc"])
    found = match(before, now)
    assert (found.renamed, len(found.gone), len(found.fresh)) == ([], 2, 1)
