"""Why a document was not read. A refusal is never an empty board and never a number."""

from __future__ import annotations

from enum import StrEnum

from auto_benchmark.errors import RefusedError


class Reason(StrEnum):
    """What went wrong, in one word that a pipeline can branch on."""

    NO_TABLE = "no_table"
    NO_SCORED_ROWS = "no_scored_rows"
    DRAWN_BY_JAVASCRIPT = "drawn_by_javascript"
    ERROR_PAGE = "error_page"
    WRONG_FORMAT = "wrong_format"
    MALFORMED = "malformed"
    LOCATOR_MISSED = "locator_missed"
    METRIC_MISSING = "metric_missing"
    COLUMN_MISSING = "column_missing"
    AMBIGUOUS_COLUMN = "ambiguous_column"
    AMBIGUOUS_TABLE = "ambiguous_table"
    AMBIGUOUS_NUMBER = "ambiguous_number"
    TOO_MANY_REJECTED = "too_many_rejected"
    SUSPECT = "suspect"
    TOO_LARGE = "too_large"
    UNREACHABLE = "unreachable"
    NOT_ALLOWED = "not_allowed"
    READER_FAULT = "reader_fault"


class ReadRefused(RefusedError):  # noqa: N818 - it is a decision, not a fault
    """A document that cannot be read with certainty.

    Args:
        reason: one word for programs.
        message: what was seen and what was expected.
    """

    def __init__(self, reason: Reason, message: str) -> None:
        self.reason_code = reason
        self.message = message
        super().__init__(f"{reason}: {message}")
