"""When a call is repeated, and how long is waited before: one policy for boards, papers, submissions and models."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NoReturn

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Deadline
from auto_benchmark.http.errors import UnreachableError

if TYPE_CHECKING:
    from tenacity import RetryCallState

PASSING = frozenset({408, 425, 429, 500, 502, 503, 504})
"""Statuses of trouble that may pass. Every other one is an answer."""
LONGEST_RETRY_AFTER_S = 86_400.0


class GaveUpError(UnreachableError):
    """No answer, or none but trouble, after all attempts.

    Attributes:
        answer: the last one; None where the last attempt brought none.
        retry_after_s: seconds that the server asked for.
    """

    def __init__(self, message: str, answer: Answer | None) -> None:
        self.answer = answer
        self.retry_after_s = None if answer is None else asked_wait(answer)
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Retry:
    """Repeats a call while the trouble may pass: exponential waits with jitter, or what Retry-After asks for.

    Attributes:
        attempts: at most.
        seconds: for everything, waits included.
        wait_s: longest single wait; a server that asks for more is left alone.
        sleep: waits.
        clock: monotonic seconds.
    """

    attempts: int = 4
    seconds: float = 120.0
    wait_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    clock: Callable[[], float] = time.monotonic

    def __call__(self, once: Callable[[Deadline], Answer], deadline: Deadline | None = None) -> Answer:
        """The first answer that is not trouble.

        Args:
            once: one attempt, within the deadline that it is given; raises UnreachableError where no answer comes.
                What it sends must be safe to send twice.
            deadline: of several calls together; by default ``seconds`` from now.

        Raises:
            GaveUpError: attempts or time have run out.
        """
        from tenacity import Retrying, retry_if_exception_type, retry_if_result, stop_after_attempt

        until = deadline or Deadline(self.seconds, self.clock)
        retrying = Retrying(
            stop=stop_after_attempt(self.attempts),
            wait=lambda state: self._pause(state, until),
            sleep=self.sleep,
            retry=retry_if_exception_type(UnreachableError) | retry_if_result(lambda a: a.status in PASSING),
            retry_error_callback=lambda state: _give_up(state, f" after {_counted(state.attempt_number)}"),
        )
        return retrying(once, until)

    def _pause(self, state: RetryCallState, until: Deadline) -> float:
        from tenacity.wait import wait_exponential_jitter

        answer = _answer(state)
        asked = None if answer is None else asked_wait(answer)
        pause = max(asked or 0.0, wait_exponential_jitter(initial=1.0, max=self.wait_s / 2, jitter=1.0)(state))
        if asked is not None and pause > min(self.wait_s, until.left()):
            _give_up(state, f", and asks to wait {asked:.0f} s")
        if pause > until.left():
            _give_up(state, f" after {_counted(state.attempt_number)}, with no time for another")
        return pause


def asked_wait(answer: Answer) -> float | None:
    """Seconds that an answer asks to wait; None where it does not."""
    return retry_after(answer.headers.get("retry-after"))


def retry_after(value: str | None, now: float | None = None) -> float | None:
    """Seconds of a Retry-After header (RFC 9110, 10.2.3), at most a day.

    Args:
        value: seconds, or a date in one of the three forms of HTTP.
        now: seconds since the epoch, for dates.

    Returns:
        None when absent or unreadable.
    """
    text = (value or "").strip()
    if re.fullmatch(r"[0-9]+", text):
        return min(float(text[:20]), LONGEST_RETRY_AFTER_S)
    try:
        date = parsedate_to_datetime(text)
        moment = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return None
    return min(max(0.0, moment - (time.time() if now is None else now)), LONGEST_RETRY_AFTER_S)


def _answer(state: RetryCallState) -> Answer | None:
    outcome = state.outcome
    return None if outcome is None or outcome.failed else outcome.result()


def _give_up(state: RetryCallState, why: str) -> NoReturn:
    answer = _answer(state)
    what = (
        f"status {answer.status}" if answer is not None else str(state.outcome.exception() if state.outcome else "")
    )
    raise GaveUpError(what + why, answer)


def _counted(attempts: int) -> str:
    return "1 attempt" if attempts == 1 else f"{attempts} attempts"
