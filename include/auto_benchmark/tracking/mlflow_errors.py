"""Why MLflow did not take something: it is away, so that all has to wait; or it refuses this, and others may go on."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator

REFUSALS = {"INVALID_PARAMETER_VALUE", "BAD_REQUEST", "MALFORMED_REQUEST", "RESOURCE_ALREADY_EXISTS", "INVALID_STATE"}


class TrackerAwayError(Exception):
    """The tracking server does not answer; what was to be written should be kept and written later."""


class RunRefusedError(Exception):
    """The tracking server answers, and never takes what was sent about one run."""


@contextlib.contextmanager
def reaching(what: str, *, whole: bool = False) -> Iterator[None]:
    """Whatever MLflow and its transports raise becomes one of the two: a trial never depends on it.

    Args:
        what: what is sent, for the message.
        whole: this is about the tracker itself, whose refusal concerns every run.

    Raises:
        RunRefusedError: MLflow names a mistake in what it was told, or cannot even say it to its store.
        TrackerAwayError: anything else.
    """
    try:
        yield
    except (TrackerAwayError, RunRefusedError):
        raise
    except Exception as error:
        kind = RunRefusedError if is_refusal(error) and not whole else TrackerAwayError
        raise kind(f"{what}: {type(error).__name__}: {without_password(str(error))[:300]}") from error


def is_refusal(error: Exception) -> bool:
    """Whether the same call fails again, however often it is made."""
    if (code := getattr(error, "error_code", None)) is not None:
        return code in REFUSALS
    return isinstance(error, ValueError | TypeError | OverflowError) and not isinstance(error, OSError)


def without_password(text: str) -> str:
    """The text with user and password taken out of the addresses in it."""
    return re.sub(r"//[^/\s]*@", "//", text)
