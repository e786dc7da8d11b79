"""Which metrics trials of a solution on a benchmark can have, as far as that is known before the first one."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.contract.measured import MEASURED
from auto_benchmark.project.configuration import BenchmarkFolder, SolutionFolder
from auto_benchmark.registry.slice_metrics import SLICE_METRICS
from auto_benchmark.spelling import closest, did_you_mean

LARGEST_SOURCE_BYTES = 2**20


def unknown_metric(name: str, solution: SolutionFolder, benchmark: BenchmarkFolder) -> str | None:
    """Why ``name`` is a misspelt metric; None when trials may well have it.

    A solution may report metrics that it declares nowhere and composes as it runs (``f"recall@{k}"``), or keep its code
    in an image. So only a name that no file quotes or passes as a keyword, and that resembles a declared one, is
    refused; any other unknown name ends the first run that lacks it.
    """
    declared = benchmark.benchmark
    known = {board.metric for board in declared.boards.values()} | set(declared.secondary_names)
    known |= {*MEASURED, *declared.standard_metrics, *SLICE_METRICS} | set(solution.solution.metrics.guarded_names)
    if name in known or _is_named(name, [solution.path, benchmark.path]):
        return None
    near = closest(name, known)
    if near is None or _letters(near) == _letters(name):
        return None
    return f"no metric {name!r}{did_you_mean(name, known)}"


def _letters(name: str) -> str:
    """The name without its numbers: ``recall@5`` is no misspelt ``recall@1``."""
    return re.sub(r"\d+", "", name)


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
