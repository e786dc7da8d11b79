"""Result tables of a paper: which row is the authors', and by how much it beats the best of the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from auto_benchmark.research.gains import Gain, GainUnit
from auto_benchmark.research.lexicon import BAD, GOOD, RESOURCE, polarity

MOST_ROWS, MOST_COLUMNS, LONGEST_CELL = 200, 40, 200
MOST_GAINS = 12
"""Of one table; a table of everything says no more than its first columns."""
_OURS = re.compile(r"\bours?\b|\(our\b|\bthis (?:work|paper)\b|\bproposed\b", re.IGNORECASE)
_OF_OURS = re.compile(r"(?:-|\bw/o\b|\bwithout\b|\bno\b|\bablat|−)", re.IGNORECASE)
_HUMAN = re.compile(r"\b(?:human|oracle|upper bound|random|chance|ground truth|gold)\b", re.IGNORECASE)
_VALUE = re.compile(r"^[^\w(-]*(-?\d{1,5}(?:\.\d+)?)\s?%?(?:\s?(?:±|\(|\+/-|\\pm|_).*)?[^\w]*$")
_DOWN, _UP = re.compile(r"↓|\bdown\b|lower is better"), re.compile(r"↑|higher is better")
_NO_SCORE = re.compile(
    r"#|(?<![\w@-])(?:years?|dates?|released?|published|venues?|ranks?|epochs?|steps?|iterations?|layers?|heads?|depth"
    r"|width|dim(?:ension)?s?|hidden|k|n|no\.?|num(?:ber)?|counts?|size|length|window|batch|params?|parameters?|shots?"
    r"|seeds?|runs?|turns?|rounds?|folds?|beams?|bits?|gpus?|hours?|days?|minutes?|seconds?|time|tokens?|samples?"
    r"|examples?|quer(?:y|ies)|documents?|users?|items?|citations?|stars|votes|std|variance|price|lr|learning rate"
    r"|temperature|alpha|beta|lambda)(?![\w-])|-shots?\b",
    re.IGNORECASE,
)
_NEUTRAL = re.compile(r"$|(?:avg|averages?|overall|all|scores?|test|dev|val|mean)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class ResultTable:
    """One table as a paper prints it.

    Attributes:
        label: how a reader finds it (``Table 2``).
        caption: its caption.
        columns: header of each column; levels of a header are joined by " / ".
        rows: cells, one row per system.
    """

    label: str
    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def bounded(table: ResultTable) -> ResultTable:
    """The table cut to a size that can be kept and read."""
    columns = tuple(c[:LONGEST_CELL] for c in table.columns[:MOST_COLUMNS])
    rows = tuple(tuple(c[:LONGEST_CELL] for c in row[:MOST_COLUMNS]) for row in table.rows[:MOST_ROWS])
    return ResultTable(table.label[:40], table.caption[:600], columns, rows)


def table_gains(tables: Iterable[ResultTable], systems: Iterable[str] = ()) -> list[Gain]:
    """What the authors' row gains over the best other row, per column.

    A column counts when its header names a metric whose direction is known; the caption's metric is that of columns
    which hold a score of no other name (an average, a benchmark), never of years, ranks or settings. Rows of people,
    chance and our own ablations are no baselines.

    Args:
        tables: of one paper.
        systems: names that the authors give to their system.
    """
    names = [name.casefold() for name in systems if len(name) > 1]
    return [gain for table in tables for gain in _of_table(bounded(table), names)]


def _of_table(table: ResultTable, names: Sequence[str]) -> list[Gain]:
    ours = [row for row in table.rows if row and _is_ours(row[0], names)]
    others = [row for row in table.rows if row and not _is_ours(row[0], names) and not _is_no_baseline(row[0], names)]
    if not ours or not others:
        return []
    found = []
    for index, header in enumerate(table.columns[1:], start=1):
        better = _direction(header, table.caption)
        mine, theirs = _scores(ours, index), _scores(others, index)
        if not better or not mine or not theirs:
            continue
        best, (rival, baseline) = max(better * v for v, _ in mine), max((better * v, name) for v, name in theirs)
        if best > rival:
            found.append(_gain(table, header, better * best, better * rival, baseline))
    return found[:MOST_GAINS]


def _gain(table: ResultTable, header: str, ours: float, theirs: float, baseline: str) -> Gain:
    metric = _metric(header) or _metric(table.caption)
    benchmark = _benchmark(header, metric) or _benchmark(table.caption, metric)
    where = f"{table.label}, {header}: {ours:g} (ours) against {theirs:g} ({baseline})"
    quote = f"{where}. {table.caption}" if table.caption else where
    size = round(abs(ours - theirs), 6)
    return Gain(size, GainUnit.POINTS, metric, benchmark, baseline, quote, table.label)


def _is_ours(cell: str, names: Sequence[str]) -> bool:
    text = cell.casefold()
    if _OURS.search(text):
        return True
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) for name in names) and not _OF_OURS.search(
        text.replace(next((n for n in names if n in text), ""), "")
    )


def _is_no_baseline(cell: str, names: Sequence[str]) -> bool:
    return not cell.strip() or bool(_HUMAN.search(cell)) or any(name in cell.casefold() for name in names)


def _scores(rows: Sequence[Sequence[str]], index: int) -> list[tuple[float, str]]:
    found = []
    for row in rows:
        value = _VALUE.match(row[index].strip()) if index < len(row) else None
        if value:
            found.append((float(value[1]), " ".join(row[0].split())))
    return found


def _direction(header: str, caption: str) -> int:
    """+1 when higher is better in a column, -1 when lower is, 0 when it is not said."""
    for text in (header, caption) if _takes_caption(header) else (header,):
        if _UP.search(text):
            return 1
        if _DOWN.search(text):
            return -1
        if RESOURCE.search(text) and text is header:
            return -1
        if direction := polarity(text):
            return direction
    return 0


def _takes_caption(header: str) -> bool:
    """Whether a column holds what the caption names: it is an average or a split, a benchmark, or has no header."""
    parts = [part.strip(" ↑↓()%.") for part in header.split(" / ")]
    return not _NO_SCORE.search(header) and all(_NEUTRAL.match(part) or part[0].isupper() for part in parts)


def _metric(text: str) -> str | None:
    found = GOOD.search(text) or BAD.search(text) or RESOURCE.search(text)
    return found[0].strip() if found else None


def _benchmark(text: str, metric: str | None) -> str | None:
    """The part of a header that is no metric; of a caption, the first name in capitals."""
    if " on " in text:
        name = re.search(r"\bon (?:the )?([A-Z][\w@./-]*(?: [A-Z0-9][\w./-]*)*)", text)
        return name[1].rstrip(".-/") if name else None
    parts = [p.strip(" ↑↓()%") for p in text.split(" / ")]
    names = [p for p in parts if p and p != metric and _metric(p) != p and re.match(r"[A-Z]", p) and len(p) < 60]
    return names[0] if names and len(text) < 120 else None
