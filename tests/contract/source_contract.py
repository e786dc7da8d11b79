"""What every leaderboard source must do. A source's test class inherits this and renders the same board its way."""

from __future__ import annotations

import random
from typing import Any, ClassVar

import pytest

from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.sources.read import read_board
from auto_benchmark.tables.entry import ParsedBoard
from auto_benchmark.tables.refusal import ReadRefused, Reason

Rows = list[tuple[str, float]]
ROWS: Rows = [("Alpha 7B", 71.25), ("beta+", 70.5), ("Gamma (large)", 70.5), ("None", 12.0), ("δ-model", 3.125)]
ERROR_PAGE = b"<!doctype html><html><head><title>503 Service Unavailable</title></head><body>try later</body></html>"


class SourceContract:
    """Inherited by one test class per source."""

    method: ClassVar[str]
    metric: ClassVar[str] = "accuracy"
    extra: ClassVar[dict[str, Any]] = {}
    found_by_auto: ClassVar[bool] = True
    source: ClassVar[str] = "https://example.org/board"

    def render(self, rows: Rows) -> bytes:
        """The board in the source's format, with a score column called ``accuracy``."""
        raise NotImplementedError

    def spec(self, **changes: Any) -> Leaderboard:
        given = {
            "name": "Board",
            "url": self.source,
            "scrape_method": self.method,
            "primary_metric": self.metric,
            "higher_is_better": True,
            **self.extra,
            **changes,
        }
        return Leaderboard.model_validate(given)

    def read(self, content: bytes, **changes: Any) -> ParsedBoard:
        return read_board(content, self.spec(**changes), source=self.source)

    def test_reads_every_entry_best_first(self) -> None:
        board = self.read(self.render(ROWS))
        assert [(e.rank, e.system, e.score) for e in board.entries] == [
            (1, "Alpha 7B", 71.25),
            (2, "beta+", 70.5),
            (2, "Gamma (large)", 70.5),
            (4, "None", 12.0),
            (5, "δ-model", 3.125),
        ]

    def test_lower_is_better_turns_the_ranking_round(self) -> None:
        board = self.read(self.render(ROWS), higher_is_better=False)
        assert board.entries[0].system == "δ-model"

    def test_row_order_means_nothing(self) -> None:
        shuffled = random.Random(3).sample(ROWS, len(ROWS))
        assert self.read(self.render(shuffled)).entries == self.read(self.render(ROWS)).entries

    def test_printed_spec_reads_the_same_board(self) -> None:
        first = self.read(self.render(ROWS))
        again = read_board(self.render(ROWS), Leaderboard.model_validate(first.spec), source=self.source)
        assert again.entries == first.entries

    def test_auto_reads_the_same_board(self) -> None:
        if not self.found_by_auto:
            pytest.skip(f"{self.method} needs a spec")
        board = self.read(self.render(ROWS), scrape_method="auto", columns={})
        assert [(e.system, e.score) for e in board.entries] == [
            (e.system, e.score) for e in self.read(self.render(ROWS)).entries
        ]
        assert board.spec["scrape_method"] != "auto"

    def test_exclusion_by_name(self) -> None:
        board = self.read(self.render(ROWS), exclude={"rows": "^None$"})
        assert "None" not in [e.system for e in board.entries]
        assert len(board.entries) == len(ROWS) - 1

    def test_error_page_with_status_200_is_refused(self) -> None:
        with pytest.raises(ReadRefused) as caught:
            self.read(ERROR_PAGE)
        assert "503 Service Unavailable" in str(caught.value)

    @pytest.mark.parametrize("content", [b"", b"   \n", b"\x00\x01\x02", b"<html></html>", b"null", b"[]", b"{}"])
    def test_nothing_to_read_is_refused(self, content: bytes) -> None:
        with pytest.raises(ReadRefused):
            self.read(content)

    def test_missing_metric_is_refused_and_tells_what_there_is(self) -> None:
        with pytest.raises(ReadRefused) as caught:
            self.read(self.render(ROWS), primary_metric="BLEU", columns={})
        assert caught.value.reason_code in {Reason.METRIC_MISSING, Reason.COLUMN_MISSING}
        assert "BLEU" in str(caught.value)

    def test_byte_order_mark_and_windows_line_ends(self) -> None:
        content = b"\xef\xbb\xbf" + self.render(ROWS).replace(b"\n", b"\r\n")
        assert len(self.read(content).entries) == len(ROWS)

    def test_truncation_never_invents_a_score(self) -> None:
        content = self.render(ROWS)
        for end in range(0, len(content), max(1, len(content) // 40)):
            try:
                board = self.read(content[:end])
            except ReadRefused:
                continue
            known = dict(ROWS)
            for entry in board.entries:
                score = next((s for name, s in known.items() if name.startswith(entry.system)), None)
                cut = str(score)[: len(str(entry.score).removesuffix(".0"))]
                assert score is not None
                assert entry.score == score or str(entry.score).removesuffix(".0").startswith(cut), (end, entry)
