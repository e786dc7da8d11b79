"""The loop from the command line: brings up what it needs, runs cycles, stops what it started."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from typing import Any

from auto_benchmark.flows.cycle import run_cycle
from auto_benchmark.project.context import make_context
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import NamedConnections
from auto_benchmark.stack.example_arena import CONN_ID, example_arena
from auto_benchmark.stack.session import database, declared_connections


def run_loop(settings: Settings, *, project: str, cycles: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Run cycles of one project.

    Returns:
        ``{"project", "cycles": [...], "seconds"}``.
    """
    from auto_benchmark.project.configuration import load_project

    started = time.monotonic()
    config = load_project(settings, project)  # a faulty file is told before anything is started
    needs_arena = any(board.conn_id == CONN_ID for board in config.registry.target_leaderboards)
    with contextlib.ExitStack() as stack:
        sessions = stack.enter_context(database(settings))
        endpoints = declared_connections(settings)
        if needs_arena and CONN_ID not in endpoints:
            endpoints[CONN_ID] = stack.enter_context(example_arena(settings, say=say))
        done = []
        for number in range(1, cycles + 1):
            # a board that the last cycle has adopted is followed from here on
            ctx = make_context(settings, sessions, NamedConnections(endpoints), project=project, say=say)
            say(f"— cycle {number} of {cycles} ({time.monotonic() - started:.0f} s)")
            name = f"{ctx.now().strftime('%Y%m%dT%H%M%S')}-{number}"
            done.append(run_cycle(ctx, name))
    return {"project": project, "cycles": done, "seconds": round(time.monotonic() - started, 1)}
