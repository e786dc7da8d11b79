"""Renders reports from templates. Text from boards, papers and systems is hostile: every value is escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from auto_benchmark.reporting.criteria_table import name, not_reached, threshold, value
from auto_benchmark.reporting.words import counted, precision, verdict
from auto_benchmark.tables.hidden import HIDDEN

if TYPE_CHECKING:
    from jinja2 import Environment

_MARKDOWN = re.compile(r"([\\`*\[\]<>|~]|(?<!\w)_|_(?!\w)|&(?=#?\w{1,40};))")
"""``&`` where a name of a character begins: ``&#x202e;`` would become what is taken out here."""
_HYPOTHESIS = re.compile(r"H-\d{3,}")
_CONTROL = re.compile(f"(?!\ufe0f)[\r{HIDDEN}]")
"""A sign that makes the one before it a picture hides nothing."""


def markdown(value: object) -> str:
    """Plain text as Markdown that shows it as it is: one line, no markup, no invisible characters.

    Values stand inside lines, where ``#`` means nothing; neither does an underscore within a word.
    """
    text = _CONTROL.sub("", str(value)).replace("\n", " ")
    return _MARKDOWN.sub(r"\\\1", text)


def html(value: object) -> str:
    """Plain text inside HTML of a template, which no Markdown escape protects: a ``<summary>`` for example."""
    return escape(_CONTROL.sub("", str(value)).replace("\n", " "))


def quoted(value: object) -> str:
    """A text of several lines as a block quote: its headings bold, its lists kept, everything else as it is."""
    found: list[str] = []
    for line in filter(None, (line.strip() for line in str(value).splitlines())):
        text = f"**{markdown(line.lstrip('# '))}**" if line.startswith("#") else markdown(line.removeprefix("- "))
        in_list = line.startswith("- ")
        if found and not (in_list and found[-1].startswith("> - ")):
            found.append(">")
        found.append(f"> - {text}" if in_list else f"> {text}")
    return "\n".join(found)


def fenced(lines: Iterable[str]) -> str:
    """Commands as a block that shows them exactly: nothing in them ends it, and they can be copied as they stand."""
    text = "\n".join(_CONTROL.sub("", line) for line in lines)
    fence = "`" * max(3, 1 + max(map(len, re.findall(r"`+", text)), default=0))
    return f"{fence}sh\n{text}\n{fence}"


def signed(value: float, digits: int = 3) -> str:
    """``+0.014``; minus zero is written as ``+0.000``."""
    text = f"{value:+.{digits}f}"
    return text if float(text) else f"{0:+.{digits}f}"


def number(value: float | None, digits: int = 3) -> str:
    """A score, or a dash where there is none."""
    return "—" if value is None else f"{value:.{digits}f}"


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(  # noqa: S701 - Markdown, not HTML: `finalize` escapes every value
        loader=PackageLoader("auto_benchmark.reporting"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=lambda value: value if isinstance(value, Safe) else markdown(value),
    )
    environment.filters.update(
        signed=lambda v, digits=3: Safe(signed(v, digits)),
        number=lambda v, digits=3: Safe(number(v, digits)),
        html=lambda v: Safe(html(v)),
        precision=lambda moments: Safe(precision(moments)),
        counted=lambda n, one, many=None: Safe(counted(n, one, many)),
        verdict=verdict,
        value=value,
        name=name,
        threshold=threshold,
        not_reached=not_reached,
        fenced=lambda lines: Safe(fenced(lines)),
        quoted=lambda v: Safe(quoted(v)),
        raw=lambda v: Safe(_CONTROL.sub("", str(v))),
        anchored=lambda v: Safe(f"[{v}](#{v.lower()})" if _HYPOTHESIS.fullmatch(v) else markdown(v)),
    )
    return environment


class Safe(str):
    """Text that is Markdown already."""

    __slots__ = ()


def render(template: str, **values: Any) -> str:
    """Render one template of this package; a missing value is an error, not an empty string."""
    return _environment().get_template(template).render(**values)
