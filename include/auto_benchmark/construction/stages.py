"""Stages of a construction as files: made once, edited at will, made again when what they rest on has changed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.construction.item import canonical
from auto_benchmark.errors import ConfigError, Fault

RESTS_ON = ".rests_on.json"


@dataclass(frozen=True, slots=True)
class Stages:
    """The folder ``stages`` of a construction.

    A stage's file is kept as long as its inputs are those that it was made from, whatever its content is by now. So a
    person may edit it, and what follows is made anew. A construction that was killed begins with the first stage that is
    not there.
    """

    folder: Path

    def yaml(self, name: str, inputs: Any, make: Callable[[], Mapping[str, Any]]) -> dict[str, Any]:
        """A small stage that people read and edit.

        Raises:
            ConfigError: somebody has edited it so that it is no YAML mapping any more.
        """
        path = self.folder / f"{name}.yaml"
        if not self._is_current(path, inputs):
            atomic.write_text(path, documents.to_yaml(json.loads(canonical(make()))))
            self._note(path, inputs)
        document = documents.read(path)
        if not isinstance(document.data, dict):
            raise ConfigError([Fault(str(path), 1, "", "should be a mapping")])
        return document.data

    def path(self, name: str) -> Path:
        """File of a stage of many rows."""
        return self.folder / f"{name}.jsonl"

    def document(self, name: str) -> documents.Document:
        """A small stage as it stands in its file, to name what is wrong in it by line."""
        return documents.read(self.folder / f"{name}.yaml")

    def rows(self, name: str, inputs: Any, make: Callable[[], Iterable[Mapping[str, Any]]]) -> list[dict[str, Any]]:
        """A stage of many rows, one JSON object a line. Raises ConfigError when a line is none."""
        path = self.folder / f"{name}.jsonl"
        if not self._is_current(path, inputs):
            write_rows(path, make())
            self._note(path, inputs)
        return read_rows(path)

    def growing(self, name: str, inputs: Any) -> tuple[Path, list[dict[str, Any]]]:
        """A stage that grows row by row, and what there is of it; it begins empty where its inputs have changed."""
        path = self.folder / f"{name}.jsonl"
        if not self._is_current(path, inputs):
            write_rows(path, [])
            self._note(path, inputs)
        return path, read_rows(path)

    def _is_current(self, path: Path, inputs: Any) -> bool:
        return path.is_file() and self._noted().get(path.name) == _hash(inputs)

    def _noted(self) -> dict[str, str]:
        path = self.folder / RESTS_ON
        try:
            noted = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        except ValueError:
            return {}
        return noted if isinstance(noted, dict) else {}

    def _note(self, path: Path, inputs: Any) -> None:
        atomic.write_text(self.folder / RESTS_ON, json.dumps({**self._noted(), path.name: _hash(inputs)}, indent=1))


def _hash(inputs: Any) -> str:
    return hashlib.sha256(canonical(inputs).encode()).hexdigest()


def write_rows(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """Write one JSON object a line, whole or not at all."""
    atomic.write_text(path, "".join(json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows))


def read_rows(path: Path) -> list[dict[str, Any]]:
    """Read one JSON object a line.

    Raises:
        ConfigError: the file cannot be read, or a line is not a JSON object.
    """
    try:
        *lines, last = path.read_text("utf-8").split("\n")  # other signs that end lines stand in texts
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError([Fault(str(path), None, "", f"cannot be read: {error}")]) from None
    rows = []
    for number, line in enumerate([*lines, last] if last else lines, 1):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            raise ConfigError([Fault(str(path), number, "", "is not a JSON object")])
        if "\\ud" in line.lower() and not _is_whole(row):
            raise ConfigError([Fault(str(path), number, "", "holds half of a surrogate pair, which is no character")])
        rows.append(row)
    return rows


def _is_whole(row: Mapping[str, Any]) -> bool:
    """Whether its text can be written again: an escape may name half of a character."""
    try:
        json.dumps(row, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True
