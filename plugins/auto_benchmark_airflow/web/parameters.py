"""What requests are made of, and within which bounds: the database can look for nothing else."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Body, Path, Query
from pydantic import AfterValidator

from auto_benchmark.telling.reason import as_reason, storable

LARGEST_ID = 2**63 - 1
"""Of Postgres' bigint, which numbers rows."""
LARGEST_POSITION = 2**31 - 1
"""Of Postgres' integer, which numbers the entries of a board."""
SHORTEST_REASON = 3
"""Characters that a reader sees."""

Limit = Annotated[int, Query(ge=1, le=200)]
Offset = Annotated[int, Query(ge=0, le=LARGEST_POSITION)]
Before = Annotated[int, Query(ge=0, le=LARGEST_ID)]
TrialId = Annotated[int, Path(ge=1, le=LARGEST_ID)]
Key = Annotated[str, Body(embed=True, min_length=1, max_length=500), AfterValidator(storable)]
Reason = Annotated[
    str, Body(embed=True, max_length=500), AfterValidator(lambda text: as_reason(text, at_least=SHORTEST_REASON))
]
Written = Annotated[dict[str, Any], Body(embed=True)]
"""An idea in the form of its file; the library says what is wrong with it."""
Patch = Annotated[str, Body(embed=True, max_length=60_000), AfterValidator(storable)]
