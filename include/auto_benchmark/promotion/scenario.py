"""The scenario file of ``stats simulate`` (shape: reference scenario of sixty hypotheses)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

from pydantic import Field, model_validator

from auto_benchmark.documents import Path, Strict
from auto_benchmark.registry.names import Count, Number, Positive, Share
from auto_benchmark.stats.simulation.run import POLICIES
from auto_benchmark.stats.simulation.scenario import Effect, Scenario, item_sd

LARGEST_SIMULATION = 20_000_000


class EffectShare(Strict):
    """A share of the hypotheses with one true effect, or effects uniform between two values, in trial sds."""

    share: Share
    delta: Number | None = None
    uniform: tuple[Number, Number] | None = None

    @model_validator(mode="after")
    def _one_of_two(self) -> EffectShare:
        if (self.delta is None) == (self.uniform is None):
            raise ValueError("give delta or uniform, one of them")
        if self.uniform is not None and self.uniform[0] > self.uniform[1]:
            raise ValueError("uniform must be [low, high]")
        return self

    def effect(self) -> Effect:
        """The same for the simulation."""
        low, high = self.uniform or (self.delta or 0.0, self.delta or 0.0)
        return Effect(self.share, low, high)


class NoiseShape(Strict):
    """Noise of one trial; ``assumed_sd`` is what the gate believes, ``candidate_sd`` the candidates' own."""

    distribution: Literal["normal", "t3", "gamma2"] = "normal"
    sd: Positive = 1.0
    assumed_sd: Positive | None = None
    candidate_sd: Positive | None = None


class ItemShape(Strict):
    """Test items and the share of them on which a candidate persistently differs from production."""

    n: Count
    discordance: Share


class ScenarioFile(Strict):
    """The whole file."""

    hypotheses: Count = Field(default=60, le=10_000)
    repetitions: Count = Field(default=2000, le=1_000_000)
    effects: list[EffectShare] = Field(min_length=1)
    noise: NoiseShape = NoiseShape()
    items: ItemShape | None = None
    control_runs: Count = 10
    defense_runs_per_hypothesis: int = Field(default=1, ge=0, le=1000, strict=True)
    policies: list[str] = Field(default=list(POLICIES), min_length=1)

    def problems(self) -> Iterator[tuple[Path, str]]:
        """Shares that do not add up, too many streams, unknown policies, policies named twice."""
        total = math.fsum(effect.share for effect in self.effects)
        if abs(total - 1) > 1e-6:
            yield ("effects",), f"the shares add up to {total:g}, not to 1"
        if self.hypotheses * self.repetitions > LARGEST_SIMULATION:
            yield (
                ("repetitions",),
                f"hypotheses x repetitions may be {LARGEST_SIMULATION:,} at most, to fit in memory",
            )
        for i, name in enumerate(self.policies):
            if name not in POLICIES:
                yield ("policies", i), f"no policy is called {name!r}; there are {', '.join(POLICIES)}"
            elif name in self.policies[:i]:
                yield ("policies", i), f"policy {name!r} is given twice"

    def scenario(self) -> Scenario:
        """The same in standard deviations of one production trial."""
        sd = self.noise.sd
        return Scenario(
            hypotheses=self.hypotheses,
            repetitions=self.repetitions,
            effects=tuple(effect.effect() for effect in self.effects),
            distribution=self.noise.distribution,
            assumed_sd=(self.noise.assumed_sd or sd) / sd,
            candidate_sd=(self.noise.candidate_sd or sd) / sd,
            item_sd=item_sd(self.items.n, self.items.discordance, sd) if self.items else 0.0,
            control_runs=self.control_runs,
            defense_runs=self.defense_runs_per_hypothesis,
        )
