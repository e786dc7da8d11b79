"""The scalar types of every declared file.

Names may become file names, dag_ids, container names and database keys. Numbers are numbers: neither ``yes`` nor
``"0.5"`` is one.
"""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
"""Lower-case identifier: projects, solutions, benchmarks, knobs."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f/\\]+$")]
"""A display name as a leaderboard writes it: no control characters, no path separators."""

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1)]
