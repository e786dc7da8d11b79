"""Rows of HTML tables: this reader's beside ``table.rows`` of a real Chromium, and its time beside ``pandas.read_html``.

    PYTHONPATH=include:plugins python perf/html_against_browser.py DIRECTORY [--generated 500] [--repeat 10]

DIRECTORY is searched for HTML documents. The generated tables (seeds 0, 1, …) leave tags out, close what is not open,
nest tables, and put text and elements where none belong. Chromium's parser is asked through DOMParser, so that no script
of a document runs. A document agrees when all its tables have the same rows with the same cells (tag and text).

The times are CPU seconds of one process, the two readers in turn, the best of ``--repeat``; each reads every table of
the document.
"""

from __future__ import annotations

import argparse
import io
import json
import math
import os
import random
import re
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from auto_benchmark.sources.html_grid import row_groups
from auto_benchmark.sources.html_table import document, parse
from auto_benchmark.sources.page import Page

CHROMIUM = "/usr/bin/chromium"
WORST_SHOWN = 5
Rows = list[list[list[tuple[str, str]]]]
"""Per table, per row, per cell: tag and text."""
ROWS_OF_BROWSER = """html => {
  const page = new DOMParser().parseFromString(html, "text/html");
  const text = cell => cell.textContent.replace(/[\\t\\n\\f\\r ]+/g, " ").trim();
  return [...page.querySelectorAll("table")].map(table => [...table.rows].map(row =>
    [...row.cells].map(cell => [cell.localName, text(cell)])));
}"""

PIECES = (
    "<tr>", "</tr>", "<td>", "</td>", "<th>", "</th>", "<tbody>", "</tbody>", "<thead>", "</thead>", "<tfoot>", "</tfoot>",
    "<table>", "</table>", "<caption>", "</caption>", "<colgroup>", "<col>", "<p>", "</p>", "<b>", "</b>", "<i>", "</i>",
    "<a href=x>", "</a>", "<div>", "</div>", "<span>", "</span>", "<ul><li>", "</ul>", "<br>", "</br>", "<form>", "</form>",
    "<input type=hidden>", "<input>", "<select><option>", "</select>", "<!-- <td> -->", "<script>1<td>2</script>",
    "<style>td{}</style>", "<svg><td>", "</svg>", "<math><mi>", "</math>", "<template><tr><td>", "</template>", "<td",
    "<button>", "</button>", "<h2>", "</h3>", "<td rowspan=2,div x>", "<nobr>", "<font size=1>", "</font>", "&amp;",
    "<textarea>", "</textarea>", "</body>", "</html>", "<frameset>", "<noscript><td>", "</noscript>", "<ruby><rt>",
    "&lt;td",
)  # fmt: skip


def generated(seed: int) -> str:
    """A board's table after somebody's careless hands: tags left out, doubled, swapped and strewn in."""
    draw = random.Random(seed)
    tokens: list[str] = ["<table>"]
    for row in range(draw.randint(2, 8)):
        cell = "th" if row == 0 and draw.random() < 0.7 else "td"
        tokens.append("<tr>")
        for column in range(draw.randint(1, 4)):
            tokens += [f"<{cell}>", f"r{row}c{column} ", f"</{cell}>"]
        tokens.append("</tr>")
    tokens.append("</table>")
    for _ in range(draw.randint(1, 10)):
        at = draw.randrange(len(tokens))
        kind = draw.random()
        if kind < 0.35:
            del tokens[at]
        elif kind < 0.85:
            tokens.insert(at, draw.choice(PIECES))
        elif kind < 0.95:
            tokens.insert(at, tokens[draw.randrange(len(tokens))])
        else:
            tokens.insert(at, f"text {at} ")
        if not tokens:
            tokens = ["<table>"]
    return draw.choice(("<!doctype html>", "<!doctype html><body>", "")) + "".join(tokens)


def rows_of_reader(text: str) -> Rows:
    """The rows as this package's reader takes them."""
    found: Rows = []
    for table in document(text).css("table"):
        rows = [row for _, group in row_groups(table) for row in group]
        found.append(
            [
                [(c.tag or "", " ".join(_spaced(c.text()))) for c in row.iter() if c.tag in {"td", "th"}]
                for row in rows
            ]
        )
    return found


def _spaced(text: str) -> list[str]:
    return [word for word in re.split(r"[\t\n\f\r ]+", text) if word]


def rows_of_browser(tab: Any, text: str) -> Rows:
    """The rows as Chromium builds them."""
    found = tab.evaluate(ROWS_OF_BROWSER, text)
    return [[[(tag, shown) for tag, shown in row] for row in table] for table in found]


def compared(tab: Any, documents: list[tuple[str, str]]) -> dict[str, Any]:
    """How many documents, tables and rows there are, and which documents differ."""
    tables = rows = 0
    differing = []
    for name, text in documents:
        theirs, ours = rows_of_browser(tab, text), rows_of_reader(text)
        tables += len(theirs)
        rows += sum(map(len, theirs))
        if theirs != ours:
            differing.append(name)
    return {
        "documents": len(documents), "agreeing": len(documents) - len(differing), "tables": tables, "rows": rows,
        "differing": differing[:WORST_SHOWN],
    }  # fmt: skip


def cpu_seconds(run: Callable[[], Any]) -> float:
    """CPU time of one call; NaN where it raises."""
    began = time.process_time()
    try:
        run()
    except ValueError:  # pandas: no tables found
        return math.nan
    return time.process_time() - began


def times(documents: list[tuple[str, str]], repeat: int) -> dict[str, Any]:
    """Seconds of both readers on each document that pandas can read, and their ratios."""
    import pandas as pd

    warnings.simplefilter("ignore")
    found = []
    for name, text in documents:
        pairs = [
            (
                cpu_seconds(lambda t=text: parse(t)),
                cpu_seconds(lambda t=text: pd.read_html(io.StringIO(t), flavor="lxml")),
            )
            for _ in range(repeat)
        ]
        ours, theirs = min(a for a, _ in pairs), min(b for _, b in pairs)
        if not math.isnan(theirs):
            found.append({"document": name, "ours_ms": round(ours * 1e3, 2), "pandas_ms": round(theirs * 1e3, 2)})
    ratios = sorted(one["pandas_ms"] / one["ours_ms"] for one in found)
    total = sum(one["pandas_ms"] for one in found) / sum(one["ours_ms"] for one in found)
    return {
        "documents": len(found), "pandas_to_ours": {
            "of_the_sums": round(total, 2), "median": round(median(ratios), 2), "least": round(ratios[0], 2),
        },
        "largest": max(found, key=lambda one: one["pandas_ms"]), "repeat": repeat,
    }  # fmt: skip


def documents_in(directory: Path) -> list[tuple[str, str]]:
    """Name and text of every HTML document below a directory."""
    paths = sorted(path for path in directory.rglob("*") if path.suffix.lower() in {".html", ".htm"})
    return [(str(path.relative_to(directory)), Page(path.read_bytes(), path.name).text) for path in paths]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("directory", type=Path)
    parser.add_argument("--generated", type=int, default=500)
    parser.add_argument("--repeat", type=int, default=10)
    given = parser.parse_args()
    from measured import keep
    from playwright.sync_api import sync_playwright

    real = documents_in(given.directory)
    made = [(f"seed {seed}", generated(seed)) for seed in range(given.generated)]
    load_before = os.getloadavg()[0]
    timed = times([one for one in real if "<table" in one[1].lower()], given.repeat)
    loads = {
        "cores": os.cpu_count(),
        "load_before": round(load_before, 2),
        "load_after": round(os.getloadavg()[0], 2),
    }
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        tab = browser.new_page()
        told = {
            "chromium": browser.version, "python": sys.version.split()[0],
            "corpus": compared(tab, real), "generated": compared(tab, made), "time": timed | loads,
        }  # fmt: skip
        browser.close()
    keep("html_against_browser", told)
    print(json.dumps(told, indent=1))
    raise SystemExit(any(told[kind]["agreeing"] < told[kind]["documents"] for kind in ("corpus", "generated")))


if __name__ == "__main__":
    main()
