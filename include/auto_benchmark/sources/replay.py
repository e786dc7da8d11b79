"""Replay a directory of dated snapshots."""

from __future__ import annotations

import datetime
import re
from collections.abc import Collection
from pathlib import Path

from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.leaderboards.history import History, Timeline
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.fetch import fetch
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.refusal import ReadRefused

_DATED = re.compile(r"^([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[^0-9].*)?$", re.DOTALL)


def replay_directory(directory: Path, spec: Leaderboard, *, ours: Collection[str] = ()) -> History:
    """Read every snapshot in order of date.

    Args:
        directory: files (or directories) whose names begin with ``YYYY-MM-DD``; others are skipped, and named.
        spec: the board.
        ours: names of our system.

    Raises:
        InputError: no such directory, no dated file in it, or a name with a day that the calendar does not know.
    """
    if not directory.is_dir():
        raise InputError(f"{directory} is not a directory")
    dated, skipped = _dated(directory)
    if not dated:
        raise InputError(f"{directory} holds no file whose name begins with a date (YYYY-MM-DD)")
    timeline = Timeline(spec, ours=ours)
    snapshots = []
    for date, name, path in dated:
        try:
            board = read_board(fetch(str(path)).content, spec, source=str(path))
        except ReadRefused as error:
            snapshots.append(timeline.refuse(str(error), date=date, file=name))
        else:
            snapshots.append(timeline.take(board, date=date, file=name))
    return History(
        board=spec.name, snapshots=snapshots, systems=timeline.systems, skipped=skipped, unproven=timeline.unproven
    )


def _dated(directory: Path) -> tuple[list[tuple[str, str, Path]], list[str]]:
    """``(date, name, path)`` of the snapshots in order, and the names of the rest; hidden files are neither.

    Raises:
        ConfigError: not a day. Its place in the order is unknown, and without it, what it changed would be reported on a
            later day.
    """
    dated, skipped, faults = [], [], []
    for path in sorted(p for p in directory.iterdir() if not p.name.startswith(".")):
        found = _DATED.match(path.name)
        if found is None:
            skipped.append(path.name)
            continue
        try:
            datetime.date.fromisoformat(found.group(1))
        except ValueError as error:
            faults.append(Fault(str(path), None, "", f"there is no day {found.group(1)}: {error}"))
        dated.append((found.group(1), path.name, path))
    if faults:
        raise ConfigError(faults)
    return sorted(dated), skipped
