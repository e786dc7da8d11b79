"""Knobs that belong to one choice of another: searched where they do something, and no part of anything elsewhere."""

import pytest

from auto_benchmark.hypotheses.search import ablation, choose, fine, scatter, techniques, tpe
from auto_benchmark.hypotheses.search.proposals import propose
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.strategy import Strategy
from auto_benchmark.registry.fitting import fit
from auto_benchmark.registry.solution import Knob, configured

KNOBS = {
    "trees": Knob(type="int", range=(10, 500), default=100, when={"model": ["forest", "boosted"]}),
    "rate": Knob(type="float", range=(0.001, 1.0), log=True, default=0.1, when={"model": "boosted"}),
    "model": Knob(type="choice", choices=["svm", "forest", "boosted"], default="svm"),
    "C": Knob(type="float", range=(0.01, 100.0), log=True, default=1.0, when={"model": "svm"}),
    "gamma": Knob(type="float", range=(0.01, 10.0), log=True, default=1.0, when={"C": [1.0, 2.0]}),
    "scale": Knob(type="bool", default=True),
}
BASE = configured(KNOBS, {})


def score(params):
    best = {"svm": 0.5, "forest": 0.6, "boosted": 0.7}[params["model"]]
    return best + 0.1 * params.get("trees", 0) / 500 + 0.05 * params["scale"]


def searched(ask, looks=5, limit=8):
    tried = [Tried(BASE, (score(BASE), score(BASE) + 1e-4))]
    for look in range(looks):
        tried += [Tried(params, (score(params),)) for params in ask(tried, look, limit)]
    return tried


def test_a_configuration_holds_what_does_something_in_it():
    assert BASE == {"model": "svm", "C": 1.0, "gamma": 1.0, "scale": True}
    assert configured(KNOBS, {**BASE, "model": "boosted"}) == {
        "model": "boosted", "trees": 100, "rate": 0.1, "scale": True,
    }  # fmt: skip
    assert configured(KNOBS, {"C": 3.0}) == {"model": "svm", "C": 3.0, "scale": True}, "a knob of an inactive knob"
    assert configured(KNOBS, {"model": "forest", "C": 1.0}) == {"model": "forest", "trees": 100, "scale": True}


@pytest.mark.parametrize("plugin", [ablation, fine, scatter, tpe], ids=lambda plugin: plugin.__name__.split(".")[-1])
def test_every_way_of_searching_asks_for_whole_configurations_once(plugin):
    tried = searched(lambda tried, look, limit: plugin.ask(KNOBS, BASE, tried, look=look, limit=limit))
    asked = [each.params for each in tried]
    assert all(params == configured(KNOBS, params) for params in asked)
    assert all(params not in asked[:i] for i, params in enumerate(asked))
    assert len({each["model"] for each in asked}) == 3, "the choice itself is searched"


def test_the_search_goes_on_with_the_knobs_of_another_choice():
    def ask(tried, look, limit):
        asked = choose.ask(Strategy.ABLATION, KNOBS, BASE, tried, known_techniques={}, look=look, limit=limit)
        return asked.params

    best = max(searched(ask), key=lambda each: each.mean)
    assert best.params["model"] == "boosted" and best.params["trees"] > 400
    patch = propose(BASE, searched(ask), limit=1)[0].patch
    assert configured(KNOBS, {**BASE, **patch}) == best.params


def test_a_technique_for_another_choice_is_not_tried():
    assert techniques.ask(KNOBS, {"more": {"trees": 500}}, BASE, [], limit=3) == []
    (found,) = techniques.ask(KNOBS, {"more": {"model": "forest", "trees": 500}}, BASE, [], limit=3)
    assert found == ("more", {"model": "forest", "trees": 500, "scale": True})


class TestStoredConfigurations:
    def test_one_that_fits_stays_as_it_is(self):
        assert fit(KNOBS, BASE) == fit(KNOBS, fit(KNOBS, BASE).params)
        assert (fit(KNOBS, BASE).changes, fit(KNOBS, BASE).is_same) == ((), True)

    def test_a_new_knob_and_an_inactive_one_change_no_meaning(self):
        fitted = fit(KNOBS, {"model": "svm", "C": 1.0, "gamma": 2.0, "trees": 7000})
        assert fitted.params == {"model": "svm", "C": 1.0, "gamma": 2.0, "scale": True}
        assert fitted.is_same and len(fitted.changes) == 2

    @pytest.mark.parametrize(
        ("stored", "now"),
        [
            ({**BASE, "C": 1000.0}, {"model": "svm", "C": 100.0, "scale": True}),
            ({**BASE, "gone": 3}, BASE),
            ({**BASE, "model": "knn"}, BASE),
            ({**BASE, "C": float("nan")}, BASE),
            ({**BASE, "C": "much"}, BASE),
            ({"model": "forest", "trees": 9.7, "scale": True}, {"model": "forest", "trees": 10, "scale": True}),
            ({**BASE, "scale": 1}, BASE),
        ],
    )
    def test_what_is_not_allowed_any_more_becomes_what_is(self, stored, now):
        fitted = fit(KNOBS, stored)
        assert fitted.params == now and not fitted.is_same
        assert fit(KNOBS, fitted.params).changes == ()
