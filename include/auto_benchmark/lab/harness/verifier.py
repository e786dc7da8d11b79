"""The kinds of verifiers that tasks derive from; :mod:`~.kernel` holds the one for GPUs."""

from __future__ import annotations

import random
from typing import Any, ClassVar

from .candidate import Candidate
from .counter import Counts
from .languages import Build
from .limits import Limits
from .wrong import VerifierFaultError, Wrong


class Verifier:
    """Judges a candidate by whatever :meth:`score` looks at.

    Attributes:
        build: how the candidate is built, where it is a program.
        limits: of each of its runs.
    """

    build: ClassVar[Build | None] = None
    limits: ClassVar[Limits] = Limits()

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        """The task's metric on inputs that are drawn from ``rng``. Raises Wrong when the candidate is not valid."""
        raise NotImplementedError


class Counted(Verifier):
    """Runs a program on inputs drawn anew, checks its output first, then takes what it cost.

    Attributes:
        build: required.
        caches: whether a miss costs (instructions + 10 x L1 + 100 x LL misses), or instructions alone.
        relative_to: the declared baseline, where the cost of inputs of one size moves with their values. The given
            program is then counted on the same inputs, and the score is the cost times this by the given program's:
            what was not changed scores the baseline, whatever was drawn.
    """

    caches: ClassVar[bool] = False
    relative_to: ClassVar[float | None] = None

    def draw(self, rng: random.Random) -> Any:
        """Inputs of one run, of the same size whatever the generator."""
        raise NotImplementedError

    def encode(self, inputs: Any) -> bytes:
        """The inputs as the program reads them from standard input."""
        raise NotImplementedError

    def check(self, inputs: Any, output: bytes) -> None:
        """Raises Wrong unless ``output`` is right. The reason must not hold the right answer."""
        raise NotImplementedError

    def floor(self, inputs: Any) -> float:
        """Least cost that any right program can have, from the sizes of input and output."""
        raise NotImplementedError

    def measured(self, candidate: Candidate, inputs: Any) -> tuple[bytes, Counts]:
        """Output and counts of one run of a built candidate. Raises Wrong."""
        assert self.build is not None  # noqa: S101 - score() has looked
        return candidate.count(self.build, self.encode(inputs), self.limits, caches=self.caches)

    def cost(self, counts: Counts) -> float:
        """What counts as the score."""
        return float(counts.with_misses if self.caches else counts.instructions)

    def score(self, candidate: Candidate, rng: random.Random) -> float:
        """The cost of one right run."""
        if self.build is None:
            raise VerifierFaultError("tests/verify.py: `Verify` declares no `build`")
        candidate.build(self.build)
        inputs = self.draw(rng)
        output, counts = self.measured(candidate, inputs)
        try:
            self.check(inputs, output)
        except (ValueError, IndexError, UnicodeDecodeError):
            raise Wrong("the output cannot be read") from None
        candidate.note("correct")
        cost = self.cost(counts)
        if cost < (floor := self.floor(inputs)):
            raise Wrong(f"a cost of {cost:,.0f} is below {floor:,.0f}, the least that is plausible", "plausible")
        candidate.note("plausible")
        candidate.note("count", f"{counts.instructions:,} instructions")
        if self.relative_to is None:
            return cost
        given = candidate.given()
        given.build(self.build)
        _, others = self.measured(given, inputs)
        return cost * self.relative_to / self.cost(others)
