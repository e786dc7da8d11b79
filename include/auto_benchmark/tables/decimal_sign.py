"""Whether a comma is a decimal sign or groups thousands: the column decides, and what it does not prove stays open."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Literal

Decimal = Literal[".", ","]
_GROUPED = re.compile(r"\d{1,3}(?:([.,])\d{3})(?:\1\d{3})*$")
_TYPOGRAPHIC = re.compile(r"\d{1,3}(['’_\u00A0\u2009\u202F])\d{3}(?:\1\d{3})*(?=[.,]|$)")
"""Groups of thousands that cannot be decimals."""


def _body(token: str) -> tuple[str, str]:
    """Number token without sign, exponent and typographic grouping; and what was cut off the end."""
    text = token.lstrip("+-−–").strip()
    mantissa, e, exponent = text.partition("e") if "e" in text else text.partition("E")
    if grouped := _TYPOGRAPHIC.match(mantissa):
        whole = re.sub(r"\D", "", grouped.group())
        mantissa = whole + mantissa[grouped.end() :]
    return mantissa, e + exponent.replace("−", "-")


def decimal_sign(tokens: Sequence[str], given: Decimal | None) -> tuple[Decimal, bool]:
    """The column's decimal sign, and whether lone three-digit groups stay ambiguous."""
    if given:
        return given, False
    comma_decimal = comma_groups = False
    for token in tokens:
        if "," not in token and token.count(".") < 2:
            continue
        body, _ = _body(token)
        last = max(body.rfind("."), body.rfind(","))
        if "." in body and "," in body:
            comma_decimal |= body[last] == ","
            comma_groups |= body[last] == "."
        elif body.count(",") > 1:
            comma_groups = True
        elif body.count(".") > 1:
            comma_decimal |= bool(_GROUPED.match(body))
        elif "," in body and not (_GROUPED.match(body) and not body.startswith("0")):
            comma_decimal = True
    if comma_decimal and not comma_groups:
        return ",", True
    return ".", not comma_groups or comma_decimal


def to_number(token: str, sign: Decimal, ambiguous: bool) -> float | None:
    """One token under the column's decimal sign; None when it does not fit or would be a guess."""
    body, exponent = _body(token)
    other = "," if sign == "." else "."
    lone_group = bool(_GROUPED.match(body)) and body.count(".") + body.count(",") == 1 and not body.startswith("0")
    if ambiguous and lone_group and ("," in body or sign == ","):
        comma_proven = sign == "," and "," in body
        if not comma_proven:
            return None
    if sign == "," and ambiguous and "," not in body and body.count(".") == 1:
        body = body if not lone_group else ""  # a lone 61.5 in a column of decimal commas is still 61.5
    elif other in body or body.count(sign) > 1:
        whole, _, fraction = body.partition(sign) if sign in body else (body, "", "")
        if (
            not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(other)}\d{{3}})+", whole)
            or other in fraction
            or sign in fraction
        ):
            return None
        body = whole.replace(other, "") + ("." + fraction if fraction else "")
    else:
        body = body.replace(sign, ".")
    if not re.fullmatch(r"[0-9]*\.?[0-9]*", body):
        return None  # grouping that does not group by three
    try:
        value = float(body + exponent)
    except ValueError:
        return None
    if not math.isfinite(value):
        return None
    return -value if token.strip()[0] in "-−–" else value
