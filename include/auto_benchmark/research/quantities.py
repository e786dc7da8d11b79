"""Numbers with a unit in a sentence: ``12.3%``, ``3-20x``, ``2.1 BLEU points``, ``three times``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from auto_benchmark.research.lexicon import METRIC


class NumberForm(StrEnum):
    """How a number is written."""

    PERCENT = "percent"
    FOLD = "fold"
    POINTS = "points"
    BARE = "bare"


@dataclass(frozen=True, slots=True)
class Quantity:
    """One number, or a range.

    Attributes:
        value: non-negative; of a range the far end, which is what "up to" would state.
        plus: written with a leading ``+``.
        named: the metric named between number and "points" (``BLEU``), or "".
        start: where it begins in the sentence.
        end: where it ends.
        least: the near end of a range; None for a single number.
    """

    value: float
    form: NumberForm
    plus: bool
    named: str
    start: int
    end: int
    least: float | None = None


_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_QUANTITY = re.compile(
    rf"(?<![\w.,/@^#])(?<![\w)]-)(?P<sign>[+-])?(?P<low>{_NUMBER})(?:\s?\+)?"
    rf"(?:\s?(?:%|×|x)?(?P<joint>\s?-\s?|\sto\s)[+]?(?P<high>{_NUMBER})\+?)?"
    rf"(?:\s?(?P<percent>%|percent\b|per cent\b|(?:(?:absolute )?percentage|%-?|absolute) points?\b|pp\b|p\.p\.)"
    rf"|\s?(?P<fold>×|x\b|-?fold\b|\stimes\b)"
    rf"|(?:[\s-]|(?=db\b))(?:absolute )?(?P<named>{METRIC})?[ -]?(?P<points>(?<=[ -])points?\b(?! clouds?)"
    rf"|(?<=[\w%])(?=\W|$))"
    rf"|(?![\w%]|,\d|\.\d|-\w))",
    re.IGNORECASE,
)
_NUMERALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_WORDS = {word: str(value) for value, word in enumerate(_NUMERALS, start=1)}
_SPELT = re.compile(
    rf"\b({'|'.join(_WORDS)})(?=(?:[ -]?fold| times| percent| %| percentage| points?| orders? of magnitude"
    rf"| [\w-]+ points?)\b)"
)
_ORDERS = re.compile(r"\b(an?|1|\d) orders? of magnitude\b")
_FACTOR = re.compile(r"\bfactors? of (?:up to |about |over |around |more than |~)?$")
_SHARED = re.compile(rf" (?:and|or) [\d.]+ (?:(?P<named>{METRIC})\b|points?\b)")
_ABSOLUTE_SUFFIX = re.compile(r"\s?points?\b")


_PAIR = re.compile(r"(?<= )(\+?\d+\.\d+)/(\+?\d+\.\d+)(?=\s?[%a-z])")
_FACTOR_FIRST = re.compile(r"(?<= )[x×](\d+(?:\.\d+)?)(?![\w.])")
_DOUBLED = re.compile(
    r"(?<![\d.])(\d[\d.]*) \(((?:up to )?)(\d[\d.]*)\) ((?:(?:absolute|percentage|[a-z]*bleu) )?points?\b)"
)
_FASTER = re.compile(r" (?:faster|quicker)\b")
_FASTER_THAN = re.compile(r" (?:faster|quicker)(?= than\b|[,.;)]|$)")
_ENUMERATOR = re.compile(r"\(\d{1,2}\)")


def readable(lower: str) -> str:
    """``lower`` with multiples and pairs in one form.

    ``tenfold``, ``x100``, ``three times``, ``7.9/5.8`` become ``10-fold``, ``100×``, ``3 times``, ``7.9 and 5.8``;
    ``2 (up to 3.6) points`` becomes ``2 points (up to 3.6 points)``.
    """
    if ") " in lower and "point" in lower:
        lower = _DOUBLED.sub(r"\1 \4 (\2\3 \4)", lower)
    if "/" in lower:
        lower = _PAIR.sub(r"\1 and \2", lower)
    if " x" in lower or " ×" in lower:
        lower = _FACTOR_FIRST.sub(r"\1×", lower)
    if "fold" in lower or "times" in lower or "point" in lower or "percent" in lower or "magnitude" in lower:
        lower = re.sub(rf"\b({'|'.join(_WORDS)})fold\b", lambda m: f"{_WORDS[m[1]]}-fold", lower)
        lower = _SPELT.sub(lambda m: _WORDS[m[1]], lower)
        lower = _ORDERS.sub(lambda m: f"{10 ** int(m[1]) if m[1].isdigit() else 10} times", lower)
    if "twice" in lower:
        lower = re.sub(r"\btwice(?= as (?:fast|good|accurate|efficient|high))", "2 times", lower)
    return lower


def number(text: str) -> float:
    """``1,800`` -> 1800.0."""
    return float(text.replace(",", ""))


def _ends(match: re.Match[str]) -> tuple[float | None, float]:
    """Near end, if there is one that says something, and far end."""
    low, high = number(match["low"]), number(match["high"] or match["low"])
    if match["joint"] and match["joint"].strip() == "to":
        reached = high >= 8 * low and (high > 30 or 0.5 < high <= 1)
        if low >= high or reached:
            return None, low  # "by 3.1% to 85.4%", "reduce by 15% to 8%": by the first, to reach the second
    return (low if 0 < low < high else None), high


def quantities(text: str) -> Iterator[Quantity]:
    """Every number of ``text`` (normalised, lower case) that could state a gain, from left to right."""
    for match in _QUANTITY.finditer(text):
        if match["sign"] == "-" or len(match["low"]) > 9:
            continue
        if match.start() and _ENUMERATOR.match(text, match.start() - 1):
            continue  # "by (1) storing, (2) reading"
        least, value = _ends(match)
        end = match.end()
        form, named = NumberForm.BARE, ""
        if match["percent"]:
            suffix = _ABSOLUTE_SUFFIX.match(text, end)
            end = suffix.end() if suffix else end
            pointed = suffix or "point" in match["percent"] or match["percent"] in {"pp", "p.p."}
            form = NumberForm.POINTS if pointed else NumberForm.PERCENT
        elif match["fold"]:
            form = NumberForm.FOLD
        elif match["points"] is not None and (match["points"] or match["named"]):
            form = NumberForm.POINTS
        if form is NumberForm.BARE and _FACTOR.search(text, max(0, match.start() - 28), match.start()):
            form = NumberForm.FOLD
        elif form is NumberForm.BARE and (shared := _SHARED.match(text, end)):
            form, named = NumberForm.POINTS, shared["named"] or ""
        elif form is NumberForm.BARE and (_FASTER if "." in match["low"] else _FASTER_THAN).match(text, end):
            form = NumberForm.FOLD
        yield Quantity(value, form, match["sign"] == "+", named or match["named"] or "", match.start(), end, least)
