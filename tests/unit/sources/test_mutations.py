"""A damaged document is read right or refused. It never crashes, hangs or yields a number that is not on it.

A reader that hangs meets the time limit of every test.
"""

from __future__ import annotations

import random

import pytest
from tests.growth import assert_grows_linearly
from tests.unit.sources.mutations import invented, mutate

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.refusal import ReadRefused

NAMES = [f"Model {chr(65 + i)}-{i} (v{i % 3})" for i in range(24)]
SCORES = [f"{91.37 - 2.31 * i:.2f}" for i in range(24)]
PAIRS = list(zip(NAMES, SCORES, strict=True))
PAGES = {
    "html_table": "<!doctype html><html><body><h1>Board</h1><table id=r><thead><tr><th rowspan=2>Model</th>"
    "<th colspan=2>Test</th></tr><tr><th>EM</th><th>accuracy</th></tr></thead><tbody>"
    + "".join(f"<tr><td><a href='x'>{n}</a><p>Org</p></td><td>1.5</td><td><b>{s}</b></td></tr>\n" for n, s in PAIRS)
    + "</tbody></table></body></html>",
    "markdown": "# Board\n\n| # | Model | accuracy |\n|---|---|---|\n"
    + "".join(f"| {i} | [{n}](http://x/y_(z)) | **{s}** |\n" for i, (n, s) in enumerate(PAIRS)),
    "csv": "model,size,accuracy\n" + "".join(f'"{n}",7B,{s}%\n' for n, s in PAIRS),
    "yaml": "".join(f"- model: {n}\n  date: 2026-01-01\n  accuracy: {s}\n" for n, s in PAIRS),
    "api": '{"results": [' + ",\n".join(f'{{"model": "{n}", "accuracy": {s}}}' for n, s in PAIRS) + "]}",
}


@pytest.mark.parametrize("method", [*PAGES, "auto"])
@pytest.mark.parametrize("kind", PAGES)
def test_damaged_documents(kind: str, method: str) -> None:
    spec = Leaderboard.model_validate(
        {"name": "B", "url": "x", "scrape_method": method, "primary_metric": "accuracy", "higher_is_better": True}
    )
    rng = random.Random(f"{kind}/{method}")
    read = 0
    for _ in range(24 if method in {kind, "auto"} else 6):
        page = mutate(PAGES[kind].encode(), rng)
        try:
            board = read_board(page, spec, source="https://example.org/b")
        except ReadRefused:
            continue
        read += 1
        assert invented(board, page) == []
    if method == kind:
        assert read > 3


FLOODS = [
    "[",
    '{"a":',
    "<script>",
    "<table><tr><td>",
    "<!--",
    "[a](",
    "a: &a\n ",
    "var x = [",
    "`",
    '"',
    "| a |\n|-|\n",
    "9,",
]


@pytest.mark.parametrize("piece", FLOODS)
def test_floods_end_soon(piece: str) -> None:
    """Patterns that make careless readers take time that grows with the square of the length: refused, and soon."""
    for method in ("html_table", "api", "markdown", "csv", "yaml", "auto"):
        spec = Leaderboard.model_validate(
            {"name": "B", "url": "x", "scrape_method": method, "primary_metric": "accuracy", "higher_is_better": True}
        )

        def refused(length: int, spec: Leaderboard = spec) -> None:
            with pytest.raises(ReadRefused):
                read_board((piece * length).encode(), spec, source="https://example.org/b")

        assert_grows_linearly(refused, 8_000)
