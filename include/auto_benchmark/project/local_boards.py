"""Boards that lie in a file beside the registry: ``check`` reads them as the next scrape will."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from statistics import median

from auto_benchmark.documents import Document
from auto_benchmark.errors import Fault
from auto_benchmark.leaderboards.notation import PERCENT
from auto_benchmark.registry.competitive_registry import CompetitiveRegistry
from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.tables.rows import GUESSED_SYSTEM


def local_board_faults(
    directory: Path, document: Document, registry: CompetitiveRegistry
) -> tuple[list[Fault], list[Fault]]:
    """What keeps the next scrape from reading such a board, and what it will doubt.

    A file that a person keeps by hand has to be mended by them; one of another kind may be written anew until then.

    Args:
        directory: of the registry, from which the boards' paths count.
        document: the registry.
        registry: what it declares.
    """
    faults, remarks = list[Fault](), list[Fault]()
    for i, board in enumerate(registry.target_leaderboards):
        file = _file(directory, board)
        if file is not None:
            line = document.line_of(("target_leaderboards", i, "url"))
            wrong, doubted = _read(file, board)
            told = faults if board.scrape_method is ScrapeMethod.MANUAL else remarks
            told += [Fault(document.file, line, f"target_leaderboards[{i}].url", text) for text in wrong]
            remarks += [Fault(document.file, line, f"target_leaderboards[{i}].url", text) for text in doubted]
    return faults, remarks


def unit_remarks(
    directory: Path, document: Document, registry: CompetitiveRegistry, shares: Mapping[str, str]
) -> Iterator[Fault]:
    """Boards whose scores no share can have, in percent or not, though one stands for them; ``shares``: board -> metric."""
    from auto_benchmark.sources.read import read_board
    from auto_benchmark.tables.refusal import ReadRefused

    for i, board in enumerate(registry.target_leaderboards):
        file = _file(directory, board) if board.name in shares else None
        if file is None:
            continue
        try:
            read = read_board(file.read_bytes(), board, source=file.name)
        except (ReadRefused, OSError):
            continue  # told already
        scores = [entry.score for entry in read.entries if entry.score is not None]
        if scores and not 0 <= median(scores) <= PERCENT:
            text = (
                f"{file.name}: its scores ({min(scores):g} to {max(scores):g}) cannot be {shares[board.name]}, which lies "
                "between 0 and 1, or 0 and 100 %; another column, or another metric in benchmark.yaml, is meant"
            )
            yield Fault(
                document.file,
                document.line_of(("target_leaderboards", i, "url")),
                f"target_leaderboards[{i}].url",
                text,
            )


def _file(directory: Path, board: Leaderboard) -> Path | None:
    """The board's file; None where it has none, or the file is not there, which is a remark of its own."""
    if board.url is None or ":" in board.url or board.conn_id:
        return None
    file = directory / board.url
    return file if is_there(file) else None


def is_there(file: Path) -> bool:
    """Whether there is such a file; what no file can be called is not there."""
    try:
        return file.is_file()
    except OSError:
        return False


def _read(file: Path, board: Leaderboard) -> tuple[list[str], list[str]]:
    from auto_benchmark.sources.read import read_board
    from auto_benchmark.tables.refusal import ReadRefused

    try:
        found = read_board(file.read_bytes(), board, source=file.name)
    except (ReadRefused, OSError) as error:
        text = str(error)
        return [text if file.name in text else f"{file.name}: {text}"], []
    doubts = [warning for warning in found.warnings if not warning.startswith(GUESSED_SYSTEM)]
    return [], [f"{file.name}: {warning}" for warning in doubts]
