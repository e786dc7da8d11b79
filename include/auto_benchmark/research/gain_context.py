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
    r"\b(?:[Oo]n|[Ii]n|[Aa]cross)\s(?:the |both |challenging |two |three |most |all "
    r"|(?:[a-z-]+ ){0,4}(?:datasets?|benchmarks?|corpus"
    r"|task) )*(?P<name>[A-Z][\w+@./'-]*(?:[ -](?:[A-Z0-9][\w+@./'-]*|v?\d[\w.]*))*)"
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
_CLAUSE = re.compile(r"[,;]| (?:and|with|while|at|over|than|using|compared|on|across|without|to|by|from)\b")
_FASTER = re.compile(r"\s?(?:faster|quicker|speed[ -]?ups?|acceleration)")
_NO_METRIC = re.compile(
    r"\b(?:tasks?|settings?|scenarios?|cases|datasets?|languages?|domains?|benchmarks?|experiments?)$|^[A-Z]"
)
_NOT_BASELINE = re.compile(
    r"^(?:(?:the |just )?\d|the course|time|all|both|average|long|multiple|several|various|a range"
    r"|a variety|e\.g|using)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class GainContext:
    """Metric, benchmark and baseline of one number, as the text names them; None where it does not."""

    metric: str | None
    benchmark: str | None
    baseline: str | None


def context_of(text: str, start: int, end: int, named: str, word: str) -> GainContext:
    """Read around the number at ``text[start:end]``.

    Args:
        text: the sentence.
        start: where the number begins.
        end: where the number ends.
        named: the metric already read with the number, or "".
        word: the word of improvement that governs it.
    """
    written = re.search(re.escape(named), text[start:end], re.IGNORECASE) if named else None
    metric = written[0] if written else named or _metric(text, start, end, word)
    return GainContext(metric, _benchmark(text, start, end), _baseline(text, start, end))


def _metric(text: str, start: int, end: int, word: str) -> str | None:
    left, right = text[max(0, start - 120) : start], text[end : end + 90]
    near = _CLAUSE.split(right, maxsplit=1)[0]
    if word.startswith(("speed", "fast", "accelerat", "quick", "compress")) or _FASTER.match(right):
        return _first(near[:45], GOOD, RESOURCE) or ("compression" if "compress" in word else "speed")
    if (said := _VERB_WHAT.search(left)) or (said := _OF_WHAT.match(right)):
        return _first(said[1], GOOD, BAD, RESOURCE) or _named_thing(said[1])
    if beside := _first(near[:45], GOOD, BAD, RESOURCE):  # "12% higher accuracy", "3% WER reduction"
        return beside
    last = [m for pattern in (GOOD, BAD, RESOURCE) for m in pattern.finditer(left)]
    if last:
        return max(last, key=lambda m: m.end())[0].strip()
    return _first(right, GOOD, BAD, RESOURCE)


def _first(text: str, *patterns: re.Pattern[str]) -> str | None:
    """The first metric of the first kind that stands in ``text``; of several at one place the longest."""
    for pattern in patterns:
        if found := pattern.search(text):
            return found[0].strip()
    return None


def _named_thing(words: str) -> str | None:
    """What a text says to improve, up to the first preposition; None where that is not a quantity."""
    name = re.split(r" (?:of|on|in|for|with|like|from|across) ", words.strip(), maxsplit=1)[0]
    return None if _NO_METRIC.search(name) else name


def _benchmark(text: str, start: int, end: int) -> str | None:
    right = text[end : end + 110]
    stop = re.search(r"\d(?:\.\d+)?\s?%|;", right)
    places = [*_PLACE.finditer(right[: stop.start()] if stop else right)]
    places += sorted(_PLACE.finditer(text, max(0, start - 200), start), key=lambda m: -m.start())
    names = (place["name"].rstrip(".,'-") for place in places)
    return next((name for name in names if not _is_metric(name)), None)


def _is_metric(name: str) -> bool:
    return any(pattern.fullmatch(name) for pattern in (GOOD, BAD, RESOURCE))


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
