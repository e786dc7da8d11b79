"""Trains all seeds at once: stacked weights, one graph of kernels per step, data made for many steps in one go.

On a GPU a whole step (forward, backward, clipping, AdamW) is captured once as a CUDA graph and replayed, so that the
processor only has to say "again". On a CPU the same code runs operation by operation.
"""

from __future__ import annotations

import contextlib
import struct
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import model
import schedule
import torch
from knobs import Knobs
from task import Batches, Rule, Source
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

EPSILON = 1e-8
STEPS_AT_ONCE = 32
"""Training steps whose data are made together."""

Report = Callable[[int, Tensor, Tensor], None]


@dataclass(frozen=True, slots=True)
class Mode:
    """How the numbers are computed; none of it changes what is computed.

    Attributes:
        graph: replay a captured CUDA graph.
        compiled: fuse forward and backward with ``torch.compile`` instead of the kernels written for this model.
            It starts some 15 s later and was not faster (``perf/results/gpu_seed_batching.json``).
        deterministic: the same seeds give the same bits; attention's backward then adds in a fixed order.
    """

    device: torch.device
    dtype: torch.dtype
    graph: bool
    compiled: bool = False
    deterministic: bool = True

    @classmethod
    def best(cls) -> Mode:
        """For this machine: bf16 and graphs on a GPU, float32 operation by operation on a CPU."""
        if torch.cuda.is_available():
            return cls(torch.device("cuda"), torch.bfloat16, graph=True)
        return cls(torch.device("cpu"), torch.float32, graph=False)


class Training:
    """One configuration, several seeds.

    Args:
        knobs: the configuration.
        rule: of the task.
        seeds: one model each.
        mode: how to compute.
    """

    def __init__(self, knobs: Knobs, rule: Rule, seeds: Sequence[int], mode: Mode) -> None:
        self.knobs, self.rule, self.seeds, self.mode = knobs, rule, list(seeds), mode
        self.layout = model.layout(knobs, rule)
        self.weights = self.layout.initial(seeds).to(mode.device)
        self.momentum = torch.zeros_like(self.weights)
        self.variance = torch.zeros_like(self.weights)
        self.decayed = self.layout.decayed().to(mode.device)
        self.pairs = schedule.pairs_per_step(knobs, rule.pairs)
        self.table = schedule.table(knobs, self.pairs).to(mode.device)
        self.source = Source(rule, seeds, knobs.batch, mode.device)
        self.step = torch.zeros(1, dtype=torch.long, device=mode.device)
        self.shown = torch.zeros(2, len(self.seeds), device=mode.device)
        self._loss = torch.compile(self._losses, dynamic=False) if mode.compiled else self._losses

    def run(self, report: Report | None = None) -> float:
        """Train; ``report`` gets (step, losses, accuracies) after every chunk. Returns the seconds after set-up."""
        with exact(self.mode.deterministic):
            current = self.source.draw(self._chunk(0))
            advance = self._captured(current) if self.mode.graph else lambda: self._advance(current)
            _wait(self.mode.device)
            started = time.monotonic()
            for first in range(0, self.knobs.steps, STEPS_AT_ONCE):
                if first:
                    _refill(current, self.source.draw(self._chunk(first)))
                for _ in range(min(STEPS_AT_ONCE, self.knobs.steps - first)):
                    advance()
                if report:
                    report(min(first + STEPS_AT_ONCE, self.knobs.steps), self.shown[0], self.shown[1])
            _wait(self.mode.device)
            return time.monotonic() - started

    def tensors(self) -> dict[str, Tensor]:
        """The weights in the precision of the computation, for evaluation."""
        return self.layout.cut(self.weights.detach().to(self.mode.dtype))

    def checkpoints(self) -> list[bytes]:
        """Every seed's weights: float32, little-endian, as the layout has them, and nothing else."""
        rows = self.weights.detach().float().cpu().tolist()
        return [struct.pack(f"<{len(row)}f", *row) for row in rows]

    @property
    def checkpoint_bytes(self) -> int:
        """Size of one seed's checkpoint."""
        return 4 * self.weights.shape[1]

    def restore(self, checkpoint: bytes) -> None:
        """Give every seed the weights of a checkpoint of this configuration."""
        row = torch.tensor(struct.unpack(f"<{self.weights.shape[1]}f", checkpoint), dtype=torch.float32)
        self.weights.copy_(row.to(self.weights))

    def _chunk(self, first: int) -> list[int]:
        """Pairs of the next steps; the last chunk is filled up, so that all have one size."""
        part = self.pairs[first : first + STEPS_AT_ONCE]
        return part + [self.rule.pairs] * (STEPS_AT_ONCE - len(part))

    def _losses(self, rows: Tensor, tokens: Tensor, queries: Tensor, targets: Tensor, share: Tensor) -> list[Tensor]:
        logits = model.answers(self.layout.cut(rows.to(self.mode.dtype)), self.knobs, tokens, queries)
        return list(model.losses(logits, targets, share))

    def _advance(self, data: Batches) -> None:
        """One step for every seed: the data of the step that ``self.step`` counts, gradients, clipping, AdamW."""
        place = self.step % STEPS_AT_ONCE
        tokens, queries, targets = (
            part.index_select(0, place)[0] for part in (data.tokens, data.queries, data.targets)
        )
        rate, first, second, share = self.table.index_select(0, self.step)[0]
        rows = self.weights.requires_grad_()
        loss, right = self._loss(rows, tokens, queries, targets, share)
        (grad,) = torch.autograd.grad(loss.sum(), rows)
        with torch.no_grad():
            self._update(grad, rate, first, second)
            self.shown.copy_(torch.stack((loss, right)))
            self.step += 1

    def _update(self, grad: Tensor, rate: Tensor, first: Tensor, second: Tensor) -> None:
        """AdamW (Loshchilov & Hutter 2019) on every seed's row, its gradient clipped by its own norm."""
        norm = torch.linalg.vector_norm(grad, dim=1, keepdim=True)
        grad = grad * (self.knobs.clip / (norm + 1e-6)).clamp(max=1.0)
        self.momentum.lerp_(grad, 1 - schedule.BETA1)
        self.variance.mul_(self.knobs.beta2).addcmul_(grad, grad, value=1 - self.knobs.beta2)
        change = self.momentum * first / ((self.variance * second).sqrt() + EPSILON)
        change.addcmul_(self.weights, self.decayed, value=self.knobs.weight_decay)
        self.weights.sub_(change * rate)

    def _captured(self, data: Batches) -> Callable[[], None]:
        """The step as a CUDA graph. Steps taken to warm up are undone."""
        state = (self.weights, self.momentum, self.variance, self.step)
        kept = [part.detach().clone() for part in state]
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for _ in range(3):
                self._advance(data)
        torch.cuda.current_stream().wait_stream(side)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            self._advance(data)
        with torch.no_grad():
            for part, before in zip(state, kept, strict=True):
                part.copy_(before)
        return graph.replay


@contextlib.contextmanager
def exact(deterministic: bool) -> Iterator[None]:
    """Choose flash attention, and deterministic kernels if wanted, while inside."""
    before = torch.are_deterministic_algorithms_enabled()
    torch.use_deterministic_algorithms(deterministic, warn_only=True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # type: ignore[attr-defined]
    try:
        with sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.MATH]):
            yield
    finally:
        torch.use_deterministic_algorithms(before, warn_only=True)


def _refill(current: Batches, fresh: Batches) -> None:
    """Put new data where the captured graph reads them."""
    for name in ("tokens", "queries", "targets"):
        getattr(current, name).copy_(getattr(fresh, name))


def _wait(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize()
