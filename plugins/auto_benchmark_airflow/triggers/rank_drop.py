"""Wakes when a competitor has passed us.

The trigger listens on the project database and looks again every ``poll_interval`` seconds, so that a lost
notification costs time and nothing else. It claims nothing: it wakes at least once per event, and the first task of
the run that is woken claims what it answers. A claim made here would be lost with a triggerer that dies before its event
is stored.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import datetime
from typing import Any

from airflow.sdk import BaseHook
from airflow.triggers.base import BaseEventTrigger, TriggerEvent

CHANNEL = "auto_benchmark_rank_drop"
APPLICATION = "auto_benchmark_rank_drop_trigger"
RECONNECT_S = 5.0
MOST_IDS = 50
UNCLAIMED = """
    SELECT id FROM auto_benchmark.competitive_deltas
    WHERE project = $1 AND event_key IS NOT NULL AND claimed_at IS NULL ORDER BY id
"""
SINCE = """
    SELECT id FROM auto_benchmark.competitive_deltas
    WHERE project = $1 AND event_key IS NOT NULL AND recorded_at > $2 ORDER BY id
"""


class RankDropTrigger(BaseEventTrigger):
    """Yields ``{"project", "events"}`` whenever rank drops wait for an answer.

    Args:
        project: whose boards are watched.
        conn_id: Connection of the project database.
        since: ISO moment. With it, every rank drop recorded later counts, answered or not; without it, only
            unanswered ones do.
        poll_interval: seconds between looks when no notification comes.
        wake_again: seconds after which events that are still unanswered wake once more.
    """

    def __init__(
        self,
        *,
        project: str,
        conn_id: str = "auto_benchmark_db",
        since: str | None = None,
        poll_interval: float = 15.0,
        wake_again: float = 300.0,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.project = project
        self.conn_id = conn_id
        self.since = since
        self.poll_interval = poll_interval
        self.wake_again = wake_again

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """Class path and arguments."""
        arguments = ("project", "conn_id", "since", "poll_interval", "wake_again")
        name = f"{type(self).__module__}.{type(self).__qualname__}"
        return name, {argument: getattr(self, argument) for argument in arguments}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Listen for ever; a database that went away is waited for."""
        answered_at, woken_for = float("-inf"), set[int]()
        while True:
            try:
                async with self._listening() as (connection, notified):
                    while True:
                        was_notified = notified.is_set()
                        notified.clear()  # before the look, so that a notification during it is not lost
                        waiting = await self._waiting(connection)
                        overdue = time.monotonic() - answered_at > self.wake_again
                        if waiting and (was_notified or overdue or not waiting <= woken_for):
                            answered_at, woken_for = time.monotonic(), waiting
                            told = {"project": self.project, "events": sorted(waiting)[-MOST_IDS:]}
                            yield TriggerEvent(told)  # type: ignore[no-untyped-call]
                        with suppress(TimeoutError):
                            await asyncio.wait_for(notified.wait(), self.poll_interval)
            except Exception as error:  # a trigger that ends is not started again before its DAG changes
                self.log.warning("The project database cannot be asked for rank drops (%s); trying again", error)
                await asyncio.sleep(min(RECONNECT_S, self.poll_interval))

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[tuple[Any, asyncio.Event]]:
        import asyncpg

        notified = asyncio.Event()

        def on_notification(_connection: Any, _pid: int, _channel: str, payload: str) -> None:
            if _project_of(payload) == self.project:
                notified.set()

        connection = await asyncpg.connect(
            await self._dsn(), timeout=10, command_timeout=10, server_settings={"application_name": APPLICATION}
        )
        try:
            connection.add_termination_listener(lambda _: notified.set())
            await connection.add_listener(CHANNEL, on_notification)
            yield connection, notified
        finally:
            await connection.close(timeout=2)

    async def _waiting(self, connection: Any) -> set[int]:
        if self.since is None:
            rows = await connection.fetch(UNCLAIMED, self.project)
        else:
            rows = await connection.fetch(SINCE, self.project, datetime.fromisoformat(self.since))
        return {row["id"] for row in rows}

    async def _dsn(self) -> str:
        connection = await BaseHook.aget_connection(self.conn_id)
        uri = str(connection.get_uri())
        return "postgresql://" + uri.partition("://")[2]


def _project_of(payload: str) -> str | None:
    try:
        return str(json.loads(payload)["project"])
    except (ValueError, TypeError, KeyError):
        return None
