"""Replay, confirmation on fresh seeds, the urgent lane."""

import numpy as np
import pytest

from auto_benchmark.errors import InputError
from auto_benchmark.promotion.confirmation import confirm
from auto_benchmark.promotion.gate import Case, decide
from auto_benchmark.promotion.guarding import GateGuard
from auto_benchmark.promotion.offset import Offset
from auto_benchmark.promotion.other_board import OtherBoard
from auto_benchmark.promotion.replay import decision_json, replay
from auto_benchmark.promotion.schema import Evidence, Noise, Observation, Verdict

SD = 0.004


def trials(rng, mean, n, first):
    return [
        Observation(seed=first + i, metrics={"accuracy": float(mean + SD * rng.standard_normal())}) for i in range(n)
    ]


def evidence(candidate, control, **changes):
    return Evidence(
        metric="accuracy",
        higher_is_better=True,
        promotion_threshold=0.005,
        noise=Noise(sd=SD, df=40),
        candidate=candidate,
        control=control,
        **changes,
    )


def stored(evidence, **more):
    return Case(evidence=evidence, **more).model_dump_json()


@pytest.fixture
def promoted():
    rng = np.random.default_rng(1)
    return evidence(trials(rng, 0.84, 5, 100), trials(rng, 0.82, 10, 0), leader_score=0.83)


def test_replay_is_byte_identical(promoted):
    everything = {
        "guards": [GateGuard(name="latency_ms", within=0.2)],
        "other_boards": [
            OtherBoard(name="B", higher_is_better=False, margin=0.1, candidate=[1.0, 1.1], control=[1.0, 1.2])
        ],
        "offset": Offset(mean=-0.001, sd=0.002, n=3),
        "alpha": 0.01,
    }
    text = decision_json(decide(promoted, **everything))
    assert replay(stored(promoted, **everything), text) == []
    assert any(not difference.is_wording for difference in replay(stored(promoted), text))


@pytest.mark.parametrize(
    ("old", "new", "told", "is_wording"),
    [
        ('"n":5', '"n":6', "n: stored 6, now 5", False),
        ('"verdict":"promote"', '"verdict":"reject"', 'verdict: stored "reject", now "promote"', False),
        (
            '"reason":"all five criteria hold after 5 seeds"',
            '"reason":"Everything holds"',
            'reason: stored "Everything holds", now "all five criteria hold after 5 seeds"',
            True,
        ),
        ('"threshold":0.005,', '"threshold":0.01,', "improvement.threshold: stored 0.01, now 0.005", False),
        ('"threshold":0.005,', "", "improvement.threshold: stored null, now 0.005", False),
        ('"reason":"', '"more":1,"reason":"', "more: stored 1, now null", False),
    ],
)
def test_a_replay_tells_values_from_words(promoted, old, new, told, is_wording):
    text = decision_json(decide(promoted))
    assert old in text
    (difference,) = replay(stored(promoted), text.replace(old, new, 1))
    assert (str(difference), difference.is_wording) == (told, is_wording)


def test_the_words_of_a_criterion_are_words(promoted):
    decision = decide(promoted)
    rows = [row.model_copy(update={"reason": "so"}) for row in decision.criteria]
    found = replay(stored(promoted), decision_json(decision.model_copy(update={"criteria": rows})))
    assert [difference.place for difference in found] == [f"{row.name}.reason" for row in rows]
    assert all(difference.is_wording for difference in found)


def test_plain_evidence_replays_too(promoted):
    text = decision_json(decide(promoted))
    assert replay(promoted.model_dump_json(), text) == []
    with pytest.raises(InputError, match="stored evidence cannot be read"):
        replay('{"metric": "accuracy"}', text)
    for damaged in ("{}", "[]", "{", '{"criteria": [1]}'):
        with pytest.raises(InputError, match="stored decision cannot be read"):
            replay(stored(promoted), damaged)


def test_confirmation_refuses_seeds_of_the_test(promoted):
    with pytest.raises(InputError, match="was used by the test"):
        confirm(promoted, decide(promoted), promoted.candidate[:3])
    with pytest.raises(InputError, match="3 fresh trials"):
        confirm(promoted, decide(promoted), trials(np.random.default_rng(0), 0.84, 2, 500))


def test_confirmation_covers_the_truth_and_undoes_the_winners_curse():
    rng = np.random.default_rng(4)
    claimed, confirmed, covered, truths = [], [], [], []
    while len(claimed) < 150:
        truth = rng.uniform(0.004, 0.010)
        case = evidence(trials(rng, 0.82 + truth, 12, 100), trials(rng, 0.82, 10, 0))
        for look in (1, 3, 5, 8, 12):
            seen = case.model_copy(update={"candidate": case.candidate[:look]})
            decision = decide(seen)
            if decision.verdict.is_final:
                break
        if decision.verdict is not Verdict.PROMOTE:
            continue
        fresh = confirm(
            seen,
            decision,
            trials(rng, 0.82 + truth, 5, 500),
            control=trials(rng, 0.82, 10, 700),
        )
        claimed.append(fresh.claimed)
        confirmed.append(fresh.confirmed)
        covered.append(fresh.interval[0] <= truth <= fresh.interval[1])
        truths.append(truth)
    assert np.mean(claimed) > np.mean(truths) + 0.0005
    assert np.mean(confirmed) == pytest.approx(np.mean(truths), abs=0.0008)
    assert np.mean(covered) >= 0.9


def test_the_confirmed_score_and_sentence(promoted):
    fresh = trials(np.random.default_rng(2), 0.84, 5, 500)
    found = confirm(promoted, decide(promoted), fresh)
    assert found.score == pytest.approx(np.mean([t.metrics["accuracy"] for t in fresh]))
    assert found.score_interval[0] < found.score < found.score_interval[1]
    assert found.holds and "5 fresh seeds: holds" in found.sentence
    gone = confirm(promoted, decide(promoted), trials(np.random.default_rng(2), 0.82, 5, 500))
    assert not gone.holds and "not confirmed" in gone.sentence


def test_one_seed_may_stop_a_candidate_and_never_gives_it_a_role():
    rng = np.random.default_rng(3)
    control = trials(rng, 0.82, 10, 0)

    def verdict(*scores):
        candidate = [Observation(seed=100 + i, metrics={"accuracy": s}) for i, s in enumerate(scores)]
        return decide(evidence(candidate, control)).verdict

    roles = {Verdict.PROMOTE, Verdict.CHALLENGER}
    assert verdict(0.79) is Verdict.FUTILE
    assert verdict(0.99) not in roles and verdict(0.99, 0.991) not in roles
    assert verdict(0.84, 0.842, 0.839) is Verdict.PROMOTE
