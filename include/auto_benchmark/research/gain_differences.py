"""Gains that are stated as two scores: ``from 85.2 to 87.6``, ``achieves 63.3%, surpassing the 58.5% of ...``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from auto_benchmark.research.gain_context import last_match
from auto_benchmark.research.lexicon import polarity
from auto_benchmark.research.quantities import NumberForm, Quantity, number

_NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
_FROM_TO = re.compile(
    rf"\bfrom (?:an? |about |around |~)?(?P<old>{_NUMBER})(?P<u1>\s?%)?(?: [a-z0-9@-]+){{0,2}}? (?:up "
    rf"|down )?to (?:an? |about |around |approximately |~|over |just |only )?"
    rf"(?P<new>{_NUMBER})(?P<u2>\s?%)?(?![\w%]|,\d|\.\d|-\w)(?!\s(?:tokens|layers|parameters|billion"
    rf"|million|b\b|k\b|m\b|hours|days|minutes|seconds|years|languages|categories|classes|samples|datasets"
    rf"|tasks|weeks|people))"
)
_ARROW = re.compile(
    rf"(?<![\d.,])(?P<old>{_NUMBER})(?P<u1>\s?%)?\s?(?:→|->)\s?(?P<new>{_NUMBER})(?P<u2>\s?%)?(?![\w%])"
)
_CHANGE = re.compile(
    r"\b(?:(?P<any>improv\w*|advanc\w*|push\w*|bring\w*|better\w*)|(?P<up>increas\w*|boost\w*|rais\w*"
    r"|lift\w*|grow\w*|gain\w*|enhanc\w*|ris(?:e|es|ing))"
    r"|(?P<down>reduc\w*|decreas\w*|lower\w*|cut\w*|drop\w*|fall\w*|declin\w*))\b"
)
_NO_CHANGE = re.compile(r"\b(?:rang\w+|vary\w*|varies|scal\w+|span\w+|sizes?|lengths?)\s*$")
_VERSUS = re.compile(
    r"\b(?:surpassing|outperforming|exceeding|beating|compared (?:to|with)|versus|vs\.?|in contrast to"
    r"|(?:improvement|increase|up) from|improving (?:over|upon|on))\b"
)
_ACHIEVES = re.compile(r"\b(?:our|we|achiev\w+|obtain\w*|attain\w*|reach\w*)\b")
_SHARE = re.compile(
    r"^\s?(?:of (?:the|all|train\w*|data|paramet\w*)|(?:training )?data\b|fewer|more|less|larger|smaller"
    r"|reduction|improvement)"
)

Found = tuple[list[tuple[Quantity, float]], set[int]]


def differences(text: str, numbers: Sequence[Quantity]) -> Found:
    """Differences of two scores in ``text``, and the start of every number that is such a score."""
    found, used = _from_to(text)
    if not found:
        pairs, also = _against(text, [q for q in numbers if q.start not in used])
        found, used = found + pairs, used | also
    return found, used


def _from_to(text: str) -> Found:
    found: list[tuple[Quantity, float]] = []
    used: set[int] = set()
    stated = _FROM_TO.finditer(text) if "from " in text else ()
    drawn = _ARROW.finditer(text) if "→" in text or "->" in text else ()  # such marks are rare, and cheap to look for
    for match in (*stated, *drawn):
        left = text[max(0, match.start() - 200) : match.start()]
        change = last_match(_CHANGE, left, 0, len(left))
        if _NO_CHANGE.search(left):
            continue
        used.update(range(match.start(), match.end()))
        old, new = number(match["old"]), number(match["new"])
        percent = bool(match["u1"]) or bool(match["u2"])
        if change is None or old == new or (bool(match["u1"]) and not match["u2"]):
            continue
        rises = new > old
        if (change["up"] and not rises) or (change["down"] and rises):
            continue
        named, before = left[change.end() :], left[: change.start()][-40:]
        if (change["up"] and polarity(named) < 0) or (change["down"] and polarity(named) > 0):
            continue
        if change[0].startswith(("drop", "fall", "declin")) and polarity(before) >= 0:
            continue
        quantity = Quantity(
            new, NumberForm.PERCENT if percent else NumberForm.POINTS, False, "", match.start("old"), match.end()
        )
        found.append((quantity, round(abs(new - old), 6)))
    return found, used


def _against(text: str, numbers: Sequence[Quantity]) -> Found:
    """``achieves A% (and B%), surpassing ... A'% (and B'%)``: as many scores on each side, paired in order."""
    if direct := [(q, o) for q, o in pairwise(numbers) if _is_direct(text, q, o)]:
        return [(q, round(q.value - o.value, 6)) for q, o in direct], {x.start for pair in direct for x in pair}
    versus = _VERSUS.search(text)
    if versus is None or not _ACHIEVES.search(text, 0, versus.start()):
        return [], set()
    scores = [q for q in numbers if q.form in {NumberForm.PERCENT, NumberForm.POINTS} and not _is_no_score(text, q)]
    ours = [q for q in scores if q.end <= versus.start()]
    theirs = [q for q in scores if q.start >= versus.end()]
    if not ours or len(ours) != len(theirs) or len({q.form for q in (*ours, *theirs)}) > 1:
        return [], set()
    pairs = [(q, round(q.value - other.value, 6)) for q, other in zip(ours, theirs, strict=True)]
    if any(value <= 0 for _, value in pairs):
        return [], set()
    return pairs, {q.start for q in (*ours, *theirs)}


def _is_direct(text: str, ours: Quantity, theirs: Quantity) -> bool:
    """``(83.4% vs. 60.0%)`` behind a word that says who is better."""
    between = text[ours.end : theirs.start]
    better = re.search(
        r"\b(?:higher|better|superior|improv\w*|outperform\w*|surpass\w*|increas\w*|gains?)\b", text[: ours.start]
    )
    return (
        bool(better)
        and bool(re.fullmatch(r"\s?(?:vs\.?|versus|compared to|over|against) (?:the )?", between))
        and ours.value > theirs.value
    )


def _is_no_score(text: str, quantity: Quantity) -> bool:
    left, right = text[max(0, quantity.start - 14) : quantity.start], text[quantity.end : quantity.end + 30]
    stated = left.endswith("the ") and right.lstrip().startswith("of ")  # "the 58.5% of the larger model"
    return (bool(_SHARE.match(right)) and not stated) or bool(re.search(r"\b(?:by|by (?:over|up to|about))\s$", left))
