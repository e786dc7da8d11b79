"""Estimator, techniques, random search, and what failing questions say about the next knob."""

import random

import pytest

from auto_benchmark.hypotheses.search import choose, fine, scatter, techniques, tpe
from auto_benchmark.hypotheses.search.proposals import propose
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.search.sensitivity import by_potential, headroom, knob_effects, weakest
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.registry.guard import Guard
from auto_benchmark.registry.solution import Knob

KNOBS = {
    "rate": Knob(type="float", range=(1e-3, 1.0), log=True, default=0.5),
    "size": Knob(type="int", range=(1, 20), default=3),
    "flag": Knob(type="bool", default=False),
    "kind": Knob(type="choice", choices=["a", "b"], default="a"),
}
BASE = {name: knob.default for name, knob in KNOBS.items()}


def value(params, rng=None):
    return 1 - abs(params["size"] - 15) / 20 + 0.2 * params["flag"] + (rng.gauss(0, 0.01) if rng else 0)


@pytest.mark.parametrize("plugin", [tpe, scatter, fine])
def test_suggestions_are_new_valid_and_repeatable(plugin):
    tried = [Tried(BASE, (0.5, 0.51))]
    asked = plugin.ask(KNOBS, BASE, tried, look=1, limit=8)
    assert asked == plugin.ask(KNOBS, BASE, tried, look=1, limit=8)
    assert len(asked) == 8
    for i, params in enumerate(asked):
        assert params not in asked[:i] and params != BASE
        assert all(KNOBS[name].refuses(v) is None for name, v in params.items())


def test_the_estimator_starts_warm():
    """Having seen 60 trials, its suggestions are better than random ones; failed trials do not disturb it."""
    rng = random.Random(1)
    past = scatter.ask(KNOBS, BASE, [], look=0, limit=60)
    tried = [Tried(p, (value(p, rng),)) for p in past] + [Tried({**BASE, "size": 20}, ())]
    warm = [value(p) for p in tpe.ask(KNOBS, BASE, tried, look=1, limit=10)]
    cold = [value(p) for p in scatter.ask(KNOBS, BASE, tried, look=1, limit=10)]
    assert sum(warm) / 10 > sum(cold) / 10 + 0.15


def test_techniques_come_one_by_one_then_the_best_in_pairs():
    known = {"x": {"flag": True}, "y": {"size": 15}, "z": {"kind": "b"}, "base": {"rate": 0.5}}
    first = techniques.ask(KNOBS, known, BASE, [], limit=3)
    assert [name for name, _ in first] == ["x", "y", "z"], "what the base has already is no technique"
    tried = [Tried({**BASE, **known[n]}, (s,)) for n, s in (("x", 0.6), ("y", 0.9), ("z", 0.1))]
    then = techniques.ask(KNOBS, known, BASE, tried, limit=2)
    assert then[0] == ("y and x", {**BASE, "size": 15, "flag": True})


def failing(params):
    """Multi-hop questions need ``size``, temporal ones ``flag``; ``rate`` moves nothing."""
    return {"hop": 0.9 if params["size"] > 10 else 0.3, "time": 0.95 if params["flag"] else 0.85}


def test_failing_questions_choose_the_next_knob_from_past_trials_alone():
    past = [BASE, {**BASE, "size": 15}, {**BASE, "flag": True}, {**BASE, "rate": 0.01}]
    tried = [Tried(p, (0.5,), failing(p)) for p in past]
    assert knob_effects(KNOBS, tried)["size"] == {"hop": pytest.approx(0.6), "time": 0.0}
    assert next(iter(by_potential(KNOBS, BASE, tried))) == "size"
    assert list(by_potential(KNOBS, BASE, tried))[-1] == "rate"
    improved = {**BASE, "size": 15}
    again = [*tried, Tried({**improved, "flag": True}, (0.9,), failing({**improved, "flag": True}))]
    assert weakest(improved, again) == [("time", 0.85), ("hop", 0.9)]
    assert headroom(improved, again) == {"hop": pytest.approx(0.1), "time": pytest.approx(0.15)}
    assert list(by_potential(KNOBS, BASE, [])) == list(KNOBS), "no history, the declared order"


def test_a_plateau_is_seen_and_answered_with_another_way_of_searching():
    rng = random.Random(3)
    tried = [Tried(BASE, (0.50, 0.51, 0.49))]
    while True:
        usual = choose.ask(
            Strategy.ABLATION,
            KNOBS,
            BASE,
            tried,
            known_techniques={},
            look=0,
            limit=50,
        )
        if usual.how != "ablation":
            break
        tried += [Tried(p, (0.5 + rng.gauss(0, 0.01),)) for p in usual.params]
    assert choose.has_plateaued(BASE, tried)
    assert usual.how == "estimator over all past trials" and len(usual.params) == choose.AFTER_PLATEAU
    known = {"big": {"size": 18, "flag": True}}
    named = choose.ask(Strategy.ABLATION, KNOBS, BASE, tried, known_techniques=known, look=0, limit=50)
    assert named.how == "techniques: big"
    winner = Tried({**BASE, "size": 15, "flag": True}, (0.9,))
    assert not choose.has_plateaued(BASE, [*tried, winner])


def test_a_gain_that_a_guard_will_refuse_comes_later():
    guards = [Guard(name="ms", within=0.1)]
    home = Tried(BASE, (0.50, 0.51, 0.49), {}, {"ms": 10.0})
    fast = Tried({**BASE, "size": 9}, (0.70,), {}, {"ms": 10.3})
    slow = Tried({**BASE, "size": 15}, (0.80,), {}, {"ms": 10.9})
    slower = Tried({**BASE, "size": 20}, (0.90,), {}, {"ms": 14.0})
    found = propose(BASE, [home, fast, slow, slower], limit=5, guards=guards)
    assert [p.patch["size"] for p in found] == [9, 15, 20]
    assert found[1].measured_gain == pytest.approx(0.30) and found[1].estimated_gain < 0.16
    unguarded = propose(BASE, [home, fast, slow, slower], limit=5)
    assert [p.patch["size"] for p in unguarded] == [20, 15, 9]
