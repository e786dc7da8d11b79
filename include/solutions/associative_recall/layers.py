"""Differentiable building blocks whose backward passes move few bytes and add in a fixed order.

With models this narrow a step is bound by memory, not by arithmetic, so what counts is how often an activation is
read or written. Blocks work on stacked seeds: activations ``[seeds, rows, width]``, weights ``[seeds, in, out]``.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch import Tensor

GROUPS = 16
"""Parts in which the gradient of a weight is summed: enough to fill a GPU when the output is one small matrix."""


def summed_over_rows(x: Tensor, grad: Tensor) -> Tensor:
    """``x^T grad`` of every seed, in :data:`GROUPS` parts that are added in order."""
    groups = GROUPS if x.shape[1] % GROUPS == 0 else 1
    a, b = (part.reshape(part.shape[0] * groups, -1, part.shape[-1]) for part in (x, grad))
    parts = torch.bmm(a.transpose(1, 2), b)
    return parts.view(x.shape[0], groups, *parts.shape[1:]).sum(1)


class Projections(torch.autograd.Function):
    """One input times several weights; the input's gradient is accumulated inside the matrix products."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, *weights: Tensor) -> tuple[Tensor, ...]:
        """``x @ w`` for every weight."""
        ctx.save_for_backward(x, *weights)
        return tuple(torch.bmm(x, weight) for weight in weights)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, ...]:
        """Gradients by the input and by each weight."""
        x, *weights = ctx.saved_tensors
        grads = tuple(grad.contiguous() for grad in grads)
        total = torch.bmm(grads[0], weights[0].transpose(1, 2))
        for grad, weight in zip(grads[1:], weights[1:], strict=True):
            total = total.baddbmm_(grad, weight.transpose(1, 2))
        return total, *(summed_over_rows(x, grad) for grad in grads)


class Residual(torch.autograd.Function):
    """``x + y @ w``."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, y: Tensor, weight: Tensor) -> Tensor:
        """Added inside the matrix product."""
        ctx.save_for_backward(y, weight)
        return torch.baddbmm(x, y, weight)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The gradient goes on unchanged to ``x``."""
        y, weight = ctx.saved_tensors
        grad = grads[0].contiguous()
        return grad, torch.bmm(grad, weight.transpose(1, 2)), summed_over_rows(y, grad)


class Branch(torch.autograd.Function):
    """The residual stream and its layer norm, so that their gradients meet in one kernel."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> tuple[Tensor, Tensor]:
        """``(x, norm(x))``."""
        import norm_kernels

        ctx.save_for_backward(x)
        return x.view_as(x), norm_kernels.forward(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        """Gradient of the stream plus that through the norm."""
        import norm_kernels

        (x,) = ctx.saved_tensors
        return norm_kernels.backward(x, grads[1], grads[0])


class Norm(torch.autograd.Function):
    """A layer norm by itself, by own kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        """``norm(x)``."""
        import norm_kernels

        ctx.save_for_backward(x)
        return norm_kernels.forward(x)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Tensor:
        """Gradient through the norm."""
        import norm_kernels

        (x,) = ctx.saved_tensors
        return norm_kernels.backward(x, grads[0], torch.zeros_like(x))


class Convolution(torch.autograd.Function):
    """:func:`convolved` by own kernels."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, taps: Tensor) -> Tensor:
        """``x`` ``[sequences, length, width]``, ``taps`` ``[seeds, taps, width]``."""
        import convolution_kernels

        taps = taps.contiguous()
        ctx.save_for_backward(x, taps)
        return convolution_kernels.forward(x, taps)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, Tensor]:
        """Gradients by both."""
        import convolution_kernels

        x, taps = ctx.saved_tensors
        return convolution_kernels.backward(x, taps, grads[0].contiguous())


def convolved(x: Tensor, taps: Tensor) -> Tensor:
    """Causal depthwise convolution of ``[sequences, length, width]`` with its seed's taps, the present one first."""
    if x.is_cuda and not torch.compiler.is_compiling():
        return Convolution.apply(x.contiguous(), taps)
    wide = taps.repeat_interleave(x.shape[0] // taps.shape[0], 0).unsqueeze(2)
    out = x * wide[:, 0]
    for back in range(1, taps.shape[1]):
        out = out + F.pad(x, (0, 0, back, 0))[:, : x.shape[1]] * wide[:, back]
    return out


class Lookup(torch.autograd.Function):
    """Rows of per-seed tables; the gradient is a product with one-hot rows, fast and in a fixed order."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, tokens: Tensor) -> Tensor:
        """``table`` ``[seeds, vocabulary, width]``, ``tokens`` ``[seeds, n]`` -> ``[seeds, n, width]``."""
        ctx.save_for_backward(tokens)
        ctx.vocabulary = table.shape[1]
        offset = torch.arange(table.shape[0], device=tokens.device)[:, None] * table.shape[1]
        return table.reshape(-1, table.shape[2])[(tokens + offset).flatten()].view(*tokens.shape, -1)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        """Sum of gradients per token."""
        (tokens,), (grad,) = ctx.saved_tensors, grads
        ones = torch.eye(ctx.vocabulary, dtype=grad.dtype, device=tokens.device)
        hot = ones[tokens.flatten()].view(*tokens.shape, -1)
        return summed_over_rows(hot, grad), None


class Pick(torch.autograd.Function):
    """Chosen positions of each sequence; every position is chosen at most once, so the gradient is a plain copy."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, index: Tensor) -> Tensor:
        """``rows`` ``[n, length, width]``, ``index`` ``[n, picks]`` -> ``[n, picks, width]``."""
        wide = index.unsqueeze(-1).expand(-1, -1, rows.shape[-1])
        ctx.save_for_backward(wide)
        ctx.shape = rows.shape
        return rows.gather(1, wide)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor, None]:
        """Put gradients where the rows came from."""
        (wide,), (grad,) = ctx.saved_tensors, grads
        with order_free():
            return grad.new_zeros(ctx.shape).scatter_(1, wide, grad), None


@contextlib.contextmanager
def order_free() -> Iterator[None]:
    """Inside, indices are known to differ from each other: no need of the slow kernels that sort them."""
    before = torch.are_deterministic_algorithms_enabled()
    if not torch.compiler.is_compiling():
        torch.use_deterministic_algorithms(False)
    try:
        yield
    finally:
        if not torch.compiler.is_compiling():
            torch.use_deterministic_algorithms(before, warn_only=True)


def branch(x: Tensor) -> tuple[Tensor, Tensor]:
    """The residual stream and its norm, with own kernels on a GPU unless a compiler fuses them anyway."""
    if x.is_cuda and not torch.compiler.is_compiling():
        stream, normed = Branch.apply(x)
        return stream, normed
    return x, norm(x)


def norm(x: Tensor) -> Tensor:
    """Layer norm without gain and bias, which the next projection would absorb."""
    if x.is_cuda and not torch.compiler.is_compiling():
        return Norm.apply(x.contiguous())
    return F.layer_norm(x, x.shape[-1:])
