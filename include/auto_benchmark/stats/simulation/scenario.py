"""A scenario: what effects a stream of hypotheses has and how trials scatter."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Distribution = Literal["normal", "t3", "gamma2"]
SHARE_SD_LIMIT = 0.5
"""No variable between 0 and 1 has a larger standard deviation (Popoviciu 1935)."""
REFERENCE_SD = 0.004
"""Standard deviation of one trial of a share metric where the scenario counts in standard deviations."""


@dataclass(frozen=True, slots=True)
class Effect:
    """A share of the hypotheses and their true effect, uniform between ``low`` and ``high``, in trial sds."""

    share: float
    low: float
    high: float


USUAL_EFFECTS = (Effect(0.60, 0.0, 0.0), Effect(0.25, -3.0, -0.5), Effect(0.15, 0.5, 2.5))
"""Of the scenario of sixty hypotheses: 60 % without effect, 25 % harmful, 15 % good."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """Everything is in standard deviations of one production trial.

    Attributes:
        hypotheses: length of a stream.
        repetitions: number of independent streams.
        effects: mixture whose shares add up to one.
        distribution: noise of one trial, scaled to mean 0 and variance 1: normal, Student's t with 3 degrees of
            freedom, or gamma with shape 2.
        assumed_sd: what the gate believes the standard deviation to be.
        candidate_sd: standard deviation of candidates, and of production after one of them was promoted.
        item_sd: item luck of one candidate against production; fresh seeds do not average it out.
        control_runs: production trials before the stream starts and after each promotion.
        defense_runs: production trials added per hypothesis.
        seed: of the generator.
    """

    hypotheses: int
    repetitions: int
    effects: tuple[Effect, ...]
    distribution: Distribution = "normal"
    assumed_sd: float = 1.0
    candidate_sd: float = 1.0
    item_sd: float = 0.0
    control_runs: int = 10
    defense_runs: int = 1
    seed: int = 1


def item_sd(items: int, discordance: float, sd: float) -> float:
    """Item luck in trial sds: sqrt(discordance / items) / sd.

    A scenario with ``sd`` above 0.5 cannot mean a share metric and counts in trial sds; then one trial's sd is taken
    to be 0.004 of the share, the value of reference/statistics.md.
    """
    share_sd = sd if sd <= SHARE_SD_LIMIT else REFERENCE_SD
    return math.sqrt(discordance / items) / share_sd
