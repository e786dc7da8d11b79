"""New ids for an imported project, drawn from the target's own sequences, and everything that refers to the old ones.

Within a table the order of the ids is kept, because "the newest", "the one before" and "after that trial" follow
from it. Which columns hold ids is declared in :mod:`auto_benchmark.db.table_contents`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, partial
from typing import Any, TypeVar

from sqlalchemy import Table, cast, func, select
from sqlalchemy.dialects.postgresql import REGCLASS
from sqlalchemy.orm import Session

from auto_benchmark.db.models import SCHEMA
from auto_benchmark.db.table_contents import PHRASES, TABLES, Templates
from auto_benchmark.errors import RefusedError

Row = dict[str, Any]
T = TypeVar("T")


class DanglingError(ValueError):
    """An id that no row of the archive has."""


class Identities:
    """Old id -> new id, for every table that has ids.

    Rows are shown to :meth:`see` first; after :meth:`draw` they are changed by :meth:`renew`.
    """

    def __init__(self) -> None:
        self._old: dict[str, set[int]] = {}
        self._new: dict[str, dict[int, int]] = {}

    def see(self, table: Table, row: Row, place: str) -> None:
        """Note the row's own id. Raises RefusedError when it is not an id, or occurs twice."""
        for column, target in TABLES[table.name].ids.items():
            if target != table.name or not table.c[column].primary_key:
                continue
            known = self._old.setdefault(table.name, set())
            if row[column] < 1 or row[column] in known:
                raise RefusedError(f"{place}: {column}: {row[column]} is not an id, or occurs twice")
            known.add(row[column])

    def draw(self, *, session: Session) -> None:
        """Draw as many ids as there were. They are gone even where the transaction is rolled back, as ever."""
        for name, old in self._old.items():
            sequence = cast(func.pg_get_serial_sequence(f"{SCHEMA}.{name}", "id"), REGCLASS)
            query = select(func.nextval(sequence)).select_from(func.generate_series(1, len(old)))
            drawn = sorted(session.scalars(query))
            self._new[name] = dict(zip(sorted(old), drawn, strict=True))

    def renew(self, table: Table, row: Row, place: str) -> Row:
        """The row with its ids and all that it refers to renewed.

        Raises:
            RefusedError: it refers to a row that the archive does not hold.
        """
        contents, found = TABLES[table.name], dict(row)
        kind = row.get(contents.kind) if contents.kind else None
        column = ""
        try:
            for column, target in contents.ids.items():
                found[column] = None if row[column] is None else self._id(target, row[column])
            for column, refers in contents.lists.items():
                found[column] = self._ids(refers, row.get(column)) if refers else row.get(column)
            for key, templates in _of_kind(contents.keys, kind):
                column = key
                found[column] = self._key(templates, row[column])
            for column, keys in contents.objects.items():
                found[column] = self._object(keys, kind, row.get(column))
        except DanglingError as error:
            raise RefusedError(f"{place}: {column}: {error}") from None
        for column in contents.prose & row.keys():
            found[column] = self._prose(row[column])
        return {column: value for column, value in found.items() if column in row}

    def _id(self, table: str, old: int) -> int:
        try:
            return self._new[table][old]
        except KeyError:
            raise DanglingError(f"the archive holds no row {old} of {table}") from None

    def _ids(self, table: str, value: Any) -> Any:
        """An id, or a list of ids, inside of a document."""
        if isinstance(value, list):
            return [self._ids(table, each) for each in value]
        if value is None:
            return None
        if type(value) is not int:
            raise DanglingError(f"{str(value)[:60]!a} is not an id of {table}")
        return self._id(table, value)

    def _object(self, keys: Mapping[str, str | Templates], kind: str | None, value: Any) -> Any:
        if not value:
            return value
        found = dict(value)
        for key, refers in _of_kind(keys, kind):
            if key not in found:
                continue
            if isinstance(refers, str):
                found[key] = self._ids(refers, found[key])
            elif isinstance(found[key], str):
                found[key] = self._key(refers, found[key])
        return found

    def _key(self, templates: Templates, value: Any) -> Any:
        if value is None:
            return None
        for pattern, tables in map(_compiled, templates):
            if match := pattern.fullmatch(value):
                return _replaced(value, match, [str(self._id(t, int(match[i]))) for i, t in tables])
        return value

    def _prose(self, value: str | None) -> str | None:
        """Phrases are for people: one that names no row of the archive stays as it is."""
        for pattern, tables in map(_compiled, PHRASES if value else ()):
            value = re.sub(rf"\b{pattern.pattern}\b", partial(self._phrase, tables), value or "")
        return value

    def _phrase(self, tables: tuple[tuple[int, str], ...], match: re.Match[str]) -> str:
        new = [self._new.get(table, {}).get(int(match[i])) for i, table in tables]
        if None in new:
            return match[0]
        return _replaced(match[0], match, [str(each) for each in new], start=match.start())


def _of_kind(declared: Mapping[str, T], kind: str | None) -> list[tuple[str, T]]:
    """What is declared for rows of a kind, under names without that kind."""
    split = ((name.rpartition(":"), value) for name, value in declared.items())
    return [(column, value) for (wanted, _, column), value in split if wanted in {"", kind}]


@cache
def _compiled(template: str) -> tuple[re.Pattern[str], tuple[tuple[int, str], ...]]:
    """A template as an expression, and group -> table of the ids in it. A bigint has at most 19 digits."""
    parts: list[str] = []
    tables: list[tuple[int, str]] = []
    for part in re.split(r"(\{\w+\}|\*\*|\*)", template):
        if part.startswith("{"):
            tables.append((len(tables) + 1, part[1:-1]))
            parts.append(r"([1-9][0-9]{0,18})")
        else:
            parts.append({"*": "[^/]*", "**": "(?:.|\n)*"}.get(part, re.escape(part)))
    return re.compile("".join(parts)), tuple(tables)


def _replaced(value: str, match: re.Match[str], new: list[str], *, start: int = 0) -> str:
    """``value`` with the groups of the match replaced."""
    pieces, at = [], 0
    for number, text_ in enumerate(new, 1):
        first, last = match.span(number)
        pieces += [value[at : first - start], text_]
        at = last - start
    return "".join([*pieces, value[at:]])
