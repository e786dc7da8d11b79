"""The weights of all seeds: one row per seed in one matrix, cut into named tensors that carry a leading seed axis.

One matrix means that the optimiser, the clipping and the cast to bf16 are one kernel each, however many weights there
are, and that nothing mixes seeds: row ``s`` is the whole state of seed ``s``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

Tensors = Mapping[str, Tensor]


@dataclass(frozen=True, slots=True)
class Weight:
    """One weight of the model.

    Attributes:
        std: of its normal initial values; 0 starts at ``start``.
        start: constant initial value per element of the last axis, or one for all.
        decayed: whether weight decay applies.
        like: an earlier weight of the same shape whose initial values it starts with.
    """

    name: str
    shape: tuple[int, ...]
    std: float = 0.0
    start: tuple[float, ...] = (0.0,)
    decayed: bool = True
    like: str | None = None

    @property
    def size(self) -> int:
        """Number of elements, rounded up to 8 so that every weight starts at an aligned address."""
        return -(-math.prod(self.shape) // 8) * 8


class Layout:
    """Where each weight lies in a seed's row."""

    def __init__(self, weights: Sequence[Weight]) -> None:
        self.weights = list(weights)
        self.sizes = [weight.size for weight in weights]

    @property
    def parameters(self) -> int:
        """Weights of one seed, padding left out."""
        return sum(math.prod(weight.shape) for weight in self.weights)

    def initial(self, seeds: Sequence[int]) -> Tensor:
        """Initial rows ``[seeds, size]`` on the CPU; a seed's row depends on the seed alone."""
        return torch.stack([self._row(seed) for seed in seeds])

    def _row(self, seed: int) -> Tensor:
        generator = torch.Generator().manual_seed(2 * seed)
        parts: list[Tensor] = []
        drawn: dict[str, Tensor] = {}
        for weight in self.weights:
            values = torch.randn(weight.shape, generator=generator) * weight.std
            values = drawn[weight.name] = values if weight.like is None else drawn[weight.like]
            part = torch.zeros(weight.size)
            part[: values.numel()] = (values + torch.tensor(weight.start)).flatten()
            parts.append(part)
        return torch.cat(parts)

    def decayed(self) -> Tensor:
        """1 where weight decay applies, 0 elsewhere, ``[size]``."""
        return torch.cat([torch.full((weight.size,), float(weight.decayed)) for weight in self.weights])

    def cut(self, rows: Tensor) -> dict[str, Tensor]:
        """Name -> ``[seeds, *shape]``, views of ``rows``; one operation, so that its gradient is one too."""
        parts = rows.split(self.sizes, dim=1)
        return {
            weight.name: part[:, : math.prod(weight.shape)].unflatten(1, weight.shape)
            if weight.size != math.prod(weight.shape)
            else part.unflatten(1, weight.shape)
            for weight, part in zip(self.weights, parts, strict=True)
        }
