"""The level that a project grants its next hypothesis."""

import random

import pytest

from auto_benchmark.promotion.level import EndedHypothesis, Purse, next_level, project_wealth
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.registry.schedule import GateShares
from auto_benchmark.stats.alpha_wealth import FALSE_SHARE, INITIAL_SHARE

LOSSES = [Verdict.FUTILE, Verdict.REJECT] * 10


def test_the_plain_policy_has_one_level():
    assert next_level("sequential", LOSSES) == next_level("fixed_n10", []) == 0.025


def test_wealth_falls_with_failures_and_rises_with_discoveries():
    start, poor = next_level("sequential_wealth", []), next_level("sequential_wealth", LOSSES)
    assert 0 < poor < start <= 0.025
    for win in (Verdict.PROMOTE, Verdict.CHALLENGER):
        assert next_level("sequential_wealth", [*LOSSES, win]) > poor


def test_open_hypotheses_spend_nothing():
    undecided = [Verdict.INCONCLUSIVE, Verdict.INSUFFICIENT_DATA, Verdict.NO_VARIANCE]
    assert project_wealth([*LOSSES, *undecided]) == project_wealth(LOSSES)
    assert project_wealth(LOSSES).remaining == pytest.approx(
        0.1 - sum(0.1 * 0.2543 * j**-1.3 for j in range(1, 21)), abs=1e-3
    )


PARTS = GateShares(agents={"llm:LAB": 0.1}).parts()


def played(origins, *, chance=0.0, seed=0, parts=PARTS):
    """What is on the books after hypotheses of these origins, each decided at the level that it was granted."""
    draw, ended = random.Random(seed), []
    for origin in origins:
        verdict = Verdict.PROMOTE if draw.random() < chance else Verdict.FUTILE
        ended.append(EndedHypothesis(origin, verdict, Purse.after(ended, parts).of(origin).next_level))
    return ended


def test_a_flood_of_one_source_takes_nothing_from_the_others():
    before = {source: Purse.after([], PARTS).of(source).next_level for source in PARTS}
    after = Purse.after(played(["agent:command:flood"] * 200), PARTS)
    assert after.of("agent").next_level < before["agent"] / 500
    for source in PARTS.keys() - {"agent"}:
        assert after.of(source).next_level == before[source], source


def test_an_agent_with_an_entry_spends_its_own_part_and_others_the_agents():
    held = Purse.after(played(["agent:llm:LAB"] * 5), PARTS)
    assert (held.of("agent:llm:LAB").tests, held.of("agent:llm:OTHER").tests) == (5, 0)


@pytest.mark.parametrize("chance", [0.0, 0.1, 0.6])
def test_all_sources_together_spend_no_more_than_one_purse_may(chance):
    for seed in range(20):
        order = random.Random(seed).choices(list(PARTS), k=150)
        ended = played(order, chance=chance, seed=seed)
        wins, spent = 0, 0.0
        for one in ended:
            spent += one.level
            wins += one.verdict is Verdict.PROMOTE
            assert spent <= FALSE_SHARE * max(wins, 1)
            assert wins or spent <= FALSE_SHARE * INITIAL_SHARE


def test_the_bound_holds_where_shares_are_changed_to_favour_who_comes_next():
    ended, spent = [], 0.0
    for number in range(300):
        origin = ("search", "paper", "agent", "person")[number % 4]
        favoured = GateShares(**{origin: 1000.0}).parts()
        level = Purse.after(ended, favoured).of(origin).next_level
        ended.append(EndedHypothesis(origin, Verdict.FUTILE, level))
        spent += level
    assert level > 0
    assert spent <= FALSE_SHARE * INITIAL_SHARE + 1e-9


def test_shares_are_relative_and_none_is_nothing():
    assert sum(PARTS.values()) == pytest.approx(1)
    assert GateShares(search=4, person=2, paper=2, agent=1.5, competitor=0.5).parts() == pytest.approx(
        GateShares().parts()
    )
    with pytest.raises(ValueError, match="search"):
        GateShares(search=0)
