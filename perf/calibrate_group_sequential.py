"""Constants of ``stats.group_sequential``: Monte Carlo over control sizes, the largest quantile kept.

Prints (level, constant) pairs; the repetitions give a standard error of about .004 at level .025.
"""

import math

import numpy as np

from auto_benchmark.stats.group_sequential import scaled_statistic
from auto_benchmark.stats.looks import CAP, LOOKS, PROMOTE_FROM

LEVELS = (0.10, 0.05, 0.025, 0.01, 0.005, 0.001)
REPETITIONS = 400_000
SEED = 20260301


def largest_statistic(control: int, repetitions: int, rng: np.random.Generator) -> np.ndarray:
    """Largest scaled statistic over the looks under no effect."""
    ours, theirs = rng.standard_normal((repetitions, CAP)), rng.standard_normal((repetitions, control))
    squares_theirs = theirs.var(axis=1) * control
    best = np.full(repetitions, -np.inf)
    for n in (look for look in LOOKS if look >= PROMOTE_FROM):
        df = n + control - 2
        variance = (ours[:, :n].var(axis=1) * n + squares_theirs) / df
        t = (ours[:, :n].mean(axis=1) - theirs.mean(axis=1)) / np.sqrt(variance * (1 / n + 1 / control))
        best = np.maximum(best, scaled_statistic(t, df, n))
    return best


def main() -> None:
    rng = np.random.default_rng(SEED)
    constants = np.zeros(len(LEVELS))
    for control in (3, 5, 8, 12, 40):
        best = largest_statistic(control, REPETITIONS, rng)
        found = np.quantile(best, [1 - level for level in LEVELS])
        print(control, np.round(found, 4))
        constants = np.maximum(constants, found)
    print(tuple((level, math.ceil(c * 1e3) / 1e3) for level, c in zip(LEVELS, constants, strict=True)))


if __name__ == "__main__":
    main()
