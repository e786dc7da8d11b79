"""Rows of JSON Lines, CSV and TSV files with the line on which each begins. Lines end at newlines alone."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auto_benchmark.contract.limits import LARGEST_NUMBER
from auto_benchmark.registry.item_files import Fields

LONGEST_ROW_BYTES = 16 * 2**20
DEEPEST = 32
_NUMBER = re.compile(r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,300})?([eE][+-]?[0-9]{1,3})?")
"""A number as JSON writes it, so that 007 and 1_0 stay texts."""


class RowError(Exception):
    """A row that cannot be an item."""

    def __init__(self, line: int, name: str, message: str) -> None:
        self.line, self.field, self.message = line, name, message
        super().__init__(f"{line}: {name}: {message}")


@dataclass(frozen=True, slots=True)
class ItemRow:
    """One row of a file.

    Attributes:
        is_table: whether values were text in cells.
    """

    file: str
    line: int
    values: dict[str, Any]
    is_table: bool


def json_rows(path: Path) -> Iterator[ItemRow | RowError]:
    """One JSON object a line, or what is wrong with it; blank lines are left out. Raises OSError."""
    with path.open("rb") as file:
        number = 0
        while line := file.readline(LONGEST_ROW_BYTES + 1):
            number += 1
            if len(line) > LONGEST_ROW_BYTES:
                yield RowError(number, "", f"is longer than {LONGEST_ROW_BYTES >> 20} MiB")
                return
            text = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
            if text.strip():
                yield _json_row(path, text, number)


def _json_row(path: Path, text: bytes, number: int) -> ItemRow | RowError:
    try:
        return ItemRow(str(path), number, _object(text, number), False)
    except RowError as error:
        return error


def _object(line: bytes, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line.decode(), parse_constant=_no_number, object_pairs_hook=_once)
        json.dumps(row, ensure_ascii=False).encode()  # no halves of characters
    except UnicodeDecodeError as error:
        raise RowError(number, "", f"not UTF-8 (byte {error.start + 1} of the line)") from None
    except UnicodeEncodeError:
        raise RowError(number, "", "holds half a character (a lone surrogate)") from None
    except json.JSONDecodeError as error:
        raise RowError(number, "", f"not JSON: {error.msg} (character {error.pos + 1})") from None
    except (ValueError, RecursionError) as error:
        text = "nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise RowError(number, "", f"not JSON: {text}") from None
    if not isinstance(row, dict):
        raise RowError(number, "", "not a JSON object")
    for name, value in row.items():
        if reason := _unfit(value):
            raise RowError(number, name, reason)
    return row


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise ValueError(f"{next(n for n in names if names.count(n) > 1)[:80]!r} is given twice")
    return found


def _unfit(value: Any) -> str | None:
    waiting = [(value, 1)]
    while waiting:
        one, depth = waiting.pop()
        if depth > DEEPEST:
            return f"nested more than {DEEPEST} levels deep"
        if isinstance(one, dict | list):
            waiting += [(inner, depth + 1) for inner in (one.values() if isinstance(one, dict) else one)]
        elif isinstance(one, int | float) and not -LARGEST_NUMBER <= one <= LARGEST_NUMBER:
            return f"a number beyond {LARGEST_NUMBER:g}"
    return None


@dataclass(slots=True)
class DelimitedFile:
    """A delimited file with a header.

    Attributes:
        numeric: columns whose every cell with content is a number; of the training data where that is known, so that
            a column has one type in all splits.
    """

    file: str
    header: list[str]
    rows: list[tuple[int, list[str]]]
    texts: frozenset[str]
    numeric: frozenset[str] = field(default_factory=frozenset)

    def __iter__(self) -> Iterator[ItemRow | RowError]:
        """Rows with numbers as numbers and empty cells as None, or what is wrong with one."""
        for line, cells in self.rows:
            if len(cells) != len(self.header):
                yield RowError(line, "", f"has {len(cells)} cells for {len(self.header)} columns")
                continue
            try:
                named = zip(self.header, cells, strict=True)
                row = ItemRow(self.file, line, {name: self._value(line, name, cell) for name, cell in named}, True)
            except RowError as error:
                yield error
            else:
                yield row

    def _value(self, line: int, name: str, cell: str) -> Any:
        if not cell:
            return None
        if name not in self.numeric:
            return cell
        if not _NUMBER.fullmatch(cell) or not -LARGEST_NUMBER <= float(cell) <= LARGEST_NUMBER:
            raise RowError(line, name, f"should be a number, as in the training data, is {cell[:80]!r}")
        return json.loads(cell)


def table_rows(path: Path, names: Fields, *, numeric: frozenset[str] | None = None) -> DelimitedFile:
    """Read a CSV or TSV file; the delimiter is the one of comma, semicolon and tab that the header holds most.

    Args:
        path: the file.
        names: which fields hold ids, answers and slices: texts, whatever they look like.
        numeric: columns that hold numbers; found in this file where it is not known.

    Raises:
        OSError: it cannot be read.
        RowError: it is not UTF-8, not delimited text, or its header is faulty.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise RowError(error.object[: error.start].count(b"\n") + 1, "", "not UTF-8") from None
    if "\0" in text:
        raise RowError(text[: text.index("\0")].count("\n") + 1, "", "holds a NUL character")
    first = text.partition("\n")[0]
    delimiter = max("\t,;" if path.suffix.lower() == ".tsv" else ",;\t", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows, line = list[tuple[int, list[str]]](), 1
    try:
        for cells in reader:
            if any(cells):
                rows.append((line, cells))
            line = reader.line_num + 1
    except csv.Error as error:
        raise RowError(line, "", f"not delimited text: {error}") from None
    if not rows:
        raise RowError(1, "", "is empty; the first line names the columns")
    header = [name.strip() for name in rows[0][1]]
    for i, name in enumerate(header):
        if not name or name in header[:i]:
            raise RowError(
                rows[0][0], "", f"column {i + 1}: {'has no name' if not name else f'{name!r} is there twice'}"
            )
    texts = frozenset({names.id, names.answer, names.slice})
    table = DelimitedFile(str(path), header, rows[1:], texts)
    table.numeric = _numeric(table) if numeric is None else numeric - texts
    return table


def _numeric(table: DelimitedFile) -> frozenset[str]:
    found = set[str]()
    for i, name in enumerate(table.header):
        cells = [cells[i] for _, cells in table.rows if i < len(cells) and cells[i]]
        if name not in table.texts and cells and all(_NUMBER.fullmatch(cell) for cell in cells):
            found.add(name)
    return frozenset(found)
