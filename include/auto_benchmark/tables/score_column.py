"""From the cells of one column to numbers in one unit: decimal signs, parts and units are decided by the column.

Whatever the column does not prove is refused. ``3,395`` alone is three thousand or three point four, and guessing
puts an entry at rank 1 with a score a thousand times too high.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from auto_benchmark.tables.decimal_sign import Decimal, decimal_sign, to_number
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import SIMPLE, ScoreCell, read_score_cell
from auto_benchmark.tables.score_units import settle_units

_MANY_PAIRS = 200
LARGEST = 1e300
_BRACKETED = re.compile(r"[(\[]\s*(\d+(?:\.\d+)?)")
_DASHES = frozenset({"", "-", "–", "—", "N/A"})


@dataclass(slots=True)
class SettledScore:
    """One settled cell: value in the column's unit, or None (missing, or a problem)."""

    value: float | None
    stderr: float | None = None
    note: str | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class ScoreColumn:
    """A settled column.

    Attributes:
        scores: one per cell.
        unit: unit of the values, or empty.
        part: which part of cells that hold several was taken, or None.
        decimal: the decimal sign where it had to be settled.
        warnings: what a person should know.
    """

    scores: list[SettledScore]
    unit: str = ""
    part: int | None = None
    decimal: Decimal | None = None
    warnings: tuple[str, ...] = ()


def read_score_column(
    cells: Sequence[Any],
    *,
    name: str,
    decimal: Decimal | None = None,
    part: int | None = None,
    unit: str | None = None,
) -> ScoreColumn:
    """Read a whole score column.

    Args:
        cells: texts or JSON values.
        name: column name, for messages.
        decimal: the decimal sign, where the spec gives it.
        part: 1-based part of cells such as ``93.0/90.7``.
        unit: unit to convert times to.

    Raises:
        ReadRefused: the column cannot serve as a metric (several numbers a cell, units that do not mix).
    """
    if not unit and (numbers := _plain_numbers(cells)) is not None:
        return ScoreColumn([SettledScore(number) for number in numbers])
    parsed = [read_score_cell(cell) for cell in cells]
    warnings = [f"{name}: {c.shown} is not a score" for c in parsed if c.missing and c.note]
    sign, ambiguous = decimal_sign([t for c in parsed for t in (*c.parts, *([c.error] if c.error else []))], decimal)
    part, chosen = _part(parsed, name, part, sign, ambiguous)
    if chosen:
        warnings.append(chosen)
    target, factors, mixed = settle_units(parsed, name, unit)
    if mixed:
        warnings.append(mixed)
    scores = [_settle(c, sign, ambiguous, (part or 1) - 1, factors) for c in parsed]
    if any(c.note for c in parsed):
        _refuse_ranks(parsed, scores, name)
    return ScoreColumn(scores, target, part, sign if sign == "," else None, tuple(warnings))


def _refuse_ranks(cells: Sequence[ScoreCell], scores: Sequence[SettledScore], name: str) -> None:
    """``1 (90.1)`` and ``2 (85.2)`` are ranks with the scores behind them, also with ties and errors in the brackets.

    Raises:
        ReadRefused: the numbers before the brackets are small, whole, and in the order of the numbers in them.
    """
    values = [s.value for s in scores if s.value is not None]
    found = ((s.value, _BRACKETED.search(c.note or ""), c.shown) for c, s in zip(cells, scores, strict=True))
    pairs = [(value, float(m.group(1)), shown) for value, m, shown in found if value is not None and m]
    ranks = [value for value, _, _ in pairs]
    if len(set(ranks)) < 2 or not all(rank.is_integer() and 1 <= rank <= len(values) for rank in ranks):
        return
    shares = [number / rank for rank, number, _ in pairs]
    if max(shares) - min(shares) <= 0.02 * max(shares):
        return  # a count with its share behind it: 3 (75 %)
    rising = [number for _, number, _ in sorted(pairs, key=lambda pair: (pair[0], pair[1]))]
    falling = [number for _, number, _ in sorted(pairs, key=lambda pair: (pair[0], -pair[1]))]
    if rising == sorted(rising) or falling == sorted(falling, reverse=True):
        raise ReadRefused(
            Reason.AMBIGUOUS_NUMBER,
            f"column {name!r} holds ranks with scores in brackets ({pairs[0][2]!r}); cut out the score with "
            "`columns: {score: {column: …, regex: …}}`",
        )


def _plain_numbers(cells: Sequence[Any]) -> list[float | None] | None:
    """Values of a column that holds nothing but plain numbers and empty cells, which is most columns; else None."""
    numbers: list[float | None] = []
    for cell in cells:
        kind = type(cell)
        if kind is str:
            if SIMPLE.fullmatch(cell):
                numbers.append(float(cell))
            elif cell in _DASHES:
                numbers.append(None)
            else:
                return None
        elif cell is None:
            numbers.append(None)
        elif kind in (float, int) and abs(cell) < LARGEST:
            numbers.append(float(cell))
        else:
            return None
    return numbers


def _settle(cell: ScoreCell, sign: Decimal, ambiguous: bool, part: int, factors: dict[str, float]) -> SettledScore:
    if cell.problem:
        return SettledScore(None, note=cell.note or None, problem=f"{cell.shown!r} {cell.problem}")
    if cell.missing:
        return SettledScore(None)
    if cell.value is not None:
        return SettledScore(cell.value)
    if part >= len(cell.parts):
        return SettledScore(None, problem=f"{cell.shown!r} has no part {part + 1}")
    factor = factors.get(cell.unit, 1.0)
    value = to_number(cell.parts[part], sign, ambiguous)
    if value is not None and abs(value) * max(factor, 1.0) > LARGEST:
        return SettledScore(None, problem=f"{cell.shown!r} is too large")
    if value is None:
        return SettledScore(
            None, problem=f"{cell.shown!r} is ambiguous or malformed; set `decimal: ','` or `decimal: '.'`"
        )
    error = to_number(cell.error, sign, ambiguous) if cell.error and len(cell.parts) == 1 else None
    return SettledScore(_scaled(value, factor), None if error is None else abs(error * factor), cell.note or None)


def _scaled(value: float, factor: float) -> float:
    """Multiply without leaving binary noise behind: 5.8 hours are 348 minutes, not 347.99999999999994."""
    return value if factor == 1.0 else float(f"{value * factor:.12g}")


def _part(
    cells: Sequence[ScoreCell], name: str, part: int | None, sign: Decimal, ambiguous: bool
) -> tuple[int | None, str | None]:
    """Which part to take from cells with several numbers; part 1 only where the choice cannot change the ranking."""
    several = [c for c in cells if len(c.parts) > 1]
    if not several or part is not None:
        return (part if several else None), None
    width = Counter(len(c.parts) for c in cells if c.parts)
    example = several[0].shown
    refusal = ReadRefused(
        Reason.AMBIGUOUS_NUMBER,
        f"column {name!r} holds several numbers in a cell ({example!r}): say which, `part: 1` … `part: {max(width)}`",
    )
    if len(width) > 1:
        raise refusal
    numbers = [[to_number(t, sign, ambiguous) for t in c.parts] for c in several]
    if len(numbers) > _MANY_PAIRS or any(n is None for row in numbers for n in row):
        raise refusal
    if all(len(row) == 2 and _fraction(*row) for row in numbers) and len({row[1] for row in numbers}) > 1:
        raise refusal  # of different totals: the first number alone says nothing
    for a, b in combinations(numbers, 2):
        signs = {(x > y) - (x < y) for x, y in zip(a, b, strict=True) if x is not None and y is not None} - {0}
        if len(signs) > 1:
            raise refusal
    return 1, f"column {name!r} holds {max(width)} numbers a cell ({example!r}); part 1 taken, every part ranks alike"


def _fraction(a: float | None, b: float | None) -> bool:
    """``3/4`` may be three out of four."""
    return a is not None and b is not None and a.is_integer() and b.is_integer() and 0 <= a <= b and b > 0
