"""Which metrics trials of a solution on a benchmark can have, as far as that is known before the first one."""

from __future__ import annotations

import contextlib
import difflib
import re
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.pipelines.configuration import BenchmarkFolder, SolutionFolder

LARGEST_SOURCE_BYTES = 2**20


def unknown_metric(name: str, solution: SolutionFolder, benchmark: BenchmarkFolder) -> str | None:
    """Why no trial will have a metric called ``name``; None when one may.

    A solution may report secondary metrics that it declares nowhere, so a name that the scorer's or the solution's
    files quote, or pass as a keyword, is taken for one.
    """
    declared = benchmark.benchmark
    known = {board.metric for board in declared.boards.values()} | set(declared.secondary)
    known |= {guard.name for guard in solution.solution.metrics.guarded()}
    if name in known or _is_named(name, [solution.path, benchmark.path]):
        return None
    close = difflib.get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"there are {', '.join(sorted(known))}"
    return f"no metric {name!r}; {hint}"


def _is_named(name: str, folders: list[Path]) -> bool:
    word = re.escape(name.encode())
    pattern = re.compile(rb"""["']%b["']|[(,{]\s*%b\s*=""" % (word, word))
    return any(pattern.search(source) for folder in folders for source in _sources(folder))


def _sources(folder: Path) -> Iterator[bytes]:
    """Contents of the folder's own files: neither hidden nor compiled ones, none too large to be code."""
    for file in sorted(folder.rglob("*")):
        own = not any(part.startswith((".", "__pycache__")) for part in file.relative_to(folder).parts)
        with contextlib.suppress(OSError):
            if own and file.is_file() and file.stat().st_size <= LARGEST_SOURCE_BYTES:
                yield file.read_bytes()
