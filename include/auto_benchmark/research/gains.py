"""Reported gains: how much better, in what unit, on which metric and benchmark, against what; with the sentence."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from auto_benchmark.research.gain_context import GainContext, context_of
from auto_benchmark.research.gain_differences import differences
from auto_benchmark.research.gain_rules import GainVerdict, judge
from auto_benchmark.research.quantities import NumberForm, Quantity, quantities, readable
from auto_benchmark.research.text import Sentence


class GainUnit(StrEnum):
    """What a gain's number means.

    ``points``: a difference in the metric's own unit. ``relative``: percent of the old value. ``percent``: the text
    says per cent and leaves open which of the two. ``fold``: a factor.
    """

    POINTS = "points"
    PERCENT = "percent"
    RELATIVE = "relative"
    FOLD = "fold"


@dataclass(frozen=True, slots=True)
class Gain:
    """One claimed improvement.

    Attributes:
        value: size of the improvement, positive is better whichever way the metric runs.
        unit: what the number means.
        metric: what improves, as the text names it; None where it does not.
        benchmark: on what it was measured; None where the text does not say.
        baseline: against what; None where the text does not say.
        sentence: the sentence that claims it, as it stands in the source.
        where: "" for the abstract, else the part of the paper ("full text", "Table 2").
    """

    value: float
    unit: GainUnit
    metric: str | None
    benchmark: str | None
    baseline: str | None
    sentence: str
    where: str = ""


_DIGIT, _ASCII_DIGIT = re.compile(r"[\d×]"), re.compile(r"\d", re.ASCII)
"""The second is twice as fast, since the first asks Unicode about each character."""
_COUNTING = ("fold", "twice", "magnitude", " times ")
MOST_GAINS = 200
"""Gains that are read from one text; a text with more is no paper."""
_ABSOLUTE_LEFT = re.compile(r"\babsolute(?:ly)?\b[^,;]{0,60}$|\bpoints?\b[^,;%]{0,20}$")
_ABSOLUTE_RIGHT = re.compile(r"^\s?\(?(?:absolute|points?|pp|percentage points)\b|^[^,;.%]{0,14}\babsolute\b")
_RELATIVE_NEAR = re.compile(r"\brelative(?:ly)?\b(?! (?:to|position))")
_ABOUT_OTHERS = re.compile(
    r"\b(?:find|found|observe|show|reveal)\w* that (?:the )?(?:humans?|people|participants|chatgpt|gpt"
    r"|claude|gemini|llama|existing|current|state-of-the-art|large language models|llms|models)\b"
)
_COMPARATIVE = ("more", "fewer", "less", "faster", "quicker", "smaller", "shorter", "longer", "cheaper")
_SHRINKING = (
    "reduc",
    "decreas",
    "sav",
    "cut",
    "speed",
    "accelerat",
    "compress",
    "shr",
    "lower",
    "trim",
    "slash",
    "drop",
    "minimi",
    "shorten",
    "mitigat",
)


def find_gains(sentences: Sequence[Sentence], own: Sequence[bool]) -> list[Gain]:
    """Every improvement that the authors claim for their own work, in reading order."""
    found: list[Gain] = []
    for sentence, mine in zip(sentences, own, strict=True):
        if mine and _counts(sentence.lower) and not _is_about_others(sentence.lower):
            found.extend(_gains_of(sentence))
        if len(found) >= MOST_GAINS:
            break
    return found[:MOST_GAINS]


def _counts(lower: str) -> bool:
    """Whether a number may stand there, in digits or words."""
    digit = _ASCII_DIGIT if lower.isascii() else _DIGIT
    return bool(digit.search(lower)) or any(word in lower for word in _COUNTING)


def _is_about_others(lower: str) -> bool:
    return " that " in lower and bool(_ABOUT_OTHERS.search(lower))


def _gains_of(sentence: Sentence) -> list[Gain]:
    text = readable(sentence.lower)
    shown = sentence.plain if len(text) == len(sentence.plain) else text
    numbers = list(quantities(text))
    differing, used = differences(text, numbers)
    verdicts = _spread(text, numbers, [None if q.start in used else judge(text, q) for q in numbers], used)
    judged = [(q, v) for q, v in zip(numbers, verdicts, strict=True) if v is not None]
    found = [
        (q, gain)
        for (q, v), unit in zip(judged, _units(text, judged), strict=True)
        for gain in _ends(_gain(shown, sentence, q, v, unit), q.least)
    ]
    stated = {gain.value for _, gain in found}  # "92%, outperforming the baseline (74%) by 18%" is one claim
    found += [(q, _difference(shown, sentence, q, value)) for q, value in differing if value not in stated]
    return [gain for _, gain in sorted(found, key=lambda item: item[0].start)]


_BETWEEN = re.compile(
    r"^\s?(?:points? |improvements? |gains? |increases? )?(?:\(?(?:on|in|for|over|across|to|of|at|against"
    r"|with|fewer|less|more|longer|higher|lower|faster)?[^;%×]{0,75}?)"
    r"(?:,|;|\band\b|,? and|\bor\b|\((?:representing|i\.e\.))\s*(?:(?:an?|by|up to|over|about|more than|of"
    r"|even|absolute|relative|another|further|approximately|respectively,?|on|tests|trains|runs)\s*){0,3}$"
    r"|^[^;%×]{0,75}?(?:,|\band\b|,? and) (?:(?:the|an?) )?(?:[\w@/-]+ ){1,5}by (?:up to |over |about )?$"
    r"|^\),(?: and)? [^;%×(),]{1,60} \((?:up to |about |over )$|^ \((?:up to |about )$"
)
_LIST_END = re.compile(
    r"^\s?(?:$|[,;.()]|(?:on|in|for|over|across|and|or|respectively|with|to|compared|than|when|at|at-|using"
    r"|from|relative|absolute|points?|of (?!the|all)"
    r"|improve\w*|gains?|increases?|reductions?|pass@\d+|fewer|less|more|longer|higher|lower|faster|smaller"
    r"|better)\b|[a-z-]+ (?:time|improve|gain|reduc|increas))"
)
_LISTED = re.compile(r"\s?\)?(?:(?:on|in|for) [\w@ -]{1,30})?\)?(?:,|,? and|,? or)\s[\w -]{0,30}?\(?[+]?(?:by )?")
_REACHED = re.compile(r"\b(?:yield|achiev|obtain|reach|attain)\w* (?:an? |of )?$")
_AVERAGED = re.compile(r"\b(?:averag\w+|mean)\b")
_BREAKS = re.compile(
    r"\b(?:while|but|whereas|although|achiev\w+|obtain\w+|attain\w+|reach\w+|only|using|with (?:only|just)"
    r"|trained|require\w*|accuracy rate|success rate of|accuracy of|win[ -]rate of|despite|scores?"
    r"|at the cost|overhead)\b"
)


def _spread(
    text: str, numbers: list[Quantity], verdicts: list[GainVerdict | None], used: set[int]
) -> list[GainVerdict | None]:
    """Let list members share the word of improvement: "by 3.7% and 5.5%", "9% on A, 7% on B"."""
    for step, order in ((-1, range(len(numbers))), (1, range(len(numbers) - 1, -1, -1))):
        for i in order:
            near = _nearest(numbers, i, step)
            if near is None or verdicts[i] or not verdicts[near] or numbers[i].start in used:
                continue
            here, there = numbers[i], numbers[near]
            if here.form is NumberForm.BARE and not ((here.plus and there.plus) or (here.least and there.least)):
                continue
            if step > 0 and here.named and _REACHED.search(text, max(0, here.start - 30), here.start):
                continue  # "yields 48.7 accuracy, 4.2 points above": the first is the score
            between = text[min(here.end, there.end) : max(here.start, there.start)]
            after = text[here.end : here.end + 16]
            backward_ok = step < 0 or re.fullmatch(r"\s?(?:and|or|,|, and|to)\s(?:a |an |up to )?", between)
            if _BETWEEN.match(between) and backward_ok and not _BREAKS.search(between) and _LIST_END.match(after):
                verdicts[i] = verdicts[near]
                if step < 0 and _AVERAGED.search(between):
                    verdicts[near] = None  # "6% to 21%, 12% on average": the average is the claim
    return verdicts


def _nearest(numbers: Sequence[Quantity], i: int, step: int) -> int | None:
    """The next number of the same form to one side; names such as "Llama 3.1" may stand between."""
    form = numbers[i].form
    side = range(i + step, -1 if step < 0 else len(numbers), step)
    return next((n for n in side if numbers[n].form is form), None)


def _gain(shown: str, sentence: Sentence, quantity: Quantity, verdict: GainVerdict, unit: GainUnit) -> Gain:
    return _build(
        quantity.value, unit, context_of(shown, quantity.start, quantity.end, quantity.named, verdict.word), sentence
    )


def _ends(gain: Gain, least: float | None) -> tuple[Gain, ...]:
    """Of a range both ends are claimed."""
    return (gain,) if least is None else (replace(gain, value=least), gain)


def _difference(shown: str, sentence: Sentence, quantity: Quantity, value: float) -> Gain:
    return _build(
        value, GainUnit.POINTS, context_of(shown, quantity.start, quantity.end, quantity.named, ""), sentence
    )


def _build(value: float, unit: GainUnit, context: GainContext, sentence: Sentence) -> Gain:
    return Gain(value, unit, context.metric, context.benchmark, context.baseline, sentence.quote)


def _units(text: str, judged: list[tuple[Quantity, GainVerdict]]) -> list[GainUnit]:
    """Units of accepted numbers; "absolute" and "relative" speak for the whole list they stand in."""
    stated = [_stated(text, quantity) for quantity, _ in judged]
    for order in (range(1, len(judged)), range(len(judged) - 2, -1, -1)):
        for i in order:
            near, (here, _) = i + (-1 if order.step > 0 else 1), judged[i]
            there = judged[near][0]
            between = text[min(here.end, there.end) : max(here.start, there.start)]
            if stated[i] is None and stated[near] and here.form is there.form and _LISTED.fullmatch(between):
                stated[i] = stated[near]
    return [unit or _guessed(verdict) for unit, (_, verdict) in zip(stated, judged, strict=True)]


def _stated(text: str, quantity: Quantity) -> GainUnit | None:
    if quantity.form is NumberForm.FOLD:
        return GainUnit.FOLD
    if quantity.form in {NumberForm.POINTS, NumberForm.BARE}:
        return GainUnit.POINTS
    left, right = text[max(0, quantity.start - 70) : quantity.start], text[quantity.end : quantity.end + 24]
    if _RELATIVE_NEAR.search(left[-40:]) or _RELATIVE_NEAR.search(right):
        return GainUnit.POINTS if _ABSOLUTE_LEFT.search(left[-20:]) else GainUnit.RELATIVE
    return GainUnit.POINTS if _ABSOLUTE_LEFT.search(left) or _ABSOLUTE_RIGHT.search(right) else None


def _guessed(verdict: GainVerdict) -> GainUnit:
    """What shrinks or speeds up is told relative to the old value; anything else leaves it open."""
    shrinking = verdict.down or verdict.word.startswith(_SHRINKING) or verdict.word in _COMPARATIVE
    return GainUnit.RELATIVE if shrinking else GainUnit.PERCENT
