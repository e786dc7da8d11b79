"""Bodies of papers: HTML pages, LaTeX archives, and archives that mean harm."""

from __future__ import annotations

import gzip
import io
import tarfile
import tracemalloc
from collections.abc import Iterator

import pytest
from tests.fakes import papers_server as fake
from tests.fakes.clock import FrozenClock
from tests.fakes.opener import loopback
from tests.fakes.papers_server import FakeServices
from tests.growth import assert_grows_linearly

from auto_benchmark.research.paper import Paper
from auto_benchmark.sources.papers import eprint
from auto_benchmark.sources.papers.eprint import NotReadable, latex_of
from auto_benchmark.sources.papers.full_text import body_of
from auto_benchmark.sources.papers.latex import text_and_tables
from auto_benchmark.sources.papers.source import SourceFailed
from auto_benchmark.sources.papers.web import Pace, Web

MAIN = r"""
\documentclass{article}
% \input{never}
\begin{document}
\section{Introduction}
We propose \emph{tiered memory} with 95\% fewer reads \cite{someone}. % a comment
\input{sections/results}
\begin{equation} e = mc^2 \end{equation}
\end{document}
after the end
"""
RESULTS = r"""
\subsection{Results}
\begin{table}[t]
\caption{Accuracy on \textbf{MemoryBench} and F1 on LongEval.}
\begin{tabular}{l|cc}
\toprule
Method & Accuracy $\uparrow$ & \multicolumn{1}{c}{F1} \\
\midrule
BM25 & 71.2 & 60.1 \\
Dense \cite{x} & 74.0 $\pm$ 0.2 & 66.0 \\
\multirow{1}{*}{Tiered memory (ours)} & \textbf{78.5} & 65.0 \\
\bottomrule
\end{tabular}
\end{table}
Our method reads less.
"""
PAPER = Paper("arxiv:2602.00001", "Tiered memory", "An abstract.", "arxiv", arxiv_id="2602.00001", version=2)


@pytest.fixture
def services() -> Iterator[FakeServices]:
    with fake.served(FakeServices()) as services:
        yield services


def web(clock: FrozenClock | None = None) -> Web:
    clock = clock or FrozenClock()
    return Web(Pace(clock=clock, sleep=clock.sleep), opener=loopback, attempts=2)


def test_a_document_in_parts_is_read_in_place_without_comments() -> None:
    document = latex_of(fake.eprint({"./paper.tex": MAIN, "sections/results.tex": RESULTS, "fig.tex": "x"}))
    assert document.index("tiered memory") < document.index("Our method reads less")
    assert "comment" not in document and "never" not in document


def test_text_and_tables_of_latex() -> None:
    text, [table] = text_and_tables(latex_of(fake.eprint({"a.tex": MAIN, "sections/results.tex": RESULTS})))
    assert "We propose tiered memory with 95% fewer reads ." in text
    assert "mc^2" not in text and "after the end" not in text and "78.5" not in text
    assert (table.label, table.caption) == ("Table 1", "Accuracy on MemoryBench and F1 on LongEval.")
    assert table.columns == ("Method", "Accuracy ↑", "F1")
    assert table.rows == (
        ("BM25", "71.2", "60.1"),
        ("Dense", "74.0 ± 0.2", "66.0"),
        ("Tiered memory (ours)", "78.5", "65.0"),
    )


def test_html_comes_first_and_the_eprint_where_there_is_none(services: FakeServices) -> None:
    article = "<p>We propose tiered memory. " + "It reads less than others do. " * 80 + "</p>"
    table = (
        "<figure><table><tr><th>Method</th><th>Accuracy</th></tr><tr><td>BM25</td><td>71.2</td></tr>"
        "<tr><td>Ours</td><td>78.5</td></tr></table><figcaption>Table 3: Accuracy on MemoryBench.</figcaption></figure>"
    )
    page = f"<html><body><nav>menu</nav><article>{article}{table}</article></body></html>"
    services.routes["/html/2602.00001v2"] = fake.static(page.encode(), "text/html")
    body = body_of(web(), PAPER, services.url)
    assert body.origin == "html" and "menu" not in body.text
    assert [(t.label, t.caption, t.rows) for t in body.tables] == [
        ("Table 3", "Accuracy on MemoryBench.", (("BM25", "71.2"), ("Ours", "78.5")))
    ]
    assert services.asked == ["/html/2602.00001v2"]
    services.routes["/html/2602.00001v2"] = fake.static(b"<html><body>No HTML for this paper</body></html>")
    whole = MAIN.replace(r"\input{sections/results}", RESULTS)
    services.routes["/e-print/2602.00001v2"] = fake.static(fake.single_file(whole), "application/gzip")
    assert body_of(web(), PAPER, services.url).origin == "latex"


def test_calls_keep_their_distance_and_faults_are_told_apart(services: FakeServices) -> None:
    clock = FrozenClock()
    asks = web(clock)
    began = clock()
    with pytest.raises(NotReadable, match="404"):
        body_of(asks, PAPER, services.url)
    assert clock() - began >= 1.0, "two calls to one host"
    services.faults["/html"] = [(503, {}, b"")] * 2
    with pytest.raises(SourceFailed):
        body_of(asks, PAPER, services.url)


@pytest.mark.parametrize("name", ["../../etc/cron.d/x.tex", "/etc/passwd.tex", "a/../../b.tex"])
def test_paths_lead_nowhere(name: str, tmp_path: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tarfile.TarFile, "extract", None)  # nothing is ever unpacked to disk
    monkeypatch.setattr(tarfile.TarFile, "extractall", None)
    assert "tiered" in latex_of(fake.eprint({name: MAIN}))


def test_links_and_other_files_are_passed_over() -> None:
    archive = fake.eprint({"main.tex": MAIN, "run.sh": "rm -rf /"}, links={"evil.tex": "/etc/passwd"})
    assert "rm -rf" not in latex_of(archive) and "root:" not in latex_of(archive)
    with pytest.raises(NotReadable, match="no LaTeX file"):
        latex_of(fake.eprint({"run.sh": "x"}, links={"only.tex": "/etc/passwd"}))


def test_bombs_are_refused_before_they_unfold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eprint, "LARGEST_UNPACKED", 2**20)
    with pytest.raises(NotReadable, match="unpacks to more"):
        latex_of(gzip.compress(b"\0" * 64 * 2**20))
    monkeypatch.undo()
    monkeypatch.setattr(eprint, "MOST_MEMBERS", 10)
    with pytest.raises(NotReadable, match="more than 10 files"):
        latex_of(fake.eprint({f"{i}.tex": "x" for i in range(20)}))


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"%PDF-1.7 ...", "PDF"),
        (b"\x1f\x8b\x08\x00damaged", "damaged|no LaTeX"),
        (gzip.compress(b"plain words"), "no LaTeX"),
        (b"", "no LaTeX"),
    ],
)
def test_what_is_no_latex_is_told(content: bytes, reason: str) -> None:
    with pytest.raises(NotReadable, match=reason):
        latex_of(content)


def test_a_cut_off_archive_gives_what_it_holds_or_a_reason() -> None:
    whole = fake.eprint({"main.tex": MAIN, "b.tex": "x" * 5000})
    for end in range(20, len(whole), 37):
        try:
            assert "documentclass" in latex_of(whole[:end])
        except NotReadable as told:
            assert str(told)


def test_a_file_that_includes_itself_ends() -> None:
    assert "documentclass" in latex_of(
        fake.eprint({"main.tex": MAIN + r"\input{main}\input{b}", "b.tex": r"\input{b}"})
    )


@pytest.mark.parametrize(
    "piece", [r"\begin{table}", r"\begin{tabular}{l", r"\a[", "{", r"\caption{", r"\multicolumn{2}{"]
)
def test_hostile_latex_costs_little(piece: str) -> None:
    assert_grows_linearly(
        lambda n: text_and_tables(r"\begin{document}" + piece * n + r"\end{document}"), 300_000 // len(piece)
    )


def test_a_device_in_an_archive_is_passed_over() -> None:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        device = tarfile.TarInfo("null.tex")
        device.type = tarfile.CHRTYPE
        archive.addfile(device)
        member = tarfile.TarInfo("main.tex")
        member.size = len(MAIN.encode())
        archive.addfile(member, io.BytesIO(MAIN.encode()))
    assert "tiered" in latex_of(buffer.getvalue())


def test_a_table_is_bounded_whatever_its_commands_make_of_it() -> None:
    """Every row is made as wide as the widest: ninety kilobytes took five gigabytes."""
    wide = r"\multicolumn{40}{c}{a}&" * 3_000 + "\\\\\n" + r"a&1\\" * 3_000
    document = (
        rf"\begin{{document}}\begin{{table}}\begin{{tabular}}{{cc}}{wide}\end{{tabular}}\end{{table}}\end{{document}}"
    )
    tracemalloc.start()
    try:
        _, [table] = text_and_tables(document)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(table.columns) == 200
    assert peak < 64 * 2**20
