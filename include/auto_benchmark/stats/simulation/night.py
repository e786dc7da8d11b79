"""What a benchmark can show, and what one night of the loop is likely to promote: the gate's test on simulated trials."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from auto_benchmark.stats.applicability import Array, NotApplicableError
from auto_benchmark.stats.looks import CAP
from auto_benchmark.stats.simulation.scenario import USUAL_EFFECTS, Effect, Scenario
from auto_benchmark.stats.simulation.sequential import Control, sequential_test
from auto_benchmark.stats.simulation.stream import Mask, Stream

STREAMS = 8000
POWER = 0.8
_HALVINGS = 14
"""Of the interval in which the smallest effect lies: to 1 / 16,384 of it, far below the error of the simulation."""
_PRECISE = 1.02
"""Ratio of items up to which their number is searched."""


@dataclass(frozen=True, slots=True)
class Night:
    """One night of experiments against one board. The noise is taken as known, and as normal.

    Attributes:
        sd: noise of one trial between seeds, in the metric's unit.
        threshold: promotion threshold, in the same unit.
        item_variance: of a difference of means, which seeds do not reduce; in the unit squared.
        control: production's trials.
        alpha: one-sided level of a hypothesis.
        hypotheses: tested one after the other.
        trials: that the night's budget pays.
        before: trials that a hypothesis costs before the gate, search and validation.
        effects: distribution of the hypotheses' true gains, in units of the larger of threshold and ``sd``: a project that
            asks for more than noise hopes for more, too.
    """

    sd: float
    threshold: float
    item_variance: float = 0.0
    control: int = 5
    alpha: float = 0.025
    hypotheses: int = 3
    trials: int = 400
    before: int = 42
    effects: tuple[Effect, ...] = USUAL_EFFECTS


@dataclass(frozen=True, slots=True)
class Outlook:
    """What to expect of a night.

    Attributes:
        smallest_effect: true gain that becomes significant with probability 0.8, in the metric's unit.
        at_threshold: probability that a true gain of exactly the threshold becomes significant.
        promotes: probability that at least one hypothesis is significant and estimated at the threshold or above.
        error: standard error of ``promotes`` by the number of simulated nights.
    """

    smallest_effect: float
    at_threshold: float
    promotes: float
    error: float

    def reaches(self, threshold: float) -> bool:
        """Whether a gain of the threshold's size can be shown."""
        return self.smallest_effect <= threshold


@cache
def outlook(night: Night) -> Outlook:
    """Simulate a night; the same night gives the same numbers.

    Raises:
        NotApplicableError: no noise between seeds, so that the gate has no test.
    """
    if not (night.sd > 0 and math.isfinite(night.sd) and night.control > 0):
        raise NotApplicableError("the seeds of a configuration give the same score: the gate cannot test anything")
    shown = _significance(night)
    promoted = _promoted(night)
    return Outlook(
        smallest_effect=night.sd * _smallest(shown),
        at_threshold=shown(night.threshold / night.sd),
        promotes=promoted,
        error=math.sqrt(promoted * (1 - promoted) / STREAMS),
    )


def items_reaching(night: Night, items: int) -> int | None:
    """Items with which a gain of the threshold's size is shown with probability 0.8, to two digits.

    Args:
        night: with the item variance that ``items`` items leave.
        items: of the gate now.

    Returns:
        None where no number suffices: the noise between seeds alone hides such a gain.
    """

    def suffice(count: float) -> bool:
        variance = night.item_variance * items / count
        return _significance(replace(night, item_variance=variance))(night.threshold / night.sd) >= POWER

    if not suffice(math.inf):
        return None
    low, high = 1.0, float(items)
    while not suffice(high):
        low, high = high, 2 * high
    while high / low > _PRECISE:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if suffice(middle) else (middle, high)
    unit: int = 10 ** max(0, math.floor(math.log10(high)) - 1)
    return math.ceil(high / unit) * unit


def _stream(night: Night, hypotheses: int, policy: str) -> Stream:
    luck, unit = math.sqrt(night.item_variance) / night.sd, max(1.0, night.threshold / night.sd)
    effects = tuple(Effect(effect.share, unit * effect.low, unit * effect.high) for effect in night.effects)
    return Stream(Scenario(hypotheses, STREAMS, effects, item_sd=luck, control_runs=night.control), policy)


def _significance(night: Night) -> Callable[[float], float]:
    """Probability of significance by the true gain in trial sds, from the same noise for every gain."""
    stream = _stream(night, 1, "night: power")
    control = Control.fresh(stream, night.control, np.ones(STREAMS))
    scores, _ = stream.candidate(0, CAP)
    noise = scores - stream.effects

    def shown(gain: float) -> float:
        return float(_test(night, noise + gain, control, least=0.0)[0].mean())

    return shown


def _smallest(shown: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    while shown(high) < POWER:
        low, high = high, 2 * high
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) >= POWER else (middle, high)
    return high


def _promoted(night: Night) -> float:
    stream = _stream(night, night.hypotheses, "night: promotions")
    control = Control.fresh(stream, night.control, np.ones(STREAMS))
    found, spent = np.zeros(STREAMS, bool), np.zeros(STREAMS)
    for hypothesis in range(night.hypotheses):
        scores, _ = stream.candidate(hypothesis, CAP)
        wins, seeds = _test(night, scores, control, least=night.threshold / night.sd)
        spent += night.before + seeds
        found |= wins & (spent <= night.trials)
    return float(found.mean())


def _test(night: Night, scores: Array, control: Control, *, least: float) -> tuple[Mask, Array]:
    wins, seeds, _ = sequential_test(
        scores,
        control,
        assumed_sd=1.0,
        item_variance=night.item_variance / night.sd**2,
        level=night.alpha,
        threshold=night.threshold / night.sd,
        least=least,
    )
    return wins, seeds
