"""Text from boards, papers and people as Slack shows it: as text, whatever it contains, within Slack's limits.

Limits of Block Kit: 3,000 characters a section, 150 a header, 50 blocks a message, counted after escaping.
https://docs.slack.dev/reference/block-kit/blocks
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from auto_benchmark.tables.hidden import HIDDEN

SECTION_LIMIT = 3000
HEADER_LIMIT = 150
LONGEST_LINE = 400
"""Characters of a line before escaping; escaped it still fits a section, whatever it consists of."""

_INVISIBLE = re.compile(f"(?:(?!\ufe0f)[\t\n\r{HIDDEN}])+")
"""A sign that makes the one before it a picture hides nothing."""
_MARKUP = re.compile(r"[*_~`]|:(?=[\w+'-]+:)|^(?=\s*(?:[•>-]|\d+\.)\s)")
_STOPPER = "\u2060"
"""Word joiner: invisible, and keeps Slack from reading the character before it as markup."""


def plain(text: object) -> str:
    """One line without control, bidirectional or invisible characters."""
    return _INVISIBLE.sub(" ", str(text)).strip()


def escaped(text: str) -> str:
    """The three characters that Slack reads as the start of a link, a mention or an entity."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def literal(text: object) -> str:
    """Text inside ``mrkdwn`` that is shown as it is: no bold, no link, no mention, no emoji."""
    return escaped(_MARKUP.sub(lambda found: found[0] + _STOPPER, cut(plain(text), LONGEST_LINE)))


def cut(text: str, limit: int) -> str:
    """The text, or its beginning and an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def fitted(text: object, limit: int) -> str:
    """Escaped text of at most ``limit`` characters, never cut inside an escape."""
    clean = cut(plain(text), limit)
    while len(escaped(clean)) > limit:
        clean = cut(clean, len(clean) - 1 - (len(escaped(clean)) - limit) // 5)
    return escaped(clean)


def sections(lines: Iterable[str], limit: int = SECTION_LIMIT) -> Iterator[list[str]]:
    """Escaped lines in groups that fit one section each, cut at line ends alone."""
    group: list[str] = []
    length = 0
    for line in lines:
        if group and length + len(line) + 1 > limit:
            yield group
            group, length = [], 0
        group.append(line)
        length += len(line) + 1
    if group:
        yield group
