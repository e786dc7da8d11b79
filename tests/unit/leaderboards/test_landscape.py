"""Gap matrix, victory, triggers, uncertainty."""

from __future__ import annotations

import math

import pytest

from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.leaderboards.gap_matrix import BoardState, board_gap, gap_matrix
from auto_benchmark.leaderboards.plausibility import suspicions
from auto_benchmark.leaderboards.snapshot import is_rank_drop
from auto_benchmark.leaderboards.standing import Standing
from auto_benchmark.leaderboards.triggers import Action, decide, threats
from auto_benchmark.leaderboards.uncertainty import inseparable, probability_first, saturation, standard_error
from auto_benchmark.leaderboards.victory import evaluate
from auto_benchmark.registry.leaderboard import Victory
from auto_benchmark.tables.doubts import above_hundred
from auto_benchmark.tables.entry import Entry

OURS = ["OurSystem", "our-system-v2"]


def entries(*rows: tuple[str, float]) -> list[Entry]:
    return [Entry(rank=None, system=n, score=s) for n, s in rows]


MEMORY = BoardState(
    "MemoryBench",
    entries(("CompetitorA", 0.861), ("StartupX", 0.855), ("OurSystem", 0.823), ("CompetitorB", 0.801)),
    higher_is_better=True,
)
LONG = BoardState("LongContextEval", entries(("Competitor A", 0.812), ("OurSystem", 0.791)), higher_is_better=True)


def test_the_missions_table() -> None:
    lines = gap_matrix([MEMORY, LONG], OURS).markdown().splitlines()
    assert lines[0] == "| Rank | System      | MemoryBench | LongContextEval | Δ to Our Score |"
    assert [[c.strip() for c in line.strip("|").split("|")] for line in lines[2:6]] == [
        ["#1", "CompetitorA", "0.861", "0.812", "-0.038"],
        ["#2", "StartupX", "0.855", "–", "-0.032"],
        ["#3", "OurSystem", "0.823", "0.791", "—"],
        ["#4", "CompetitorB", "0.801", "–", "+0.022"],
    ]


def test_gaps_have_one_sign_whatever_the_direction() -> None:
    up = board_gap(MEMORY, OURS)
    down = board_gap(BoardState("ppl", entries(("a", 10.0), ("our-system-v2", 12.0)), higher_is_better=False), OURS)
    assert (up.our_rank, up.leader) == (3, "CompetitorA")
    assert up.gap == pytest.approx(-0.038)
    assert up.gap_fraction == pytest.approx(0.038 / 0.861)
    assert (down.our_rank, down.gap, down.gap_fraction) == (2, -2.0, 0.2)
    first = board_gap(BoardState("b", entries(("OurSystem", 0.9), ("x", 0.8)), higher_is_better=True), OURS)
    assert first.gap == pytest.approx(0.1)


def test_a_long_board_shows_its_top_and_us() -> None:
    many = BoardState("b", entries(*((f"m{i}", 99.0 - i) for i in range(60)), ("OurSystem", 1.0)), True)
    text = gap_matrix([many], OURS).markdown(most=10)
    assert "| #61  | OurSystem |" in text
    assert "50 further systems" in text


def test_names_cannot_break_the_table() -> None:
    text = gap_matrix([BoardState("b", entries(("a|b\nc", 1.0)), True)], OURS).markdown()
    assert "a\\|b c" in text
    assert len(text.strip().splitlines()) == 3


def test_binomial_error_and_scale() -> None:
    assert standard_error(entries(("a", 0.8))[0], items=400) == pytest.approx(0.02)
    assert standard_error(entries(("a", 80.0))[0], items=400) == pytest.approx(2.0)
    assert standard_error(entries(("a", 8.0))[0]) is None
    assert standard_error(Entry(rank=None, system="a", score=0.8, stderr=0.5), items=400) == 0.5
    assert inseparable(0.80, 0.81, 0.02, 0.02)
    assert not inseparable(0.80, 0.81, None, 0.02)


def test_probability_of_being_first_against_the_closed_form() -> None:
    found = probability_first([0.80, 0.82], [0.02, 0.02], higher_is_better=True)
    expected = 0.5 * math.erfc(0.02 / math.hypot(0.02, 0.02) / math.sqrt(2))
    assert found == pytest.approx([expected, 1 - expected], abs=1e-3)
    assert probability_first([3.0, 3.0], [1.0, 1.0], higher_is_better=False) == pytest.approx([0.5, 0.5], abs=1e-3)
    assert probability_first([1.0, 2.0], [None, None], higher_is_better=True) is None


def test_saturation_is_the_share_that_cannot_be_told_from_the_first() -> None:
    scores = [0.90, 0.899, 0.898, 0.5, 0.4]
    assert saturation(scores, [0.01] * 5, higher_is_better=True) == 0.5
    assert saturation(scores, [None] * 5, higher_is_better=True) is None


def standing(rank: int | None, ours: float | None, second: float | None = 0.85) -> Standing:
    return Standing(rank, ours, "x", 0.9, second)


def test_victory_needs_rank_lead_and_time() -> None:
    want = Victory(absolute_rank=1, relative_gap=0.005, sustained_cycles=3)
    held = [standing(1, 0.86)] * 3
    won = evaluate(want, [standing(2, 0.8), *held], higher_is_better=True)
    assert (won.achieved, won.cycles, won.rank_held, won.gap_held) == (True, 3, True, True)
    assert won.lead_fraction == pytest.approx(0.01 / 0.86)
    assert not evaluate(want, held[:2], higher_is_better=True).achieved
    narrow = evaluate(want, [*held, standing(1, 0.852)], higher_is_better=True)
    assert (narrow.achieved, narrow.rank_held, narrow.gap_held, narrow.cycles) == (False, True, False, 0)
    assert not evaluate(want, [standing(None, None)] * 5, higher_is_better=True).achieved
    assert evaluate(want, [], higher_is_better=True).text == "never read"
    lower = evaluate(want, [standing(1, 0.80)] * 3, higher_is_better=False)
    assert lower.achieved


def delta_of(new: list[Entry], old: list[Entry] | None = None) -> Delta:
    return compare(old or list(MEMORY.entries), new, board="MemoryBench", higher_is_better=True, ours=OURS)


def actions(new: list[Entry], *, won: bool = False) -> dict[Action, tuple[str, ...]]:
    now = board_gap(BoardState("MemoryBench", new, True), OURS)
    delta = delta_of(new)
    passed = [c.system for c in delta.changes if is_rank_drop(c, now.our_rank)]
    found = decide(now, delta, previous=board_gap(MEMORY, OURS), passed=passed, won=won)
    return {t.action: t.systems for t in found}


def test_what_sets_what_in_motion() -> None:
    base = list(MEMORY.entries)
    assert actions(base) == {}
    assert actions([*base[:3], *entries(("CompetitorB", 0.83))]) == {Action.URGENT_SWEEP: ("CompetitorB",)}
    assert actions([*base, *entries(("Fresh", 0.90))]) == {
        Action.URGENT_SWEEP: ("Fresh",),
        Action.RESEARCH_INGEST: (),
    }
    assert actions([*base, *entries(("Fresh", 0.82))]) == {Action.PREEMPTIVE_HYPOTHESES: ("Fresh",)}
    assert actions([*base, *entries(("Fresh", 0.40))]) == {}
    assert actions(base, won=True) == {Action.MAINTENANCE_SWEEP: ()}


def test_a_reset_board_triggers_nothing() -> None:
    assert actions([e.model_copy(update={"score": (e.score or 0) * 100}) for e in MEMORY.entries]) == {}


def test_threats_are_behind_us_and_near() -> None:
    rows = entries(("near", 0.815), ("nearer", 0.82), ("far", 0.6), ("ahead", 0.9), ("OurSystem", 0.823))
    assert [e.system for e in threats(rows, OURS, 0.823, higher_is_better=True)] == ["nearer", "near"]


def test_what_cannot_be_true_is_kept_apart() -> None:
    old = entries(*((f"m{i}", 50.0 + i) for i in range(10)))
    assert suspicions(old, old) == []
    assert "6 of 10 entries are gone" in suspicions(old, old[:4])[0]
    assert suspicions(old, old[:5]) == []
    assert "5-fold" in suspicions(old, [*entries(("m0", 500.0)), *old[1:]])[0]
    assert "above 100" in above_hundred(entries(("m0", 101.0)), "accuracy (%)", "")[0]
    assert above_hundred(entries(("m0", 1287.0)), "Elo", "") == []
    rescaled = [e.model_copy(update={"score": (e.score or 0) / 100}) for e in old]
    assert suspicions(old, rescaled) == []
    assert suspicions(old, old, warnings=["suspect: x", "other"]) == ["suspect: x"]
    assert suspicions([], old) == []
