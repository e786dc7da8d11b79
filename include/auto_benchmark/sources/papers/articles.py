"""HTML pages: the articles that an index page links to, and the text of one article."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

from auto_benchmark.research.text import storable

SHORTEST_TITLE = 12
_NOT_ARTICLES = re.compile(
    r"/(?:tag|tags|category|categories|author|authors|page|login|signup|about|careers?|jobs|privacy|terms"
    r"|contact|pricing|feed|rss)(?:/|$)|\.(?:pdf|png|jpe?g|svg|zip|xml|css|js)$",
    re.IGNORECASE,
)


def links_of(content: bytes, url: str) -> list[tuple[str, str]]:
    """(URL, title) of the articles that an index page links to, in page order: on its host, below its path."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(content, "lxml")
    base = urlsplit(url)
    folder = base.path.rstrip("/")
    found: dict[str, str] = {}
    for anchor in page.find_all("a", href=True):
        target = urldefrag(linked(url, str(anchor["href"])))[0]
        parts = urlsplit(target)
        below = parts.path.startswith(folder + "/") and len(parts.path.rstrip("/")) > len(folder) + 1
        if parts.scheme not in {"http", "https"} or parts.netloc != base.netloc or not below:
            continue
        if _NOT_ARTICLES.search(parts.path):
            continue
        title = " ".join(anchor.get_text(" ").split())
        if len(title) > len(found.get(target, "")):
            found[target] = title
    return [(target, storable(title)) for target, title in found.items() if len(title) >= SHORTEST_TITLE]


def linked(page: str, link: str) -> str:
    """Where a link of a page leads; empty where it is none, and no other suffers for it."""
    try:
        target = urljoin(page, link)
        urlsplit(target)
    except ValueError:
        return ""
    return target


def article_text(content: bytes) -> str:
    """The running text of an article: its ``<article>`` or ``<main>`` where it has one, without navigation."""
    from bs4 import BeautifulSoup

    page = BeautifulSoup(content, "lxml")
    _show_formulas(page)
    for part in page(["script", "style", "nav", "header", "footer", "aside", "form", "noscript", "template"]):
        part.decompose()
    body = page.find("article") or page.find("main") or page.body or page
    lines = (" ".join(line.split()) for line in body.get_text("\n").split("\n"))
    return storable(" ".join(line for line in lines if line))


def _show_formulas(page: Any) -> None:
    """Put what is shown of each formula in its place: MathML holds the same numbers once more in its annotations."""
    for formula in page("math"):
        for part in formula(["annotation", "annotation-xml"]):
            part.decompose()
        shown = "".join(formula.get_text("", strip=True).split())
        formula.replace_with(shown or str(formula.get("alttext") or ""))
    page.smooth()
