"""The task: its rule and items as the benchmark hands them out, and training sequences made for all seeds at once."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from layers import order_free
from torch import Tensor

IGNORED = -100
"""Target of a query that a curriculum leaves out; ``cross_entropy`` skips it."""


@dataclass(frozen=True, slots=True)
class Rule:
    """How sequences are made; the row that the benchmark puts before its items."""

    blank: int
    first_key: int
    keys: int
    first_value: int
    values: int
    pairs: int
    length: int

    @property
    def vocabulary(self) -> int:
        """Number of different tokens, rounded up to a multiple of 8 for the matrix units."""
        return -(-(self.first_value + self.values) // 8) * 8


@dataclass(frozen=True, slots=True)
class Batches:
    """Training sequences of several steps and seeds.

    Attributes:
        tokens: ``[steps, seeds, batch, length]``.
        queries: positions that are asked about, ``[steps, seeds, batch, pairs]``.
        targets: values as class numbers from 0, :data:`IGNORED` where nothing is asked; shape of ``queries``.
    """

    tokens: Tensor
    queries: Tensor
    targets: Tensor


class Source:
    """Endless training sequences, one stream per seed.

    A seed's stream does not depend on the seeds it is batched with, so that batched and separate runs see the same
    data. Random numbers are drawn seed by seed, for many steps at a time; the rest is done for all seeds at once.
    """

    def __init__(self, rule: Rule, seeds: Sequence[int], batch: int, device: torch.device) -> None:
        self.rule, self.batch, self.device = rule, batch, device
        self._generators = [torch.Generator(device).manual_seed(2 * seed + 1) for seed in seeds]

    def draw(self, pairs: Sequence[int]) -> Batches:
        """Sequences for ``len(pairs)`` steps; ``pairs`` says how many pairs each step's sequences hold."""
        rule, steps, seeds = self.rule, len(pairs), len(self._generators)
        rows = steps * self.batch
        noise = self._noise(rows)
        key_noise, place_noise, value_noise = noise.split(
            [rule.keys, rule.length - 2 * rule.pairs, rule.pairs], dim=-1
        )
        keys = key_noise.topk(rule.pairs, dim=-1).indices + rule.first_key
        places = place_noise.topk(rule.pairs, dim=-1).indices + 2 * rule.pairs
        classes = (value_noise * rule.values).long().clamp_(max=rule.values - 1)

        shown = torch.tensor(pairs, device=self.device).repeat_interleave(self.batch)
        absent = torch.arange(rule.pairs, device=self.device) >= shown[:, None]
        keys = keys.masked_fill(absent, rule.blank)
        values = (classes + rule.first_value).masked_fill(absent, rule.blank)
        tokens = torch.full((seeds, rows, rule.length), rule.blank, device=self.device)
        tokens[..., 0 : 2 * rule.pairs : 2] = keys
        tokens[..., 1 : 2 * rule.pairs : 2] = values
        with order_free():
            tokens.scatter_(-1, places, keys)
        targets = classes.masked_fill(absent, IGNORED)
        return Batches(*(self._by_step(part, steps) for part in (tokens, places, targets)))

    def _noise(self, rows: int) -> Tensor:
        """Uniform numbers, ``[seeds, rows, keys + places + pairs]``."""
        rule = self.rule
        columns = rule.keys + rule.length - rule.pairs
        noise = torch.empty(len(self._generators), rows, columns, device=self.device)
        for part, generator in zip(noise, self._generators, strict=True):
            part.uniform_(generator=generator)
        return noise

    def _by_step(self, part: Tensor, steps: int) -> Tensor:
        seeds, _, columns = part.shape
        return part.view(seeds, steps, self.batch, columns).transpose(0, 1).contiguous()


def read(path: Path) -> tuple[Rule, list[dict[str, Any]]]:
    """Read ``train.jsonl`` or ``inputs.jsonl``: the rule and the items.

    Raises:
        ValueError: when the file does not start with the rule.
    """
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines if line.strip()]
    if not rows or rows[0].get("context") != "rule":
        raise ValueError(f"{path.name} does not start with the rule of the benchmark 'recall'")
    rule = Rule(**{name: rows[0][name] for name in Rule.__dataclass_fields__})
    return rule, [row for row in rows[1:] if "id" in row]
