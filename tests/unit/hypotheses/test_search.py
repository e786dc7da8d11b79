"""The search finds main effects, joins them, and does not chase luck."""

import math
import random

import pytest

from auto_benchmark.hypotheses.search import ablation, fine, tpe
from auto_benchmark.hypotheses.search.proposals import change_of, propose, title_of
from auto_benchmark.hypotheses.search.results import Tried, pooled_sd
from auto_benchmark.hypotheses.search.space import at, position, single_changes, variants
from auto_benchmark.hypotheses.strategy import Strategy, strategy_for
from auto_benchmark.registry.solution import Knob

KNOBS = {
    "rate": Knob(type="float", range=(1e-4, 1.0), log=True, default=0.01),
    "size": Knob(type="int", range=(1, 9), default=5),
    "flag": Knob(type="bool", default=False),
    "kind": Knob(type="choice", choices=["a", "b", "c"], default="a"),
}
BASE = {name: knob.default for name, knob in KNOBS.items()}
SD = 0.01


def score(params, rng, *, effects=True):
    gain = 0.0
    if effects:
        gain += 0.1 * (params["flag"] is True) + 0.08 * (params["kind"] == "c") - 0.05 * (params["kind"] == "b")
        gain += 0.06 * (params["size"] >= 7)
    return 0.5 + gain + rng.gauss(0, SD)


def search(strategy, *, effects, seed):
    rng = random.Random(seed)
    tried = [Tried(BASE, tuple(score(BASE, rng, effects=effects) for _ in range(3)))]
    for look in range(3):
        for params in strategy.ask(KNOBS, BASE, tried, look=look, limit=24):
            tried.append(Tried(params, (score(params, rng, effects=effects),)))
    return tried


@pytest.mark.parametrize(
    "gap,strategy", [(0.0, "fine"), (0.0099, "fine"), (0.01, "ablation"), (0.05, "ablation"), (0.0501, "structural")]
)
def test_the_gap_chooses_the_strategy(gap, strategy):
    assert strategy_for(gap) is Strategy(strategy)


@pytest.mark.parametrize("name", KNOBS)
def test_every_variant_is_a_value_of_its_knob_and_new(name):
    values = variants(KNOBS[name], BASE[name])
    assert values and BASE[name] not in values and len(values) == len(set(values))
    assert all(KNOBS[name].refuses(value) is None for value in values)


@pytest.mark.parametrize("place", [0.0, 0.3, 1.0])
def test_a_place_in_a_log_range_round_trips(place):
    assert position(KNOBS["rate"], at(KNOBS["rate"], place)) == pytest.approx(place, abs=1e-3)


def test_a_short_budget_still_sees_every_knob():
    touched = {
        name for params in single_changes(KNOBS, BASE)[: len(KNOBS)] for name in KNOBS if params[name] != BASE[name]
    }
    assert touched == set(KNOBS)


@pytest.mark.parametrize("seed", range(5))
def test_main_effects_are_found_and_joined(seed):
    best = propose(BASE, search(ablation, effects=True, seed=seed), limit=10)[0]
    assert best.patch["flag"] is True and best.patch["kind"] == "c" and best.patch["size"] >= 7
    assert best.estimated_gain == pytest.approx(0.24, abs=0.04)


def test_nothing_is_asked_for_twice():
    tried = search(ablation, effects=True, seed=1)
    assert len({tuple(sorted(t.params.items())) for t in tried}) == len(tried)


def test_pure_noise_is_shrunk_to_almost_nothing():
    claimed, shrunk = [], []
    for seed in range(40):
        tried = search(ablation, effects=False, seed=seed)
        found = propose(BASE, tried, limit=1)
        claimed.append(max(t.mean for t in tried) - tried[0].mean)
        shrunk.append(found[0].estimated_gain if found else 0.0)
    assert sum(claimed) / 40 > SD
    assert sum(shrunk) / 40 < 0.5 * sum(claimed) / 40


def test_fine_search_takes_small_steps():
    asked = fine.ask(KNOBS, BASE, [Tried(BASE, (0.5,))], look=0, limit=4)
    assert {name for params in asked for name in params if params[name] != BASE[name]} == {"rate", "size"}


def test_failed_configurations_never_win():
    tried = [Tried(BASE, (0.5, 0.51)), Tried({**BASE, "flag": True}, ())]
    assert tried[1].mean == -math.inf
    assert propose(BASE, tried, limit=3) == [] and ablation.winners(BASE, tried) == []
    assert pooled_sd(tried) == pytest.approx(0.00707, abs=1e-4)


def test_titles_are_words():
    assert title_of({"a": 1, "b": True, "c": "x"}) == "Set a to 1, b to true and c to x"
    assert title_of(dict.fromkeys("abcdefgh", 1)) == "Set a to 1, b to 1, c to 1 and 5 more knobs"
    assert change_of(dict.fromkeys("abcde", 1)).count(" to 1") == 5


@pytest.mark.parametrize("known", range(7))
def test_the_estimator_asks_for_every_configuration_left_and_stops_there(known, monkeypatch):
    """Of six configurations; the sampler is not asked again once none is left."""
    knobs = {"kind": KNOBS["kind"], "flag": KNOBS["flag"]}
    every = [{"kind": kind, "flag": flag} for kind in "abc" for flag in (False, True)]
    tried = [Tried(params, (0.5 + 0.01 * i,)) for i, params in enumerate(every[:known])]
    if known == 6:
        monkeypatch.setattr(tpe, "_suggested", None)
    found = tpe.ask(knobs, every[0], tried, look=0, limit=24)
    assert all(params in every[known:] for params in found)
    assert len(found) == 6 - known
