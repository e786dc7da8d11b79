"""Trains by the recipes that the program prints, counts multiply-adds, and judges on rows that it has not seen."""

import math
import random
from statistics import fmean, pvariance

from harness import Candidate, Limits, Verifier, Wrong, python

SETS, ROWS, FRESH, INPUTS, BUDGET, HUGE = 3, 600, 1_000, 4, 4_000_000, 1e100
RANGES = {"spread": (1e-9, 1e9), "centre": (-1e9, 1e9), "width": (1, 64), "scale": (0, 10), "batch": (1, ROWS),
          "rate": (0, 10), "last_rate": (0, 10), "momentum": (0, 0.999)} | {
          f"{name} {at}": (-1e6, 1e6) for name in ("shift", "factor") for at in range(INPUTS)}  # fmt: skip
ROW_COST = 100
"""Multiply-adds that a row costs besides those of the hidden units: a very narrow network is not for free."""
Row = list[float]


class Verify(Verifier):
    build = python("recipe.py")
    limits = Limits(seconds=10, memory_mb=512, output_mb=1)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        candidate.build(self.build)
        total = 0.0
        for _ in range(SETS):
            truth = target(rng)
            scales = [(rng.gauss(0, 1) * 10 ** (e := rng.uniform(-2, 3)), 10**e) for _ in range(INPUTS)]
            rows = [[rng.gauss(0, 1) for _ in range(INPUTS)] for _ in range(ROWS + FRESH)]
            size = 10 ** rng.uniform(-1, 3)
            right = [size * truth(row) for row in rows]
            noisy = [y + 0.1 * size * rng.gauss(0, 1) for y in right[:ROWS]]
            shown = [[a + b * x for x, (a, b) in zip(row, scales)] for row in rows]
            given = "".join(" ".join(f"{v:.6g}" for v in [*row, y]) + "\n" for row, y in zip(shown, noisy))
            output = candidate.run(self.build, given.encode(), self.limits).decode("ascii", "replace")
            recipe, activation = read(output.splitlines())
            said = trained(recipe, activation, shown[:ROWS], noisy, shown[ROWS:], rng)
            if not all(abs(value) < HUGE for value in said):  # NaN is not less than anything
                raise Wrong("the training diverges")
            error = fmean((a - b) ** 2 for a, b in zip(said, right[ROWS:])) / pvariance(right[ROWS:])
            total += math.log(max(1e-6, error))
        candidate.note("correct")
        return math.exp(total / SETS)


def target(rng: random.Random):
    """A smooth function of the inputs: some turned steps and a product."""
    steps = [([rng.gauss(0, 1) for _ in range(INPUTS)], rng.gauss(0, 1), rng.gauss(0, 1)) for _ in range(5)]
    a, b = rng.sample(range(INPUTS), 2)
    return lambda x: (
        sum(h * math.tanh(sum(w * v for w, v in zip(ws, x)) + c) for ws, c, h in steps) + 0.5 * x[a] * x[b]
    )


def read(lines: list[str]) -> tuple[dict[str, float], str]:
    """Numbers by setting, and the activation. Raises Wrong."""
    settings = dict(line.rsplit(None, 1) for line in lines if len(line.split()) > 1)
    activation = settings.pop("activation", "")
    if settings.keys() != RANGES.keys() or activation not in ("tanh", "relu") or len(lines) != len(RANGES) + 1:
        raise Wrong("does not print every setting once", "format")
    try:
        recipe = {name: float(word) for name, word in settings.items()}
    except ValueError:
        raise Wrong("a setting is no number", "format") from None
    for name, (low, high) in RANGES.items():
        if not low <= recipe[name] <= high:  # NaN is not between anything
            raise Wrong(f"{name} is not from {low:g} to {high:g}", "format")
    return recipe, activation


def trained(
    recipe: dict[str, float], activation: str, rows: list[Row], targets: list[float], fresh: list[Row], rng
) -> Row:
    """What the network says about fresh rows after all multiply-adds are spent."""
    width, batch, smooth = int(recipe["width"]), int(recipe["batch"]), activation == "tanh"
    inner = [[recipe["scale"] * rng.gauss(0, 1) for _ in range(INPUTS + 1)] for _ in range(width)]
    outer = [recipe["scale"] * rng.gauss(0, 1) for _ in range(width + 1)]
    pushed, pushed_outer = [[0.0] * (INPUTS + 1) for _ in range(width)], [0.0] * (width + 1)

    def read_in(row: Row) -> Row:
        return [*((x - recipe[f"shift {at}"]) * recipe[f"factor {at}"] for at, x in enumerate(row)), 1.0]

    def hidden(a: float, b: float, c: float, d: float, _: float) -> Row:
        sums = [p * a + q * b + r * c + s * d + t for p, q, r, s, t in inner]
        return [*(map(math.tanh, sums) if smooth else (max(0.0, z) for z in sums)), 1.0]

    inputs, wanted = [read_in(row) for row in rows], [(y - recipe["centre"]) / recipe["spread"] for y in targets]
    steps = max(1, BUDGET // (3 * width * (INPUTS + 1) + ROW_COST) // batch)
    for step in range(steps):
        rate = (recipe["rate"] + (recipe["last_rate"] - recipe["rate"]) * step / steps) / batch
        slopes, slopes_outer = [[0.0] * (INPUTS + 1) for _ in range(width)], [0.0] * (width + 1)
        for at in range(step * batch, (step + 1) * batch):
            x = inputs[at % ROWS]
            h = hidden(*x)
            error = sum([w * v for w, v in zip(outer, h)]) - wanted[at % ROWS]
            slopes_outer = [g + error * v for g, v in zip(slopes_outer, h)]
            for unit in range(width):
                if part := error * outer[unit] * (1 - h[unit] * h[unit] if smooth else h[unit] > 0):
                    slopes[unit] = [g + part * v for g, v in zip(slopes[unit], x)]
        pushed_outer = [recipe["momentum"] * p - rate * g for p, g in zip(pushed_outer, slopes_outer)]
        outer = [w + p for w, p in zip(outer, pushed_outer)]
        for unit in range(width):
            pushed[unit] = [recipe["momentum"] * p - rate * g for p, g in zip(pushed[unit], slopes[unit])]
            inner[unit] = [w + p for w, p in zip(inner[unit], pushed[unit])]
    return [
        recipe["centre"] + recipe["spread"] * sum(w * v for w, v in zip(outer, hidden(*read_in(row))))
        for row in fresh
    ]
