"""One paper from many sources is one paper."""

from __future__ import annotations

from datetime import UTC, datetime

from auto_benchmark.research.dedupe import keys_of, merge, normal_title
from auto_benchmark.research.paper import Paper

TITLE = "Hierarchical Memory for Long Conversations"


def test_by_arxiv_id_whatever_the_version_and_the_source() -> None:
    first = Paper("arxiv:2401.01234", TITLE, "old", "arxiv", version=1, arxiv_id="2401.01234")
    second = Paper("s2:abc", "Hierarchical memory", "newer text", "citations", version=1, arxiv_id="2401.01234v2")
    [one] = merge([first, second])
    assert one.id == "arxiv:2401.01234"
    assert one.abstract == "newer text"


def test_by_doi_in_any_spelling() -> None:
    a = Paper("s2:1", "A short one", "", doi="https://doi.org/10.1/ABC")
    b = Paper("openalex:W1", "Another", "text", doi="10.1/abc")
    assert [p.abstract for p in merge([a, b])] == ["text"]


def test_an_arxiv_doi_is_the_arxiv_paper() -> None:
    assert "arxiv:2401.01234" in keys_of(Paper("openalex:W1", "x", "", doi="10.48550/arXiv.2401.01234"))


def test_by_title_without_accents_case_and_markup() -> None:
    assert normal_title(r"\textbf{Hiérarchical}  Memory—for Long Conversations!") == normal_title(TITLE)
    a, b = Paper("openreview:1", TITLE, "a"), Paper("blog:2", TITLE.upper() + ".", "")
    assert len(merge([a, b])) == 1


def test_short_titles_may_repeat() -> None:
    assert len(merge([Paper("blog:1", "Release notes", ""), Paper("blog:2", "Release notes", "")])) == 2


def test_a_third_source_joins_two_that_were_apart() -> None:
    a = Paper("openreview:1", TITLE, "a")
    b = Paper("arxiv:2401.01234", "A wholly different preprint title", "bb", arxiv_id="2401.01234")
    c = Paper("s2:9", TITLE, "ccc", arxiv_id="2401.01234", published=datetime(2024, 1, 2, tzinfo=UTC))
    [one] = merge([a, b, c])
    assert one.id == "openreview:1"
    assert one.published == datetime(2024, 1, 2, tzinfo=UTC)


def test_order_and_number_are_kept_without_duplicates() -> None:
    papers = [Paper(f"x:{i}", f"An entirely different title number {i}", "") for i in range(50)]
    assert merge(papers) == papers
    assert merge([*papers, *papers]) == papers
