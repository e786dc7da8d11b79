"""Tells how far a construction is and how long the rest will take."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Say = Callable[[str], None]


@dataclass(slots=True)
class Progress:
    """Counts questions put to candidates against those that are planned.

    Attributes:
        say: reports one line.
        planned: questions of the whole construction, as far as they can be foreseen.
        done: put so far, by earlier runs too.
    """

    say: Say
    planned: int
    done: int = 0
    _began: float = field(default_factory=time.monotonic)
    _now: int = 0

    def count(self, calls: int, *, fresh: bool) -> None:
        """``calls`` more were put: by this run, which shows its speed, or before."""
        self.done += calls
        self._now += calls if fresh else 0

    def tell(self, text: str) -> None:
        """One line with the time left, once this run has a speed."""
        left = max(0, self.planned - self.done)
        spent = time.monotonic() - self._began
        rest = f", about {_span(spent / self._now * left)} left" if self._now and left else ""
        self.say(f"{text} [{_span(spent)} so far{rest}]")


def _span(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"
