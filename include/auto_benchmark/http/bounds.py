"""What one call may take: time and bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

SILENCES = 3.0


class Deadline:
    """A moment on a monotonic clock.

    Args:
        seconds: from now.
        clock: monotonic seconds.
    """

    def __init__(self, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self.seconds = seconds
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float:
        """Seconds until then; negative after it."""
        return self._end - self._clock()


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of one call.

    Attributes:
        silence_s: longest wait for a connection, or for the next byte.
        seconds: for the whole call, from looking the name up to the last byte, however busy the server keeps us.
        bytes: of the body, as it comes and unpacked.
    """

    silence_s: float = 20.0
    seconds: float = 60.0
    bytes: int = 64 * 2**20

    def within(self, deadline: Deadline) -> Bounds:
        """These bounds for one attempt: no longer than the deadline of all, nor than three silences.

        The second is less than all the time there is, so that a host that dawdles once is asked again.
        """
        return replace(self, seconds=min(deadline.left(), SILENCES * self.silence_s))
