"""Notices as Block Kit messages that Slack accepts, whatever day it was."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from auto_benchmark.reporting.slack.notice import Notice
from auto_benchmark.reporting.slack.text import (
    HEADER_LIMIT,
    SECTION_LIMIT,
    fitted,
    literal,
    plain,
    sections,
)

MOST_MESSAGES = 3
MOST_SECTIONS = 8
"""Sections of one message: with their headings far from 50 blocks, and about a screen and a half of text."""
FALLBACK_LIMIT = 300


@dataclass(frozen=True, slots=True)
class SlackMessage:
    """One call of ``chat.postMessage``. ``text`` is what notifications and screen readers say."""

    text: str
    blocks: Sequence[dict[str, Any]]


def messages(notice: Notice) -> list[SlackMessage]:
    """A notice as one to :data:`MOST_MESSAGES` messages; what does not fit is counted, with where it stands."""
    bodies = list(_bodies(notice))
    kept = bodies[: MOST_MESSAGES * MOST_SECTIONS]
    blocks = [_section(text) for text, _ in kept]
    if left := sum(lines for _, lines in bodies[len(kept) :]):
        blocks.append(_section(f"… and {left} more: see {literal(notice.report)}"))
    title = f"{notice.kind.icon} {notice.title}"
    first, *rest = _groups(blocks) or [[]]
    header = {"type": "header", "text": {"type": "plain_text", "text": fitted(title, HEADER_LIMIT)}}
    text = fitted(title, FALLBACK_LIMIT)
    return [SlackMessage(text, [header, *first]), *(SlackMessage(f"{text} (continued)", group) for group in rest)]


def plain_text(notice: Notice) -> str:
    """The notice without any markup, for ``reports/``: nothing is left out."""
    lines = [f"{notice.kind.icon} {plain(notice.title)}"]
    for part in notice.parts:
        lines += [f"{plain(part.heading)}:"] if part.heading else []
        lines += [f"- {' '.join(plain(line).split())}" for line in part.lines]
    return "\n".join(lines) + "\n"


def _bodies(notice: Notice) -> Iterator[tuple[str, int]]:
    """Texts of sections, each with the number of lines in it."""
    for part in notice.parts:
        heading = f"*{literal(part.heading)}*\n" if part.heading else ""
        for group in sections((f"• {literal(line)}" for line in part.lines), SECTION_LIMIT - len(heading)):
            yield heading + "\n".join(group), len(group)
            heading = ""


def _section(text: str) -> dict[str, Any]:
    """``verbatim`` keeps Slack from making links of addresses and channel names in the text."""
    return {"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": True}}


def _groups(blocks: list[dict[str, Any]]) -> list[list[dict[str, Any]]]:
    size = MOST_SECTIONS + 1  # the line about the rest may be one more
    return [blocks[i : i + size] for i in range(0, len(blocks), size)]
