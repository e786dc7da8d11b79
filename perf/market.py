"""Histories of real boards as markets: what the competitors have on each day, in the unit of stored trials of ours."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import median

from auto_benchmark.documents import load
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.sources.replay import replay_directory

ROOT = Path(__file__).resolve().parent.parent
HISTORIES = ROOT.parent / "shared" / "corpus" / "leaderboards" / "history"
SPECS = ROOT / "tests" / "histories"
YEAR, SHORTEST = 364, 182
"""Days: what is replayed of a history at most, and how long it has to be."""


@dataclass(frozen=True, slots=True)
class Market:
    """One board from the day of its first good snapshot on, scores turned so that more is better.

    Attributes:
        starts: day of each snapshot, from 0.
        scores: of its entries, best first.
        days: that are replayed.
    """

    board: str
    starts: tuple[int, ...]
    scores: tuple[tuple[float, ...], ...]
    days: int

    def on(self, day: int) -> tuple[float, ...]:
        """The entries' scores on a day: those of the last snapshot."""
        return self.scores[sum(start <= day for start in self.starts) - 1]


@dataclass(frozen=True, slots=True)
class Mapping:
    """From scores of ours to the board's unit: a straight line through two points, since nobody knows the true one.

    Our first configuration has the median of the first snapshot. The best of all has the most that a leader had until the
    last day, or until another one; the earlier that day, the sooner the market passes everything that we could do.
    """

    worst: float
    best: float
    median: float
    top: float

    def in_ours(self, score: float) -> float:
        """A competitor's score on our scale."""
        return self.worst + (score - self.median) / (self.top - self.median) * (self.best - self.worst)


def mapping(market: Market, *, start: float, best: float, until: float) -> Mapping:
    """The line for a first configuration.

    Args:
        market: the board.
        start: true score of our first configuration.
        best: of our best one.
        until: share of the days whose best leader has what our best configuration has.
    """
    last = int(until * (market.days - 1))
    return Mapping(start, best, median(market.on(0)), max(market.on(day)[0] for day in range(last + 1)))


@cache
def markets() -> dict[str, Market]:
    """Series -> market, of every history that is long enough; empty where the corpus is absent."""
    found = {}
    for path in sorted(SPECS.glob("*.yaml")):
        folder, spec = HISTORIES / path.stem, load(Leaderboard, path)
        if not folder.is_dir():
            continue
        days, scores = [], []
        for snapshot in replay_directory(folder, spec).snapshots:
            if snapshot.status == "ok" and snapshot.file and snapshot.date:
                board = read_board((folder / snapshot.file).read_bytes(), spec, source=snapshot.file)
                sign = 1.0 if spec.higher_is_better else -1.0
                days.append(datetime.date.fromisoformat(snapshot.date))
                scores.append(
                    tuple(sorted((sign * e.score for e in board.entries if e.score is not None), reverse=True))
                )
        starts = tuple((day - days[0]).days for day in days)
        if starts and starts[-1] >= SHORTEST:
            found[path.stem] = Market(path.stem, starts, tuple(scores), min(YEAR, starts[-1] + 1))
    return found
