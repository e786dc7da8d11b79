"""What a task's verifier is written with: standard library only, so that it can be copied beside the verifier.

A verifier is one class in ``tests/verify.py``::

    from harness import Counted, Wrong, c

    class Verify(Counted):
        build = c("top_words.c")
        def draw(self, rng): ...
        def encode(self, inputs): ...
        def check(self, inputs, output): ...
        def floor(self, inputs): ...

It runs as a trusted process that the candidate cannot see; the candidate's files are built and run confined.
"""

from __future__ import annotations

from .candidate import Candidate
from .kernel import Kernel
from .languages import Build, c, cpp, cuda, go, python, rust
from .limits import Limits
from .verifier import Counted, Verifier
from .wrong import Wrong

__all__ = [
    "Build", "Candidate", "Counted", "Kernel", "Limits", "Verifier", "Wrong", "c", "cpp", "cuda", "go", "python", "rust",
]  # fmt: skip
