"""Leaderboards in Markdown: pipe tables (outer pipes or not), and HTML tables between them.

markdown-it, which renders the reports, was tried here instead. It reads the tables of the 59 documents of the corpus
alike, but a table of 100,000 rows takes it 2.7 times as long, a row that is commented out ends its table, so that the
rows below are lost, and cells beyond the header's columns are dropped without a word where the row must be rejected.
"""

from __future__ import annotations

import re

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.javascript import elements
from auto_benchmark.sources.page import Page
from auto_benchmark.tables.markup import code_spans, plain, without_scripts
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import read_score_cell
from auto_benchmark.tables.table import Table

_DELIMITERS = re.compile(r"^ {0,3}\|?[ \t]*+:?-+:?[ \t]*+(?:\|[ \t]*+:?-*+:?[ \t]*+)*$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?=[ \t]|$)")
_UNDERLINE = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_QUOTE = re.compile(r"(?m)^(?: {0,3}> ?)+")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_REFERENCE = re.compile(r"(?<!\\)\[\^[^\]\s`]{1,80}\]")
"""``[^1]``: the mark of a footnote, wherever it stands in a cell."""
_BLOCK = re.compile(r"^ {0,3}(?:#{1,6}(?:\s|$)|>|[-*+]\s|\d+[.)]\s|```|~~~|([-*_])(?:[ \t]*\1){2,}[ \t]*$)")


def tables(page: Page, spec: Leaderboard) -> list[Table]:
    """Every table of the document in order.

    Raises:
        ReadRefused: an HTML page instead, or no table.
    """
    if page.is_html and not _DELIMITERS.search(page.text) and "</html" in page.text.lower():
        raise ReadRefused(Reason.WRONG_FORMAT, f"Markdown expected, got {page.seen}")
    found = parse(page.text)
    if not found:
        raise ReadRefused(Reason.NO_TABLE, f"{page.seen} holds no Markdown table")
    return found


def parse(text: str) -> list[Table]:
    """All tables of a Markdown text.

    Comments and fenced code are not on the page, and a row that is commented out does not end its table.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _COMMENT.sub("\1", text.replace("\1", "\ufffd"))
    text = "\n".join(line.replace("\1", "") for line in text.split("\n") if "\1" not in line or line.strip(" \t\1"))
    lines = _without_html_tables(_without_code(_QUOTE.sub("", text)))
    result: list[Table] = []
    headings: list[tuple[int, str]] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        if line.startswith("\0"):
            if (table := _html(line[1:])) is not None:
                result.append(table)
                _place(result, headings)
        elif i + 1 < len(lines) and _starts_table(line, lines[i + 1]):
            table, i = _table(lines, i)
            result.append(table)
            _place(result, headings)
            continue
        elif heading := _heading(lines, i):
            headings = [h for h in headings if h[0] < heading[0]] + [heading]
        i += 1
    return result


def _place(result: list[Table], headings: list[tuple[int, str]]) -> None:
    """Number the newest table and tell it its headings."""
    table = result[-1]
    table.headings = tuple(h for _, h in headings if h)
    table.label = f"table {len(result)}" + (f" below heading {table.headings[-1]!r}" if table.headings else "")
    table.locate = {"table": len(result)}


def _heading(lines: list[str], i: int) -> tuple[int, str] | None:
    if match := _HEADING.match(lines[i]):
        words = lines[i][match.end() :].strip(" \t")
        bare = words.rstrip("#")
        return len(match.group(1)), plain(bare if bare[-1:] in {"", " ", "\t"} else words)
    follows = lines[i + 1] if i + 1 < len(lines) else ""
    if lines[i].strip() and "|" not in lines[i] and (match := _UNDERLINE.match(follows)):
        return (1 if match.group(1)[0] == "=" else 2), plain(lines[i])
    return None


def _without_code(text: str) -> list[str]:
    """Lines with fenced code blanked."""
    out: list[str] = []
    fence = ""
    for line in text.split("\n"):
        match = _FENCE.match(line)
        if fence:
            if (
                match
                and match.group(1)[0] == fence[0]
                and len(match.group(1)) >= len(fence)
                and line.strip() == match.group(1)
            ):
                fence = ""
            out.append("")
        elif match:
            fence = match.group(1)
            out.append("")
        else:
            out.append(line)
    return out


def _without_html_tables(lines: list[str]) -> list[str]:
    """Each HTML table becomes one line that begins with NUL; Markdown tables are left alone."""
    text = "\n".join(line.replace("\0", "\ufffd") for line in lines)
    if "<table" not in text.lower():
        return lines
    pieces, last = [], 0
    for start, end in elements(text, "table"):
        pieces += [text[last:start], "\n\0", text[start:end].replace("\n", " "), "\n"]
        last = end
    return "".join([*pieces, text[last:]]).split("\n")


def _html(fragment: str) -> Table | None:
    """The table of an HTML fragment; None for one that lays out pictures and holds no number, which is not a board."""
    from auto_benchmark.sources.html_table import parse as parse_html

    found = parse_html(fragment)
    table = found[0] if found else Table([], [])
    tags = fragment.lower()
    if "<img" in tags and "<th" not in tags and not any(_is_number(cell) for row in table.rows for cell in row):
        return None
    return table


def _is_number(cell: str) -> bool:
    found = read_score_cell(cell)
    return bool(found.parts) and not found.problem


def _starts_table(line: str, below: str) -> bool:
    if "-" not in below or not _DELIMITERS.match(below) or ("|" not in line and "|" not in below):
        return False
    return bool(line.strip()) and len(_cells(line)) == len(_cells(below))


def _table(lines: list[str], start: int) -> tuple[Table, int]:
    """The table whose header stands on line ``start``, and the line after it."""
    header = [without_scripts(_shown(c)).replace("\n", " ") for c in _cells(lines[start])]
    table = Table(header, [])
    i = start + 2
    while i < len(lines) and lines[i].strip() and not lines[i].startswith("\0"):
        if _BLOCK.match(lines[i]) and "|" not in lines[i]:
            break
        if i + 1 < len(lines) and _starts_table(lines[i], lines[i + 1]):
            break
        _row(table, lines[i], i + 1)
        i += 1
    return table, i


def _row(table: Table, line: str, number: int) -> None:
    """Short rows are filled up, as renderers do; a row with more text than columns is rejected."""
    cells = [_shown(c) for c in _cells(line)]
    width = len(table.columns)
    if len(cells) > width:
        if any(cells[width:]):
            table.rejected.append(f"line {number}: {len(cells)} cells for {width} columns")
            return
        del cells[width:]
    table.add_filled(cells)


def _shown(cell: str) -> str:
    return plain(_REFERENCE.sub("", cell) if "[^" in cell and "`" not in cell else cell)


def _cells(line: str) -> list[str]:
    r"""Cells of one line. ``\|`` and pipes inside code are text."""
    text = line.strip()
    text = text[1:] if text.startswith("|") else text
    if text.endswith("|") and not text.endswith("\\|"):
        text = text[:-1]
    if "\\|" not in text and "`" not in text:
        return [cell.strip() for cell in text.split("|")]
    masked, done = [], 0
    for start, end, _ in code_spans(text):
        masked += [text[done:start], text[start:end].replace("\\|", "\1").replace("|", "\1")]
        done = end
    line = "".join([*masked, text[done:]])
    return [cell.strip().replace("\1", "|") for cell in line.replace("\\|", "\1").split("|")]
