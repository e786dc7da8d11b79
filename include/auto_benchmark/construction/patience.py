"""How often a candidate that gives no answer in time is asked again: a hanging one would take hours of a construction."""

from __future__ import annotations

import contextlib
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

LONG_S = 60.0
"""A failure after a longer time counts; those that come at once cost nothing."""
TIMES = 2
"""Long failures in a row after which a candidate is asked no more."""


class NotAskedError(Exception):
    """A candidate has failed slowly too often. Its questions count as answered wrongly."""


@dataclass(slots=True)
class Patience:
    """With the candidates of one construction; one that goes on begins with all of it."""

    failures: Counter[str] = field(default_factory=Counter)

    @contextlib.contextmanager
    def asking(self, name: str) -> Iterator[None]:
        """While a candidate is asked. Raises NotAskedError instead of asking where it is lost."""
        if self.failures[name] >= TIMES:
            raise NotAskedError(f"not asked any more: {TIMES} times in a row it failed after more than {LONG_S:g} s")
        began = time.monotonic()
        try:
            yield
        except Exception:
            if time.monotonic() - began > LONG_S:
                self.failures[name] += 1
            raise
        self.failures[name] = 0
