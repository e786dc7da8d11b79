"""Readers of foreign documents: time and memory grow with the document, and what cannot be read is refused."""

from __future__ import annotations

import gzip
import io
import tarfile
import time
import tracemalloc

import pytest

from auto_benchmark.documents import parse_yaml
from auto_benchmark.errors import AutoBenchmarkError, ConfigError
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.refusal import ReadRefused, Reason

pytestmark = pytest.mark.timeout(60)
MARKDOWN = "| system | accuracy |\n|---|---|\n| {} | 0.5 |\n| other | 0.4 |\n"
FEED = '<rss version="2.0"><channel><title>x</title><item><title>{}</title><score>0.5</score></item></channel></rss>'
NOTHING_S = 0.04
"""CPU time that is not worth a comparison."""


def read(method: str, text: str) -> None:
    """Read a document; whether there is a board in it does not matter."""
    declared = {"name": "B", "scrape_method": method, "primary_metric": "accuracy", "url": "http://x/"}
    spec = Leaderboard.model_validate({**declared, "higher_is_better": True})
    try:
        read_board(text.encode(), spec, source="document")
    except AutoBenchmarkError:
        return


def seconds_for(method: str, frame: str, piece: str, number: int) -> float:
    text = frame.format(piece * number)
    started = time.thread_time()
    read(method, text)
    return time.thread_time() - started


@pytest.mark.parametrize(
    ("method", "frame", "piece", "number"),
    [
        ("rss", FEED, "&lt;!--", 2800),
        ("markdown", MARKDOWN, "[a](", 1300),
        ("markdown", MARKDOWN, "[", 2600),
        ("markdown", MARKDOWN, "~~a ", 2600),
        ("markdown", MARKDOWN, "a<sup>", 2800),
        ("markdown", MARKDOWN, "<s>", 5200),
        ("api", "f([1]{}x", " ", 5200),
    ],
    ids=["comments in a feed", "links", "brackets", "strikes", "superscripts", "struck tags", "JSONP spaces"],
)
def test_four_times_the_document_takes_about_four_times_the_time(method, frame, piece, number):
    read(method, frame.format("a"))  # what is imported on first use is no document's cost
    small = min(seconds_for(method, frame, piece, number // 4) for _ in range(2))
    large = seconds_for(method, frame, piece, number)
    assert large < max(8 * small, NOTHING_S), f"{small:.3f} s, and {large:.3f} s for four times as much"


@pytest.mark.parametrize(
    ("method", "frame", "piece", "number"),
    [
        ("markdown", MARKDOWN, "<!--", 8000),
        ("markdown", MARKDOWN, "**a", 8000),
        ("markdown", MARKDOWN, "`a ", 8000),
        ("html_table", "<table><tr><td>{}</td></tr></table>", "&lt;!--", 8000),
        ("api", "{}=", "a.", 8000),
        ("api", "x = [{}", "/*", 8000),
        ("csv", "system,accuracy\na,{}\nb,0.4\n", "0.5 (", 8000),
    ],
)
def test_other_endless_beginnings_take_linear_time(method, frame, piece, number):
    read(method, frame.format("a"))
    small = min(seconds_for(method, frame, piece, number // 4) for _ in range(2))
    assert seconds_for(method, frame, piece, number) < max(8 * small, NOTHING_S)


def test_a_document_of_empty_lists_takes_bounded_memory():
    """The share is what counts: the largest document that is read has 64 MiB."""
    text = "[" + "[]," * 50_000 + "[]]"
    read("api", "[[]]")
    tracemalloc.start()
    try:
        read("api", text)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 12 * len(text), f"{len(text)} bytes took {peak}"


def test_aliases_that_multiply_a_declared_file_are_refused():
    levels = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 8)}]\n" for i in range(1, 6))
    refused = None
    try:
        parse_yaml(f"a0: &a0 [x, x, x, x, x, x, x, x]\n{levels}", "registry.yaml")
    except ConfigError as error:
        refused = str(error)
    assert refused is not None, "600 bytes became 300,000 values"
    assert "registry.yaml" in refused


def long_names(number: int) -> bytes:
    """A source archive that begins with headers of long names, each naming the next."""
    header = tarfile.TarInfo("././@LongLink")
    header.type, header.size = b"L", 2
    block = header.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")
    buffer = io.BytesIO()
    with gzip.GzipFile(fileobj=buffer, mode="wb") as file:
        file.write(block * number + tarfile.TarInfo("paper.tex").tobuf() + bytes(1024))
    return buffer.getvalue()


def test_a_source_archive_of_nested_headers_is_not_readable_and_nothing_worse():
    from auto_benchmark.sources.papers.eprint import latex_of

    try:
        found = latex_of(long_names(2000))
    except AutoBenchmarkError:
        return
    assert found == ""


@pytest.mark.parametrize(
    ("read_as", "text"),
    [
        ("markdown", "|" + "a|" * 20_000 + "\n|" + "-|" * 20_000 + "\n" + "|x|\n" * 20_000),
        ("csv", "name,score" + ",a" * 20_000 + "\n" + "System,1" + ",1" * 20_000 + "\n" + "Other,1\n" * 20_000),
    ],
)
def test_short_rows_below_a_long_header_take_no_more_memory_than_a_board(read_as, text):
    """Forty thousand characters of header above as many rows would make four hundred million cells."""
    declared = {"name": "B", "scrape_method": read_as, "primary_metric": "score", "url": "http://x/"}
    spec = Leaderboard.model_validate({**declared, "higher_is_better": True})
    with pytest.raises(ReadRefused) as refused:
        read_board(text.encode(), spec, source="document")
    assert refused.value.reason_code is Reason.TOO_LARGE
