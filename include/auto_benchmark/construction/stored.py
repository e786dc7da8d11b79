"""Files of a construction as they are read again: what no construction writes is named by file, line and field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from auto_benchmark import documents
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.documents import Strict

Rows = list[dict[str, Any]]
Whole = Annotated[int | str, Field(union_mode="left_to_right")]


class Stored(Strict):
    """Base of what is read again; fields that nothing reads may stand there, too."""

    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class Input(Stored):
    """What a candidate is asked."""

    question: str
    context: str = ""
    options: list[str] = []
    media: list[str] = []
    rules: str = ""


class ItemRecord(Stored):
    """A line of ``privileged.jsonl``, without its split, or of what was kept of a subtask."""

    id: str
    source: str
    form: str
    params: dict[str, Any]
    input: Input
    answer: Whole
    salience: float | None
    media_sha256: str | None
    evidence: dict[str, Any]


class PrivilegedRow(ItemRecord):
    """A line of ``privileged.jsonl``."""

    split: str


class BuiltRow(Stored):
    """A line of ``items_*.jsonl``: an item that was kept, or why one was not."""

    kept: ItemRecord | None = None
    rejected: str | None = None


class AnswerRow(Stored):
    """A line of ``answers_*.jsonl``: an answer, or why a candidate gave none."""

    candidate: str
    id: str | None = None
    given: Any = None
    right: bool = False
    failed: str | None = None


class CandidateRow(Stored):
    """A line of ``candidates.jsonl``, as far as a board needs it."""

    name: str
    version: str
    kind: str
    accuracy: float
    accuracy_gate: float


class DataSheet(Stored):
    """``card.yaml``, as far as it is read."""

    name: str
    version: str = Field(pattern=r"^[0-9]{1,9}$")
    purpose: str


class _Author(Stored):
    author: str
    wrong_keys: float
    interval: tuple[float, float]
    difficulty: float


class Ablations(Stored):
    """The stage ``privileged``."""

    author_without_source: _Author


def checked(path: Path, rows: Sequence[dict[str, Any]], shape: type[Stored]) -> Rows:
    """The rows of a file. Raises ConfigError for one that no construction has written; the first is named."""
    for number, row in enumerate(rows, 1):
        try:
            shape.model_validate(row)
        except ValidationError:
            documents.validate(shape, documents.on_one_line(str(path), row, number))
    return list(rows)


def read_checked(path: Path, shape: type[Stored]) -> Rows:
    """The same of a file that is read here."""
    return checked(path, read_rows(path), shape)


def read_sheet(folder: Path) -> DataSheet:
    """``card.yaml`` of a finished construction. Raises ConfigError where it is none."""
    return documents.load(DataSheet, folder / "card.yaml")


def same_benchmark(one: Path, other: Path) -> bool:
    """Whether two folders hold versions of one benchmark, by their cards."""
    cards: list[Mapping[str, Any]] = []
    for folder in (one, other):
        data = documents.read(folder / "card.yaml").data if (folder / "card.yaml").is_file() else None
        if not isinstance(data, dict):
            return False
        cards.append(data)
    return all(cards[0].get(name) == cards[1].get(name) for name in ("name", "purpose"))
