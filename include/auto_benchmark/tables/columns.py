"""Which column is meant. A name finds one column or the document is refused with the candidates."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from auto_benchmark.registry.leaderboard import Column, ColumnPattern, Leaderboard
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.table import KEY_COLUMN, LEVEL, Table

FILE_COLUMNS = frozenset({"<file>", "<filename>", "<stem>"})
"""Other names for the key of a record that was a file of its own."""
MOST_LEVELS = 20
"""Levels from the last on that a name is known by."""
_ARROWS = re.compile(r"[↑↓▲▼⬆⬇↗↘△▽⇅↕\ufe0f]")


def score_names(spec: Leaderboard) -> list[Column]:
    """Columns that may hold the score, in order of preference."""
    given = spec.columns.score
    if given is None:
        return [spec.primary_metric]
    return list(given) if isinstance(given, list) else [given]


def column_name(column: Column) -> str:
    """The name in a column reference."""
    return column.column if isinstance(column, ColumnPattern) else column


def levels(name: str) -> tuple[str, ...]:
    """Non-empty levels of a column name: ``Ans / F1`` -> (Ans, F1)."""
    return tuple(part.strip() for part in re.split(r"\s/(?:\s|$)|(?:^|\s)/\s", f"{name}") if part.strip())


def clean(name: str) -> str:
    """Case and white space aside."""
    return LEVEL.join(" ".join(_ARROWS.sub("", part).split()).casefold() for part in levels(name))


def loose(name: str) -> str:
    """Punctuation aside too, but ``humaneval`` and ``humaneval+`` stay apart."""
    return re.sub(r"[^\w+%@#/$]|_", "", clean(name))


def loosest(name: str) -> str:
    """Units and bracketed remarks aside."""
    return re.sub(r"[^\w+@#/]|_", "", re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", clean(name))).strip("/")


def find(table: Table, wanted: str, *, numeric: bool | None = None) -> int | None:
    """Index of the column called ``wanted``, from the strictest reading of the name to the loosest.

    Args:
        table: the table.
        wanted: the name; empty for a column without a header.
        numeric: of several columns of one name, only those that hold numbers (or, if False, texts) count.

    Raises:
        ReadRefused: several columns answer to the name.
    """
    names = table.columns
    if wanted in FILE_COLUMNS and KEY_COLUMN in names:
        return names.index(KEY_COLUMN)
    for form in (str, str.strip, clean, loose):
        if found := [i for i, name in enumerate(names) if form(name) == form(wanted)]:
            return _the_one(table, found, wanted, numeric)
    if not wanted.strip():
        return None
    for form in (clean, loose):
        if found := [i for i, name in enumerate(names) if form(wanted) in _endings(name, form)]:
            return _the_one(table, found, wanted, numeric)
    for form in (loosest, _run_on):
        if form(wanted) and (found := [i for i, n in enumerate(names) if form(n) == form(wanted)]):
            return _the_one(table, found, wanted, numeric)
    return None


def _run_on(name: str) -> str:
    """Levels written as one: ``Test F1`` for ``Test / F1``."""
    return loosest(name).replace("/", "")


def _endings(name: str, form: Callable[[str], str]) -> set[str]:
    """Every tail of a name with several levels, without its first level."""
    parts = levels(name)[-MOST_LEVELS:]
    tails = {form(LEVEL.join(parts[i:])) for i in range(1, len(parts))}
    dotted = name.split(".")[-MOST_LEVELS:]
    if len(parts) == 1 and len(dotted) > 1:
        tails |= {form(".".join(dotted[i:])) for i in range(1, len(dotted))}
    return {tail for tail in tails if tail}


def _the_one(table: Table, found: Sequence[int], wanted: str, numeric: bool | None) -> int:
    if len(found) > 1 and numeric is not None:
        fitting = [i for i in found if _holds_numbers(table, i) is numeric]
        found = fitting if len(fitting) == 1 else found
    first = table.column(found[0])
    if all(table.column(i) == first for i in found[1:]):
        return found[0]
    shown = ", ".join(repr(table.columns[i]) for i in found[:8])
    raise ReadRefused(
        Reason.AMBIGUOUS_COLUMN,
        f"{wanted!r} could be {len(found)} columns of {table.label}: {shown}; write the full name",
    )


def _holds_numbers(table: Table, index: int) -> bool:
    """More cells of the column are numbers than texts, and they do not just count the rows."""
    column = table.column(index)
    if [str(cell) for cell in column] == [str(i) for i in range(1, len(column) + 1)]:
        return False
    cells = [read_score_cell(cell) for cell in column]
    return sum(1 for c in cells if not c.missing and not c.problem) > sum(1 for c in cells if c.is_text)


def shown(names: Sequence[str], most: int = 16) -> str:
    """Column names for a message."""
    rest = f" … ({len(names)} in all)" if len(names) > most else ""
    return ", ".join(repr(n) for n in names[:most]) + rest
