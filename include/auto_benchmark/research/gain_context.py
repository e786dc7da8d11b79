"""What a claimed number is about: the metric, the benchmark and the baseline that stand around it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from auto_benchmark.research.lexicon import BAD, GOOD, RESOURCE

_OF_WHAT = re.compile(
    r"^[^,;.()]{0,12}?\b(?:in|of)\s(?:the |its |their |terms of )?((?-i:[a-z])[\w@/ -]{2,40}?)(?=$|[,;.()]"
    r"| (?:on|over|compared|than|with|and|by|while|for|across|at|relative|versus|vs|when|using|in|as|to)\b)",
    re.IGNORECASE,
)
_VERB_WHAT = re.compile(
    r"\b(?:improv|increas|boost|enhanc|rais|reduc|decreas|lower|cut|sav|speed|accelerat)\w*\s(?!over\b"
    r"|upon\b|on\b)(?:the |its |their |our )?([a-z][\w@/ -]{2,40}?) by\b[^,;]{0,30}$",
    re.IGNORECASE,
)
_PLACE = re.compile(
    r"\b(?:on|in|across|over)\s(?:the |both |challenging |two |three |most "
    r"|all )*(?P<name>[A-Z][\w+@./'-]*(?:[ -](?:[A-Z0-9][\w+@./'-]*|v?\d[\w.]*))*)"
    r"(?P<kind> (?:benchmarks?|datasets?|tasks?|test ?sets?|suites?|leaderboards?|corpus|corpora|track"
    r"|challenge|subset|subtask|dev|test|validation))?"
)
_BASELINE = re.compile(
    r"\b(?:than|over|compared (?:to|with)|relative to|versus|vs\.?|against|outperform(?:s|ed|ing)?"
    r"|surpass(?:es|ed|ing)?|exceed(?:s|ed|ing)?|beat(?:s|ing)?|improv(?:es|ed|ing) (?:over|upon|on))\s"
    r"(?P<what>(?:(?!\b(?:by|while|when|whereas|respectively)\b)[^,;:()]){3,90}?)(?=$|[,;:()]|\.(?:\s|$)"
    r"| (?:by|on|in|with|while|when|across|for|at|and|using|whereas)\b)",
    re.IGNORECASE,
)
_NOT_BASELINE = re.compile(
    r"^(?:\d|the course|time|all|both|average|long|multiple|several|various|a range|a variety|e\.g|using)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Context:
    """Metric, benchmark and baseline of one number, as the text names them; None where it does not."""

    metric: str | None
    benchmark: str | None
    baseline: str | None


def context_of(text: str, start: int, end: int, named: str, word: str) -> Context:
    """Read around the number at ``text[start:end]``.

    Args:
        text: the sentence.
        start: where the number begins.
        end: where the number ends.
        named: the metric already read with the number, or "".
        word: the word of improvement that governs it.
    """
    return Context(
        named or _metric(text, start, end, word), _benchmark(text, start, end), _baseline(text, start, end)
    )


def _metric(text: str, start: int, end: int, word: str) -> str | None:
    left, right = text[max(0, start - 120) : start], text[end : end + 90]
    near = re.split(r"[,;]|\band\b", right, maxsplit=1)[0]
    for pattern in (GOOD, BAD, RESOURCE):  # "12% higher accuracy", "3% WER reduction"
        if found := pattern.search(near[:45]):
            return found[0].strip()
    if word.startswith(("speed", "fast", "accelerat", "quick")) or re.match(
        r"\s?(?:faster|quicker|speed-?ups?|acceleration)", right
    ):
        return "speed"
    if (said := _VERB_WHAT.search(left)) or (said := _OF_WHAT.match(right)):
        return said[1].strip()
    last: re.Match[str] | None = None
    for pattern in (GOOD, BAD, RESOURCE):
        for found in pattern.finditer(left):
            if last is None or found.end() > last.end():
                last = found
    if last is not None:
        return last[0].strip()
    for pattern in (GOOD, BAD, RESOURCE):
        if found := pattern.search(right):
            return found[0].strip()
    return None


def _benchmark(text: str, start: int, end: int) -> str | None:
    right = text[end : end + 110]
    stop = re.search(r"\d(?:\.\d+)?\s?%|;", right)
    after = _PLACE.search(right[: stop.start()] if stop else right)
    if after:
        return after["name"].rstrip(".,'-")
    before = last_match(_PLACE, text, max(0, start - 140), start)
    return before["name"].rstrip(".,'-") if before else None


def last_match(pattern: re.Pattern[str], text: str, start: int, end: int) -> re.Match[str] | None:
    """The last of the matches between two positions."""
    return max(pattern.finditer(text, start, end), key=lambda m: m.start(), default=None)


def _baseline(text: str, start: int, end: int) -> str | None:
    for region in (text[end : end + 200], text[max(0, start - 160) : start]):
        for match in _BASELINE.finditer(region):
            what = match["what"].strip()
            if not _NOT_BASELINE.match(what):
                return what
    return None
