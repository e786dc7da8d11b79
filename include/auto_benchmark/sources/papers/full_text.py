"""The body of an arXiv paper: its HTML page where there is one, else the LaTeX of its e-print."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote

from auto_benchmark.research.paper import Paper
from auto_benchmark.research.result_table import ResultTable, bounded
from auto_benchmark.sources.html_table import parse
from auto_benchmark.sources.papers.articles import article_text, show_formulas
from auto_benchmark.sources.papers.arxiv import BASE_URL
from auto_benchmark.sources.papers.eprint import NotReadable, latex_of
from auto_benchmark.sources.papers.latex import MOST_TABLES, text_and_tables
from auto_benchmark.sources.papers.source import SourceFailed
from auto_benchmark.sources.papers.web import Web

SHORTEST_BODY = 1_500
"""Characters; what is shorter is a notice ("no HTML for this paper"), not a paper."""


@dataclass(frozen=True, slots=True)
class Body:
    """What a paper says beyond its abstract.

    Attributes:
        text: its sentences.
        tables: its tables.
        origin: ``html`` or ``latex``.
    """

    text: str
    tables: tuple[ResultTable, ...]
    origin: str


def body_of(web: Web, paper: Paper, base_url: str = BASE_URL) -> Body:
    """Fetch the body of one paper. The caller's ``web`` keeps the distance between calls and bounds their size.

    Raises:
        SourceFailed: the service cannot be reached; worth another try at the next run.
        NotReadable: neither HTML nor LaTeX is there.
    """
    if paper.arxiv_id is None:
        raise NotReadable("no arXiv identifier")
    place = f"{quote(paper.arxiv_id, safe='/')}v{paper.version}"
    base = base_url.rstrip("/")
    answer = web.get(f"{base}/html/{place}", accept="text/html")
    if answer.status == 200 and (body := _of_html(answer.content)) is not None:
        return body
    answer = web.get(f"{base}/e-print/{place}", accept="application/gzip, application/x-eprint-tar, */*;q=0.5")
    if answer.status != 200:
        raise NotReadable(f"the e-print answers {answer.status}")
    text, tables = text_and_tables(latex_of(answer.content))
    if len(text) < SHORTEST_BODY and not tables:
        raise NotReadable("the e-print holds no text")
    return Body(text, tuple(bounded(t) for t in tables), "latex")


def _of_html(content: bytes) -> Body | None:
    text = article_text(content)
    tables = _html_tables(content.decode("utf-8", "replace"))
    return Body(text, tables, "html") if len(text) >= SHORTEST_BODY else None


def _html_tables(markup: str) -> tuple[ResultTable, ...]:
    if "<math" in markup:
        markup = _with_formulas_shown(markup)
    captions = _captions(markup)
    found = []
    for number, table in enumerate(parse(markup), start=1):
        if len(table.columns) < 2 or not table.rows:
            continue
        rows = tuple(tuple(_text(cell) for cell in row) for row in table.rows)
        label, caption = captions.get(number, (f"Table {number}", " ".join(table.headings[-1:])))
        found.append(bounded(ResultTable(label, caption, tuple(_text(c) for c in table.columns), rows)))
    return tuple(found[:MOST_TABLES])


def _with_formulas_shown(markup: str) -> str:
    from bs4 import BeautifulSoup

    page = BeautifulSoup(markup, "lxml")
    show_formulas(page)
    return str(page)


def _captions(markup: str) -> dict[int, tuple[str, str]]:
    """Number of a table on its page -> (label, caption) of the figure around it."""
    from bs4 import BeautifulSoup

    found: dict[int, tuple[str, str]] = {}
    for number, table in enumerate(BeautifulSoup(markup, "lxml").find_all("table"), start=1):
        figure = table.find_parent("figure")
        caption = figure.find("figcaption") if figure else None
        if caption is not None:
            words = " ".join(caption.get_text(" ").split())
            label, _, rest = words.partition(":")
            found[number] = (label.strip(), rest.strip()) if rest and len(label) < 20 else (f"Table {number}", words)
    return found


def _text(cell: object) -> str:
    return " ".join(str("" if cell is None else cell).split())


__all__ = ["Body", "NotReadable", "SourceFailed", "body_of"]
