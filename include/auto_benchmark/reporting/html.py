"""A report as one HTML file that needs nothing else: pictures inside, no script, nothing loaded from anywhere."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape

STYLE = """
:root{color-scheme:light dark}
body{font:16px/1.5 system-ui,sans-serif;max-width:62rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;display:block;overflow-x:auto}
th,td{border:1px solid #8886;padding:.25rem .6rem;text-align:left;vertical-align:top}
code{background:#8882;padding:.1rem .3rem;border-radius:3px;overflow-wrap:anywhere}
img{max-width:100%;background:#fff}
details{margin:.5rem 0 1rem;border-left:3px solid #8886;padding-left:1rem}
summary{cursor:pointer}
body{background:#fff;color:#1a1a1a}
a{color:#0645ad}
@media(prefers-color-scheme:dark){body{background:#121212;color:#e8e8e8}a{color:#8ab4f8}}
"""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


def page(title: str, text: str, images: Mapping[str, bytes] | None = None) -> str:
    """Markdown rendered by this package's templates (all values escaped) as a page.

    Args:
        title: of the window.
        text: Markdown; ``<details>``, ``<summary>`` and anchors of the templates stay.
        images: path as the text writes it -> PNG; any other picture is replaced by its description.
    """
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(text)
    for token in tokens:
        for child in token.children or []:
            if child.type == "image":
                _inline(child, images or {})
    body = reader.renderer.render(tokens, reader.options, {})
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n{body}</body></html>\n"
    )


def _inline(image: object, images: Mapping[str, bytes]) -> None:
    """Put the picture where its path was; a token of the reader is changed in place."""
    attributes = image.attrs  # type: ignore[attr-defined]
    picture = images.get(str(attributes.get("src", "")))
    attributes["src"] = "data:," if picture is None else f"data:image/png;base64,{base64.b64encode(picture).decode()}"
