"""Forecasts eight values of each series: cleaned, seasonally adjusted, then the mean of three smoothings.

Values that are far off are drawn in to a running median (Hampel's filter). The season is the median of what is left after
a moving average, shrunk by how much of the variance it explains. The adjusted series is continued by exponential smoothing
with a damped trend; its two constants are chosen on the series by the error one step ahead.
"""

import sys
from itertools import product
from statistics import fmean, median

HORIZON = 8
FAR = 3.0
DAMPING = 0.9
LEVELS = (0.1, 0.2, 0.35, 0.55, 0.8)
TRENDS = (0.0, 0.05, 0.15)


def cleaned(values: list[float], reach: int = 3) -> list[float]:
    """Values that are far from the median of their neighbours, replaced by it."""
    middle = [median(values[max(0, at - reach) : at + reach + 1]) for at in range(len(values))]
    apart = [abs(value - centre) for value, centre in zip(values, middle)]
    width = 1.4826 * median(apart) or 1e-9
    return [centre if far > FAR * width else value for value, centre, far in zip(values, middle, apart)]


def seasonal(values: list[float], period: int) -> list[float]:
    """What each place of the period adds, shrunk to nothing where it explains little."""
    if period == 1:
        return [0.0]
    half = period // 2
    rest: list[list[float]] = [[] for _ in range(period)]
    for at in range(half, len(values) - half):
        around = values[at - half : at + half + 1]
        mean = fmean(around) if period % 2 else (sum(around) - (around[0] + around[-1]) / 2) / period
        rest[at % period].append(values[at] - mean)
    raw = [median(each) if each else 0.0 for each in rest]
    raw = [value - fmean(raw) for value in raw]
    left = [value - raw[place] for place, each in enumerate(rest) for value in each]
    within = fmean(value * value for value in left) * len(left) / max(1, len(left) - period)
    between = fmean(value * value for value in raw)
    count = len(left) / period
    share = max(0.0, 1 - within / count / between) if between else 0.0
    return [share * value for value in raw]


def smoothed(values: list[float], alpha: float, beta: float, damping: float) -> tuple[float, float, float]:
    """Level and trend at the end, and the mean absolute error one step ahead."""
    first = min(8, len(values))
    level, trend = fmean(values[: first // 2]), 0.0
    errors = 0.0
    for value in values:
        expected = level + damping * trend
        errors += abs(value - expected)
        level, old = alpha * value + (1 - alpha) * expected, level
        trend = beta * (level - old) + (1 - beta) * damping * trend
    return level, trend, errors / len(values)


def forecast(values: list[float], period: int) -> list[float]:
    """The next eight values."""
    season = seasonal(cleaned(values, max(3, period // 2)) if period == 1 else values, period)
    adjusted = cleaned([value - season[at % period] for at, value in enumerate(values)])
    tried = sorted(
        (smoothed(adjusted, a, b, DAMPING) for a, b in product(LEVELS, TRENDS)), key=lambda found: found[2]
    )[:3]
    ahead = []
    for step in range(1, HORIZON + 1):
        reach = sum(DAMPING**k for k in range(1, step + 1))
        ahead.append(fmean(level + reach * trend for level, trend, _ in tried))
    return [value + season[(len(values) + step) % period] for step, value in enumerate(ahead)]


for line in sys.stdin:
    period, *values = line.split()
    print(*(f"{value:.4f}" for value in forecast([float(value) for value in values], int(period))))
