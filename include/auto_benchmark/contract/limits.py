"""What a trial may report: declared bounds, the form of names, and text that every store takes."""

from __future__ import annotations

import re

LARGEST_NUMBER = 1e100
"""Of every number that a trial or a scorer gives: :data:`auto_benchmark.stats.applicability.LARGEST`."""
MOST_METRICS = 1_000
LONGEST_NAME = 200
LONGEST_MESSAGE = 4_000

NAME = re.compile(r"[\w./][\w ./:,@%()\[\]=+?#^~-]*")
"""Names of metrics and slices: letters and digits of any script, and signs that no store, page or message gives another
meaning; no quotes, ``<``, ``|``, ``*``, nor anything invisible."""

COSTS_SOMETHING = re.compile(
    r"(?i)(latency|memory|runtime|duration|wall|cpu|peak)([_./ ]|$)|.*_(ns|us|µs|ms|kb|mb|gb|kib|mib|gib|bytes)$"
)
"""Metrics that are above zero wherever anything ran at all."""
IS_A_TIME = re.compile(r"(?i).*_(s|sec|secs|seconds|minutes|hours)$")
"""A phase that was left out may have taken no time; none has taken less."""

_UNFIT = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def refused_name(name: str) -> str | None:
    """Why a trial may not report a metric called ``name``; None when it may."""
    if len(name) > LONGEST_NAME:
        return f"a name of {len(name)} characters; the limit is {LONGEST_NAME}"
    if not NAME.fullmatch(name) or name.endswith(" "):
        return (
            f"{name!r} is not a valid name: use letters, digits, inner spaces and _ . / : , @ % ( ) [ ] = + - ? # ^ ~"
        )
    return None


def refused_number(name: str, value: float, *, guarded: bool = False) -> str | None:
    """Why ``value`` cannot be what a metric called ``name`` measured; None when it can.

    Args:
        name: the metric's.
        value: an int of any size, or a float.
        guarded: whether a promotion rests on its staying low.
    """
    if not -LARGEST_NUMBER <= value <= LARGEST_NUMBER:
        return f"{name!r} should be a finite number of at most {LARGEST_NUMBER:g}"
    zero_is_wrong = bool(COSTS_SOMETHING.match(name)) or (guarded and bool(IS_A_TIME.match(name)))
    if (zero_is_wrong and value <= 0) or (IS_A_TIME.match(name) and value < 0):
        return f"{name!r} is a time or a size and should be above zero, is {value!r}"
    return None


def storable(text: str, longest: int | None = None) -> str:
    """``text`` with U+FFFD for what UTF-8, Postgres or a terminal cannot take: halves of characters and controls.

    Newlines and tabs stay. A text that is too long keeps its end, where a log says what went wrong.
    """
    kept = text if longest is None or len(text) <= longest else f"…{text[1 - longest :]}"
    return _UNFIT.sub("\ufffd", kept)
