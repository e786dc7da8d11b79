"""Replay a directory of dated snapshots."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from auto_benchmark.errors import InputError
from auto_benchmark.leaderboards.history import History, Timeline
from auto_benchmark.leaderboards.refusal import ReadRefused
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.fetch import fetch
from auto_benchmark.sources.read import read_board

_DATED = re.compile(r"^(\d{4}-\d{2}-\d{2})(?:[^\d].*)?$")


def replay_directory(directory: Path, spec: Leaderboard, *, ours: Collection[str] = ()) -> History:
    """Read every snapshot in order of date.

    Args:
        directory: files (or directories) whose names begin with ``YYYY-MM-DD``; others are left alone.
        spec: the board.
        ours: names of our system.

    Raises:
        InputError: no such directory, or no dated file in it.
    """
    if not directory.is_dir():
        raise InputError(f"{directory} is no directory")
    dated = sorted((m.group(1), p.name, p) for p in directory.iterdir() if (m := _DATED.match(p.name)))
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
    return History(board=spec.name, snapshots=snapshots, systems=timeline.systems)
