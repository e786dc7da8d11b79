"""Why a call gave no answer: trouble that may pass, and refusals that another try would meet again."""

from __future__ import annotations

from auto_benchmark.errors import AutoBenchmarkError


class UnreachableError(AutoBenchmarkError):
    """The endpoint could not be reached or broke off; worth trying again."""


class NotConnectedError(UnreachableError):
    """No connection came about, so nothing was sent."""


class CallRefusedError(AutoBenchmarkError):
    """The call was not made or its answer not taken; another try would end alike."""


class BadRequestError(CallRefusedError):
    """The address or a header cannot be sent."""


class AddressRefusedError(CallRefusedError):
    """The host is, or is also, a private address, and that is not allowed."""


class TooLargeError(CallRefusedError):
    """The answer is larger than its limit, on the wire or unpacked."""


class RedirectRefusedError(CallRefusedError):
    """The answer leads away from http(s)."""


class RedirectsEndlessError(CallRefusedError):
    """The answers lead from one address to the next."""
