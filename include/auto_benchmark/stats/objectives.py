"""Objectives of a constructed benchmark from the answers of a panel of candidates; right or wrong, item by item.

The objectives are those of Li et al., arXiv 2407.08351: difficulty, separability, novelty, and safety. Their own forms
choose and report on the same items and are biased by that; here one half of the items chooses and the other reports,
what noise alone would show is subtracted as a floor, and every value has an interval. The paper's form stands beside
each as ``paper_form``.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from auto_benchmark.stats.applicability import Array, NotApplicableError
from auto_benchmark.stats.intervals import Interval, wilson_interval

Right = NDArray[np.bool_]
"""(candidates, items) whether a candidate's answer is right."""
MORE_CANDIDATES_THAN_BOARDS = 5
LEAST_RELIABILITY = 0.2
PERMUTATIONS = 200
DRAWS = 4000
SEPARABLE_AT = 0.04
"""Level of the test of separability: a little strict, since its distribution is known for many items only."""


@dataclass(frozen=True, slots=True)
class Objective:
    """One measured objective.

    Attributes:
        value: by the corrected form.
        interval: 95 %.
        floor: what noise alone shows, already subtracted from ``value``; None where the form needs none.
        paper_form: by the form of arXiv 2407.08351, on the same items.
    """

    value: float
    interval: Interval
    floor: float | None = None
    paper_form: float | None = None


@dataclass(frozen=True, slots=True)
class Separability(Objective):
    """Separability, and whether any candidate differs from the panel's mean.

    Attributes:
        p_value: of "all candidates are equally good", over all candidates together.
        is_separable: whether that is refuted at :data:`SEPARABLE_AT`.
    """

    p_value: float = 1.0

    @property
    def is_separable(self) -> bool:
        """Whether the items tell any candidate from the others."""
        return self.p_value <= SEPARABLE_AT


def difficulty(choosing: Right, reporting: Right) -> Objective:
    """Share of items that the best candidate gets wrong: found on one half, measured on the other.

    The maximum over candidates on the same items is biased towards easy: noise makes somebody best. Where candidates are
    close, another one may be the best; its error is lower still. So the interval's lower end is the lowest of all
    candidates that half A does not tell from its best by more than one standard error.

    Args:
        choosing: (candidates, items) of half A.
        reporting: (candidates, items) of half B, the same candidates.

    Raises:
        NotApplicableError: a half without items, or no candidate.
    """
    for half in (choosing, reporting):
        _checked(half, candidates=1, items=1)
    best = int(choosing.mean(axis=1).argmax())
    wrong, n = int((~reporting[best]).sum()), reporting.shape[1]
    behind = choosing[best].astype(float) - choosing
    as_good = behind.mean(axis=1) <= behind.std(axis=1) / math.sqrt(choosing.shape[1])
    fewest = int((~reporting[as_good]).sum(axis=1).min())
    interval = wilson_interval(min(wrong, fewest), n)[0], wilson_interval(wrong, n)[1]
    paper = 1 - float(np.concatenate([choosing, reporting], axis=1).mean(axis=1).max())
    return Objective(wrong / n, interval, None, paper)


def separability(right: Right, *, seed: int = 0) -> Separability:
    """Mean distance of the candidates' accuracies from their mean, minus its floor.

    The floor permutes the candidates' labels within every item, so that nobody is better than anybody. Whether there is
    a difference at all is asked by the largest deviation in units of its standard error, against a multivariate t
    distribution with the deviations' own correlations: candidates that err together, copies among them, are no evidence.
    The interval is the jackknife's over items; near the floor it is approximate.

    Args:
        right: (candidates, items), items independent of each other.
        seed: of permutations and draws.

    Raises:
        NotApplicableError: fewer than two candidates or ten items.
    """
    _checked(right, candidates=2, items=10)
    n = right.shape[1]
    rng = np.random.default_rng(seed)
    x = right.astype(float)
    paper = float(_spread(x.mean(axis=1)))
    shuffled = np.stack([rng.permuted(x, axis=0).mean(axis=1) for _ in range(PERMUTATIONS)])
    floor = float(_spread(shuffled, axis=1).mean())
    without = _spread((x.sum(axis=1, keepdims=True) - x) / (n - 1), axis=0)
    error = math.sqrt((n - 1) / n * float(((without - without.mean()) ** 2).sum()))
    half = float(stats.t.ppf(0.975, n - 1)) * error
    value = paper - floor
    return Separability(value, (value - half, value + half), floor, paper, p_value=equality_p_value(right, seed=seed))


def equality_p_value(right: Right, *, seed: int = 0) -> float:
    """P value of "all candidates are equally good", as :func:`separability` has it.

    Raises:
        NotApplicableError: fewer than two candidates or ten items.
    """
    _checked(right, candidates=2, items=10)
    rng = np.random.default_rng(seed + 1)
    return _largest_deviation(right.astype(float), right.shape[0], right.shape[1], rng)


def _spread(accuracies: Array, axis: int = 0) -> Array:
    centred = accuracies - accuracies.mean(axis=axis, keepdims=True)
    return np.asarray(np.abs(centred).mean(axis=axis))


def _largest_deviation(x: Array, m: int, n: int, rng: np.random.Generator) -> float:
    deviations = x - x.mean(axis=0, keepdims=True)
    mean, error = deviations.mean(axis=1), deviations.std(axis=1, ddof=1) / math.sqrt(n)
    varies = error > 1e-12
    if (np.abs(mean[~varies]) > 1e-12).any():
        return 1 / (DRAWS + 1)  # the same difference on every item
    if not varies.any():
        return 1.0
    largest = float(np.abs(mean[varies] / error[varies]).max())
    correlation = np.atleast_2d(np.corrcoef(deviations[varies]))
    values, vectors = np.linalg.eigh(correlation)
    normal = rng.standard_normal((DRAWS, len(values))) @ (vectors * np.sqrt(values.clip(min=0))).T
    scale = np.sqrt(rng.chisquare(n - 1, (DRAWS, 1)) / (n - 1))
    above = int((np.abs(normal / scale).max(axis=1) >= largest).sum())
    return (above + 1) / (DRAWS + 1)


def reliability(one: Right, other: Right) -> float:
    """Reliability of the accuracies over both halves together (Spearman 1910, Brown 1910).

    Raises:
        NotApplicableError: accuracies of a half that do not differ.
    """
    a, b = one.mean(axis=1), other.mean(axis=1)
    if np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        raise NotApplicableError("all candidates are equally good on a half of the items")
    r = float(np.corrcoef(a, b)[0, 1])
    return max(0.0, 2 * r / (1 + r)) if r > -1 else 0.0


def novelty(one: Right, other: Right, boards: Array, board_items: Sequence[int], *, seed: int = 0) -> Objective:
    """How little the candidates' order follows from earlier boards.

    1 - rank correlation between accuracies and their linear prediction from the boards, each candidate predicted by a
    line through the others, corrected for both reliabilities (Spearman 1904); minus the same of parallel forms of the
    boards themselves, which noise and the left-out lines alone make look new. The interval is Fisher's, with Fieller's
    factor 1.06 for ranks; it takes reliabilities and floor as known.

    Args:
        one: (candidates, items) of half A.
        other: (candidates, items) of half B.
        boards: (candidates, boards) shares on earlier boards.
        board_items: number of items of each board.
        seed: of the parallel forms.

    Raises:
        NotApplicableError: fewer candidates than boards + 5, or accuracies that are mostly noise.
    """
    m, k = boards.shape
    if one.shape[0] != m or other.shape[0] != m:
        raise NotApplicableError("boards and items know different candidates")
    if m < k + MORE_CANDIDATES_THAN_BOARDS:
        raise NotApplicableError(
            f"{m} candidates are too few for {k} boards: {k + MORE_CANDIDATES_THAN_BOARDS} needed"
        )
    own = reliability(one, other)
    theirs = _board_reliability(boards, board_items)
    if own < LEAST_RELIABILITY or theirs < LEAST_RELIABILITY:
        raise NotApplicableError(
            f"accuracies are mostly noise: reliability {own:.2f} here, {theirs:.2f} of the boards"
        )
    v = np.concatenate([one, other], axis=1).mean(axis=1)
    r = _predicted_rank_correlation(v, boards)
    scale = math.sqrt(own * theirs)
    floor = _parallel_floor(boards, board_items, one.shape[1] + other.shape[1], np.random.default_rng(seed))
    half = 1.96 * math.sqrt(1.06 / (m - 3))
    z = math.atanh(min(max(r, -0.999), 0.999))
    low, high = (1 - min(math.tanh(z + s * half) / scale, 1.0) - floor for s in (1, -1))
    paper = 1 - _rank_correlation(v, _fitted(v, boards))
    return Objective(1 - min(r / scale, 1.0) - floor, (low, high), floor, paper)


def _board_reliability(boards: Array, items: Sequence[int]) -> float:
    noise = (boards * (1 - boards) / np.asarray(items, float)).mean(axis=0)
    spread = boards.var(axis=0, ddof=1)
    known = np.where(spread > 1e-12, 1 - noise / np.maximum(spread, 1e-12), 0.0)
    return float(known.clip(0, 1).mean())


def _design(boards: Array) -> Array:
    return np.column_stack([np.ones(len(boards)), boards])


def _fitted(v: Array, boards: Array) -> Array:
    x = _design(boards)
    return np.asarray(x @ np.linalg.pinv(x) @ v)


def _predicted_rank_correlation(v: Array, boards: Array) -> float:
    """Rank correlation of accuracies and left-out predictions, both as distances from the others' mean.

    Without that, a prediction that knows nothing is the others' mean, which falls where the left-out value rises.
    """
    x, m = _design(boards), len(v)
    hat = x @ np.linalg.pinv(x)
    predicted = v - (v - hat @ v) / np.maximum(1 - np.diag(hat), 1e-9)
    others = (v.sum() - v) / (m - 1)
    return _rank_correlation(v - others, predicted - others)


def _rank_correlation(a: Array, b: Array) -> float:
    if np.ptp(a) < 1e-12 or np.ptp(b) < 1e-12:
        return 0.0
    return float(stats.spearmanr(a, b).statistic)


def _parallel_floor(boards: Array, items: Sequence[int], n: int, rng: np.random.Generator, forms: int = 100) -> float:
    found = []
    for form in range(forms):
        again = rng.binomial(np.asarray(items), boards) / np.asarray(items, float)
        k = form % boards.shape[1]
        parallel = rng.binomial(n, boards[:, k]) / n
        own = 1 - float((parallel * (1 - parallel)).mean()) / n / max(float(parallel.var(ddof=1)), 1e-12)
        scale = math.sqrt(max(own, LEAST_RELIABILITY) * max(_board_reliability(again, items), LEAST_RELIABILITY))
        found.append(1 - min(_predicted_rank_correlation(parallel, again) / scale, 1.0))
    return float(np.mean(found))


def share(events: NDArray[np.bool_]) -> Objective:
    """A share with its interval: successful attacks, refused harmless twins, items with an answer accepted.

    Raises:
        NotApplicableError: nothing to count.
    """
    n = int(events.size)
    return Objective(float(events.mean()) if n else 0.0, wilson_interval(int(events.sum()), n))


def pareto_front(points: Array) -> list[int]:
    """Rows that no other row beats in one column without losing in another; larger is better in every column."""
    as_good = np.all(points[None] >= points[:, None], axis=2)
    better = np.any(points[None] > points[:, None], axis=2)
    beaten = np.any(as_good & better, axis=1)
    return [int(i) for i in np.flatnonzero(~beaten)]


def _checked(right: Right, *, candidates: int, items: int) -> None:
    if right.ndim != 2 or right.shape[0] < candidates or right.shape[1] < items:
        raise NotApplicableError(
            f"at least {candidates} candidates and {items} items are needed, there are {right.shape}"
        )
