"""Which files of a project's home travel in an archive, and which names a path in an archive may have.

Only what the system writes as a record of the past travels. Left out is what it reads as an order or a cache (the
tracker's journal names folders to be uploaded, cached answers would be believed), what it draws or renders again, what
belongs to a board, and what a trial has not finished.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from pathlib import PurePosixPath

from auto_benchmark.artifacts.trial_folder import ITEMS, METRICS, OUTPUT
from auto_benchmark.errors import RefusedError

FOLDERS = frozenset({"experiments", "raw", "reports", "sweeps"})
FILES = frozenset({"CHANGELOG.md", "TECHNICAL_LOG.md", "experiment_queue.yaml", "research_log.md"})
LEFT_OUT = {
    "cache": "a language model answers again",
    "competitive_registry.yaml": "rendered from the declared registry, whose addresses may hold passwords",
    "hidden_inputs": "they belong to a board, not to us",
    "proposals": "what agents tried; what came of it is a hypothesis with its code",
    "tracking": "orders to the tracker, with absolute paths",
}
"""First part of a path in the home -> why it does not travel."""
PLOTS = PurePosixPath("reports/plots")
"""Drawn again; named by the ids of rows."""
PAGES = frozenset({".htm", ".html", ".svg", ".xhtml"})
"""A browser would run what stands in them; ours are rendered again."""
RESULTS = PurePosixPath("experiments/results")
MOST_PARTS, LONGEST_PART, LONGEST_PATH = 16, 200, 1024
_NOT_PORTABLE = frozenset('\\:*?"<>|')


def part_fault(part: str) -> str | None:
    """Why ``part`` may not be one component of a path in an archive; None where it may."""
    if part in {"", ".", ".."}:
        return "has an empty component, . or .."
    if not part.isprintable() or _NOT_PORTABLE & set(part):
        return "holds a character that not every file system takes"
    if part[-1] in " ." or part[0] == " ":
        return "has a component that begins or ends with a space or ends with a dot"
    if len(part.encode()) > LONGEST_PART:
        return f"has a component of more than {LONGEST_PART} bytes"
    return None


def path_of(name: str) -> PurePosixPath:
    """A member's name as a path.

    Raises:
        RefusedError: it is absolute, leads elsewhere, is too long or holds odd characters.
    """
    parts = name.split("/")
    fault = next((f for part in parts if (f := part_fault(part)) is not None), None)
    if fault is None and (len(parts) > MOST_PARTS or len(name) > LONGEST_PATH):
        fault = f"is deeper than {MOST_PARTS} folders or longer than {LONGEST_PATH} characters"
    if fault is not None:
        raise RefusedError(f"{name[:120]!a}: the path {fault}")
    return PurePosixPath(name)


def travels(path: PurePosixPath) -> bool:
    """Whether a file of the home is part of an export.

    Raises:
        RefusedError: no project's home has such a file or folder.
    """
    top, *below = path.parts
    if any(part.startswith(".") for part in path.parts):
        return False  # locks, and what an interrupted write has left
    if top in LEFT_OUT or path.is_relative_to(PLOTS) or path.suffix.lower() in PAGES:
        return False
    if not (top in FOLDERS if below else top in FILES):
        raise RefusedError(f"{str(path)!a}: a project's home holds no such file")
    return not (path.is_relative_to(RESULTS) and OUTPUT in path.parts[3:-1])


def is_believed(path: PurePosixPath, results: Collection[str]) -> bool:
    """Whether a file would be taken as a trial's result.

    Args:
        path: of a file in the home.
        results: folders of finished trials, relative to the home.

    Returns:
        False for a complete result in a folder of no finished trial: the worker of that trial would take it as it is.
    """
    if not path.is_relative_to(RESULTS) or path.name not in {METRICS, ITEMS} or len(path.parts) <= 4:
        return True
    return str(path.parent) in results


class Names:
    """The paths seen so far: two may not meet on a file system that ignores case, nor may one lead through another."""

    def __init__(self) -> None:
        self._files: set[str] = set()
        self._folders: set[str] = set()

    def add(self, path: PurePosixPath) -> None:
        """Take one more. Raises RefusedError."""
        key = _key(path)
        above = {_key(parent) for parent in path.parents if parent.parts}
        if key in self._files or key in self._folders or above & self._files:
            raise RefusedError(f"{str(path)!a}: another member has this path, or one that differs in case alone")
        self._files.add(key)
        self._folders |= above


def _key(path: PurePosixPath) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", str(path)).casefold())
