"""Causal depthwise convolution over a few positions as two GPU kernels that read every activation once.

Shapes: ``x`` ``[sequences, length, width]``, ``taps`` ``[seeds, taps, width]``, as many sequences for each seed.
"""

from __future__ import annotations

import torch
import triton
import triton.language as tl
from torch import Tensor

BLOCK = 64
"""Positions per program."""


@triton.jit
def _forward(x_at, taps_at, y_at, length, per_seed, width: tl.constexpr, taps: tl.constexpr, block: tl.constexpr):  # type: ignore[no-untyped-def]
    sequence = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * block + tl.arange(0, block)[:, None]
    column = tl.arange(0, width)[None, :]
    start = sequence * length * width
    total = tl.zeros((block, width), tl.float32)
    for back in tl.static_range(taps):
        tap = tl.load(taps_at + (sequence // per_seed * taps + back) * width + column).to(tl.float32)
        inside = (row >= back) & (row < length)
        total += tap * tl.load(x_at + start + (row - back) * width + column, mask=inside, other=0.0).to(tl.float32)
    tl.store(y_at + start + row * width + column, total.to(y_at.dtype.element_ty), mask=row < length)


@triton.jit
def _backward(  # type: ignore[no-untyped-def]
    x_at,
    taps_at,
    dy_at,
    dx_at,
    dtaps_at,
    length,
    per_seed,
    width: tl.constexpr,
    taps: tl.constexpr,
    block: tl.constexpr,
):
    sequence = tl.program_id(0).to(tl.int64)
    row = tl.program_id(1) * block + tl.arange(0, block)[:, None]
    column = tl.arange(0, width)[None, :]
    start = sequence * length * width
    x = tl.load(x_at + start + row * width + column, mask=row < length, other=0.0).to(tl.float32)
    total = tl.zeros((block, width), tl.float32)
    part = (sequence * tl.num_programs(1) + tl.program_id(1)) * taps
    for ahead in tl.static_range(taps):
        tap = tl.load(taps_at + (sequence // per_seed * taps + ahead) * width + column).to(tl.float32)
        inside = row + ahead < length
        dy = tl.load(dy_at + start + (row + ahead) * width + column, mask=inside, other=0.0).to(tl.float32)
        total += tap * dy
        tl.store(dtaps_at + (part + ahead) * width + tl.arange(0, width), tl.sum(dy * x, 0))
    tl.store(dx_at + start + row * width + column, total.to(dx_at.dtype.element_ty), mask=row < length)


def forward(x: Tensor, taps: Tensor) -> Tensor:
    """Convolve."""
    y = torch.empty_like(x)
    _forward[_grid(x)](x, taps, y, x.shape[1], x.shape[0] // taps.shape[0], x.shape[2], taps.shape[1], BLOCK)
    return y


def backward(x: Tensor, taps: Tensor, dy: Tensor) -> tuple[Tensor, Tensor]:
    """Gradients by ``x`` and by ``taps``; the latter is added up from parts in a fixed order."""
    dx, grid = torch.empty_like(x), _grid(x)
    parts = torch.empty(*grid, *taps.shape[1:], device=x.device)
    _backward[grid](x, taps, dy, dx, parts, x.shape[1], x.shape[0] // taps.shape[0], x.shape[2], taps.shape[1], BLOCK)
    dtaps = parts.view(taps.shape[0], -1, *taps.shape[1:]).sum(1)
    return dx, dtaps.to(taps.dtype)


def _grid(x: Tensor) -> tuple[int, int]:
    return (x.shape[0], -(-x.shape[1] // BLOCK))
