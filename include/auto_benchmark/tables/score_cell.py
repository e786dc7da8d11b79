"""What a score cell says: number tokens, unit, error, footnotes. No decision that needs the rest of the column.

The grammar is closed: whatever is not accounted for makes the cell unreadable. Picking "the first number" out of a
cell is how 95.7 (1st) becomes 95.71 and 5.8 hours beats 29.3 minutes.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from auto_benchmark.tables.markup import collapsed
from auto_benchmark.tables.untyped import Twice

SHORT = 64
"""Characters of a cell that is remembered."""
LONGEST_REMARK = 24
"""Letters of a remark that stands for a score (``withdrawn``, ``see paper``); longer texts are misplaced."""
_MISSING = """
    - -- --- – — − _ . .. ... … ? ?? / \\ | x ✗ ✘ × · • * ~ n/a na n.a. n.a n/r nr n.r. none null nil nan inf -inf
    infinity -infinity tbd tba todo unknown pending unreported fail failed timeout oom error dnf #n/a loading
"""
MISSING = frozenset(_MISSING.split()) | {"", "not reported", "not available", "coming soon", "loading..."}
"""Casefolded texts that mean "no score". They apply to score columns only: a system may be called ``None``."""

MARKS = "*†‡§¶‖★☆⭐✓✔✅🔥🆕🥇🥈🥉🏆🏅↑↓▲▼⬆⬇↗↘△▽"
_MARK = re.compile(rf"[\s{MARKS}\uFE0F\u200B\u200D\u2060\u00AD]+")
_LEAD = re.compile(rf"^[\s{MARKS}≈≃∼~=\uFE0F\u200B]+")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_LATEX = re.compile(r"[_^]?\\?(?:textbf|mathbf|underline)?\{([^{}]*)\}")
SIMPLE = re.compile(r"-?\d{1,15}(?:\.\d{1,15})?", re.ASCII)
"""A number that needs no interpretation."""
_NUMBER = re.compile(r"[+\-−–]?\s?(?:[0-9](?:[0-9.,'’_\u00A0\u2009\u202F]*[0-9])?|[.,][0-9]+)(?:[eE][+\-−]?[0-9]+)?")
_DATE = re.compile(r"\d{1,2}/\d{1,2}/\d{2,4}(?!\d)")
_POWER = re.compile(r"10(?:\^|[⁰¹²³⁴-⁹⁻])")
_PLUS_MINUS = re.compile(r"(?:±|\+/[-−–]|\\pm|\+-)\s*")
_SPREAD = re.compile(r"[+\-−–]\s?\d[\d.]*\s*%?\s*[/,|]\s*[+\-−–]\s?\d[\d.]*")
_SCRIPT = re.compile(r"[\^_]\([^()]*\)|(?![⁺⁻][⁰¹²³⁴-⁹])[⁰¹²³⁴-⁹⁺⁻₀-₉ᵃ-ᵛᶠᶜᶻʰʲˡʳˢʷˣʸⁱⁿ]+")
_BRACKET = re.compile(r"\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\]|\{[^{}]*\}")
_UNIT = re.compile(r"%|[A-Za-zµμ°]+(?:/[A-Za-zµμ]+)?")
_ORDINAL = frozenset({"st", "nd", "rd", "th"})


@dataclass(frozen=True, slots=True)
class ScoreCell:
    """One cell taken apart.

    Attributes:
        shown: the cell's text, for messages.
        parts: number tokens as written; more than one for ``93.0/90.7``.
        value: the number itself when the document is typed (JSON).
        unit: what follows the number, lower case (``%``, ``minutes``), or empty.
        error: token after ±.
        note: marks and bracketed text.
        problem: why it is unreadable, or None.
    """

    shown: str
    parts: tuple[str, ...] = ()
    value: float | None = None
    unit: str = ""
    error: str | None = None
    note: str = ""
    problem: str | None = None

    @property
    def missing(self) -> bool:
        """No score is given."""
        return not self.parts and self.value is None and self.problem is None

    @property
    def is_text(self) -> bool:
        """It holds words: a name in the wrong column, or a remark instead of a score."""
        return self.problem is not None or (self.missing and bool(self.note))


def read_score_cell(cell: Any) -> ScoreCell:
    """Take one cell apart. Never raises; the problem stands in the result."""
    if cell is None:
        return ScoreCell("")
    if isinstance(cell, bool):
        return ScoreCell(str(cell), problem="is true or false, not a number")
    if isinstance(cell, int | float):
        return _typed(cell)
    if isinstance(cell, Twice):
        return ScoreCell(" and ".join(map(str, cell.values)), problem="is given twice, with different values")
    if isinstance(cell, str):
        return _short_text(cell) if len(cell) <= SHORT else _text(cell)
    return ScoreCell(str(cell)[:40], problem=f"is a {type(cell).__name__}, not a number")


def _typed(number: float) -> ScoreCell:
    try:
        value = float(number)
    except OverflowError:
        return ScoreCell(str(number)[:40], problem="is too large")
    if not math.isfinite(value):
        return ScoreCell(str(number), note=f"{number} is not a score")
    return ScoreCell(repr(number), value=value)


@lru_cache(maxsize=8192)
def _short_text(cell: str) -> ScoreCell:
    """Columns are looked at more than once, and cells repeat."""
    return _text(cell)


def _text(cell: str) -> ScoreCell:
    if SIMPLE.fullmatch(cell):
        return ScoreCell(cell, (cell,))
    shown = collapsed(_TAG.sub(" ", cell).replace("**", " ").replace("`", " "))
    formula = (shown.count("$") == 2 and shown[-1] == "$") or shown.startswith("\\")
    text = _LEAD.sub("", _LATEX.sub(r"\1", shown.strip("$")) if formula else shown)
    if text.casefold() in MISSING or _MARK.sub("", text).casefold() in MISSING or shown.casefold() in MISSING:
        finite = not re.search(r"(?i)\b(nan|inf)", shown)
        return ScoreCell(shown, note="" if finite else f"{shown} is not a score")
    if text[0] in ".," and text != shown:
        return ScoreCell(shown, problem="has something where its first digit should be")
    if len(text) <= LONGEST_REMARK and not any(c.isnumeric() for c in text):
        return ScoreCell(shown, note=f"{shown} is not a score")
    if len(text) > 200:
        return ScoreCell(shown[:40] + "…", problem="is a text, not a number")
    if text[0] in "<>≤≥":
        return ScoreCell(shown, problem="is a bound, not a value")
    currency = text[0] if text[0] in "$€£¥" else ""
    number = _NUMBER.match(text, len(currency))
    if _DATE.match(text):
        return ScoreCell(shown, problem="is a date")
    if _POWER.match(text):
        return ScoreCell(shown, problem="is a power of ten or a ten with a footnote")
    if not number:
        return ScoreCell(shown, problem="is not a number")
    return _rest(shown, number.group(), text[number.end() :], currency)


def _rest(shown: str, number: str, rest: str, unit: str) -> ScoreCell:
    """Account for every character after the number."""
    parts, notes, error = [number.replace(" ", "")], [], None
    while rest := rest.lstrip():
        if match := _PLUS_MINUS.match(rest):
            spread = _NUMBER.match(rest, match.end())
            if not spread or error is not None:
                return ScoreCell(shown, problem="has a ± that cannot be read")
            error, end = spread.group().replace(" ", ""), spread.end()
        elif match := (_SPREAD.match(rest) or _SCRIPT.match(rest) or _BRACKET.match(rest)):
            notes.append(match.group())
            end = match.end()
        elif rest[0] == "/" and (match := _NUMBER.match(rest[1:].lstrip())):
            end = len(rest) - len(rest[1:].lstrip()) + match.end()
            parts.append(match.group().replace(" ", ""))
        elif match := _UNIT.match(rest):
            found = match.group().lower()
            if found in _ORDINAL or (unit and unit != found):
                return ScoreCell(shown, problem=f"holds more than a number: {rest[:40]!r}")
            unit, end = found, match.end()
        elif match := _MARK.match(rest):
            notes.append(match.group().strip())
            end = match.end()
        else:
            return ScoreCell(shown, problem=f"holds more than a number: {rest[:40]!r}")
        rest = rest[end:]
    return ScoreCell(shown, tuple(parts), unit=unit, error=error, note=" ".join(n for n in notes if n))
