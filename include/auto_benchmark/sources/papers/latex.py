"""LaTeX as text and tables: enough of it to read sentences and results, none of it executed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from auto_benchmark.research.result_table import ResultTable
from auto_benchmark.research.text import storable

MOST_TABLES = 60
MOST_COLUMNS, MOST_ROWS = 200, 2_000
"""Of a table; every row is made as wide as the widest, and a command of twenty characters makes forty cells."""
_FLOATS = ("table", "table*", "wraptable", "sidewaystable")
_TABULARS = ("tabular", "tabular*", "tabularx", "tabulary", "longtable", "tblr")
_DROPPED = (
    "figure", "figure*", "equation", "equation*", "align", "align*", "gather", "gather*", "tikzpicture", "algorithm",
    "algorithm*", "algorithmic", "lstlisting", "verbatim", "thebibliography", "eqnarray", "eqnarray*",
)  # fmt: skip
_RULE = re.compile(r"\\(?:hline|toprule|midrule|bottomrule|cmidrule|cline|specialrule|addlinespace|hdashline|rowcolor)"
                   r"(?:\([^)]{0,40}\))?(?:\[[^\]]{0,80}\])?(?:\{[^{}]{0,80}\}){0,3}")  # fmt: skip
_SPAN = re.compile(r"\\multicolumn\s*\{(\d{1,2})\}\s*\{[^{}]{0,600}\}\s*\{((?:[^{}]|\{[^{}]{0,200}\}){0,600})\}")
_MULTIROW = re.compile(
    r"\\multirow(?:\[[^\]]{0,80}\])?\s*\{-?\d+\}\s*(?:\[[^\]]{0,80}\])?\{[^{}]{0,600}\}\s*\{((?:[^{}]|\{[^{}]{0,200}\}){0,600})\}"
)
_ARGUMENTLESS = re.compile(r"\\(?:cite\w*|ref|eqref|label|footnotemark|vspace|hspace|includegraphics|cellcolor|color|url"
                           r"|[cC]ref|autoref|thanks|footnote)\*?(?:\[[^\]]{0,80}\])*\{[^{}]{0,600}\}")  # fmt: skip
_HEADING = re.compile(r"\\(?:sub)*(?:section|paragraph|chapter)\*?\s*(?:\[[^\]]{0,80}\])?\{([^{}]{0,600})\}")
_WRAPPED = re.compile(r"\\[a-zA-Z]+\*?\s*(?:\[[^\]]{0,80}\])?\{([^{}]{0,600})\}")
_MARK = re.compile(r"\\(?:begin|end)\{[^{}]{0,60}\}(?:\[[^\]]{0,80}\])?|\\item\b")
_COMMAND = re.compile(r"\\[a-zA-Z]+\*?\s*(?:\[[^\]]{0,80}\])?")
_SYMBOLS = {r"\pm": "±", r"\uparrow": "↑", r"\downarrow": "↓", r"\%": "%", r"\&": "&", r"\_": "_", r"\times": "×",
            r"\$": "", r"\#": "#", "~": " ", "``": '"', "''": '"', "---": " - ", "--": "-"}  # fmt: skip


def text_and_tables(document: str) -> tuple[str, tuple[ResultTable, ...]]:
    """The sentences of a document and its tables."""
    begin, end = document.find("\\begin{document}"), document.find("\\end{document}")
    begin = begin + len("\\begin{document}") if begin >= 0 else 0
    source = document[begin : end if end > begin else len(document)]
    tables = _tables(source)
    text = _without(source, (*_FLOATS, *_TABULARS, *_DROPPED))
    text = _MARK.sub(" ", text)
    text = _HEADING.sub(lambda m: f"\n\n{m[1]}.\n\n", text)
    paragraphs = (" ".join(_plain(p).split()) for p in re.split(r"\n\s*\n", text))
    return storable("\n\n".join(p for p in paragraphs if len(p) > 1)), tables


def _environments(text: str, names: Sequence[str]) -> Iterator[tuple[int, int, int, int]]:
    """(begin, content begin, content end, end) of each outermost environment; one that never ends is passed over.

    One search for each end, and none for a kind that is known to have no further end: the cost stays linear.
    """
    begins = re.compile(r"\\begin\{(" + "|".join(map(re.escape, names)) + r")\}")
    endless: set[str] = set()
    at = 0
    while found := begins.search(text, at):
        at = found.end()
        if found[1] in endless:
            continue
        closing = f"\\end{{{found[1]}}}"
        end = text.find(closing, at)
        if end < 0:
            endless.add(found[1])
            continue
        yield found.start(), found.end(), end, end + len(closing)
        at = end + len(closing)


def _without(text: str, names: Sequence[str]) -> str:
    kept, at = [], 0
    for begin, _, _, end in _environments(text, names):
        kept.append(text[at:begin])
        at = end
    return "\n\n".join([*kept, text[at:]])


def _tables(source: str) -> tuple[ResultTable, ...]:
    found: list[ResultTable] = []
    for number, (_, begin, end, _) in enumerate(_environments(source, _FLOATS), start=1):
        content = source[begin:end]
        caption = _caption(content)
        for _, inner, stop, _ in _environments(content, _TABULARS):
            if table := _table(f"Table {number}", caption, content[_after_arguments(content, inner) : stop]):
                found.append(table)
        if len(found) >= MOST_TABLES:
            break
    return tuple(found)


def _after_arguments(text: str, at: int) -> int:
    """Where the rows begin, behind the column specification."""
    while (bracket := re.compile(r"\s*[\[{]").match(text, at)) is not None and bracket.end() - at < 4:
        depth, end = 1, bracket.end()
        while end < min(len(text), at + 600) and depth:
            depth += {"{": 1, "[": 1, "}": -1, "]": -1}.get(text[end], 0)
            end += 1
        if depth:
            break
        at = end
    return at


def _caption(text: str) -> str:
    """The caption's argument, its braces balanced."""
    at = re.search(r"\\caption(?:of\{table\})?\*?\s*(?:\[[^\]]{0,80}\])?\{", text)
    if at is None:
        return ""
    depth, end = 1, at.end()
    while end < min(len(text), at.end() + 2_000) and depth:
        depth += {"{": 1, "}": -1}.get(text[end], 0)
        end += 1
    return " ".join(_plain(text[at.end() : end - 1]).split())


def _table(label: str, caption: str, content: str) -> ResultTable | None:
    lines = re.split(r"\\\\(?:\[[^\]]{0,80}\])?|\\tabularnewline", _RULE.sub(" ", content))
    rows = [row for line in lines[:MOST_ROWS] if (row := _cells(line)) and any(row)]
    width = max((len(row) for row in rows), default=0)
    if width < 2 or len(rows) < 2:
        return None
    rows = [row + [""] * (width - len(row)) for row in rows]
    head = 1 + next((i for i, row in enumerate(rows[1:], start=0) if any(_is_number(c) for c in row[1:])), 0)
    header = [" / ".join(dict.fromkeys(filter(None, levels))) for levels in zip(*rows[:head], strict=True)]
    return ResultTable(label, caption, tuple(header), tuple(tuple(row) for row in rows[head:]))


def _cells(line: str) -> list[str]:
    cells: list[str] = []
    for raw in re.split(r"(?<!\\)&", line):
        span = _SPAN.search(raw)
        text = _plain(_MULTIROW.sub(r"\1", span[2] if span else raw))
        cells += [" ".join(text.split())] * (min(int(span[1]), 40) if span else 1)
        if len(cells) > MOST_COLUMNS:
            break
    return [storable(cell) for cell in cells[:MOST_COLUMNS]]


def _is_number(cell: str) -> bool:
    return bool(re.match(r"^[^\w-]*-?\d+(?:\.\d+)?", cell))


def _plain(text: str) -> str:
    """Text without commands: arguments of styles stay, those of references go."""
    text = _ARGUMENTLESS.sub("", _MULTIROW.sub(r"\1", text))
    for command, sign in _SYMBOLS.items():
        text = text.replace(command, sign)
    for _ in range(4):
        text, changed = _WRAPPED.subn(r"\1", text)
        if not changed:
            break
    return re.sub(r"[{}$]", "", _COMMAND.sub(" ", text))
