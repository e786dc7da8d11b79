"""Hypotheses that people put into ``experiments/queue/`` as YAML files, whatever they call them.

A file that is taken in is removed: its hypothesis has a view under an id of its own. One that is wrong becomes
``NAME.refused``, with the reason in ``NAME.refused.txt``. One that is being written, was replaced meanwhile or cannot be
opened is left where it is: nothing that a person wrote is lost, and no file stops the work on others.
"""

from __future__ import annotations

import os
import re
import stat
import time
from itertools import count
from pathlib import Path
from typing import NamedTuple

from auto_benchmark import atomic
from auto_benchmark.artifacts.code_tree import CodeChangedError
from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.documents import storable
from auto_benchmark.errors import InputError
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.project.context import Context
from auto_benchmark.project.queue_files import is_view
from auto_benchmark.terminal import one_line
from auto_benchmark.text_file import LARGEST_BYTES

MOST_FILES = 100
"""Files that one call takes in; the next call goes on."""
SUFFIXES = {".yaml", ".yml"}
SETTLED_S = 0.5
"""A file that was written less long ago is looked at again before it is read: its writer may not be done."""
LONGEST_NAME = 200
"""Bytes of a name that endings are added to; file systems take 255."""
_ID = re.compile(r"H-\d{3,}")


class _State(NamedTuple):
    """What tells a file from one that has taken its place, or that was written to."""

    device: int
    inode: int
    size: int
    changed_ns: int


def take_in_folder(ctx: Context) -> None:
    """Take in every file that is no view. A file that cannot be read stops no other."""
    folder = ctx.home / "experiments" / "queue"
    if not folder.is_dir():
        return
    waiting = [(file, state) for file in sorted(folder.iterdir()) if (state := _waits(file)) is not None]
    _let_settle([state for _, state in waiting])
    for file, state in waiting[:MOST_FILES]:
        try:
            if _state(file) == state:
                _take_in(ctx, file, state)
        except FileNotFoundError:  # another process has dealt with it
            continue
        except (OSError, CodeChangedError) as error:
            ctx.say(f"{_shown(file)} is left where it is: {getattr(error, 'strerror', None) or error}")


def _waits(file: Path) -> _State | None:
    """A file's state; None for a view of ours, and for what is no file of its own: none of ours to move."""
    if file.suffix not in SUFFIXES:
        return None
    try:
        state = _state(file)
        if state is None:
            return None
        with file.open(encoding="utf-8", errors="replace") as text:
            return None if is_view(text.read(LARGEST_BYTES)) else state
    except FileNotFoundError:
        return None
    except OSError:  # the one who takes it in says so
        return state


def _state(file: Path) -> _State | None:
    found = file.lstat()
    if not stat.S_ISREG(found.st_mode):
        return None
    return _State(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns)


def _let_settle(states: list[_State]) -> None:
    ages = [time.time() - state.changed_ns / 1e9 for state in states]
    if any(abs(age) < SETTLED_S for age in ages):
        time.sleep(SETTLED_S)


def _take_in(ctx: Context, file: Path, state: _State) -> None:
    try:
        told = _hypothesis_of(ctx, file)
    except InputError as error:
        if _state(file) == state:
            _refuse(ctx, file, storable(str(error)))
        return
    ctx.say(told)
    if _state(file) == state:  # else it is another file by now, and the next call's
        file.unlink(missing_ok=True)


def _hypothesis_of(ctx: Context, file: Path) -> str:
    """Queue what a file holds; what was done, in words. Raises InputError."""
    name = _shown(file)
    if _ID.fullmatch(file.stem):
        with ctx.sessions() as session:
            known = hypotheses.get(session=session, project=ctx.project, hypothesis_id=file.stem)
        if known is not None:
            raise InputError(
                f"{name} shows {known.id}, and the database is what counts; put your change into a file of its own, "
                f"or withdraw it: auto-benchmark hypothesis withdraw {known.id} --reason '…'"
            )
    idea, document = read_idea(file, shown_as=name)
    with ctx.sessions.begin() as session:
        taken = take_in(ctx, session, idea, document, file.parent)
    if not taken.is_new and not taken.hypothesis.status.is_open:
        raise InputError(f"{name}: {taken.reason}")
    return f"{name} is {taken.hypothesis.id}: {taken.reason}"


def _refuse(ctx: Context, file: Path, reason: str) -> None:
    kept = os.fsdecode(os.fsencode(file.name)[:LONGEST_NAME])
    for number in count(1):
        name = kept if number == 1 else f"{kept}.{number}"
        target = file.with_name(f"{name}.refused")
        if not os.path.lexists(target):
            break
    atomic.write_text(target.with_name(f"{target.name}.txt"), f"{reason}\n")
    file.rename(target)
    ctx.say(f"{_shown(file)} was refused: {reason}")


def _shown(file: Path) -> str:
    return one_line(storable(file.name))
