"""What changed between two snapshots, and how it is told."""

from __future__ import annotations

import random

import pytest

from auto_benchmark.leaderboards.compare import compare
from auto_benchmark.leaderboards.delta import Delta
from auto_benchmark.tables.entry import Entry


def lines(delta):
    """What people read of a delta."""
    return [str(alert) for alert in delta.alerts]


def entries(*rows: tuple[str, float | None], **more: dict[str, object]) -> list[Entry]:
    return [Entry(rank=None, system=n, score=s, **more.get(n, {})) for n, s in rows]  # type: ignore[arg-type]


def diff(old: list[Entry], new: list[Entry], higher: bool = True, **options: object) -> Delta:
    options.setdefault("ours", ["OurSystem"])
    return compare(old, new, board="MemoryBench", higher_is_better=higher, **options)  # type: ignore[arg-type]


def kinds(delta: Delta) -> list[tuple[str, str]]:
    return [(c.type.value, c.system) for c in delta.changes]


OLD = entries(("CompetitorA", 0.847), ("OurSystem", 0.823), ("CompetitorB", 0.801))


def test_the_missions_lines() -> None:
    new = entries(("CompetitorA", 0.861), ("StartupX", 0.855), ("OurSystem", 0.823), ("CompetitorB", 0.801))
    assert lines(diff(OLD, new)) == [
        "[ALERT] CompetitorA improved on MemoryBench: 0.847 → 0.861 (+0.014)",
        "[ALERT] New entrant: StartupX at 0.855 — now ranked #2, ahead of us",
        "[STATUS] Our rank: #3 | Gap to #1: -0.038",
    ]


def test_nothing_changed_is_nothing_in_any_order() -> None:
    rng = random.Random(5)
    for _ in range(20):
        assert diff(OLD, rng.sample(OLD, 3)) == Delta(board="MemoryBench", changes=[], alerts=[])


@pytest.mark.parametrize("mark", ["♦", " ♦", "†", "*", "◇‡"])
def test_a_footnote_mark_that_comes_or_goes_is_no_news(mark: str) -> None:
    marked = [e.model_copy(update={"system": e.system + mark}) for e in OLD]
    assert diff(marked, OLD).changes == diff(OLD, marked).changes == []


def test_the_first_snapshot_is_no_news() -> None:
    assert diff([], OLD).changes == []


def test_overtaking_both_ways() -> None:
    passed = diff(OLD, entries(("CompetitorA", 0.847), ("OurSystem", 0.823), ("CompetitorB", 0.83)))
    assert ("overtook_us", "CompetitorB") in kinds(passed)
    assert "[ALERT] CompetitorB overtook us on MemoryBench: 0.830 — now ranked #2" in lines(passed)
    ahead = diff(OLD, entries(("CompetitorA", 0.847), ("OurSystem", 0.85), ("CompetitorB", 0.801)))
    assert kinds(ahead) == [
        ("improved", "OurSystem"),
        ("we_overtook", "CompetitorA"),
        ("rank_shift", "CompetitorA"),
    ]
    assert lines(ahead)[-1] == "[STATUS] Our rank: #1 | Lead over #2: +0.003"


def test_lower_is_better_turns_everything_round() -> None:
    old = entries(("them", 12.0), ("OurSystem", 10.0))
    delta = diff(old, entries(("them", 9.5), ("OurSystem", 10.0)), higher=False)
    assert {k for k, s in kinds(delta) if s == "them"} == {"improved", "overtook_us"}
    assert lines(delta)[-1] == "[STATUS] Our rank: #2 | Gap to #1: -0.5"


def test_changes_inside_the_binomial_interval_are_no_alarm() -> None:
    new = entries(("CompetitorA", 0.847), ("OurSystem", 0.823), ("CompetitorB", 0.826))
    noisy = diff(OLD, new, items=500)
    assert ("statistically_tied", "CompetitorB") in kinds(noisy)
    assert not any("ALERT" in line for line in lines(noisy))
    exact = diff(OLD, new, items=500_000)
    assert ("overtook_us", "CompetitorB") in kinds(exact)


def test_published_errors_come_before_the_binomial_ones() -> None:
    old = entries(("A", 0.80), ("B", 0.70), A={"stderr": 0.001})
    new = entries(("A", 0.82), ("B", 0.70), A={"stderr": 0.001})
    assert kinds(diff(old, new, items=100)) == [("improved", "A")]


def test_withdrawn_and_renamed() -> None:
    old = entries(("Gemini 2.5 Pro exp-03-25", 72.9), ("old thing", 40.0), ("x", 10.0), ("y", 9.0))
    new = entries(("Gemini 2.5 Pro Preview 03-25", 72.9), ("x", 10.0), ("y", 9.0))
    delta = diff(old, new)
    told = [c for c in delta.changes if c.type != "rank_shift"]
    assert [(c.type, c.system) for c in told] == [
        ("renamed", "Gemini 2.5 Pro Preview 03-25"),
        ("withdrawn", "old thing"),
    ]
    assert told[0].was == "Gemini 2.5 Pro exp-03-25"
    assert lines(delta)[0].startswith("[INFO] Renamed on MemoryBench: Gemini 2.5 Pro exp-03-25 → ")


def test_a_rename_is_never_guessed() -> None:
    """Same score but two candidates, or no likeness: told as gone and new."""
    two = diff(entries(("model-a", 50.0), ("z", 1.0)), entries(("model-ab", 50.0), ("model-ac", 50.0), ("z", 1.0)))
    assert {k for k, _ in kinds(two)} == {"new_entrant", "withdrawn", "rank_shift"}
    unlike = diff(entries(("GPT", 50.0), ("z", 1.0)), entries(("Claude", 50.0), ("z", 1.0)))
    assert {k for k, _ in kinds(unlike)} == {"new_entrant", "withdrawn"}


def test_aliases_join_names() -> None:
    old, new = entries(("ABC", 50.0), ("z", 1.0)), entries(("Totally Different", 55.0), ("z", 1.0))
    assert kinds(diff(old, new, aliases={"ABC": "Totally Different"})) == [("improved", "Totally Different")]


def test_the_whole_board_rescaled_is_one_change() -> None:
    old = entries(*((f"m{i}", 5.0 + i / 10) for i in range(8)))
    new = entries(*((f"m{i}", 50.0 + i) for i in range(8)))
    delta = diff(old, new)
    assert kinds(delta) == [("metric_reset", "MemoryBench")]
    assert delta.whole_board


@pytest.mark.parametrize("rounded", [1, 2])
def test_another_notation_of_the_same_shares_is_no_change_and_what_changed_with_it_is_told(rounded: int) -> None:
    shares = [(f"m{i}", 0.5123 + i / 100) for i in range(8)]
    percent = [(name, round(100 * share, rounded)) for name, share in shares]
    assert diff(entries(*shares), entries(*percent)).changes == []
    assert diff(entries(*percent), entries(*shares)).changes == []
    moved = diff(entries(*shares), entries(*percent[:-1], ("m7", 65.0)))
    assert kinds(moved) == [("improved", "m7")]


def test_percentages_that_are_other_scores_are_a_reset() -> None:
    old = entries(*((f"m{i}", 0.5 + i / 100) for i in range(8)))
    new = entries(*((f"m{i}", 20.0 + i) for i in range(8)))
    assert kinds(diff(old, new)) == [("metric_reset", "MemoryBench")]


def test_everything_moving_both_ways_is_a_reset() -> None:
    old = entries(*((f"m{i}", 50.0 + i) for i in range(20)))
    new = entries(*((f"m{i}", 50.0 + i + (2 if i % 3 else -2)) for i in range(20)))
    assert kinds(diff(old, new)) == [("metric_reset", "MemoryBench")]


def test_another_board_under_the_same_address_is_a_version_switch() -> None:
    old = entries(*((f"old{i}", 80.0 + i / 10) for i in range(30)))
    new = entries(*((f"new{i}", 60.0 + i / 10) for i in range(5)))
    assert kinds(diff(old, new)) == [("version_switched", "MemoryBench")]


def test_more_decimals_are_no_change_but_more_score_is() -> None:
    old = entries(("a", 80.4), ("b", 79.7), ("c", 78.1), ("d", 70.5))
    new = entries(("a", 80.383), ("b", 82.947), ("c", 78.058), ("d", 70.459))
    assert [c for c in kinds(diff(old, new)) if c[0] != "rank_shift"] == [("improved", "b")]
    few = diff(entries(("a", 0.80), ("b", 0.70)), entries(("a", 0.82), ("b", 0.70)))
    assert kinds(few) == [("improved", "a")]


def test_float_noise_is_no_change() -> None:
    old, new = entries(("a", 21.749157812), ("b", 9.0)), entries(("a", 21.749158113), ("b", 9.0))
    assert diff(old, new).changes == []


def test_the_same_submission_with_another_score_is_a_correction() -> None:
    old = entries(("a", 2.997), ("b", 3.4), a={"date": "01/16/25"})
    corrected = diff(old, entries(("a", 2.992), ("b", 3.4), a={"date": "01/16/25"}), higher=False)
    resubmitted = diff(old, entries(("a", 2.992), ("b", 3.4), a={"date": "02/01/25"}), higher=False)
    assert kinds(corrected) == [("corrected", "a")]
    assert kinds(resubmitted) == [("improved", "a")]


def test_systems_listed_twice_are_told_apart() -> None:
    old = entries(("BERT", 80.0), ("BERT", 70.0), ("x", 60.0))
    assert diff(old, entries(("BERT", 70.0), ("BERT", 80.0), ("x", 60.0))).changes == []
    better = diff(old, entries(("BERT", 80.0), ("BERT", 75.0), ("x", 60.0)))
    assert [(c.type, c.old, c.new) for c in better.changes] == [("improved", 70.0, 75.0)]


def test_spellings_of_one_identity_pair_with_themselves_first() -> None:
    old = entries(("GPT-4o", 80.0), ("gpt 4o", 70.0), ("x", 60.0))
    new = entries(("GPT-4o", 75.0), ("gpt 4o", 77.0), ("x", 60.0))
    moved = {(c.system, c.old, c.new) for c in diff(old, new).changes if c.type in {"improved", "worsened"}}
    assert moved == {("gpt 4o", 70.0, 77.0), ("GPT-4o", 80.0, 75.0)}


def test_a_declared_alias_is_the_same_system() -> None:
    new = entries(("Competitor A v2 (ACME)", 0.861), ("OurSystem", 0.823), ("CompetitorB", 0.801))
    stranger = kinds(diff(OLD, new))
    assert ("withdrawn", "CompetitorA") in stranger
    assert ("new_entrant", "Competitor A v2 (ACME)") in stranger
    known = diff(OLD, new, aliases={"competitor-a v2 acme": "CompetitorA"})
    assert kinds(known) == [("improved", "Competitor A v2 (ACME)")]
    assert (known.changes[0].old, known.changes[0].new) == (0.847, 0.861)


def test_our_own_names_are_one_system() -> None:
    new = entries(("CompetitorA", 0.847), ("our-system-v2", 0.850), ("CompetitorB", 0.801))
    delta = diff(OLD, new, ours=["OurSystem", "our-system-v2"])
    assert kinds(delta)[:2] == [("improved", "our-system-v2"), ("we_overtook", "CompetitorA")]


def test_first_score_of_a_listed_system_is_an_entrance() -> None:
    delta = diff(entries(("a", 50.0), ("late", None)), entries(("a", 50.0), ("late", 40.0)))
    assert kinds(delta) == [("new_entrant", "late")]


@pytest.mark.parametrize("seed", range(5))
def test_random_pairs_tell_the_same_in_any_order(seed: int) -> None:
    rng = random.Random(seed)
    old = entries(*((f"m{i}", round(rng.uniform(10, 90), 1)) for i in range(25)), ("OurSystem", 50.0))
    new = [e.model_copy(update={"score": e.score + 3}) if rng.random() < 0.2 and e.score else e for e in old[2:]]
    new += entries(("fresh", 55.5))
    first = diff(old, new)
    shuffled = diff(rng.sample(old, len(old)), rng.sample(new, len(new)))
    assert shuffled == first
    assert first.changes
