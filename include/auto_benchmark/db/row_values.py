"""Reads one row of an archive: every cell has the type of its column and a value that the program can live with."""

from __future__ import annotations

import datetime
import json
import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import JSON, BigInteger, Boolean, Column, Date, DateTime, Double, Integer, Table, Text

from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import Split, Stage, TrialState
from auto_benchmark.db.models import SCHEMA, Base
from auto_benchmark.db.table_contents import TABLES, Contents
from auto_benchmark.errors import RefusedError
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus, Urgency
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.kinds import ExperimentKind, Lane, Outcome, Purpose
from auto_benchmark.leaderboards.delta import ChangeType
from auto_benchmark.leaderboards.snapshot import SnapshotStatus
from auto_benchmark.promotion.production import Role
from auto_benchmark.promotion.schema import Verdict
from auto_benchmark.research.record import PaperStage

DEEPEST = 40
"""Levels of a JSON document; ours have fewer than ten."""
LARGEST = 2**63
_PART = r"[A-Za-z0-9_][A-Za-z0-9_.,=+-]{0,119}"


def _one_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, words))


NAMES: Mapping[str, str] = {
    "project": r"[a-z][a-z0-9_]{0,62}",
    "slug": r"[a-z][a-z0-9_]{0,62}",
    "hypothesis": r"H-\d{3,9}",
    "experiment": rf"{_PART}(/\d{{1,19}})?",
    "hash": r"[0-9A-Za-z]{1,64}",
    "tree": r"([0-9a-f]{16})?",
    "content": r"[0-9A-Za-z]{0,64}",
    "experiment kind": _one_of(ExperimentKind),
    "outcome": _one_of(Outcome),
    "lane": _one_of(Lane),
    "purpose": rf"({_one_of(Purpose)})(:[A-Za-z0-9_.-]{{1,64}})?",
    "result folder": rf"experiments/results(/{_PART}){{1,4}}",
    "raw page": r"raw/[0-9A-Za-z]{1,64}",
    "stage": _one_of(Stage),
    "split": _one_of(Split),
    "trial state": _one_of(TrialState),
    "failure": _one_of(FailureClass),
    "verdict": _one_of(Verdict),
    "role": _one_of(Role),
    "change": _one_of(ChangeType),
    "hypothesis status": _one_of(HypothesisStatus),
    "urgency": _one_of(Urgency),
    "origin": rf"(({_one_of(Origin)})(:[^\x00-\x1f]{{1,200}})?)?",
    "paper stage": _one_of(PaperStage),
    "snapshot status": _one_of(SnapshotStatus),
    "answer": "approved|rejected",
    "submission state": "pending|sent|accepted|refused",
    "message state": "pending|sent|dead",
}
"""Texts that become file names, or that the program must know -> what they match in full."""


def read_row(table: Table, line: bytes, *, project: str, place: str) -> dict[str, Any]:
    """One row, with the values that its columns take. A column that may be absent and is, is left out or None.

    Args:
        table: that the row is of.
        line: JSON object, column name -> value.
        project: whose row it has to be.
        place: file and line, for messages.

    Raises:
        RefusedError: a value is of the wrong type, missing, unknown, impossible, or of another project.
    """
    try:
        row = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise RefusedError(f"{place}: is not a JSON row: {str(error)[:120]}") from None
    if not isinstance(row, dict):
        raise RefusedError(f"{place}: should be a row, is {_kind(row)}")
    if unknown := sorted(row.keys() - {column.name for column in _columns(table.name)}):
        raise RefusedError(f"{place}: {table.name} has no column {unknown[0][:60]!a}")
    owner = "name" if table.name == "projects" else "project"
    if row.get(owner) != project:
        raise RefusedError(f"{place}: {owner}: a row of {str(row.get(owner))[:60]!a} in an archive of {project!r}")
    return {column.name: value for column in _columns(table.name) for value in column.read(row, place)}


@dataclass(frozen=True, slots=True)
class _Column:
    """What is known of a column; worked out once for all its cells."""

    name: str
    nullable: bool
    required: bool
    value: Callable[[Any], Any]
    known_as: str | None

    def read(self, row: Mapping[str, Any], place: str) -> tuple[Any, ...]:
        """The row's value; nothing where the column may be absent and has a default."""
        value = row.get(self.name)
        if value is None and self.nullable:
            return (None,)
        if self.name not in row and not self.required:
            return ()
        try:
            return (self._checked(value, self.name in row),)
        except ValueError as error:
            raise RefusedError(f"{place}: {self.name}: {error}") from None

    def _checked(self, value: Any, is_there: bool) -> Any:
        if value is None:
            raise ValueError("is null" if is_there else "is missing")
        found = self.value(value)
        if self.known_as is not None and re.fullmatch(NAMES[self.known_as], found) is None:
            raise ValueError(f"{value[:60]!a} is not a valid {self.known_as}")
        return found


@cache
def _columns(name: str) -> tuple[_Column, ...]:
    known_as = TABLES[name].names
    return tuple(
        _Column(
            column.name,
            bool(column.nullable),
            column.identity is not None or (column.default is None and column.server_default is None),
            _reader(column, TABLES[name]),
            known_as.get(column.name),
        )
        for column in Base.metadata.tables[f"{SCHEMA}.{name}"].c
    )


def _reader(column: Column[Any], contents: Contents) -> Callable[[Any], Any]:
    readers: list[tuple[type, Callable[[Any], Any]]] = [
        (BigInteger, lambda value: _integer(value, 63)),
        (Integer, lambda value: _integer(value, 31)),
        (Double, _number),
        (Boolean, lambda value: _of(bool, value)),
        (DateTime, _moment),
        (Date, _day),
        (Text, _text),
        (JSON, lambda value: _document(value, dict if column.name in contents.objects else list)),
    ]
    return next(read for known, read in readers if isinstance(column.type, known))


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise ValueError(f"is {_kind(value)}")
    return value


def _integer(value: Any, bits: int) -> int:
    number: int = _of(int, value)
    if not -(2**bits) <= number < 2**bits:
        raise ValueError("is too large a number")
    return number


def _number(value: Any) -> float:
    number = value if type(value) is float else float(_integer(value, 63))
    if not math.isfinite(number):
        raise ValueError("is not a finite number")
    return number


def _moment(value: Any) -> datetime.datetime:
    found = datetime.datetime.fromisoformat(_text(value))
    if found.tzinfo is None:
        raise ValueError("is a time without its zone")
    return found


def _day(value: Any) -> datetime.date:
    return datetime.date.fromisoformat(_text(value))


def _text(value: Any) -> str:
    text: str = _of(str, value)
    if "\0" in text or not _encodes(text):
        raise ValueError("holds a character that the database does not take")
    return text


def _encodes(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _document(value: Any, kind: type) -> Any:
    """A JSON document, whose strings and numbers the database takes and every reader can read."""
    level, depth = [_of(kind, value)], 0
    while level:
        depth += 1
        below: list[Any] = []
        for part in level:
            if isinstance(part, dict):
                below += part
                below += part.values()
            elif isinstance(part, list):
                below += part
            elif isinstance(part, str):
                _text(part)
            elif isinstance(part, float):
                _number(part)
            elif type(part) is int and not -LARGEST <= part < 2 * LARGEST:
                raise ValueError("holds too large a number")
        if below and depth == DEEPEST:
            raise ValueError(f"is nested deeper than {DEEPEST} levels")
        level = below
    return value


def _kind(value: Any) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    return names.get(type(value), "null")
