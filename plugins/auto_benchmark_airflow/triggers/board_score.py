"""Wakes when leaderboards show what was handed in to them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

from airflow.triggers.base import BaseTrigger, TriggerEvent


class BoardScoreTrigger(BaseTrigger):
    """Reads boards until each shows one of our names with at least the expected score.

    Args:
        expected: one ``{"spec", "score"}`` per board: its declaration as JSON, and the score in its unit, or None
            when any entry of ours will do.
        names: our name and its aliases.
        poll_interval: seconds between looks.
    """

    def __init__(
        self, *, expected: Sequence[dict[str, Any]], names: Sequence[str], poll_interval: float = 30.0
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.expected = list(expected)
        self.names = list(names)
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Class path and arguments."""
        arguments = {"expected": self.expected, "names": self.names, "poll_interval": self.poll_interval}
        return f"{type(self).__module__}.{type(self).__qualname__}", arguments

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Look, wait, look again; a board that cannot be read now may be readable later."""
        from asgiref.sync import sync_to_async

        waiting, shown = list(self.expected), dict[str, float]()
        while waiting:
            for one in list(waiting):
                name = one["spec"]["name"]
                try:
                    # In a thread: Airflow's HTTP hook blocks, and asks for its Connection through this loop.
                    score = await sync_to_async(shown_score, thread_sensitive=False)(one, self.names)
                except Exception as error:
                    self.log.warning("%s cannot be read (%s: %s); trying again", name, type(error).__name__, error)
                    continue
                if score is not None:
                    shown[name] = score
                    waiting.remove(one)
                else:
                    self.log.info("%s does not show the expected %s", name, one["score"])
            if waiting:
                await asyncio.sleep(self.poll_interval)
        yield TriggerEvent({"shown": shown})  # type: ignore[no-untyped-call]


def shown_score(expected: dict[str, Any], names: Sequence[str]) -> float | None:
    """The score that a board shows for one of ``names`` if it is what is expected of it; None otherwise.

    Raises:
        AutoBenchmarkError: the board cannot be reached or read.
    """
    score = score_on_board(expected["spec"], names)
    if score is not None and is_reached(score, expected["score"], expected["spec"]["higher_is_better"]):
        return score
    return None


def score_on_board(spec: dict[str, Any], names: Sequence[str]) -> float | None:
    """The best score that a board shows for one of ``names``; None when none of them is on it.

    Raises:
        AutoBenchmarkError: the board cannot be reached or read.
    """
    from auto_benchmark.addresses import shown
    from auto_benchmark.http.errors import UnreachableError
    from auto_benchmark.leaderboards.our_names import OurNames
    from auto_benchmark.registry.leaderboard import Leaderboard
    from auto_benchmark.settings import Settings
    from auto_benchmark.sources.fetch import fetch
    from auto_benchmark.sources.read import read_board
    from auto_benchmark_airflow.hooks.http_endpoint import HttpEndpoint

    board = Leaderboard.model_validate(spec)
    url = board.url or "/"
    if board.conn_id is None:
        page: Any = fetch(url, private=Settings().private_hosts)
    else:
        page = HttpEndpoint(board.conn_id).get(url)
        if page.status != 200:
            raise UnreachableError(f"{shown(url)}: HTTP {page.status}")
    entries = read_board(page.content, board, source=shown(url), content_type=page.content_type).entries
    ours = OurNames(names)
    return next((entry.score for entry in entries if ours.borne_by(entry)), None)


def is_reached(score: float, expected: float | None, higher_is_better: bool) -> bool:
    """Whether a shown score is the expected one or better, within the 0.05 % that rounding on the board may take."""
    if expected is None:
        return True
    tolerance = 0.0005 * max(abs(score), abs(expected), 1e-9)
    return score >= expected - tolerance if higher_is_better else score <= expected + tolerance
