"""Tasks hand on ids and small JSON; results are read from the project database."""

from __future__ import annotations

import json
from typing import Any

from airflow.sdk.exceptions import AirflowFailException

LARGEST_XCOM_BYTES = 16_384


class XComTooLargeError(AirflowFailException):
    """A task tried to put data into Airflow's database; trying again would not help."""


def guarded(value: Any, *, task: str) -> Any:
    """Return ``value`` if it is JSON of at most 16 kB.

    Raises:
        XComTooLargeError: names the task, the size and the way out.
    """
    try:
        size = len(json.dumps(value, allow_nan=False).encode())
    except (TypeError, ValueError) as error:
        raise XComTooLargeError(f"{task} returned what is not JSON ({error}); return ids instead") from None
    if size > LARGEST_XCOM_BYTES:
        raise XComTooLargeError(
            f"{task} returned {size} bytes for XCom, the limit is {LARGEST_XCOM_BYTES}: "
            "store the data in the project database and return its id"
        )
    return value
