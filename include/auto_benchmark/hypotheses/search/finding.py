"""What a search without a promotion can say: how much was tried, and how far its best is from noise.

The best of many candidates looks good by construction. Its interval therefore holds for all candidates at once
(Bonferroni), and a candidate that the gate has judged counts with the gate's items, not with those that chose it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from auto_benchmark.hypotheses.search.results import Tried, pooled_sd, results_of
from auto_benchmark.registry.solution import Params

LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Refused:
    """A change of the base that the gate did not take.

    Attributes:
        params: the whole configuration.
        seeds: trials that the gate saw.
        gain: its estimate; ``half_width``: of the 95 % interval. Both None where no test was possible.
    """

    params: Params
    seeds: int
    gain: float | None = None
    half_width: float | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """Nothing better than the base was found.

    Attributes:
        trials: on the search split, and of candidates at the gate.
        configurations: other than the base, on the search split.
        refused: changes that the gate has judged.
        waiting: changes that still wait for the gate.
        gain: of the best candidate, in the metric's unit, positive is better.
        interval: of that gain, 95 % for all candidates together; None where the noise is unknown.
        split: on which the best candidate was measured.
        of_challenger: the base is not production but a challenger.
    """

    trials: int
    configurations: int
    refused: int
    waiting: int
    gain: float
    interval: tuple[float, float] | None
    split: str
    of_challenger: bool = False

    @property
    def within_noise(self) -> bool:
        """Whether luck alone explains the best candidate."""
        return self.interval is not None and self.interval[0] <= 0 <= self.interval[1]

    @property
    def sentence(self) -> str:
        """``nothing found: 62 trials …; best candidate within noise: +0.0012 (…)``."""
        measured = f"{self.gain:+.4f} on the {self.split} split"
        if self.interval is None:
            best = f"best candidate {measured}, its noise is unknown"
        else:
            where = "within noise" if self.within_noise else f"beyond noise, {self._why_not}"
            if self.interval[1] < 0:
                where = "worse than what we have"
            low, high = self.interval
            best = f"best candidate {where}: {measured} (95 % interval {low:+.4f} to {high:+.4f})"
        waits = f"; {self.waiting} more wait for the gate" if self.waiting else ""
        beyond = " beyond the challenger" if self.of_challenger else ""
        return (
            f"nothing found{beyond}: {self.trials} trials, {self.configurations} configurations searched, "
            f"{self.refused} judged by the gate and none better; {best}{waits}"
        )

    @property
    def _why_not(self) -> str:
        return "but short of a promotion" if self.split == "gate" else "but not judged by the gate"


def nothing_better(
    base: Params,
    tried: Sequence[Tried],
    refused: Sequence[Refused],
    *,
    waiting: int = 0,
    of_challenger: bool = False,
) -> Finding | None:
    """What is known about ``base`` when nothing has replaced it; None before anything was compared with it."""
    judged = [each for each in refused if each.gain is not None and each.half_width is not None]
    rest = [each for each in tried if each.scores and each.params != base]
    if judged:
        best = max(judged, key=lambda each: each.gain or 0.0)
        gain, split = best.gain or 0.0, "gate"
        half = (best.half_width or 0.0) * _widened(len(judged))
    else:
        home = results_of(tried, base)
        if home is None or not home.scores or not rest:
            return None
        top = max(rest, key=lambda each: each.mean)
        gain, split = top.mean - home.mean, "search"
        spread = pooled_sd(tried) * (1 / len(top.scores) + 1 / len(home.scores)) ** 0.5
        half = NormalDist().inv_cdf(1 - LEVEL / 2) * _widened(len(rest)) * spread
    return Finding(
        trials=sum(len(each.scores) for each in tried) + sum(each.seeds for each in refused),
        configurations=len(rest),
        refused=len(refused),
        waiting=waiting,
        gain=gain,
        interval=(gain - half, gain + half) if half > 0 else None,
        split=split,
        of_challenger=of_challenger,
    )


def _widened(candidates: int) -> float:
    """By how much an interval for one candidate grows when it is to hold for all of them."""
    normal = NormalDist()
    return normal.inv_cdf(1 - LEVEL / 2 / candidates) / normal.inv_cdf(1 - LEVEL / 2)
