"""The simulation: known policies give the reference's numbers, the default gate keeps its promises."""

from dataclasses import replace

import pytest

from auto_benchmark.stats.simulation.run import POLICIES, run
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS, Effect, Scenario, item_sd

SIXTY = Scenario(60, 2000, USUAL_EFFECTS)
NULLS = (Effect(1.0, 0, 0),)


@pytest.fixture(scope="module")
def base():
    return {r.name: r for r in run(SIXTY)}


def test_known_policies_reproduce_the_reference(base):
    """Reference table of simulation 2: trials, true gain, promoted, false share."""
    for name, trials, gain, promoted, share in [
        ("greedy", 61, 7.6, 10.0, 0.55),
        ("seed_rule_n3", 183, 2.2, 1.6, 0.19),
        ("fixed_n10", 610, 10.45, 6.3, 0.065),
    ]:
        found = base[name]
        assert found.trials == trials
        assert found.true_gain == pytest.approx(gain, rel=0.04)
        assert found.promoted == pytest.approx(promoted, rel=0.05)
        assert found.false_share == pytest.approx(share, abs=0.02)


def test_the_default_gate_keeps_its_promises(base):
    gate, fixed, rule = base["sequential"], base["fixed_n10"], base["seed_rule_n3"]
    assert gate.type_i <= 0.03
    assert gate.false_share <= 0.05
    assert gate.trials <= 0.55 * fixed.trials
    assert gate.true_gain >= fixed.true_gain
    assert gate.true_gain >= 3 * rule.true_gain


def test_winners_are_overrated_at_the_moment_of_promotion(base):
    assert all(result.claimed_gain > result.true_gain for result in base.values())


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ({"distribution": "t3"}, 0.04),
        ({"distribution": "gamma2"}, 0.04),
        ({"assumed_sd": 1.3}, 0.04),
        ({"assumed_sd": 0.7}, 0.045),
        ({"candidate_sd": 2.0}, 0.03),
        ({"effects": NULLS}, 0.03),
        ({"item_sd": item_sd(1000, 0.05, 1.0)}, 0.03),
        ({"control_runs": 3, "defense_runs": 0}, 0.03),
    ],
)
def test_type_one_error_holds_when_assumptions_do_not(change, limit):
    (found,) = run(replace(SIXTY, repetitions=1000, **change), ["sequential"])
    assert found.type_i <= limit


def test_a_single_comparison_keeps_its_level_too():
    """Without the protection that a persistent control gives a stream."""
    alone = Scenario(1, 40_000, NULLS)
    assert run(alone, ["sequential"])[0].type_i <= 0.0125
    assert run(replace(alone, distribution="gamma2"), ["sequential"])[0].type_i <= 0.0125
    assert run(replace(alone, assumed_sd=0.7), ["sequential"])[0].type_i <= 0.03


def test_item_noise_fools_a_gate_that_looks_at_seeds_alone():
    noisy = replace(SIXTY, repetitions=300, item_sd=item_sd(1000, 0.05, 0.004))
    found = {r.name: r for r in run(noisy, ["fixed_n10", "sequential"])}
    assert found["fixed_n10"].type_i > 0.1
    assert found["sequential"].type_i < 0.03


def test_item_noise_in_trial_sds():
    assert item_sd(1000, 0.05, 0.004) == pytest.approx(1.7678, abs=1e-4)
    assert item_sd(1000, 0.05, 1.0) == item_sd(1000, 0.05, 0.004)
    assert item_sd(4000, 0.05, 0.004) == pytest.approx(item_sd(1000, 0.05, 0.004) / 2)


def test_a_policy_does_not_depend_on_its_neighbours():
    small = replace(SIXTY, repetitions=50)
    assert run(small, ["sequential"])[0] == run(small)[list(POLICIES).index("sequential")]
    assert run(small) == run(small)
    assert run(replace(small, seed=2), ["greedy"]) != run(small, ["greedy"])


def test_no_nulls_no_type_one_rate():
    assert run(Scenario(5, 50, (Effect(1.0, 1, 2),)), ["greedy"])[0].type_i is None
