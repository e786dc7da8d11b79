"""A board as people and feed readers see it. Names are other people's text: everything is escaped."""

from __future__ import annotations

from datetime import datetime
from email.utils import format_datetime
from pathlib import Path

import jinja2

from arena.declaration import Board
from arena.standings import Change, Entry

_templates = jinja2.Environment(
    loader=jinja2.FileSystemLoader(Path(__file__).with_name("templates")),
    autoescape=True,
    undefined=jinja2.StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters["rfc822"] = format_datetime


def ranks(entries: list[Entry]) -> list[int]:
    """Competition ranks (1, 1, 3) of entries that are already in order."""
    found: list[int] = []
    for i, entry in enumerate(entries):
        tied = i > 0 and entry.measured.score == entries[i - 1].measured.score
        found.append(found[-1] if tied else i + 1)
    return found


def html(board: Board, metric: str, entries: list[Entry]) -> str:
    """The board's table."""
    rows = list(zip(ranks(entries), entries, strict=True))
    return _templates.get_template("board.html.j2").render(board=board, metric=metric, rows=rows)


def rss(board: Board, metric: str, changes: list[Change], base_url: str, now: datetime) -> str:
    """RSS 2.0 of the board's changes, newest first."""
    return _templates.get_template("changes.rss.j2").render(
        board=board, metric=metric, changes=changes[::-1], base_url=base_url.rstrip("/"), now=now
    )


def index(boards: list[Board]) -> str:
    """Links to every board."""
    return _templates.get_template("index.html.j2").render(boards=boards)


def sentence(metric: str, change: Change) -> str:
    """One change in words."""
    if change.old is None:
        return f"{change.system} enters at #{change.rank} with {metric} {change.new:.4f}"
    return f"{change.system} goes from {metric} {change.old:.4f} to {change.new:.4f}, now #{change.rank}"


_templates.globals["sentence"] = sentence
