"""Why a candidate gets no score."""

from __future__ import annotations

CHECKS = ("files", "build", "runs", "format", "correct", "plausible", "count", "score")
"""That a candidate can fail."""


class Wrong(Exception):  # noqa: N818 - a verdict about a candidate, not an error of the program
    """The candidate is not valid: its reward is 0, with this reason.

    Args:
        reason: one line, shown to the author of the candidate. It never holds sealed inputs or expected answers.
        check: name of the check that failed.
    """

    def __init__(self, reason: str, check: str = "correct") -> None:
        self.reason, self.check = reason, check
        super().__init__(reason)


class VerifierFaultError(Exception):
    """A task's ``tests/verify.py`` cannot judge: the fault of its author, nothing is said about the candidate."""


class MissingToolError(Exception):
    """This machine lacks a program that the task needs; nothing is said about the candidate.

    Args:
        tool: its name.
        why: what is wrong with it, where it is there.
    """

    def __init__(self, tool: str, why: str = "is not installed here") -> None:
        self.tool = tool
        super().__init__(f"{tool} {why}")
