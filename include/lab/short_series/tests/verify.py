"""Series of several kinds; chance after the last value that is shown comes from a generator of its own."""

import math
import random
from itertools import pairwise

from harness import Candidate, Limits, Verifier, Wrong, python

SERIES, HORIZON, LARGEST = 300, 8, 1e9


class Verify(Verifier):
    build = python("forecast.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws what it does not see.
        shown, hidden = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        drawn = [series(shown, hidden) for _ in range(SERIES)]
        given = "".join(
            " ".join([str(period), *(f"{value:.2f}" for value in seen)]) + "\n" for period, seen, _ in drawn
        )
        lines = candidate.run(self.build, given.encode(), self.limits).decode("ascii", "replace").splitlines()
        if len(lines) != SERIES:
            raise Wrong(f"printed {len(lines)} lines instead of {SERIES}", "format")
        forecasts = [numbers(at, line) for at, line in enumerate(lines, 1)]
        candidate.note("format")
        return math.fsum(error(seen, after, said) for (_, seen, after), said in zip(drawn, forecasts)) / SERIES


def series(shown: random.Random, hidden: random.Random) -> tuple[int, list[float], list[float]]:
    """Period, values that are shown, values that come after."""
    period = shown.choice([1, 4, 7, 12])
    size = shown.randint(max(20, 2 * period), max(30, 5 * period))
    noise, level = 10 ** shown.uniform(0, 1.5), shown.uniform(-500, 500)
    trend, damping = shown.choice([0, 1]) * shown.gauss(0, 0.6) * noise, shown.choice([1, 1, 0.9])
    wander, echo = shown.choice([0, 0, 0.5, 1]) * noise, shown.choice([0, 0, 0.6])
    height = shown.choice([0, 2, 4]) * noise if period > 1 else 0
    season = [height * shown.gauss(0, 1) for _ in range(period)]
    jump, far = (shown.randrange(5, size - 5) if shown.random() < 0.3 else -1), shown.choice([0, 0.05])
    values, last = [], 0.0
    for at in range(size + HORIZON):
        chance = shown if at < size else hidden
        level += trend + wander * chance.gauss(0, 1) + (chance.choice([-6, 6]) * noise if at == jump else 0)
        trend *= damping
        last = echo * last + noise * chance.gauss(0, 1)
        off = chance.choice([-8, 8]) * noise if at < size and chance.random() < far else 0
        values.append(level + season[at % period] + last + off)
    return period, values[:size], values[size:]


def numbers(at: int, line: str) -> list[float]:
    try:
        found = [float(word) for word in line.split()]
    except ValueError:
        raise Wrong(f"line {at} is not numbers", "format") from None
    if len(found) != HORIZON or not all(abs(value) < LARGEST for value in found):  # NaN is not below anything
        raise Wrong(f"line {at} is not {HORIZON} numbers between -{LARGEST:g} and {LARGEST:g}", "format")
    return found


def error(seen: list[float], after: list[float], said: list[float]) -> float:
    """Mean absolute scaled error of one forecast."""
    scale = math.fsum(abs(new - old) for old, new in pairwise(seen)) / (len(seen) - 1)
    return math.fsum(abs(value - guess) for value, guess in zip(after, said)) / HORIZON / scale
