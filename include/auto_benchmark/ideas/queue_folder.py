"""Hypotheses that people put into ``experiments/queue/`` as YAML files, whatever they call them.

A file that is taken in is removed: its hypothesis has a view under an id of its own. One that is wrong becomes
``NAME.refused``, with the reason in ``NAME.refused.txt``; nothing that a person wrote is lost.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.errors import InputError
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.project.context import Context
from auto_benchmark.project.queue_files import is_view
from auto_benchmark.text_file import LARGEST_BYTES

MOST_FILES = 100
"""Files that one call takes in; the next call goes on."""
SUFFIXES = {".yaml", ".yml"}


def take_in_folder(ctx: Context) -> None:
    """Take in every file that is no view. A file that cannot be read stops no other."""
    folder = ctx.home / "experiments" / "queue"
    if not folder.is_dir():
        return
    files = (file for file in sorted(folder.iterdir()) if file.suffix in SUFFIXES and not _is_untouched(file))
    for file, _ in zip(files, range(MOST_FILES), strict=False):
        try:
            _take_in(ctx, file)
        except InputError as error:
            _refuse(ctx, file, str(error))


def _is_untouched(file: Path) -> bool:
    """A view of ours; a directory or a link, which is none of ours to move, counts too."""
    if file.is_symlink() or not file.is_file():
        return True
    with file.open(encoding="utf-8", errors="replace") as text:
        return is_view(text.read(LARGEST_BYTES))


def _take_in(ctx: Context, file: Path) -> None:
    with ctx.sessions() as session:
        known = hypotheses.get(session=session, project=ctx.project, hypothesis_id=file.stem)
    if known is not None:
        raise InputError(
            f"{file.name} shows {known.id}, and the database is what counts; put your change into a file of its own, "
            f"or withdraw it: auto-benchmark hypothesis withdraw {known.id} --reason '…'"
        )
    idea, document = read_idea(file, shown_as=file.name)
    with ctx.sessions.begin() as session:
        taken = take_in(ctx, session, idea, document, file.parent)
    if not taken.is_new and not taken.hypothesis.status.is_open:
        raise InputError(f"{file.name}: {taken.reason}")
    ctx.say(f"{file.name} is {taken.hypothesis.id}: {taken.reason}")
    file.unlink(missing_ok=True)


def _refuse(ctx: Context, file: Path, reason: str) -> None:
    for number in count(1):
        name = file.name if number == 1 else f"{file.name}.{number}"
        target = file.with_name(f"{name}.refused")
        if not target.exists():
            break
    atomic.write_text(target.with_name(f"{target.name}.txt"), f"{reason}\n")
    file.rename(target)
    ctx.say(f"{file.name} was refused: {reason}")
