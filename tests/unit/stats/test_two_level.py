"""Items and seeds: the estimate of item noise against simulated truth."""

import numpy as np
import pytest

from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.bootstrap import clustered_interval
from auto_benchmark.stats.two_level import item_noise


def simulate(rng, *, seeds=5, control=10, items=800, persistent=0.05):
    """Right/wrong items: a share of them persistently differs, the rest flickers with the seed."""
    easy = rng.uniform(0.7, 0.95, items)
    shift = np.where(rng.random(items) < persistent, rng.choice([-1.0, 1.0], items), 0.0)
    ours = rng.random((seeds, items)) < np.clip(easy + 0.9 * shift, 0, 1)
    theirs = rng.random((control, items)) < easy
    return ours.astype(float), theirs.astype(float), np.clip(easy + 0.9 * shift, 0, 1) - easy


def test_item_variance_is_unbiased_whatever_the_seeds():
    rng = np.random.default_rng(2)
    for seeds in (2, 5):
        found, truth = [], []
        for _ in range(80):
            ours, theirs, difference = simulate(rng, seeds=seeds)
            found.append(item_noise(ours, theirs).variance)
            truth.append(difference.var(ddof=1) / difference.size)
        assert np.mean(found) == pytest.approx(np.mean(truth), rel=0.07)


def test_one_seed_errs_towards_caution():
    ours, theirs, difference = simulate(np.random.default_rng(4), seeds=1)
    assert item_noise(ours, theirs).variance > difference.var() / difference.size


def test_right_wrong_items_give_the_discordance():
    items = 1000
    theirs = np.tile(np.arange(items) % 2, (3, 1)).astype(float)
    ours = theirs.copy()
    ours[:, :50] = 1 - ours[:, :50]
    noise = item_noise(ours, theirs)
    assert noise.discordance == pytest.approx(0.05, rel=1e-2)
    assert noise.variance == pytest.approx(0.05 / items, rel=1e-2)
    assert noise.variance_at(4000) == pytest.approx(noise.variance / 4)


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (np.ones((2, 3)), np.ones((2, 4))),
        (np.ones((2, 1)), np.ones((2, 1))),
        (np.full((2, 3), np.nan), np.ones((2, 3))),
    ],
)
def test_tables_that_do_not_fit_are_refused(ours, theirs):
    with pytest.raises(NotApplicableError):
        item_noise(ours, theirs)


def test_clustered_bootstrap_is_wider_than_independent_items():
    rng = np.random.default_rng(9)
    clusters = [f"c{i // 20}" for i in range(600)]
    common = np.repeat(rng.normal(0, 0.3, 30), 20)
    ours = common + rng.normal(0, 0.1, (4, 600))
    theirs = rng.normal(0, 0.1, (4, 600))
    clustered = clustered_interval(ours, theirs, clusters, resamples=400)
    single = clustered_interval(ours, theirs, [f"i{i}" for i in range(600)], resamples=400)
    assert clustered[1] - clustered[0] > 2 * (single[1] - single[0])
    with pytest.raises(NotApplicableError, match="clusters"):
        clustered_interval(ours, theirs, ["one"] * 600)


def test_clustered_bootstrap_covers_the_truth():
    rng = np.random.default_rng(12)
    clusters = [f"c{i // 5}" for i in range(300)]
    covered = 0
    for _ in range(60):
        common = np.repeat(rng.normal(0.1, 0.3, 60), 5)
        low, high = clustered_interval(
            common + rng.normal(0, 0.2, (8, 300)), rng.normal(0, 0.2, (8, 300)), clusters, resamples=150
        )
        covered += low <= 0.1 <= high
    assert covered >= 52
