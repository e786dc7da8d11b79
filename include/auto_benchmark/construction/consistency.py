"""``construct consistency``: whether two constructions rank the same candidates alike."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from auto_benchmark.construction.candidate import Kind
from auto_benchmark.construction.earlier_boards import CANDIDATES_FILE
from auto_benchmark.construction.folder import BENCHMARK
from auto_benchmark.construction.stored import CandidateRow, Stored, read_checked, read_sheet
from auto_benchmark.errors import ConfigError, Fault, InputError, RefusedError
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.consistency import LEAST_SYSTEMS, consistency
from auto_benchmark.stats.objectives import Right

REPORTED = ("search", "gate")
"""Splits that candidates answered and no description was chosen by."""


class AnsweredRow(CandidateRow):
    """A line of ``candidates.jsonl`` with every answer."""

    learned: str
    failed: str | None = None
    right: dict[str, Annotated[int, Field(ge=0, le=1)]]


class ReportedItem(Stored):
    """A line of a split, as far as it says what an item belongs to."""

    id: str
    slice: str


@dataclass(frozen=True, slots=True)
class RankedBuild:
    """A finished construction as its candidates see it.

    Attributes:
        folder: where it lies.
        name: of the benchmark.
        rows: candidate -> what it answered.
        subtasks: item -> subtask, of the splits that report.
    """

    folder: Path
    name: str
    rows: Mapping[str, AnsweredRow]
    subtasks: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path) -> RankedBuild:
        """Read what a construction left.

        Raises:
            InputError: there is none; ConfigError: a file of it is damaged, with file, line and field.
        """
        path = folder / CANDIDATES_FILE
        if not path.is_file():
            raise InputError(f"{folder}: no finished construction (there is no {CANDIDATES_FILE})")
        items = [
            row for split in REPORTED for row in read_checked(folder / BENCHMARK / f"{split}.jsonl", ReportedItem)
        ]
        subtasks = {row["id"]: row["slice"] for row in items}
        rows = dict[str, AnsweredRow]()
        for line, found in enumerate(read_checked(path, AnsweredRow), 1):
            row = AnsweredRow.model_validate(found)
            if row.name in rows:
                raise ConfigError([Fault(str(path), line, "name", f"{row.name!r} stands there twice")])
            if row.right.keys() != subtasks.keys():
                differ = len(row.right.keys() ^ subtasks.keys())
                raise ConfigError(
                    [Fault(str(path), line, "right", f"{differ} items differ from {', '.join(REPORTED)}")]
                )
            rows[row.name] = row
        return cls(folder, read_sheet(folder).name, rows, subtasks)

    def answers(self, names: Sequence[str], items: Sequence[str]) -> Right:
        """(candidates, items) right answers."""
        return np.array([[bool(self.rows[name].right[item]) for item in items] for name in names])


def compare(one: Path, other: Path) -> dict[str, Any]:
    """Whether two constructions rank their common candidates alike.

    Items that stand in both, such as those that link two generations, are left out of both.

    Returns:
        What ``construct consistency --json`` prints.

    Raises:
        InputError: a folder holds no finished construction, or a file of it is damaged.
        RefusedError: both are one, or fewer than five candidates are common, or noise is all there is.
    """
    if os.path.realpath(one) == os.path.realpath(other):
        raise RefusedError(f"{one} and {other} are one construction")
    builds = RankedBuild.read(one), RankedBuild.read(other)
    names, left_out = _common(*builds)
    if len(names) < LEAST_SYSTEMS:
        why = "".join(f"; {reason}: {', '.join(n for n in left_out if left_out[n] == reason)}"
                      for reason in dict.fromkeys(left_out.values()))  # fmt: skip
        raise RefusedError(f"{len(names)} candidates answered both, {LEAST_SYSTEMS} are needed{why}")
    shared = builds[0].subtasks.keys() & builds[1].subtasks.keys()
    items = [sorted(build.subtasks.keys() - shared) for build in builds]
    groups = [[build.subtasks[item] for item in mine] for build, mine in zip(builds, items, strict=True)]
    rights = [build.answers(names, mine) for build, mine in zip(builds, items, strict=True)]
    try:
        found = consistency(rights[0], rights[1], (groups[0], groups[1]))
    except NotApplicableError as error:
        aside = f"; {len(shared)} items stand in both and count for neither" if shared else ""
        raise RefusedError(f"{one} and {other}: {error}{aside}") from None
    accuracies = [[float(value) for value in right.mean(axis=1)] for right in rights]
    return {
        "builds": [
            {"folder": str(build.folder), "name": build.name, "items": len(its), "subtasks": sorted(set(its))}
            for build, its in zip(builds, groups, strict=True)
        ],
        "candidates": [{"name": n, "accuracies": list(both)} for n, *both in zip(names, *accuracies, strict=True)],
        "left_out": left_out, "common_items": len(shared), **_plain(asdict(found)),
        "verdict": _verdict(found.corrected, less_alike=found.is_less_alike_than_noise_explains),
        "warnings": _warnings(builds, groups, names),
    }  # fmt: skip


def _common(one: RankedBuild, other: RankedBuild) -> tuple[list[str], dict[str, str]]:
    """Candidates that answered both as the same program, and why the others are left out."""
    left_out = {}
    for name in sorted(one.rows.keys() | other.rows.keys()):
        a, b = one.rows.get(name), other.rows.get(name)
        if a is None or b is None:
            left_out[name] = "answered one of them only"
        elif a.version != b.version:
            left_out[name] = f"version {a.version} and {b.version}"
        elif a.learned != b.learned:
            left_out[name] = f"learned from {a.learned} and from {b.learned}"
        elif a.failed or b.failed:
            left_out[name] = f"failed: {a.failed or b.failed}"
    return [name for name in one.rows if name in other.rows and name not in left_out], left_out


def _plain(found: dict[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


def _verdict(corrected: float | None, *, less_alike: bool) -> str:
    if less_alike:
        return "less alike than noise explains"
    return "no less alike than noise explains" if corrected is not None else "mostly noise: their order is not known"


def _warnings(builds: Sequence[RankedBuild], groups: Sequence[Sequence[str]], names: Sequence[str]) -> list[str]:
    found = []
    asked = [set(its) for its in groups]
    if asked[0] != asked[1]:
        found.append(f"they ask about different things: {', '.join(sorted(asked[0] ^ asked[1]))} in one of them only")
    planted = [name for name in names if builds[0].rows[name].kind == Kind.PLANTED]
    if planted:
        found.append(f"no real panel: {len(planted)} planted programs take part")
    return found
