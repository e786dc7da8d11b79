"""What changes over the steps of a training run: learning rate, Adam's bias corrections, pairs per sequence."""

from __future__ import annotations

import math

import torch
from knobs import Knobs
from torch import Tensor

BETA1 = 0.9
FEWEST_PAIRS = 4


def learning_rates(knobs: Knobs) -> list[float]:
    """The rate of each step: linear warm-up, then constant, or down to a tenth by a line or half a cosine."""
    warm = max(1, round(knobs.warmup * knobs.steps))
    return [
        knobs.learning_rate * min(1.0, (step + 1) / warm) * _fall(knobs, step, warm) for step in range(knobs.steps)
    ]


def _fall(knobs: Knobs, step: int, warm: int) -> float:
    if knobs.schedule == "constant" or step < warm:
        return 1.0
    done = (step - warm) / max(1, knobs.steps - warm)
    left = 1 - done if knobs.schedule == "linear" else (1 + math.cos(math.pi * done)) / 2
    return 0.1 + 0.9 * left


def pairs_per_step(knobs: Knobs, pairs: int) -> list[int]:
    """Pairs in the sequences of each step: during the curriculum they grow from a few to all."""
    ramp = knobs.curriculum * knobs.steps
    few = min(FEWEST_PAIRS, pairs)
    return [pairs if step >= ramp else few + int((pairs - few) * step / ramp) for step in range(knobs.steps)]


def table(knobs: Knobs, pairs: list[int]) -> Tensor:
    """One row per step: learning rate, 1 / (1 - beta1^t), 1 / (1 - beta2^t), 1 / queries of one seed."""
    rates = learning_rates(knobs)
    rows = [
        (rates[i], 1 / (1 - BETA1 ** (i + 1)), 1 / (1 - knobs.beta2 ** (i + 1)), 1 / (knobs.batch * pairs[i]))
        for i in range(knobs.steps)
    ]
    return torch.tensor(rows, dtype=torch.float64).float()
