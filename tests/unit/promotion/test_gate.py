"""The gate: verdicts, criteria and their reasons."""

import json

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.promotion.evidence import CONTROL, GOOD, NOISE, evidence, row, trials

from auto_benchmark.errors import InputError
from auto_benchmark.promotion.gate import decide
from auto_benchmark.promotion.offset import learn
from auto_benchmark.promotion.schema import Decision, Noise, Observation, Verdict


def test_a_clear_winner_is_promoted_with_five_reasoned_rows():
    decision = decide(evidence(GOOD, leader_score=0.83))
    assert decision.verdict is Verdict.PROMOTE
    assert [c.name for c in decision.criteria] == [
        "improvement",
        "significance",
        "no_regression",
        "reproducibility",
        "projection",
    ]
    assert all(c.passed and c.reason for c in decision.criteria)
    assert decision.estimate == pytest.approx(np.mean(GOOD) - np.mean(CONTROL))
    assert decision.interval[0] < decision.estimate < decision.interval[1]
    assert (row(decision, "improvement").threshold, row(decision, "significance").threshold) == (0.005, 0.05)


def test_one_and_two_seeds_never_promote():
    for n in (1, 2):
        decision = decide(evidence([0.95, 0.951][:n]))
        assert decision.verdict is Verdict.INCONCLUSIVE
        assert "3 seeds wanted" in decision.reason


def test_one_seed_may_stop_for_futility():
    decision = decide(evidence([0.80]))
    assert (decision.verdict, decision.n) == (Verdict.FUTILE, 1)


def test_better_but_not_number_one_is_a_challenger():
    decision = decide(evidence(GOOD, leader_score=0.9))
    assert decision.verdict is Verdict.CHALLENGER
    assert row(decision, "projection").value < 0.01


def test_offset_is_learned_from_submissions():
    assert learn([]) is None
    found = learn([(0.82, 0.81), (0.83, 0.824), (0.84, 0.828)])
    assert found.mean == pytest.approx(-0.0093333333)
    assert (found.sd, found.n) == (pytest.approx(0.0030550505), 3)


def test_slower_than_the_margin_is_rejected_for_good():
    slow = evidence([])
    slow = evidence(
        GOOD,
        candidate=trials(GOOD, 100, latency_ms=[120.0, 121.0, 119.5]),
        control=trials(CONTROL, latency_ms=[100.0, 101, 99, 100, 102, 98, 100, 101, 99, 100]),
    )
    decision = decide(slow)
    assert decision.verdict is Verdict.REJECT
    found = row(decision, "no_regression")
    assert (found.passed, found.threshold) == (False, 0.10)
    assert "latency_ms" in found.reason


def test_the_bound_decides_not_the_point():
    """3 % slower on average, but so noisy that 10 % is not excluded: more seeds, not a pass."""
    noisy = evidence(
        GOOD,
        candidate=trials(GOOD, 100, latency_ms=[80.0, 129.0, 100.0]),
        control=trials(CONTROL, latency_ms=[100.0, 101, 99, 100, 102, 98, 100, 101, 99, 100]),
    )
    decision = decide(noisy)
    assert decision.verdict is Verdict.INCONCLUSIVE
    assert "5 seeds wanted" in decision.reason
    assert row(decision, "no_regression").value > 0.10


def test_the_cap_ends_it():
    """Twelve seeds, a little better, below the threshold: rejected, and the reason names the criteria."""
    decision = decide(evidence([0.824 + 0.004 * x for x in np.linspace(-1.4, 1.4, 12)]))
    assert decision.verdict in {Verdict.REJECT, Verdict.FUTILE}
    assert decision.verdict.is_final


def test_seeds_that_do_not_match_and_no_noise_are_too_little():
    decision = decide(
        evidence(
            [],
            noise=None,
            candidate=[Observation(seed=s, metrics={"accuracy": v}) for s, v in {1: 0.72, 3: 0.70, 4: 0.73}.items()],
            control=[Observation(seed=s, metrics={"accuracy": v}) for s, v in {1: 0.70, 2: 0.71, 3: 0.69}.items()],
        )
    )
    assert decision.verdict is Verdict.INSUFFICIENT_DATA
    assert "2 common seeds" in decision.reason
    assert decision.interval is None
    assert row(decision, "significance").value is None


@pytest.mark.parametrize(
    ("ours", "theirs", "words"),
    [
        ([0.71, 0.71, 0.71], [0.71, 0.71, 0.71], "no change"),
        ([4.33, 4.39], [4.28, 4.34], r"+0.05"),
        ([0.72, 0.73, 0.74], [0.70, 0.71, 0.72], r"+0.02"),
        ([0.82, 0.82, 0.82], CONTROL, "the seed is not used"),
    ],
)
@pytest.mark.parametrize("noise", [None, NOISE])
def test_no_variance_is_its_own_verdict(ours, theirs, words, noise):
    decision = decide(evidence([], noise=noise, candidate=trials(ours), control=trials(theirs)))
    assert decision.verdict is Verdict.NO_VARIANCE
    assert words in decision.reason
    assert row(decision, "significance").value is None


def test_a_perfect_candidate_cannot_vary_and_is_judged_by_the_known_noise():
    decision = decide(evidence([], candidate=trials([1.0, 1.0, 1.0]), control=trials(CONTROL)))
    assert decision.verdict is Verdict.PROMOTE
    assert row(decision, "significance").passed
    unknown = decide(evidence([], candidate=trials([1.0, 1.0, 1.0]), control=trials([1.0, 1.0, 1.0])))
    assert unknown.verdict is Verdict.NO_VARIANCE


def test_empty_sides():
    for side in ("candidate", "control"):
        decision = decide(evidence(GOOD, **{side: []}))
        assert decision.verdict is Verdict.INSUFFICIENT_DATA
        assert side in decision.reason
        assert len(decision.criteria) == 5


def test_few_degrees_of_freedom_use_the_group_sequential_test():
    decision = decide(evidence(GOOD, noise=Noise(sd=0.004, df=6)))
    assert "group-sequential t" in row(decision, "significance").reason
    strict = row(decision, "significance").value
    assert strict > row(decide(evidence(GOOD)), "significance").value


def test_item_noise_holds_a_winner_by_luck_back():
    """Every seed repeats the same lucky items: 20 of 400 questions, all gained by one and the same coin."""
    rng = np.random.default_rng(0)
    base = (rng.random(400) < 0.8).astype(float)
    lucky = base.copy()
    lucky[np.flatnonzero(base == 0)[:12]] = 1
    lucky[np.flatnonzero(base == 1)[:5]] = 0

    def with_items(answers, n, first):
        found = []
        for i in range(n):
            flicker = np.where(rng.random(400) < 0.01, 1 - answers, answers)
            items = {f"q{j}": float(v) for j, v in enumerate(flicker)}
            found.append(Observation(seed=first + i, metrics={"accuracy": float(flicker.mean())}, items=items))
        return found

    candidate, control = with_items(lucky, 5, 100), with_items(base, 10, 0)
    blind = evidence(
        [],
        candidate=[t.model_copy(update={"items": None}) for t in candidate],
        control=control,
    )
    seeing = evidence([], candidate=candidate, control=control)
    assert decide(blind).verdict is Verdict.PROMOTE
    decision = decide(seeing)
    assert decision.verdict is not Verdict.PROMOTE
    assert "400 items" in row(decision, "significance").reason
    width = [d.interval[1] - d.interval[0] for d in (decide(blind), decision)]
    assert width[1] > 1.5 * width[0]


def test_items_in_percent_count_as_percent():
    items = [{f"q{j}": float((j + i) % 5 != 0) for j in range(50)} for i in range(6)]
    percent = [
        Observation(seed=i, metrics={"accuracy": 100 * sum(x.values()) / 50 + 0.1 * i}, items=x)
        for i, x in enumerate(items)
    ]
    share = [t.model_copy(update={"metrics": {"accuracy": t.metrics["accuracy"] / 100}}) for t in percent]
    kw = {"noise": None}
    a = decide(
        evidence([], candidate=percent[:3], control=percent[3:], promotion_threshold=0.5, noise=Noise(sd=1, df=20))
    )
    b = decide(
        evidence([], candidate=share[:3], control=share[3:], promotion_threshold=0.005, noise=Noise(sd=0.01, df=20))
    )
    assert kw and a.verdict == b.verdict
    assert a.interval == pytest.approx([100 * x for x in b.interval], rel=1e-9)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"policy": "guess"}, "policy: no policy is called 'guess'"),
        ({"policy": {"name": "sequential", "alfa": 1}}, "policy.alfa"),
        ({"policy": {"name": "sequential", "alpha": 2}}, "policy.alpha"),
        ({"candidate": trials([1e300, 2e300, 3e300])}, r"candidate\[0\].metrics.accuracy: is beyond 1e\+100"),
        ({"candidate": trials([0.8]) + trials([0.9])}, r"candidate\[1\].seed: seed 0 is given twice"),
        ({"candidate": [Observation(seed=1, metrics={"f1": 0.5})]}, r"candidate\[0\].metrics.accuracy: is required"),
    ],
)
def test_contradictions_name_the_field(changes, words):
    with pytest.raises(InputError, match=words):
        decide(evidence(GOOD, **changes))


@pytest.mark.parametrize("policy", ["sequential", "sequential_wealth", "fixed_n10", "seed_rule_n3", "greedy"])
def test_every_policy_decides_at_every_number_of_seeds(policy):
    rng = np.random.default_rng(3)
    scores = list(0.836 + 0.004 * rng.standard_normal(12))
    control = [Observation(seed=100 + i, metrics={"accuracy": s}) for i, s in enumerate([*CONTROL, 0.82, 0.8217])]
    verdicts = [decide(evidence(scores[:n], policy=policy, control=control)).verdict for n in range(1, 13)]
    assert Verdict.PROMOTE not in verdicts[:2]
    assert verdicts[-1] is Verdict.PROMOTE
    if policy == "fixed_n10":
        assert set(verdicts[:9]) == {Verdict.INCONCLUSIVE}


def test_a_smaller_level_asks_for_more():
    p = row(decide(evidence(GOOD)), "significance").value / 2
    assert decide(evidence(GOOD), alpha=p * 1.01).verdict is Verdict.PROMOTE
    assert decide(evidence(GOOD), alpha=p * 0.99).verdict is Verdict.INCONCLUSIVE
    assert (
        decide(evidence(GOOD, policy={"name": "sequential_wealth", "alpha": p * 0.99})).verdict is not Verdict.PROMOTE
    )


scores = st.lists(st.floats(0.70, 0.95), min_size=1, max_size=12)


@settings(max_examples=60, deadline=None)
@given(ours=scores, theirs=st.lists(st.floats(0.78, 0.86), min_size=1, max_size=12), known=st.booleans())
def test_verdicts_do_not_depend_on_unit_or_direction_or_order(ours, theirs, known):
    noise = NOISE if known else None

    def at(unit, sign, reverse=False):
        def side(values, first):
            found = [Observation(seed=first + i, metrics={"accuracy": sign * unit * v}) for i, v in enumerate(values)]
            return found[::-1] if reverse else found

        return decide(
            evidence(
                [],
                higher_is_better=sign > 0,
                promotion_threshold=0.005 * unit,
                noise=noise and Noise(sd=0.004 * unit, df=30),
                candidate=side(ours, 50),
                control=side(theirs, 0),
                leader_score=sign * unit * 0.84,
            )
        )

    plain = at(1, 1)
    for other in (at(128, 1), at(1, -1), at(1 / 64, -1), at(1, 1, reverse=True)):
        assert other.verdict == plain.verdict
        assert [c.passed for c in other.criteria] == [c.passed for c in plain.criteria]


numbers = st.floats(allow_nan=False, allow_infinity=False, width=32)


@example(ours=[0.0], theirs=[0.0], noise=Noise(sd=2e-307, df=10), leader=None, policy="sequential")
@example(ours=[0.0], theirs=[0.0], noise=Noise(sd=1e-99, df=1), leader=None, policy="sequential")
@example(ours=[0.0, 0.0, 0.0], theirs=[0.0], noise=None, leader=None, policy="sequential")
@example(ours=[-0.1, 0.0, 0.1], theirs=[0.0], noise=None, leader=None, policy="sequential")
@settings(max_examples=100, deadline=None)
@given(
    ours=st.lists(numbers, max_size=12),
    theirs=st.lists(numbers, max_size=12),
    noise=st.one_of(st.none(), st.builds(Noise, sd=st.floats(0, 1e6), df=st.integers(0, 50))),
    leader=st.one_of(st.none(), numbers),
    policy=st.sampled_from(["sequential", "fixed_n10", "seed_rule_n3", "greedy"]),
)
def test_whatever_comes_in_no_nan_comes_out(ours, theirs, noise, leader, policy):
    decision = decide(
        evidence([], candidate=trials(ours), control=trials(theirs), noise=noise, leader_score=leader, policy=policy)
    )
    text = decision.model_dump_json()
    assert "NaN" not in text and "Infinity" not in text
    assert Decision.model_validate(json.loads(text)) == decision
    if decision.n < 3:
        assert decision.verdict not in {Verdict.PROMOTE, Verdict.CHALLENGER, Verdict.REJECT}
    if decision.verdict in {Verdict.INSUFFICIENT_DATA, Verdict.NO_VARIANCE} and decision.criteria:
        assert row(decision, "significance").value is None


def with_items(scores, items, first=0):
    """Trials whose items are all worth their mean."""
    return [
        Observation(seed=first + i, metrics={"accuracy": s}, items={str(k): s for k in range(items)})
        for i, s in enumerate(scores)
    ]


@pytest.mark.parametrize("noise", [None, NOISE])
@pytest.mark.parametrize("size", [1e-12, 1e-9, 1e-7])
@pytest.mark.parametrize("items", [0, 1500])
def test_noise_that_no_item_could_make_hides_no_ignored_seed(noise, size, items):
    ours = [0.9 + size, 0.9 - size, 0.9 + size / 2]
    sides = {
        "candidate": with_items(ours, items, 100) if items else trials(ours, 100),
        "control": with_items(CONTROL, items) if items else trials(CONTROL),
    }
    decision = decide(evidence([], noise=noise, **sides))
    assert decision.verdict is Verdict.NO_VARIANCE, decision.reason
    assert "the seed is not used" in decision.reason
    said = "one of 1500 items weighs 0.0005" if items else "less than 1e-06 of it"
    assert (said in decision.reason) == (size >= 1e-9), decision.reason


def test_one_item_answered_otherwise_is_variance():
    """Right or wrong: of 100,000 items one makes a spread of 1e-5, which is no noise."""
    answers = [{str(k): float(k >= wrong) for k in range(100_000)} for wrong in (10_000, 10_001, 10_002)]
    ours = [
        Observation(seed=100 + i, metrics={"accuracy": sum(a.values()) / len(a)}, items=a)
        for i, a in enumerate(answers)
    ]
    control = with_items(CONTROL, 100)
    decision = decide(evidence([], candidate=ours, control=control))
    assert decision.verdict is not Verdict.NO_VARIANCE, decision.reason
