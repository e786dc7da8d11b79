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
DELTA_CHUNK = 16
"""Positions that the delta rule treats at once."""
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

    With a weight called ``gate`` each position sets a step size per head that says both how strongly it is written
    and how far the state decays, ``S_t = exp(-rate * step_t) S_(t-1) + step_t k_t v_t^T`` (Dao & Gu 2024): what
    should not be remembered is neither written nor makes anything else fade. The output is normalised per head,
    which takes the place of the sum in the denominator.
    """
    q, k, v, *gate = _projected(x, w, batch, heads, rotary)
    q, k = features(q, feature_map), features(k, feature_map)
    decay = None
    if gate:
        step = F.softplus(gate[0].squeeze(-1).float() + _per_head(w["gate_bias"], batch))
        decay = -_per_head(w["rate"], batch).exp() * step
        k = k * step.to(k.dtype)[..., None]
    return _joined(recurrence(q, k, v, decay), x)


def delta(x: Tensor, w: Tensors, *, batch: int, heads: int, rotary: bool, feature_map: str) -> Tensor:
    """Linear attention whose writes replace what the state already answers for the key (Schlag et al. 2021)."""
    q, k, v, gate = _projected(x, w, batch, heads, rotary)
    k = F.normalize(features(k, feature_map).float(), dim=-1, eps=1e-3)
    strength = torch.sigmoid(gate.squeeze(-1).float() + _per_head(w["gate_bias"], batch))
    return _joined(replaced(features(q, feature_map).float(), k, v.float(), strength).to(x.dtype), x)


def short(x: Tensor, w: Tensors, *, batch: int) -> Tensor:
    """Gated short convolution: one projection, convolved over a few positions, times another."""
    inner, gate = Projections.apply(x, w["key"], w["value"])
    return causal_convolution(inner, w["taps"], batch) * gate


def convolution(x: Tensor, w: Tensors, *, batch: int) -> Tensor:
    """Gated long convolution (BaseConv of Arora et al. 2023): fixed filters as long as a training sequence."""
    inner, gate = Projections.apply(x, w["key"], w["value"])
    rows = inner.float().view(x.shape[0], batch, -1, x.shape[-1])
    length, filters = rows.shape[2], w["filter"].float()[:, None]
    size = length + filters.shape[2]
    spectrum = torch.fft.rfft(rows, n=size, dim=2) * torch.fft.rfft(filters, n=size, dim=2)
    return torch.fft.irfft(spectrum, n=size, dim=2)[:, :, :length].to(x.dtype).reshape(x.shape) * gate


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


def replaced(q: Tensor, k: Tensor, v: Tensor, strength: Tensor) -> Tensor:
    """``o_t = q_t S_t`` with ``S_t = S_(t-1) + b_t k_t (v_t - k_t S_(t-1))``, in chunks (Yang et al. 2024).

    Inside a chunk what each position writes solves a unit lower triangular system, whose inverse is a product of
    powers. They are kept short, because powers of long chains of similar keys lose all precision.

    Args:
        q: ``[n, heads, length, state]``.
        k: as ``q``, of length 1 at most.
        v: ``[n, heads, length, channels]``.
        strength: ``b``, from 0 to 1, ``[n, heads, length]``.
    """
    chunk = min(DELTA_CHUNK, q.shape[2])
    q, k, v = (part.unflatten(2, (-1, chunk)) for part in (q, k, v))
    scale = strength.unflatten(2, (-1, chunk))[..., None]
    scores = (q @ k.transpose(-1, -2)).tril()
    chain = -(scale * (k @ k.transpose(-1, -2))).tril(-1)
    one = torch.eye(chunk, device=q.device, dtype=q.dtype)
    inverse, span = one + chain, 2
    while span < chunk:
        chain = chain @ chain
        inverse, span = inverse + chain @ inverse, 2 * span
    seen, written = inverse @ (scale * k), inverse @ (scale * v)
    state = torch.zeros(*q.shape[:2], q.shape[-1], v.shape[-1], device=q.device, dtype=q.dtype)
    said = []
    for part in range(q.shape[2]):
        fresh = written[:, :, part] - seen[:, :, part] @ state
        said.append(q[:, :, part] @ state + scores[:, :, part] @ fresh)
        state = state + k[:, :, part].transpose(-1, -2) @ fresh
    return torch.cat(said, 2)


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


def _projected(x: Tensor, w: Tensors, batch: int, heads: int, rotary: bool) -> list[Tensor]:
    """Queries, keys, values and, where there is one, the gate, by head."""
    names = [name for name in ("query", "key", "value", "gate") if name in w]
    q, k, *rest = (_heads(part, batch, heads) for part in Projections.apply(x, *(w[name] for name in names)))
    return [rotated(q), rotated(k), *rest] if rotary else [q, k, *rest]


def _per_head(weight: Tensor, batch: int) -> Tensor:
    """``[seeds, heads]`` -> ``[seeds * batch, heads, 1]`` in float32."""
    return weight.float().repeat_interleave(batch, 0)[:, :, None]


def _joined(mixed: Tensor, x: Tensor) -> Tensor:
    """Normalised by head, heads side by side, shaped like ``x``."""
    return norm(mixed).transpose(1, 2).reshape(x.shape)


def _heads(x: Tensor, batch: int, heads: int) -> Tensor:
    """``[seeds, batch * length, heads * channels]`` -> ``[seeds * batch, heads, length, channels]``."""
    return x.reshape(x.shape[0] * batch, -1, heads, x.shape[-1] // heads).transpose(1, 2)
