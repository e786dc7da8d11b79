"""One form for numbers, moments, outcomes and words of a shell; criteria with their direction; a log's doubts."""

import shlex
import subprocess
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auto_benchmark.promotion.schema import Criterion, Decision, Verdict
from auto_benchmark.reporting import criteria_table, doubts
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.words import MINUTES, SECONDS, counted, precision, shell_word, verdict

NOW = datetime(2026, 3, 2, 9, 30, tzinfo=UTC)


@settings(max_examples=40, deadline=None)
@given(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=30))
def test_any_text_is_one_word_on_one_line(text):
    word = shell_word(text)
    assert word.isprintable()
    said = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
    assert said.decode() == text


def test_usual_text_is_quoted_as_usual():
    assert shell_word("H-020") == "H-020"
    assert shell_word("it's") == shlex.quote("it's")


def test_seconds_stand_where_minutes_do_not_tell_events_apart():
    assert precision([NOW, NOW + timedelta(minutes=1)]) == MINUTES
    assert precision([NOW, NOW + timedelta(seconds=1)]) == SECONDS
    assert precision([]) == MINUTES


def test_words():
    assert [counted(n, "seed") for n in (0, 1, 2)] == ["0 seeds", "1 seed", "2 seeds"]
    assert counted(1, "case waits", "cases wait") == "1 case waits"
    assert [verdict(o) for o in ("promote", "reject", "futile")] == ["promotion", "rejection", "rejection (futile)"]


@pytest.mark.parametrize(
    ("name", "value", "threshold", "found", "wanted"),
    [
        ("improvement", 0.04938, 0.03, "+0.0494", "≥ +0.0300"),
        ("significance", 0.012, 0.05, "p 0.012", "≤ 0.05"),
        ("no_regression", -0.00075, 0.1, "better by at least 0.00075", "worse by ≤ 0.1"),
        ("no_regression", 0.00172, 0.1, "worse by at most 0.00172", "worse by ≤ 0.1"),
        ("reproducibility", 0.0028, 0.005, "spread 0.28 % of the mean", "≤ 0.50 % of the mean"),
        ("reproducibility", 1.2, 1.85, "spread 1.20 x known noise", "≤ 1.85 x known noise"),
        ("projection", 0.99999, 0.5, "P(#1) 1.00", "≥ 0.50"),
        ("projection", None, None, "—", "—"),
    ],
)
def test_a_criterion_says_what_it_is_and_which_side_is_good(name, value, threshold, found, wanted):
    row = Criterion(name=name, value=value, threshold=threshold, passed=True, reason="")
    assert (criteria_table.value(row), criteria_table.threshold(row)) == (found, wanted)


def decided(**passed):
    values = {"improvement": 0.02, "significance": None, "projection": 0.9}
    rows = [Criterion(name=n, value=values[n], threshold=0.5, passed=ok, reason="") for n, ok in passed.items()]
    return Decision(verdict=Verdict.REJECT, reason="", n=3, estimate=0.02, interval=None, criteria=rows)


def test_what_a_decision_did_not_reach():
    assert criteria_table.not_reached(decided(improvement=True, projection=True)) == [
        "significance", "no regression", "reproducibility",
    ]  # fmt: skip


def test_a_log_doubts_a_rejected_candidate_that_would_be_first():
    asked = {"is_rejected": True, "is_perfect": False}
    (line,) = doubts.about("H-1", decided(improvement=True, significance=False, projection=True), **asked)
    assert line == "H-1 is rejected, though better and projected to be #1 (P 0.90): significance failed"
    assert doubts.about("H-1", decided(improvement=False, projection=True), **asked) == []
    assert doubts.about("H-1", decided(improvement=True, projection=False), **asked) == []
    assert doubts.about("H-1", None, **asked) == []
    (line,) = doubts.about("H-1", None, is_rejected=False, is_perfect=True)
    assert "ceiling" in line


def test_a_log_doubts_boards_that_were_not_read():
    boards = [Position("A", 1, 0.5, 0.1, is_stale=True, seen_at=NOW), Position("B", None, None, None, is_stale=True)]
    assert [line.partition(";")[0] for line in doubts.stale(boards)] == [
        "A: stale, last good reading 2026-03-02 09:30", "B: never read",
    ]  # fmt: skip
    assert doubts.stale([Position("A", 1, 0.5, 0.1, seen_at=NOW)]) == []
    assert doubts.shown([str(n) for n in range(8)])[-1] == "… and 3 more: see the experiments"
