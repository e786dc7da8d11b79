"""``construct review --import``: what the filled sheets of several raters say."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark.construction.folder import write_json
from auto_benchmark.construction.handed_in import rows_of
from auto_benchmark.construction.review_sheet import PLANTED
from auto_benchmark.construction.spoilt import WRONG_KEY
from auto_benchmark.construction.stored import Stored, read_checked
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.stats.agreement import krippendorff_alpha
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import wilson_interval_of_units
from auto_benchmark.text_file import text_of

RESULT = "review/result.json"
YES, NO = frozenset({"yes", "y", "1", "true"}), frozenset({"no", "n", "0", "false"})
DELIMITERS = (",", ";", "\t")


class SheetRow(Stored):
    """A line of ``review/planted.jsonl``; ``true`` is what earlier sheets say of a wrong key."""

    number: int
    id: str
    planted: str | bool | None
    question: str | None = None

    @property
    def fault(self) -> str | None:
        """What is wrong with a planted item."""
        return (WRONG_KEY if self.planted else None) if isinstance(self.planted, bool) else self.planted


@dataclass(frozen=True, slots=True)
class Rating:
    """What one rater says of one item."""

    accept: bool
    reason: str


Ratings = Mapping[int, Rating]


def import_ratings(folder: Path, sheets: Sequence[Path]) -> dict[str, Any]:
    """What one sheet per rater says; kept as ``review/result.json``.

    Returns:
        ``accepted`` of the real items, ``caught`` of the planted ones, all together and by class, each with an interval
        over items; Krippendorff's ``alpha`` over all (None with one rater, or where all say the same of everything); the
        same by rater; ids of real items that are ``disputed`` or ``rejected`` by more than half, and all ``reasons``
        given against real items.

    Raises:
        InputError: there is no sheet; ConfigError: a rating cannot be read, with file, line and field.
    """
    if not (folder / PLANTED).is_file():
        raise InputError(f"{folder}: there is no sheet yet; write one with `construct review {folder}`")
    if len({os.path.realpath(path) for path in sheets}) < len(sheets):
        raise InputError("--import: one file stands there twice; each rater has a sheet of their own")
    known = _known(folder / PLANTED)
    said = [_ratings(path, known) for path in sheets]
    votes = {n: [one[n].accept for one in said if n in one] for n in known}
    real = [n for n, row in known.items() if row.fault is None]
    rejected = [n for n in real if sum(votes[n]) * 2 < len(votes[n])]
    result = {
        "raters": len(said), "rated": sum(map(bool, votes.values())), **_shares(said, known),
        "caught_by_class": _by_class(said, known), "alpha": _alpha(said, known),
        "by_rater": [
            {"file": path.name, "rated": len(one), **_shares([one], known)}
            for path, one in zip(sheets, said, strict=True)
        ],
        "disputed": sorted(known[n].id for n in known if len(set(votes[n])) > 1),
        "rejected": sorted(known[n].id for n in rejected),
        "reasons": {known[n].id: given for n in real if (given := _against(said, n))},
    }  # fmt: skip
    write_json(folder / RESULT, result)
    return result


def _known(path: Path) -> dict[int, SheetRow]:
    """The sheet's rows by number. Raises ConfigError where the file is damaged."""
    known = dict[int, SheetRow]()
    for line, found in enumerate(read_checked(path, SheetRow), 1):
        row = SheetRow.model_validate(found)
        if row.number in known:
            raise ConfigError([Fault(str(path), line, "number", f"{row.number} stands there twice")])
        known[row.number] = row
    if not known:
        raise ConfigError([Fault(str(path), None, "", "holds no item")])
    return known


def _shares(said: Sequence[Ratings], known: Mapping[int, SheetRow]) -> dict[str, Any]:
    real = [n for n in known if known[n].fault is None]
    return {
        "accepted": _share(said, real, accept=True),
        "caught": _share(said, known.keys() - set(real), accept=False),
    }


def _by_class(said: Sequence[Ratings], known: Mapping[int, SheetRow]) -> dict[str, Any]:
    numbers = defaultdict[str, list[int]](list)
    for n, row in known.items():
        if row.fault is not None:
            numbers[row.fault].append(n)
    return {fault: _share(said, numbers[fault], accept=False) for fault in sorted(numbers)}


def _share(said: Sequence[Ratings], numbers: Sequence[int] | set[int], *, accept: bool) -> dict[str, Any] | None:
    """Share of ratings. Two ratings of one item are no two observations: the interval counts items."""
    ratings = [[one[n].accept is accept for one in said if n in one] for n in numbers]
    rated = [votes for votes in ratings if votes]
    if not rated:
        return None
    n = sum(map(len, rated))
    value = sum(map(sum, rated)) / n
    return {
        "value": value,
        "interval": list(wilson_interval_of_units(value, len(rated))),
        "n": n,
        "items": len(rated),
    }


def _alpha(said: Sequence[Ratings], known: Mapping[int, SheetRow]) -> float | None:
    try:
        return krippendorff_alpha([[one[n].accept if n in one else None for n in sorted(known)] for one in said])
    except NotApplicableError:
        return None


def _against(said: Sequence[Ratings], number: int) -> list[str]:
    return [one[number].reason for one in said if number in one and not one[number].accept]


def _ratings(path: Path, known: Mapping[int, SheetRow]) -> dict[int, Rating]:
    """The ratings of a sheet. Raises ConfigError with every fault, each by line and column."""
    found: dict[int, Rating] = {}
    faults = []
    for line, row in _rows(path):
        fault = _fault(row, known, found)
        if fault is not None:
            faults.append(Fault(str(path), line, *fault))
        elif row["accept"]:
            found[int(row["number"])] = Rating(row["accept"].casefold() in YES, row.get("reason", ""))
    if not found and not faults:
        faults.append(Fault(str(path), None, "accept", "nothing is rated"))
    if faults:
        raise ConfigError(faults)
    return found


def _fault(row: Mapping[str, str], known: Mapping[int, SheetRow], before: Ratings) -> tuple[str, str] | None:
    number, accept = row["number"], row["accept"]
    if not number.isdecimal() or len(number) > 9 or int(number) not in known:
        return "number", f"should be a number of the sheet, is {number[:40]!r}"
    if accept and accept.casefold() not in YES | NO:
        return "accept", f"should be yes, no or empty, is {accept[:40]!r}"
    if int(number) in before:
        return "number", f"{number} is rated twice"
    asked = known[int(number)].question
    if row.get("question") and asked is not None and _plain(row["question"]) != _plain(asked):
        return "question", f"is not the one of number {number}: this is another sheet, or one of an earlier build"
    return None


def _plain(text: str) -> str:
    """Text as spreadsheet programs leave it: with or without the apostrophe that kept it from being a formula."""
    return " ".join(text.split()).lstrip("'")


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Line and cells of each row; commas, semicolons and tabs are told apart by the first line."""
    text = text_of(path, str(path))
    first = text.partition("\n")[0]
    delimiter = max(DELIMITERS, key=first.count)
    reader = rows_of(text, delimiter)
    try:
        names = [name.strip().casefold() for name in next(reader, [])]
        for name in ("number", "accept"):
            if name not in names:
                raise ConfigError([Fault(str(path), 1, name, "there is no such column")])
        for name in ("number", "accept", "reason", "question"):
            if names.count(name) > 1:
                raise ConfigError([Fault(str(path), 1, name, f"there are {names.count(name)} such columns")])
        line = reader.line_num + 1
        for cells in reader:
            if len(cells) > len(names):
                raise ConfigError([Fault(str(path), line, "", f"has {len(cells)} cells, the first line {len(names)}; "
                                         f"quote a cell that holds {delimiter!r}")])  # fmt: skip
            if any(cells):
                filled = [*cells, *[""] * (len(names) - len(cells))]
                yield line, {name: value.strip() for name, value in zip(names, filled, strict=True)}
            line = reader.line_num + 1
    except csv.Error as error:
        raise ConfigError([Fault(str(path), reader.line_num, "", f"cannot be read as CSV: {error}")]) from None
