"""The folder of a construction belongs to one request, and to one process at a time."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

from auto_benchmark import atomic, documents
from auto_benchmark.artifacts.folder_lock import LOCK, at_rest, locked
from auto_benchmark.construction.item import canonical
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.stages import RESTS_ON
from auto_benchmark.errors import InputError, RefusedError

REQUEST_FILE, STAGES = "request.yaml", "stages"


def claim(out: Path, request: ConstructionRequest) -> None:
    """Note the request in the folder, made where it is missing.

    A request that was refused before anybody answered may be corrected: nothing of its construction is lost.

    Raises:
        InputError: it cannot be written. RefusedError: it belongs to another request, or holds something else.
    """
    asked = request.model_dump(mode="json")
    path = out / REQUEST_FILE
    try:
        if path.exists():
            before = documents.load(ConstructionRequest, path).model_dump(mode="json")
            differs = [name for name in asked if canonical(asked[name]) != canonical(before[name])]
            if not differs:
                return
            if _is_begun(out):
                raise RefusedError(
                    f"{out} holds a construction with another {', '.join(differs)}; choose another --out"
                )
        elif out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise RefusedError(f"{out} exists and is not a construction; choose another --out")
        atomic.write_text(path, documents.to_yaml(asked))
    except OSError as error:
        raise InputError(f"{out}: cannot be written: {error.strerror or error}") from None


def _is_begun(out: Path) -> bool:
    """Whether the folder holds more than a plan."""
    planned = {
        REQUEST_FILE,
        STAGES,
        RESTS_ON,
        LOCK,
        *(f"{name}.yaml" for name in ("subtasks", "grounding", "quotas")),
    }
    return any(path.name not in planned for path in out.rglob("*"))


def working_in(out: Path) -> AbstractContextManager[None]:
    """Hold a claimed folder, as :func:`~auto_benchmark.artifacts.folder_lock.locked` does."""
    return locked(out, taken=f"{out}: another construction works in this folder")


def resting(folder: Path) -> AbstractContextManager[None]:
    """Read a folder that no construction works in: files of before and after would not fit each other."""
    return at_rest(folder, taken=f"{folder}: a construction works in this folder; wait until it has ended")
