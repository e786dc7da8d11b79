"""What a solution would show its trials that they may not see: by the paths it declares, or by links in its folder.

Asked when a solution is checked, when it is loaded, and again right before each trial: a declared path may lead elsewhere
by then.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.artifacts.fingerprint import UnfitCodeError, code_files
from auto_benchmark.documents import Document
from auto_benchmark.errors import Fault
from auto_benchmark.registry.solution import Resources

MOST_LINKS = 40
"""As many as Linux follows in one path."""
FIELDS = ("readable", "writable")


def exposure_faults(document: Document, resources: Resources, folder: Path, sealed: Sequence[Path]) -> list[Fault]:
    """What a solution would show its trials that they may not see.

    Args:
        document: its ``solution.yaml``.
        resources: declared there.
        folder: of its code.
        sealed: places that hold answers, results of trials, and whatever else is the system's own.
    """
    found = []
    for field, i, text in exposing(resources, sealed):
        path: documents.Path = ("resources", field, i)
        found.append(Fault(document.file, document.line_of(path), documents.dotted(path), text))
    try:
        linked = exposing_code(folder, sealed)
    except UnfitCodeError as error:
        return [*found, Fault(document.file, None, "", f"the folder's code: {error}")]
    text = "links to answers or results that trials are judged by, or to a folder around them"
    return found + [Fault(document.file, None, "", f"the folder's code: {name} {text}") for name in linked]


def exposing(resources: Resources, sealed: Sequence[Path]) -> list[tuple[str, int, str]]:
    """Declared paths that show a local trial what it must not see, or that a trial could make do so.

    Args:
        resources: of the solution.
        sealed: places that hold answers, results of trials, and whatever else is the system's own.

    Returns:
        Field, index and reason of each.
    """
    places = [place.resolve() for place in sealed]
    writable = [Path(path).resolve() for path in resources.writable]
    found = []
    for field in FIELDS:
        for i, path in enumerate(getattr(resources, field)):
            if _touches(Path(path).resolve(), places):
                found.append(
                    (field, i, f"{path} holds answers or results that trials are judged by, or lies among them")
                )
            elif around := _within(Path(path), writable):
                text = f"{path} leads through {around}, where trials may write: one could make it lead elsewhere"
                found.append((field, i, text))
    return found


def exposing_code(folder: Path, sealed: Sequence[Path]) -> list[str]:
    """Files of a solution's code that are links into a sealed place: names below the folder.

    Raises:
        UnfitCodeError: something in the folder cannot be code.
    """
    places, own = [place.resolve() for place in sealed], folder.resolve()
    real = ((str(name), path.resolve()) for name, path in code_files(folder))
    return [name for name, path in real if own not in path.parents and _touches(path, places)]


def _touches(real: Path, places: Sequence[Path]) -> bool:
    """Whether one of the places lies at ``real``, above it or below it."""
    return any(place == real or real in place.parents or place in real.parents for place in places)


def _within(path: Path, writable: Sequence[Path]) -> Path | None:
    """The writable folder of which an entry is passed on the way to what ``path`` means."""
    return next((place for step in _steps(path) for place in writable if place in step.parents), None)


def _steps(path: Path) -> Iterator[Path]:
    """Every entry that is looked up for a path, each in its real folder; those of links on the way too."""
    ahead, here, links = list(reversed(path.absolute().parts[1:])), Path("/"), 0
    while ahead:
        name = ahead.pop()
        if name == "..":
            here = here.parent
            continue
        step = here / name
        yield step
        if not step.is_symlink():
            here = step
            continue
        links += 1
        if links > MOST_LINKS:
            return
        target = Path(os.readlink(step))  # noqa: PTH115 - as it is written
        here = Path("/") if target.is_absolute() else here
        ahead += reversed(target.parts[1:] if target.is_absolute() else target.parts)
