"""The classical rule: a paired two-sided t test at p < .05 over a fixed number of seeds, control trials cached.

After a promotion the winner's own trials become the control, as the three-seed rule does; that they were selected is
part of what the simulation shows.
"""

from __future__ import annotations

import numpy as np
from scipy import stats

from auto_benchmark.stats.simulation.stream import Ledger, Stream


def _paired_rule(stream: Stream, seeds: int) -> Ledger:
    ledger = Ledger(stream)
    critical = float(stats.t.ppf(0.975, seeds - 1))
    control = stream.noise(seeds)
    ledger.trials += seeds
    for h in range(stream.scenario.hypotheses):
        scores, centre = stream.candidate(h, seeds)
        ledger.trials += seeds
        differences = scores - control
        mean, error = differences.mean(axis=1), differences.std(axis=1, ddof=1) / np.sqrt(seeds)
        promoted = mean > critical * error
        ledger.promote(h, promoted, mean)
        control = np.where(promoted[:, None], scores - centre[:, None], control)
    return ledger


def seed_rule_n3(stream: Stream) -> Ledger:
    """Three seeds."""
    return _paired_rule(stream, 3)


def fixed_n10(stream: Stream) -> Ledger:
    """Ten seeds."""
    return _paired_rule(stream, 10)
