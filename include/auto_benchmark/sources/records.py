"""Nested data (JSON, YAML, JavaScript) as tables: lists of records, objects keyed by name, columnar objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from auto_benchmark.tables.markup import stripped, trimmed
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.table import KEY_COLUMN, VALUE_COLUMN, Table

DEEPEST = 8
MOST_FIELDS = 4000
MOST_TABLES = 400
MOST_PLACES, SPARSEST = 1_000_000, 20
"""Places of a table, filled or not, and how many more there may be for each filled one."""


def tables_in(data: Any) -> list[Table]:
    """Every table that the data can be read as, outermost first, each with its JSONPath."""
    found: list[Table] = []
    for path, value, one_of_many in _containers(data, "$", 0):
        if one_of_many and not any(isinstance(part, Mapping | list) for part in value.values()):
            continue
        found += [t for t in _as_tables(value, path) if t.rows]
        if len(found) >= MOST_TABLES:
            break
    return found


def tables_at(data: Any, jsonpath: str, seen: str) -> list[Table]:
    """The table that a JSONPath selects: one match is read as a container, several are its records.

    Raises:
        ReadRefused: not a JSONPath, or nothing matches.
    """
    matches = _matches(data, jsonpath)
    if not matches:
        raise ReadRefused(Reason.LOCATOR_MISSED, f"JSONPath {jsonpath} matches nothing in {seen}: {_outline(data)}")
    if (len(matches) == 1 and not jsonpath.rstrip().endswith(("]", "*"))) or all(
        isinstance(m[1], list) for m in matches
    ):
        value = matches[0][1] if len(matches) == 1 else [r for m in matches for r in m[1]]
        found = _as_tables(value, jsonpath)
    else:
        records = [m[1] for m in matches]
        single = _as_tables(records[0], jsonpath) if len(records) == 1 and isinstance(records[0], dict) else []
        found = [*_of_records(records, [m[0] for m in matches], jsonpath), *single]
    if not any(t.rows for t in found):
        raise ReadRefused(
            Reason.LOCATOR_MISSED, f"JSONPath {jsonpath} matches no records in {seen}: {_outline(data)}"
        )
    return [t for t in found if t.rows][:1] if len(matches) > 1 else [t for t in found if t.rows]


def _matches(data: Any, jsonpath: str) -> list[tuple[str, Any]]:
    from jsonpath_ng.exceptions import JSONPathError
    from jsonpath_ng.ext import parse  # type: ignore[attr-defined]

    try:
        found = parse(jsonpath).find(data)
    except (JSONPathError, ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise ReadRefused(Reason.LOCATOR_MISSED, f"JSONPath {jsonpath!r} cannot be used: {error}") from None
    return [(str(getattr(m.path, "fields", ("",))[0]), m.value) for m in found]


def _outline(data: Any) -> str:
    """Top of the data, for messages."""
    if isinstance(data, Mapping):
        return f"an object with {len(data)} keys {list(data)[:8]}"
    if isinstance(data, list):
        return f"a list of {len(data)}" + (
            f", the first with keys {list(data[0])[:8]}" if data and isinstance(data[0], dict) else ""
        )
    return f"a {type(data).__name__}"


def _containers(data: Any, path: str, depth: int, one_of_many: bool = False) -> Iterator[tuple[str, Any, bool]]:
    """The data and every list or object in it that could be a table, breadth before depth within each.

    Yields:
        Path, container, and whether it is one of several records of a list (no board of its own if it is flat).
    """
    if depth > DEEPEST or not isinstance(data, Mapping | list) or not data:
        return
    yield path, data, one_of_many
    if isinstance(data, Mapping):
        children: Sequence[tuple[str, Any]] = [(f"{path}{_step(k)}", v) for k, v in data.items()]
    else:
        children = [(f"{path}[{i}]", v) for i, v in enumerate(data)]
    several = isinstance(data, list) and len(data) > 1
    for child_path, child in children:
        yield from _containers(child, child_path, depth + 1, several and isinstance(child, Mapping))


def _step(key: Any) -> str:
    text = str(key)
    return f".{text}" if text.isidentifier() else f"['{text}']" if "'" not in text else f'["{text}"]'


def _as_tables(value: Any, path: str) -> list[Table]:
    """Readings of one container."""
    if isinstance(value, list):
        return _list_tables(value, path)
    return _object_tables(value, path) if isinstance(value, Mapping) and value else []


def _list_tables(value: list[Any], path: str) -> list[Table]:
    """A list of records, or of rows under a first row of names."""
    if value and all(isinstance(item, Mapping) for item in value):
        return _of_records(value, None, f"{path}[*]")
    if len(value) > 1 and all(isinstance(item, list) for item in value):
        return _of_rows(value[0], value[1:], path)
    return []


def _object_tables(value: Mapping[str, Any], path: str) -> list[Table]:
    """An object of header and rows, of records keyed by name, of columns, or of plain values."""
    header = value.get("columns", value.get("headers", value.get("header")))
    body = value.get("data", value.get("rows"))
    if isinstance(header, list) and isinstance(body, list) and body and all(isinstance(r, list) for r in body):
        return _of_rows(header, body, path)
    items = list(value.values())
    if all(isinstance(v, Mapping) for v in items):
        return _of_records(items, list(map(str, value)), f"{path}.*")
    if len(items) > 1 and all(isinstance(v, list) for v in items) and len({len(v) for v in items}) == 1:
        return _of_rows(list(value), [list(row) for row in zip(*items, strict=True)], path)
    if len(items) > 1 and not any(isinstance(v, Mapping | list) for v in items):
        rows = [[str(k), _cell(v)] for k, v in value.items()]
        return [Table([KEY_COLUMN, VALUE_COLUMN], rows, f"the object at {path}", {"jsonpath": path})]
    return []


def _of_rows(header: list[Any], body: list[list[Any]], path: str) -> list[Table]:
    names = [str(_inner(h)) for h in header]
    table = Table(names, [], f"the rows at {path}", {"jsonpath": path})
    for number, row in enumerate(body, start=1):
        if len(row) == len(names):
            table.rows.append([_cell(_inner(v)) for v in row])
        else:
            table.rejected.append(f"row {number}: {len(row)} cells for {len(names)} columns")
    return [table]


def _inner(cell: Any) -> Any:
    """The text of a cell that is an object with other things about it."""
    if not isinstance(cell, Mapping):
        return cell
    return next((cell[key] for key in ("value", "name", "title", "text") if key in cell), "")


def _of_records(records: Sequence[Any], keys: Sequence[str] | None, path: str) -> list[Table]:
    flat = [_flatten(r) if isinstance(r, Mapping) else {VALUE_COLUMN: _cell(r)} for r in records]
    names = list(dict.fromkeys(name for record in flat for name in record))[:MOST_FIELDS]
    if len(names) * len(flat) > MOST_PLACES + SPARSEST * sum(map(len, flat)):
        return []  # every record has fields of its own: no table, and too large for one
    rows = [[record.get(name) for name in names] for record in flat]
    if keys is not None:
        rows = [[key, *row] for key, row in zip(keys, rows, strict=True)]
        names = [KEY_COLUMN, *names]
    return [Table(names, rows, f"the {len(rows)} records at {path}", {"jsonpath": path})]


def _flatten(record: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted paths to every scalar; lists of scalars stay one cell, lists of objects are left out."""
    flat: dict[str, Any] = {}
    stack: list[tuple[str, Any]] = [(str(k), v) for k, v in reversed(list(record.items()))]
    while stack and len(flat) < MOST_FIELDS:
        name, value = stack.pop()
        if isinstance(value, Mapping):
            stack += [(f"{name}.{k}", v) for k, v in reversed(list(value.items()))]
        elif isinstance(value, list):
            if all(isinstance(v, str | int | float) for v in value):
                flat[name] = ", ".join(map(str, value))
        else:
            flat[name] = _cell(value)
    return flat


def _cell(value: Any) -> Any:
    """Texts may hold links and tags: they are stripped; everything else stays as typed."""
    if isinstance(value, str):
        return stripped(value) if any(c in value for c in "<[&*\n") else trimmed(value)
    return value
