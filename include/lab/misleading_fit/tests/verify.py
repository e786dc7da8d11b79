"""Sensors whose measurements are contaminated, cut off, drifting and unevenly spread; judged on the true curves."""

import math
import random

from harness import Candidate, Limits, Verifier, Wrong, python

SENSORS, MEASURED, PLACES, LOWEST, WORST = 60, 40, 11, 1.0, 3.0


class Verify(Verifier):
    build = python("fit.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        key = rng.getrandbits(64)
        # What a program sees must not tell the state of the generator that draws what it does not see.
        shown, hidden = random.Random(f"{key} shown"), random.Random(f"{key} hidden")
        drawn = [sensor(shown, hidden) for _ in range(SENSORS)]
        given = "".join(f"{line}\n" for line, _ in drawn).encode()
        lines = candidate.run(self.build, given, self.limits).decode("ascii", "replace").splitlines()
        if len(lines) != SENSORS:
            raise Wrong(f"printed {len(lines)} lines instead of {SENSORS}", "format")
        said = [numbers(at, line) for at, line in enumerate(lines, 1)]
        candidate.note("format")
        errors = [min(WORST, abs(a - b)) for (_, right), found in zip(drawn, said) for a, b in zip(right, found)]
        return max(1e-6, math.fsum(errors) / len(errors))


def sensor(shown: random.Random, hidden: random.Random) -> tuple[str, list[float]]:
    """The line that is shown, and the true curve at the places."""
    floor, height = hidden.uniform(0, 2), hidden.uniform(3, 8)
    middle, width = hidden.uniform(2.5, 5.5), hidden.uniform(0.5, 1.5)
    noise, off, share = (
        hidden.uniform(0.05, 0.25),
        hidden.choice([-1, 1]) * hidden.uniform(2, 5),
        hidden.uniform(0.1, 0.3),
    )
    drift = hidden.choice([0, 1]) * hidden.uniform(-2, 2)

    def curve(x: float) -> float:
        return floor + height / (1 + math.exp(-(x - middle) / width))

    pairs = []
    for at in range(MEASURED):
        x = round(10 * shown.betavariate(1.2, 2.2), 2)
        y = curve(x) + hidden.gauss(0, noise) + drift * at / (MEASURED - 1)
        y += off * hidden.uniform(0.6, 1.4) if hidden.random() < share else 0
        pairs.append(f"{x}:{max(LOWEST, y):.3f}")
    places = [10 * at / (PLACES - 1) for at in range(PLACES)]
    return " ".join(pairs) + " ? " + " ".join(map(str, places)), [curve(x) for x in places]


def numbers(at: int, line: str) -> list[float]:
    try:
        found = [float(word) for word in line.split()]
    except ValueError:
        raise Wrong(f"line {at} is not numbers", "format") from None
    if len(found) != PLACES or not all(math.isfinite(value) for value in found):
        raise Wrong(f"line {at} is not {PLACES} finite numbers", "format")
    return found
