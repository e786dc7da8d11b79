"""The scalar types of every declared file.

Names may become file names, dag_ids, container names and database keys. Numbers are numbers: neither ``yes`` nor
``"0.5"`` is one.
"""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import Field, StringConstraints

from auto_benchmark.errors import InputError

RESERVED = frozenset({"arena", "code", "data", "demo", "environments", "postgres", "sealed", "stack"})
"""Folders of ``AUTO_BENCHMARK_HOME`` that belong to the installation: no project may be called so."""

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
"""Lower-case identifier: projects, solutions, benchmarks, metrics."""

KnobName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]{0,62}$")]
"""An identifier with capital letters: a knob may be called as its library calls it, e.g. ``C``."""

Name = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f/\\]+$")]
"""A display name as a leaderboard writes it: no control characters, no path separators."""

Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(strict=True, ge=0, le=1)]
Count = Annotated[int, Field(strict=True, ge=1)]


def project_name(name: str) -> str:
    """``name``, where it may be a project's: it becomes a folder, a part of dag_ids and of container names.

    Raises:
        InputError: it is no :data:`Slug`, or the folder of that name is the installation's own.
    """
    folder_name(name, "project")
    if name in RESERVED:
        raise InputError(f"{name!r} cannot be the name of a project: that folder of the home is taken")
    return name


def folder_name(name: str, kind: str) -> str:
    """``name``, where it may be the name of a ``kind``'s folder. Raises InputError for what is no :data:`Slug`."""
    if re.fullmatch(r"[a-z][a-z0-9_]{0,62}", name) is None:
        raise InputError(
            f"{name[:80]!r} cannot be the name of a {kind}: it has 1 to 63 lower-case letters, digits and _, "
            "and begins with a letter"
        )
    return name


def display_name(name: str) -> str:
    """``name``, where it may be a board's. Raises InputError for what is no :data:`Name`."""
    if re.fullmatch(r"[^\x00-\x1f/\\]{1,200}", name) is None:
        raise InputError(
            f"{name[:80]!r} cannot be the name of a board: it has 1 to 200 characters, no slashes, backslashes or "
            "control characters"
        )
    return name
