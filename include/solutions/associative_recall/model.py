"""The network: embedding, blocks of one mixer and an optional MLP each, and a head asked at the queries only."""

from __future__ import annotations

import math
from dataclasses import replace

import mixers
import torch
import torch.nn.functional as F  # noqa: N812
from knobs import Knobs
from layers import Lookup, Pick, Projections, Residual, branch, norm
from task import IGNORED, Rule
from torch import Tensor
from weights import Layout, Tensors, Weight

MOST_LENGTHS = 4
"""Learned positions reach this many training lengths; those beyond the first are never trained."""
FASTEST_STEP = 0.1
SLOWEST_STEP = 0.001
HYBRID_TAPS = 3


def kind_of(knobs: Knobs, layer: int) -> str:
    """The mixer of a layer; hybrids alternate short convolutions with gated linear attention."""
    if knobs.mixer != "hybrid":
        return knobs.mixer
    return "gated" if layer % 2 else "short"


def layout(knobs: Knobs, rule: Rule) -> Layout:
    """Every weight of one seed's model."""
    width = knobs.width
    found = [Weight("embedding", (rule.vocabulary, width), std=0.5)]
    if knobs.position == "learned":
        found.append(Weight("position", (MOST_LENGTHS * rule.length, width), std=0.3, decayed=False))
    for layer in range(knobs.depth):
        found += [_renamed(weight, layer) for weight in _block(knobs, rule, kind_of(knobs, layer))]
    return Layout([*found, Weight("head", (width, rule.values), std=width**-0.5)])


def _block(knobs: Knobs, rule: Rule, kind: str) -> list[Weight]:
    width, std = knobs.width, knobs.width**-0.5
    channels = knobs.heads * knobs.state_size if kind in {"linear", "gated", "delta"} else width
    out = std / (2 * knobs.depth) ** 0.5
    found = [
        Weight("key", (width, channels), std=std),
        Weight("value", (width, width), std=std),
        Weight("out", (width, width), std=out),
    ]
    if kind not in {"short", "convolution"}:
        found.append(Weight("query", (width, channels), std=std, like="key" if knobs.mimetic else None))
    if kind in {"gated", "delta"}:
        start = _steps(knobs.heads) if kind == "gated" else (0.0,)
        found += [
            Weight("gate", (width, knobs.heads), std=std),
            Weight("gate_bias", (knobs.heads,), start=start, decayed=False),
        ]
    if kind == "gated":
        found.append(Weight("rate", (knobs.heads,), decayed=False))
    if kind == "convolution":
        found.append(Weight("filter", (rule.length, width), std=rule.length**-0.5, decayed=False))
    taps = max(knobs.short_conv, HYBRID_TAPS) if kind == "short" else knobs.short_conv
    if taps > 1:
        found.append(Weight("taps", (taps, width), std=0.5 / taps, start=(1 / taps,), decayed=False))
    if knobs.mlp_ratio:
        found += [
            Weight("up", (width, knobs.mlp_ratio * width), std=std),
            Weight("down", (knobs.mlp_ratio * width, width), std=out * knobs.mlp_ratio**-0.5),
        ]
    return found


def _steps(heads: int) -> tuple[float, ...]:
    """What softplus turns into step sizes from the slowest to the fastest, evenly spaced on a log scale."""
    spread = [SLOWEST_STEP * (FASTEST_STEP / SLOWEST_STEP) ** (head / heads) for head in range(heads)]
    return tuple(math.log(math.expm1(step)) for step in spread)


def _renamed(weight: Weight, layer: int) -> Weight:
    like = None if weight.like is None else f"{layer}.{weight.like}"
    return replace(weight, name=f"{layer}.{weight.name}", like=like)


def answers(w: Tensors, knobs: Knobs, tokens: Tensor, queries: Tensor) -> Tensor:
    """Logits over values at the queried positions.

    Args:
        w: weights of all seeds.
        knobs: the configuration.
        tokens: ``[seeds, batch, length]``.
        queries: ``[seeds, batch, picks]``.

    Returns:
        ``[seeds, batch * picks, values]`` in the weights' precision.
    """
    seeds, batch, length = tokens.shape
    x = Lookup.apply(_without_blank(w["embedding"]), tokens.reshape(seeds, -1))
    if knobs.position == "learned":
        x = (x.view(seeds, batch, length, -1) + w["position"][:, None, :length]).view(x.shape)
    for layer in range(knobs.depth):
        prefix = f"{layer}."
        own = {name.removeprefix(prefix): weight for name, weight in w.items() if name.startswith(prefix)}
        x = _apply(x, own, knobs, kind_of(knobs, layer), batch)
    picked = Pick.apply(x.view(seeds * batch, length, -1), queries.reshape(seeds * batch, -1))
    return torch.bmm(norm(picked).reshape(seeds, -1, knobs.width), w["head"])


def _without_blank(table: Tensor) -> Tensor:
    """The embedding with zeros for the blank (token 0), so that padding matches nothing and carries nothing."""
    return torch.cat((torch.zeros_like(table[:, :1]), table[:, 1:]), dim=1)


def _apply(x: Tensor, w: Tensors, knobs: Knobs, kind: str, batch: int) -> Tensor:
    x, inner = branch(x)
    rotary = knobs.position == "rotary"
    if kind == "short":
        mixed = mixers.short(inner, w, batch=batch)
    else:
        if "taps" in w:
            inner = mixers.causal_convolution(inner, w["taps"], batch)
        if kind == "convolution":
            mixed = mixers.convolution(inner, w, batch=batch)
        elif kind == "attention":
            mixed = mixers.attention(inner, w, batch=batch, heads=knobs.heads, rotary=rotary)
        else:
            mixer = mixers.delta if kind == "delta" else mixers.linear
            mixed = mixer(inner, w, batch=batch, heads=knobs.heads, rotary=rotary, feature_map=knobs.feature_map)
    x = Residual.apply(x, mixed, w["out"])
    if "up" in w:
        x, inner = branch(x)
        (wide,) = Projections.apply(inner, w["up"])
        x = Residual.apply(x, F.gelu(wide, approximate="tanh"), w["down"])
    return x


def losses(logits: Tensor, targets: Tensor, share: Tensor) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy and accuracy of each seed.

    Args:
        logits: ``[seeds, n, values]``.
        targets: ``[seeds, batch, picks]``.
        share: one over the number of queries that count, per seed.

    Returns:
        Two tensors ``[seeds]``.
    """
    flat = targets.reshape(-1)
    each = F.cross_entropy(logits.float().flatten(0, 1), flat, ignore_index=IGNORED, reduction="none")
    right = (logits.detach().flatten(0, 1).argmax(-1) == flat).float()
    seeds = logits.shape[0]
    return each.view(seeds, -1).sum(1) * share, right.view(seeds, -1).sum(1) * share
