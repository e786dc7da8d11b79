"""Time that passes only when someone sleeps."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class FrozenClock:
    """A monotonic clock and its sleep; ``slept`` lists every pause in seconds."""

    now: float = 1000.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        """Let time pass."""
        self.slept.append(seconds)
        self.now += seconds
