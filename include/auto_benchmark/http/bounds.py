"""What one call may take: time and bytes."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import httpcore

from auto_benchmark.http.errors import TooLargeError

HEAD_BYTES = 2**18
"""What an answer may have on the wire beside its body: headers, interim answers, the framing of chunks."""
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


class Allowance:
    """What is left of the bounds of a call that runs."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._deadline = Deadline(bounds.seconds)
        self._bytes = bounds.bytes + HEAD_BYTES

    def seconds(self) -> float:
        """How long the next step may take.

        Raises:
            httpcore.ReadTimeout: no time is left.
        """
        left = self._deadline.left()
        if left <= 0:
            raise httpcore.ReadTimeout(f"no complete answer within {self.bounds.seconds:.3g} s")
        return min(left, self.bounds.silence_s)

    def take(self, size: int) -> None:
        """Count bytes from the wire.

        Raises:
            TooLargeError: more than the body and its headers may have.
        """
        self._bytes -= size
        if self._bytes < 0:
            raise TooLargeError(f"the answer is more than {self.bounds.bytes} bytes")
