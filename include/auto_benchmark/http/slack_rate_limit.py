"""slack_sdk's own handler of Slack's rate limit, with an end to its patience.

It is the only handler that clients get: a call that broke off may have posted, so repeating it is left to the outbox,
which looks first. A call that met the rate limit has posted nothing.
"""

from __future__ import annotations

from typing import Any

from slack_sdk.http_retry.builtin_handlers import RateLimitErrorRetryHandler
from slack_sdk.http_retry.request import HttpRequest
from slack_sdk.http_retry.response import HttpResponse
from slack_sdk.http_retry.state import RetryState

LONGEST_WAIT_S = 300.0
"""How long one client waits for Slack altogether; what is left goes out with the next run."""
MOST_WAITS = 1000
JITTER_S = 1.0
"""What slack_sdk adds at most."""


class RateLimitPatience(RateLimitErrorRetryHandler):
    """Waits as long as Slack asks, as long as all waits together stay within ``seconds``."""

    def __init__(self, seconds: float = LONGEST_WAIT_S) -> None:
        super().__init__(max_retry_count=MOST_WAITS)
        self._left = seconds

    def _can_retry(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> bool:
        if response is None or not super()._can_retry(state=state, request=request, response=response, error=error):
            return False
        asked = asked_seconds(response.headers)
        return asked is not None and asked + JITTER_S <= self._left

    def prepare_for_next_attempt(
        self,
        *,
        state: RetryState,
        request: HttpRequest,
        response: HttpResponse | None = None,
        error: Exception | None = None,
    ) -> None:
        """Wait, and count it."""
        asked = asked_seconds(response.headers) if response is not None else None
        self._left -= (asked or 0.0) + JITTER_S
        super().prepare_for_next_attempt(state=state, request=request, response=response, error=error)


def asked_seconds(headers: Any) -> float | None:
    """Seconds of Retry-After; one second where Slack names none, None where they cannot be read as slack_sdk does."""
    text = next((value for name, value in dict(headers).items() if name.lower() == "retry-after"), None)
    if text is None:
        return 1.0
    text = text[0] if isinstance(text, list) else text
    return float(text) if str(text).isascii() and str(text).isdigit() else None
