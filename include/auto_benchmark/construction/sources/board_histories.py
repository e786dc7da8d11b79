"""Pasts of public leaderboards: what is shown is one day's table, what is asked lies in its future."""

from __future__ import annotations

import itertools
import re
from functools import cache
from random import Random
from typing import Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Parameter, Source
from auto_benchmark.construction.sources.tabulated import Row, table

FIRST = 10
"""Places of a board that count as its head."""
ATTEMPTS = 300
EASY_KEPT = 0.3
"""Share of questions that are asked although a reader who expects no change is right."""
_PLAIN = re.compile(r"[\w .+()/-]{2,40}")
Scores = dict[str, float]


@cache
def _boards() -> dict[str, Row]:
    return {row["board"]: row for row in table("board_histories", "boards")}


def _scores(board: str, day: str) -> Scores:
    """Systems of a day, the best first, turned so that more is better."""
    row = _boards()[board]
    sign = 1 if row["higher_is_better"] else -1
    return {name: sign * score for name, score in row["snapshots"][day]}


def _draw(random: Random, params: Params) -> dict[str, Any]:
    """A board, two days and some systems of the earlier one.

    Raises:
        ValueError: no board has as many systems.
    """
    n = int(params["shown"])
    for _ in range(ATTEMPTS):
        board = random.choice(list(_boards()))
        days = list(_boards()[board]["snapshots"])
        ahead = random.randint(1, min(int(params["ahead"]), len(days) - 1))
        start = random.randrange(len(days) - ahead)
        before, after = (_boards()[board]["snapshots"][days[i]] for i in (start, start + ahead))
        plain = [row for row in before if _PLAIN.fullmatch(row[0])]
        if len(plain) >= n:
            return {"board": board, "day": days[start], "later": days[start + ahead],
                    "shown": random.sample(plain, n), "after": after}  # fmt: skip
    raise ValueError(f"no board has {n} systems")


def _then(e: Evidence) -> Scores:
    sign = 1 if _boards()[e["board"]]["higher_is_better"] else -1
    return {name: sign * score for name, score in e["after"]}


def _table(e: Evidence) -> str:
    return "\n".join([f"{e['board']} on {e['day']}", *(f"{name}: {score}" for name, score in e["shown"])])


def _day_asked(asked: Asked) -> Scores:
    """The later day's table, found by the board and the day that the text names."""
    board = asked.context.partition("\n")[0].rpartition(" on ")[0]
    return _scores(board, re.findall(r"\d{4}-\d\d-\d\d", asked.question)[0])


def _systems_shown(asked: Asked) -> list[str]:
    return [line.rpartition(": ")[0] for line in asked.context.split("\n")[1:]]


# which one leads later


def _draw_highest(random: Random, params: Params) -> Evidence:
    for _ in range(ATTEMPTS):
        e = _draw(random, params)
        then = _then(e)
        found = sorted((then[name] for name, _ in e["shown"] if name in then), reverse=True)
        if len(found) < 2 or found[0] == found[1]:
            continue
        if _highest(e) != _leader(e) or random.random() < EASY_KEPT:
            return e
    raise ValueError("no two days have systems in common")


def _leader(e: Evidence) -> str:
    sign = 1 if _boards()[e["board"]]["higher_is_better"] else -1
    return str(max(e["shown"], key=lambda row: sign * row[1])[0])


def _ask_highest(e: Evidence) -> Asked:
    question = f"Which of these systems stood highest on the same board on {e['later']}?"
    return Asked(question, _table(e), options=tuple(sorted(name for name, _ in e["shown"])))


def _highest(e: Evidence) -> Answer:
    shown = {name for name, _ in e["shown"]}
    return str(next(name for name, _ in e["after"] if name in shown))


def _highest_again(_: Evidence, asked: Asked) -> Answer:
    then = _day_asked(asked)
    return max((name for name in _systems_shown(asked) if name in then), key=then.__getitem__)


# how many are still at the head


def _ask_stay(e: Evidence) -> Asked:
    return Asked(
        f"How many of these systems stood among the first {FIRST} of the same board on {e['later']}, systems of one score "
        "sharing the better place?",
        _table(e),
    )


def _stay(e: Evidence) -> Answer:
    """Those whose score is no worse than that of the tenth."""
    scores = list(_then(e).values())
    worst = scores[min(FIRST, len(scores)) - 1]
    return sum(_then(e).get(name, float("-inf")) >= worst for name, _ in e["shown"])


def _stay_again(_: Evidence, asked: Asked) -> Answer:
    """Those that fewer than ten others beat."""
    then = _day_asked(asked)
    return sum(
        name in then and sum(other > then[name] for other in then.values()) < FIRST for name in _systems_shown(asked)
    )


# how many pairs change their order


def _draw_pairs(random: Random, params: Params) -> Evidence:
    e = _draw(random, params)
    for _ in range(ATTEMPTS):
        if _pairs(e) or random.random() < EASY_KEPT / 3:
            break
        e = _draw(random, params)
    return e


def _ask_pairs(e: Evidence) -> Asked:
    return Asked(
        f"Of these systems take those that were among the first 20 of the same board on {e['later']}, too. How many pairs "
        "of them stood in the opposite order then, equal scores not counted?",
        _table(e),
    )


def _pairs(e: Evidence) -> Answer:
    then = _then(e)
    sign = 1 if _boards()[e["board"]]["higher_is_better"] else -1
    kept = [(sign * score, then[name]) for name, score in e["shown"] if name in then]
    return sum(bool((a[0] - b[0]) * (a[1] - b[1]) < 0) for a, b in itertools.combinations(kept, 2))


def _pairs_again(_e: Evidence, asked: Asked) -> Answer:
    """All pairs less those in the same order and those that are equal on one of the days."""
    then = _day_asked(asked)
    board, _, day = asked.context.partition("\n")[0].rpartition(" on ")
    before = _scores(board, day)
    names = [name for name in _systems_shown(asked) if name in then]
    pairs = list(itertools.combinations(names, 2))
    equal = [p for p in pairs if before[p[0]] == before[p[1]] or then[p[0]] == then[p[1]]]
    same = [p for p in pairs if p not in equal and (before[p[0]] > before[p[1]]) == (then[p[0]] > then[p[1]])]
    return len(pairs) - len(equal) - len(same)


def _told(e: Evidence) -> str:
    return "\n".join([f"on {e['later']}", *(f"{name}: {score}" for name, score in e["after"])])


_DAYS: dict[str, Parameter] = {"shown": Between(3, 9), "ahead": Between(1, 8)}
SOURCE = Source(
    Card(
        name="board_histories",
        title="Pasts of public leaderboards",
        modality="text",
        domains=("leaderboard", "leaderboards", "forecast", "forecasting", "prediction", "future", "ranking"),
        data="10 boards from 2016 to 2026, 8 to 22 days of each, the best 20 systems with their scores",
        licence="facts, as the boards published them",
        key="the table of the later day",
        second_key="the later table found by the text's board and day, places counted pair by pair",
    ),
    (
        Form("highest", "which system leads later", ("leader", "highest", "winner"),
             _DAYS, _draw_highest, _ask_highest, _highest, _highest_again, opened=_told),
        Form("stay", "how many are still at the head later", ("head", "stay", "count"),
             _DAYS, _draw, _ask_stay, _stay, _stay_again, opened=_told),
        Form("pairs", "how many pairs change their order", ("order", "pair", "overtake", "multi-step"),
             _DAYS, _draw_pairs, _ask_pairs, _pairs, _pairs_again, opened=_told),
    ),
)  # fmt: skip
