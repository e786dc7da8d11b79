"""All rows of one project out of a database, and into another, where they get new ids."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import IO, Any

from sqlalchemy import Table, insert, select
from sqlalchemy.exc import DBAPIError
from sqlalchemy.orm import Session

from auto_benchmark.db.at_rest import at_rest, newest
from auto_benchmark.db.identities import Identities
from auto_benchmark.db.models import Base
from auto_benchmark.db.row_values import read_row
from auto_benchmark.db.table_contents import NOT_EXPORTED
from auto_benchmark.errors import RefusedError

BATCH = 1000
CLOCKS_DIFFER = timedelta(hours=1)
"""How far a time of the past may lie ahead of the database's clock."""
OF_THE_ROWS = frozenset({"22", "23", "54"})
"""Classes of Postgres' errors that are about values, constraints and sizes."""
FOLDER = "tables"
_USER = re.compile(r"(?<=://)[^/@\s\"\\]+@")
_TOKEN = re.compile(r"(?i)([?&][a-z_-]*(?:key|token|secret|password|signature|auth)=)[^&\s\"\\#]+")


def tables() -> list[Table]:
    """Every table whose rows are a project's, parents before children."""
    return [table for table in Base.metadata.sorted_tables if table.name not in NOT_EXPORTED]


def rows_of(table: Table, *, session: Session, project: str) -> Iterator[str]:
    """The project's rows of one table, each as a line of JSON; times in ISO 8601 with their zone.

    Users, passwords and tokens in addresses are taken out. The gate's evidence and decisions hold no addresses and
    stay byte by byte.
    """
    owner = table.c.name if table.name == "projects" else table.c.project
    query = select(table).where(owner == project).order_by(*table.primary_key)
    for row in session.execute(query.execution_options(yield_per=BATCH)).mappings():
        line = json.dumps(dict(row), ensure_ascii=False, allow_nan=False, default=_plain)
        yield line if table.name == "promotion_decisions" else without_credentials(line)


def without_credentials(text: str) -> str:
    """The text without what the addresses in it would let a reader log in with."""
    return _TOKEN.sub(r"\1removed", _USER.sub("", text))


class Rows:
    """The rows of one project as files that are not trusted: all are read and checked before any is inserted.

    Args:
        folder: holds ``<table>.jsonl`` for each table with rows.
        project: that they have to be of.
        longest: bytes of a line.
    """

    def __init__(self, folder: Path, project: str, longest: int) -> None:
        self._folder, self._project, self._longest = folder, project, longest
        self._identities = Identities()
        self.results: set[str] = set()
        """Folders of the trials that have ended, relative to the project's home."""
        self.moment = datetime.now(UTC)
        """Later than every row of the archive."""

    def check(self) -> dict[str, int]:
        """Read every row; table -> number of rows.

        Raises:
            RefusedError: a row is faulty, of another project, or the project's own is missing; names table, line
                and column.
        """
        counts = {table.name: sum(1 for _ in self._checked(table)) for table in tables()}
        if counts["projects"] != 1:
            raise RefusedError(f"{FOLDER}/projects.jsonl: holds {counts['projects']} rows instead of one")
        return counts

    def insert(self, *, session: Session) -> None:
        """Insert the rows that :meth:`check` has seen, under new ids and at rest.

        Raises:
            RefusedError: rows contradict each other, or what is there already.
        """
        self._identities.draw(session=session)
        for table in tables():
            batch: list[dict[str, Any]] = []
            for place, row in self._read(table):
                ready = at_rest(table, self._identities.renew(table, row, place), self.moment)
                if batch and (len(batch) >= BATCH or ready.keys() != batch[0].keys()):
                    _insert(table, batch, session)
                    batch = []
                batch.append(ready)
            if batch:
                _insert(table, batch, session)

    def _checked(self, table: Table) -> Iterator[None]:
        latest = datetime.now(UTC) + CLOCKS_DIFFER
        for place, row in self._read(table):
            self._identities.see(table, row, place)
            known = newest(row, place, latest=latest)
            self.moment = max(self.moment, (known or self.moment) + timedelta(microseconds=1))
            if table.name == "trials" and row["finished_at"] and row["artifact_uri"]:
                self.results.add(row["artifact_uri"])
            yield

    def _read(self, table: Table) -> Iterator[tuple[str, dict[str, Any]]]:
        name = f"{table.name}.jsonl"
        if not (self._folder / name).exists():
            return
        with (self._folder / name).open("rb") as file:
            for number, line in enumerate(self._lines(file, name), 1):
                place = f"{FOLDER}/{name}:{number}"
                yield place, read_row(table, line, project=self._project, place=place)

    def _lines(self, file: IO[bytes], name: str) -> Iterator[bytes]:
        number = 0
        while line := file.readline(self._longest + 1):
            number += 1
            if len(line) > self._longest:
                raise RefusedError(
                    f"{FOLDER}/{name}:{number}: is longer than {self._longest} bytes; "
                    "AUTO_BENCHMARK_IMPORT_LINE_MB sets the limit"
                )
            yield line


def _insert(table: Table, batch: list[dict[str, Any]], session: Session) -> None:
    try:
        session.execute(insert(table), batch)
    except DBAPIError as error:
        if str(getattr(error.orig, "sqlstate", ""))[:2] not in OF_THE_ROWS:
            raise
        reason = str(error.orig).splitlines()[0][:200]
        raise RefusedError(f"{table.name}: rows contradict each other or what is there already ({reason})") from None


def _plain(value: object) -> str:
    if isinstance(value, date):
        return value.isoformat()
    raise TypeError(f"{type(value).__name__} has no JSON form")
