"""Items of a benchmark that lie in a user's own files, read row by row; a bad row is named by file, line and field.

Rows are put into an order that depends on their inputs alone: files are often sorted by their answers, and a subset is
the first items of a split. Where no row has an id, numbers are given out in that order for the same reason.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auto_benchmark.artifacts.benchmark_module import Data
from auto_benchmark.artifacts.item_rows import ItemRow, RowError, json_rows, table_rows
from auto_benchmark.artifacts.media import MediaFiles
from auto_benchmark.documents import kind
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.registry.benchmark import Benchmark
from auto_benchmark.registry.standard_metrics import STANDARD, Answers

MOST_FAULTS = 20
LONGEST_ID = 200


@dataclass(frozen=True, slots=True)
class _Item:
    line: int
    id: str | None
    input: Any
    answer: Any
    slice: str | None
    media: tuple[str, ...]


@dataclass(slots=True)
class ItemFiles:
    """The files of one benchmark, each read once.

    Attributes:
        folder: of ``benchmark.yaml``.
        shown: how messages name a file.
        unused: per file, fields that no trial sees and nothing reads.
        media: files that rows name.
    """

    folder: Path
    benchmark: Benchmark
    shown: Callable[[Path], str] = str
    unused: dict[str, list[str]] = field(default_factory=dict)
    media: MediaFiles = field(init=False)
    _read: dict[str, Data] = field(default_factory=dict)
    _numeric: frozenset[str] | None = None

    def __post_init__(self) -> None:
        items = (split.items for split in self.benchmark.splits.declared.values())
        self.media = MediaFiles(self.folder, frozenset((self.folder / name).resolve() for name in items if name))

    def data(self, split: str) -> Data:
        """The items of a split.

        Raises:
            ConfigError: the file cannot be read, holds no item, or rows are faulty (the first twenty).
        """
        if split not in self._read:
            declared = self.benchmark.splits.declared[split].items
            if declared is None:
                raise ValueError(f"{split} is not a file")
            self._read[split] = self._from_rows(split, self._items(split, self.folder / declared))
        return self._read[split]

    def repeated(self) -> list[str]:
        """Inputs of one split that stand in another too, in words: its answers are known there."""
        seen: dict[str, set[str]] = {}
        for name, split in self.benchmark.splits.declared.items():
            if split.items is not None:
                seen[name] = {_canonical([item["input"], item.get("media")]) for item in self.data(name).items}
        names = list(seen)
        pairs = [(one, other) for i, one in enumerate(names) for other in names[i + 1 :]]
        return [
            f"{len(both)} of the {len(seen[other])} different inputs of {other} are also in {one}"
            for one, other in pairs
            if (both := seen[one] & seen[other])
        ]

    def unlearnable(self) -> list[str]:
        """Labels of search and gate that no row of train has, in words: no solution can learn them."""
        asked = STANDARD.get(self.benchmark.scorer)
        splits = {name: split for name, split in self.benchmark.splits.declared.items() if split.items is not None}
        if asked is None or asked.answers is not Answers.LABEL or "train" not in splits:
            return []
        from auto_benchmark.contract.standard_scoring import label

        known = {label(row["answer"]) for row in self.data("train").answers.values()}
        told = []
        for split in splits.keys() - {"train"}:
            new = Counter(label(row["answer"]) for row in self.data(split).answers.values())
            missing = [(name, times) for name, times in new.most_common() if name not in known]
            if missing:
                shown = ", ".join(f"{name[:40]!r} ({times})" for name, times in missing[:5])
                more = f" and {len(missing) - 5} more" if len(missing) > 5 else ""
                told.append(
                    f"answers of {split} that no row of train has, so that nothing can learn them: {shown}{more}"
                )
        return sorted(told)

    def with_media(self, split: str) -> bool:
        """Whether rows of a split name files. Raises ConfigError as :meth:`data` does."""
        return bool(self.media.named_in(_canonical(item).encode() for item in self.data(split).items))

    def _items(self, split: str, path: Path) -> list[_Item]:
        shown, faults = self.shown(path), list[Fault]()
        items, lines = list[_Item](), dict[str, int]()
        try:
            for row in self._rows(split, path):
                try:
                    if isinstance(row, RowError):
                        raise row
                    item = self._item(row)
                    if item.id is not None and (first := lines.setdefault(item.id, row.line)) != row.line:
                        raise RowError(row.line, self.benchmark.fields.id, f"{item.id!r} is also on line {first}")
                    items.append(item)
                except RowError as error:
                    faults.append(Fault(shown, error.line, error.field, error.message))
                    if len(faults) == MOST_FAULTS:
                        break
        except RowError as error:  # nothing behind it can be read
            faults.append(Fault(shown, error.line, error.field, error.message))
        except OSError as error:
            faults.append(Fault(shown, None, "", f"cannot be read: {error.strerror or error}"))
        if not faults and not items:
            faults.append(Fault(shown, None, "", "holds no item"))
        without = [item.line for item in items if item.id is None]
        if not faults and 0 < len(without) < len(items):
            faults.append(
                Fault(shown, without[0], self.benchmark.fields.id, "is required, since other rows have one")
            )
        if faults:
            raise ConfigError(faults)
        return items

    def _rows(self, split: str, path: Path) -> Iterator[ItemRow | RowError]:
        names = self.benchmark.fields
        if path.suffix.lower() == ".jsonl":
            yield from json_rows(path)
            return
        if self._numeric is None and split != "train":
            train = self.benchmark.splits.train.items
            if train is not None and not train.endswith(".jsonl"):
                self._numeric = table_rows(self.folder / train, names).numeric
        table = table_rows(path, names, numeric=self._numeric)
        if split == "train":
            self._numeric = table.numeric
        yield from table

    def _item(self, row: ItemRow) -> _Item:
        names, values = self.benchmark.fields, row.values
        if names.answer not in values:
            raise RowError(row.line, names.answer, _missing("answer", values))
        answer = self._answer(row, values[names.answer])
        part = values.get(names.slice)
        if part is not None and (not isinstance(part, str) or not part or part != part.strip()):
            raise RowError(row.line, names.slice, f"should be a name, is {_told(part)}")
        if part is not None and self.benchmark.slices and part not in self.benchmark.slices:
            raise RowError(row.line, names.slice, f"{part!r} is not among slices: {', '.join(self.benchmark.slices)}")
        media = self.media.of(row, names.media)
        shown = self.media.as_trial_sees(row, self._input(row), media)
        return _Item(row.line, _id(row, names.id), shown, answer, part, tuple(media.values()))

    def _input(self, row: ItemRow) -> Any:
        names, values = self.benchmark.fields, row.values
        wanted = names.input
        if wanted is None and ("input" in values or not row.is_table):
            wanted = "input"
        if isinstance(wanted, str):
            if wanted not in values:
                raise RowError(row.line, wanted, _missing("input", values))
            self._note_unused(row, {wanted})
            return values[wanted]
        if wanted is None:
            others = {names.id, names.answer, names.slice, names.media}
            return {name: value for name, value in values.items() if name not in others}
        for name in wanted:
            if name not in values:
                raise RowError(row.line, name, _missing("input", values))
        return {name: values[name] for name in wanted}

    def _note_unused(self, row: ItemRow, used: set[str]) -> None:
        names = self.benchmark.fields
        for name in row.values.keys() - used - {names.id, names.answer, names.slice, names.media}:
            known = self.unused.setdefault(row.file, [])
            if name not in known:
                known.append(name)

    def _answer(self, row: ItemRow, answer: Any) -> Any:
        name = self.benchmark.fields.answer
        asked = STANDARD.get(self.benchmark.scorer)
        if asked is None:
            if answer is None:
                raise RowError(row.line, name, "is empty")
            return answer
        if asked.answers is Answers.NUMBER:
            number = _as_number(answer, is_table=row.is_table)
            if number is None:
                raise RowError(row.line, name, f"{self.benchmark.scorer} needs a number, is {_told(answer)}")
            return number
        several = asked.answers is Answers.TEXT and isinstance(answer, list) and answer
        for one in answer if several else [answer]:
            if one is None or one == "" or isinstance(one, list | dict):
                allowed = "a text or a list of right texts" if asked.answers is Answers.TEXT else "one label"
                raise RowError(row.line, name, f"{self.benchmark.scorer} needs {allowed}, is {_told(one)}")
        return answer

    def _from_rows(self, split: str, items: Sequence[_Item]) -> Data:
        ordered = sorted(items, key=lambda item: (_order(_seen(item)), item.line))
        ids = [item.id if item.id is not None else f"{split}-{n}" for n, item in enumerate(ordered, 1)]
        return Data(
            contexts=[],
            items=[
                {"id": name, "input": item.input, **({"media": list(item.media)} if item.media else {})}
                for name, item in zip(ids, ordered, strict=True)
            ],
            answers={
                name: {"answer": item.answer, **({} if item.slice is None else {"slice": item.slice})}
                for name, item in zip(ids, ordered, strict=True)
            },
        )


def _id(row: ItemRow, name: str) -> str | None:
    given = row.values.get(name)
    if given is None:
        return None
    text = str(given) if isinstance(given, int) and not isinstance(given, bool) else given
    if not isinstance(text, str) or not text.strip() or not text.isprintable() or len(text) > LONGEST_ID:
        raise RowError(row.line, name, f"should be a text of 1 to {LONGEST_ID} visible characters, is {_told(given)}")
    return text


def _missing(what: str, values: Mapping[str, Any]) -> str:
    there = ", ".join(sorted(values)[:12]) or "no field"
    return f"is missing (there is {there}); if it has another name: fields: {{{what}: NAME}} in benchmark.yaml"


def _told(value: Any) -> str:
    return kind(value) if value is None or isinstance(value, dict | list) else repr(value)[:80]


def _as_number(value: Any, *, is_table: bool) -> float | int | None:
    """A finite number; in a table it may stand as text, where another row of the column holds none."""
    if is_table and isinstance(value, str):
        try:
            value = float(value)
        except ValueError:
            return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if math.isfinite(value) and abs(value) < 1e100 else None


def _seen(item: _Item) -> Any:
    """What a trial sees of an item."""
    return [item.input, *item.media] if item.media else item.input


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=True)


def _order(value: Any) -> str:
    return hashlib.sha256(_canonical(value).encode()).hexdigest()
