"""A directory with one entry per file becomes one JSON document: file name without suffix -> record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from auto_benchmark.errors import ConfigError
from auto_benchmark.sources.javascript import parse_json
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.untyped import Twice, parse_untyped

SUFFIXES = frozenset({".json", ".yaml", ".yml"})
MOST_FILES = 20_000


def records_of(directory: Path, limit: int) -> bytes:
    """Every JSON or YAML file of the directory (or, when it has none, of the tree below), keyed by its stem.

    A tree of model repositories gives the files of their ``.eval_results`` only.

    Args:
        directory: where.
        limit: bytes of all files together.

    Raises:
        ReadRefused: no such file, too much, or a file that is broken.
    """
    files = _files(directory)
    if not files:
        raise ReadRefused(Reason.NO_TABLE, f"{directory} holds no .json or .yaml file")
    if len(files) > MOST_FILES or sum(f.stat().st_size for f in files) > limit:
        raise ReadRefused(Reason.TOO_LARGE, f"{directory} holds {len(files)} files, too many or too large")
    records: dict[str, Any] = {}
    for file in files:
        key = file.relative_to(directory).with_suffix("").as_posix()
        records[key] = _record(file)
    return json.dumps(records, ensure_ascii=False, default=_plain).encode()


def _files(directory: Path) -> list[Path]:
    if any(directory.rglob(".eval_results")):
        return sorted(f for f in directory.rglob(".eval_results/*") if f.suffix.lower() in SUFFIXES)
    direct = sorted(f for f in directory.iterdir() if f.suffix.lower() in SUFFIXES and f.is_file())
    return direct or sorted(f for f in directory.rglob("*") if f.suffix.lower() in SUFFIXES and f.is_file())


def _record(file: Path) -> Any:
    try:
        text = file.read_bytes().decode("utf-8-sig")
        return parse_json(text) if file.suffix.lower() == ".json" else parse_untyped(text)
    except (ValueError, ConfigError) as error:
        raise ReadRefused(Reason.MALFORMED, f"{file} is broken: {str(error)[:120]}") from None


def _plain(value: Any) -> Any:
    """A key given twice stays unreadable instead of becoming one of its values."""
    return f"{value.values[0]} and {value.values[1]}" if isinstance(value, Twice) else str(value)
