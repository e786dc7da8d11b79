"""The verifier of a program for a GPU: one kernel, launched once, counted by the GPU's own counters."""

from __future__ import annotations

from typing import Any, ClassVar

from . import gpu
from .candidate import Candidate
from .counter import Counts
from .verifier import Counted


class Kernel(Counted):
    """Runs a candidate's kernel on inputs drawn anew; its cost is warp instructions + 10 x sectors of memory.

    The candidate is device code alone: ``extern "C" __global__ void solve(const float *input, float *output)``, and how
    it is launched, ``extern "C" __device__ unsigned launch[3] = {blocks, threads of a block, bytes of shared memory}``.
    What a first-level cache is asked for is what counts, not what it finds: hits depend on which block runs where.

    Attributes:
        build: from :func:`~.languages.cuda`.
        output_bytes: size of the result, which is given to the kernel filled with NaN.
    """

    caches = True
    output_bytes: ClassVar[int] = 0

    def measured(self, candidate: Candidate, inputs: Any) -> tuple[bytes, Counts]:
        """See the base class."""
        return gpu.count(candidate.built / "kernel.ptx", self.encode(inputs), self.output_bytes, self.limits)
