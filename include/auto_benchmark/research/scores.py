"""Absolute results that a text reports: a number, the metric it is in, and the benchmark."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from auto_benchmark.research.gain_context import context_of
from auto_benchmark.research.lexicon import METRIC
from auto_benchmark.research.text import Sentence

_NUMBER = re.compile(r"(?<![\w.,/-])(?P<value>\d{1,3}(?:\.\d+)?)(?P<percent>\s?%)?(?![\w]|\.\d|,\d|-\w| ?×)")
_METRIC = re.compile(
    r"(?<![\w-])(?:bpc ?/ ?perplexity|bits?(?:[ -]per[ -]| ?/ ?)char(?:acter)?|perplexities"
    r"|(?:top|rank)-?\d+(?: accuracy)?"
    r"|error(?: rate)?|pass@\d+|success rate"
    rf"|(?:joint goal |request |goal |test |validation |rank-\d+ |top-\d+ )?(?:{METRIC})(?: scores?)?)(?!\w)",
    re.IGNORECASE,
)
_BEFORE, _AFTER = 90, 30


@dataclass(frozen=True, slots=True)
class ReportedScore:
    """One reported result. ``value`` is as written: 79.4 for ``79.4 %``."""

    value: float
    metric: str
    benchmark: str | None
    sentence: str


def find_scores(sentences: Sequence[Sentence], own: Sequence[bool]) -> list[ReportedScore]:
    """Numbers that stand beside the name of a metric, in the authors' own sentences.

    A metric directly behind the number is its own; else the nearest in front of it is.
    """
    found = []
    for sentence, mine in zip(sentences, own, strict=True):
        if mine and any(c.isdigit() for c in sentence.plain):
            found.extend(_scores_of(sentence))
    return found


def _scores_of(sentence: Sentence) -> list[ReportedScore]:
    text = sentence.plain
    metrics = list(_METRIC.finditer(text))
    found: list[ReportedScore] = []
    listed: tuple[int, re.Match[str]] | None = None  # "perplexity of 47.7 and 40.7": where the last number ended
    for number in _NUMBER.finditer(text) if metrics else ():
        if not number["percent"] and "." not in number["value"]:
            continue  # a bare whole number counts things
        behind = next(
            (m for m in metrics if 0 <= m.start() - number.end() <= _AFTER and _near(text, number, m)), None
        )
        in_front = [m for m in metrics if m.end() <= number.start() and number.start() - m.end() <= _BEFORE]
        metric = behind or (in_front[-1] if in_front else None)
        if metric is None and listed and number.start() - listed[0] <= _AFTER:
            metric = listed[1]
        if metric is not None:
            listed = (number.end(), metric)
            place = context_of(text, number.start(), number.end(), metric[0], "").benchmark
            value = float(number["value"])
            found.append(ReportedScore(value, _one_of_two(metric[0], value), place, sentence.quote))
    return found


def _near(text: str, number: re.Match[str], metric: re.Match[str]) -> bool:
    """Whether only words stand between a number and a metric behind it: no comma and no other number."""
    return re.search(r"[,;()\d]|\bon\b|\bvs\b", text[number.end() : metric.start()]) is None


def _one_of_two(metric: str, value: float) -> str:
    """``bpc/perplexity`` names both: no byte holds more than eight bits, so that a larger value is a perplexity."""
    first, slash, second = metric.partition("/")
    if not slash or "perplexity" not in second:
        return metric
    return first.strip() if value <= 8 else second.strip()
