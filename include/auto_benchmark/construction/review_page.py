"""The items of a review as one page to read them on; ratings go into the sheet."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from html import escape

from auto_benchmark.construction.item import Item, Media
from auto_benchmark.reporting.html import STYLE

OWN_STYLE = (
    "pre{white-space:pre-wrap;border-left:3px solid #8886;padding-left:1rem}section{border-top:1px solid #8886}"
)
POLICY = "default-src 'none'; img-src data:; media-src data:; style-src 'unsafe-inline'"


def review_page(items: Sequence[Item]) -> str:
    """A page that needs nothing else: pictures and sounds inside, no script; all text is escaped."""
    cards = "\n".join(_card(number, item) for number, item in enumerate(items, 1))
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>Items to review</title><style>{STYLE}{OWN_STYLE}</style></head>\n<body>\n"
        f"<p>Read here; rate in <code>sheet.csv</code>, as <code>README.md</code> says.</p>\n{cards}\n</body></html>\n"
    )


def _card(number: int, item: Item) -> str:
    lines = "\n".join(_lines(number, item))
    return f"<section>\n{lines}\n</section>"


def _lines(number: int, item: Item) -> Iterator[str]:
    asked = item.asked
    yield f'<h2 id="{number}">{number}</h2>'
    if asked.rules:
        yield f"<p>Rules:</p><pre>{escape(asked.rules)}</pre>"
    if asked.context:
        yield f"<pre>{escape(asked.context)}</pre>"
    if asked.media is not None:
        yield f"<p>{_shown(asked.media)}</p>"
    yield f"<p><b>{escape(asked.question)}</b></p>"
    if asked.options:
        yield f"<ul>{''.join(f'<li>{escape(option)}</li>' for option in asked.options)}</ul>"
    yield f"<p>Answer: <code>{escape(str(item.answer))}</code></p>"


def _shown(media: Media) -> str:
    content = base64.b64encode(media.content).decode()
    if media.kind == "png":
        return f'<img alt="the picture of this item" src="data:image/png;base64,{content}">'
    return f'<audio controls src="data:audio/wav;base64,{content}"></audio>'
