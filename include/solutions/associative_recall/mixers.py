"""Sequence mixers: how information moves between positions.

Every function takes ``x`` of shape ``[seeds, batch * length, width]`` and returns the same shape before the output
projection. Weights carry a leading seed axis; a batched matrix product per projection serves all seeds.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F  # noqa: N812
from layers import Projections, convolved, norm
from torch import Tensor
from weights import Tensors

CHUNK = 64
"""Positions that linear mixers treat at once: quadratic inside a chunk, recurrent between chunks."""
ROTARY_BASE = 10_000.0


def attention(x: Tensor, w: Tensors, *, batch: int, heads: int, rotary: bool) -> Tensor:
    """Causal softmax attention (Vaswani et al. 2017)."""
    projected = Projections.apply(x, w["query"], w["key"], w["value"])
    q, k, v = (_heads(part, batch, heads) for part in projected)
    if rotary:
        q, k = rotated(q), rotated(k)
    mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    return mixed.transpose(1, 2).reshape(x.shape)


def linear(x: Tensor, w: Tensors, *, batch: int, heads: int, rotary: bool, feature_map: str) -> Tensor:
    """Linear attention (Katharopoulos et al. 2020): a state of ``state_size`` x ``width / heads`` per head.

    With a weight called ``gate`` the state decays by a factor that each position sets for each head, as in gated
    linear attention (Yang et al. 2023) with one scalar per head. The output is normalised per head, which takes the
    place of the sum in the denominator.
    """
    names = [name for name in ("query", "key", "value", "gate") if name in w]
    q, k, v, *gate = (_heads(part, batch, heads) for part in Projections.apply(x, *(w[name] for name in names)))
    if rotary:
        q, k = rotated(q), rotated(k)
    q, k = features(q, feature_map), features(k, feature_map)
    decay = None
    if gate:
        bias = w["gate_bias"].float().repeat_interleave(batch, 0)[:, :, None]
        decay = F.logsigmoid(gate[0].squeeze(-1).float() + bias)
    mixed = recurrence(q, k, v, decay)
    return norm(mixed).transpose(1, 2).reshape(x.shape)


def convolution(x: Tensor, w: Tensors, *, batch: int) -> Tensor:
    """Gated short convolution: one projection, convolved, times another (BaseConv of Arora et al. 2023)."""
    inner, gate = Projections.apply(x, w["key"], w["value"])
    return causal_convolution(inner, w["taps"], batch) * gate


def causal_convolution(x: Tensor, taps: Tensor, batch: int) -> Tensor:
    """Depthwise convolution over the present and the last positions; ``taps`` is ``[seeds, taps, width]``."""
    return convolved(x.view(x.shape[0] * batch, -1, x.shape[-1]), taps).view(x.shape)


def features(x: Tensor, kind: str) -> Tensor:
    """The feature map in whose space linear attention compares queries with keys."""
    if kind == "elu":
        return F.elu(x) + 1
    if kind == "relu":
        return F.relu(x)
    return x.softmax(-1) if kind == "softmax" else x


def recurrence(q: Tensor, k: Tensor, v: Tensor, decay: Tensor | None) -> Tensor:
    """``o_t = q_t S_t`` with ``S_t = exp(decay_t) S_(t-1) + k_t v_t^T``, in chunks.

    Args:
        q: ``[n, heads, length, state]``.
        k: as ``q``.
        v: ``[n, heads, length, channels]``.
        decay: logarithms, at most 0, ``[n, heads, length]`` in float32; None for no decay.
    """
    length = q.shape[2]
    chunk = min(CHUNK, length)
    if length % chunk:
        raise ValueError(f"length {length} is not a multiple of {chunk}")
    q, k, v = (part.unflatten(2, (-1, chunk)) for part in (q, k, v))
    causal = torch.ones(chunk, chunk, dtype=torch.bool, device=q.device).tril()
    scores = q @ k.transpose(-1, -2)
    if decay is None:
        scores = scores.masked_fill(~causal, 0.0)
        states = k.transpose(-1, -2) @ v
        before = states.cumsum(2) - states
        return (scores @ v + q @ before).flatten(2, 3)
    within = decay.unflatten(2, (-1, chunk)).cumsum(-1)
    between = (within[..., :, None] - within[..., None, :]).masked_fill(~causal, -torch.inf)
    scores = scores * between.exp().to(scores.dtype)
    total = within[..., -1]
    kept = (total[..., None] - within).exp().to(k.dtype)
    states = (k * kept[..., None]).transpose(-1, -2) @ v
    before = _carried(states, total)
    return (scores @ v + (q * within.exp().to(q.dtype)[..., None]) @ before).flatten(2, 3)


def _carried(states: Tensor, total: Tensor) -> Tensor:
    """State before each chunk: what every earlier chunk added, decayed by the chunks between."""
    chunks = total.shape[-1]
    reached = total.cumsum(-1)
    steps = (reached - total)[..., :, None] - reached[..., None, :]
    earlier = torch.ones(chunks, chunks, dtype=torch.bool, device=total.device).tril(-1)
    factors = steps.masked_fill(~earlier, -torch.inf).exp().to(states.dtype)
    return (factors @ states.flatten(-2)).view(states.shape)


def rotated(x: Tensor) -> Tensor:
    """Rotary positions (Su et al. 2021) on ``[n, heads, length, channels]``."""
    half = x.shape[-1] // 2
    speeds = ROTARY_BASE ** (-torch.arange(half, device=x.device, dtype=torch.float32) / half)
    angles = torch.arange(x.shape[2], device=x.device, dtype=torch.float32)[:, None] * speeds
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


def _heads(x: Tensor, batch: int, heads: int) -> Tensor:
    """``[seeds, batch * length, heads * channels]`` -> ``[seeds * batch, heads, length, channels]``."""
    return x.reshape(x.shape[0] * batch, -1, heads, x.shape[-1] // heads).transpose(1, 2)
