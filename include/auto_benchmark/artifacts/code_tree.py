"""What a trial runs is exactly what its fingerprint covers: a copy of the solution's code files, and nothing else.

The copy has no ``__pycache__``. Python runs compiled code from there without a look at the source where a file's header
says so; to forbid that by ``PYTHONPYCACHEPREFIX`` would compile every library anew in every trial.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark import atomic, trees
from auto_benchmark.artifacts.fingerprint import SKIPPED, code_files, folder_sha256, open_regular
from auto_benchmark.errors import AutoBenchmarkError

CODE = "code"


class CodeChangedError(AutoBenchmarkError):
    """A solution's folder holds other code than the trial was to run."""


def code_tree(solution: Path, sha256: str, root: Path) -> Path:
    """The copy of a solution's folder under ``<root>/code/<sha256>``, made where it is missing, repaired where damaged.

    Args:
        solution: the folder.
        sha256: its :func:`~auto_benchmark.artifacts.fingerprint.folder_sha256` when the trial was described.
        root: where the system keeps its files.

    Returns:
        A folder of the same name and code.

    Raises:
        CodeChangedError: there is no copy yet, and somebody has changed the folder meanwhile.
    """
    place = root / CODE / sha256
    copy = place / solution.name
    if is_sound(copy, sha256):
        os.utime(place)  # retention counts from the last trial
        return copy
    if place.exists():
        trees.make_way(place)
    with atomic.new_directory(place) as draft:
        for name, path in code_files(solution):
            target = draft / solution.name / name
            target.parent.mkdir(parents=True, exist_ok=True)
            with open_regular(path) as code, target.open("wb") as copied:
                shutil.copyfileobj(code, copied)
            shutil.copystat(path, target)
        if not is_sound(draft / solution.name, sha256):
            raise CodeChangedError(f"{solution} was changed while a trial of it started")
        draft.chmod(0o755)
    return copy


def copies(root: Path) -> Iterator[Path]:
    """Every copy under ``root``, those included that a killed process has not finished."""
    with contextlib.suppress(FileNotFoundError):
        yield from sorted((root / CODE).iterdir())


def is_sound(copy: Path, sha256: str) -> bool:
    """Whether a copy holds this code, and nothing that the checksum leaves out."""
    whole = copy.is_dir() and folder_sha256(copy) == sha256
    return whole and not any(path.name in SKIPPED for path in copy.rglob("*"))
