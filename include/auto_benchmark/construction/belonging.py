"""The folder of a construction belongs to one request, and to one process at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from auto_benchmark import atomic, documents
from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.construction.item import canonical
from auto_benchmark.construction.request import Request
from auto_benchmark.errors import InputError, RefusedError

REQUEST_FILE = "request.yaml"


def claim(out: Path, request: Request) -> None:
    """Note the request in the folder, made where it is missing.

    Raises:
        InputError: it cannot be written. RefusedError: it belongs to another request, or holds something else.
    """
    asked = request.model_dump(mode="json")
    path = out / REQUEST_FILE
    try:
        if path.exists():
            before = documents.load(Request, path).model_dump(mode="json")
            if differs := [name for name in asked if canonical(asked[name]) != canonical(before[name])]:
                raise RefusedError(
                    f"{out} holds a construction with another {', '.join(differs)}; choose another --out"
                )
            return
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RefusedError(f"{out} exists and is no construction; choose another --out")
        atomic.write_text(path, documents.to_yaml(asked))
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from None


def working_in(out: Path) -> AbstractContextManager[None]:
    """Hold a claimed folder, as :func:`~auto_benchmark.artifacts.folder_lock.locked` does."""
    return locked(out, taken=f"{out}: another construction works in this folder")
