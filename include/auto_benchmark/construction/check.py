"""``construct check``: everything verified again from the files of a finished construction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from auto_benchmark import documents
from auto_benchmark.artifacts.item_files import ItemFiles
from auto_benchmark.construction.build import read_media
from auto_benchmark.construction.earlier_boards import CANDIDATES_FILE
from auto_benchmark.construction.folder import BENCHMARK, PRIVILEGED, slice_of
from auto_benchmark.construction.item import Asked, Item
from auto_benchmark.construction.near_duplicates import fingerprint
from auto_benchmark.construction.panel import LEARNED_OTHERWISE, learned_otherwise
from auto_benchmark.construction.source import Source, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.sources.documents import reader
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.construction.verification import NEAR_DUPLICATES_ALLOWED, Defect, Verifier
from auto_benchmark.errors import ConfigError, InputError
from auto_benchmark.registry.benchmark import Benchmark

MOST_PROBLEMS = 200
FILES = ("card.yaml", "quality.json", "trajectory.jsonl", "candidates.jsonl", "REPORT.md", PRIVILEGED)


@dataclass(slots=True)
class BenchmarkCheck:
    """What a check found.

    Attributes:
        problems: each with file, line and field as far as it has them.
        items: of the benchmark.
        wrong_keys: items whose answer is not what the second way gives.
    """

    problems: list[str] = field(default_factory=list)
    items: int = 0
    wrong_keys: int = 0

    def as_json(self) -> dict[str, Any]:
        """What ``construct check --json`` prints."""
        shown = self.problems[:MOST_PROBLEMS]
        more = len(self.problems) - len(shown)
        return {
            "ok": not self.problems, "problems": [*shown, *([f"and {more} more"] if more else [])],
            "items": self.items, "wrong_keys": self.wrong_keys,
        }  # fmt: skip


def check(folder: Path) -> BenchmarkCheck:
    """Verify a construction from its files alone: the benchmark loads, every key is found again, nothing is missing.

    Raises:
        InputError: the folder holds no finished construction.
    """
    if not (folder / BENCHMARK / "benchmark.yaml").is_file():
        raise InputError(f"{folder}: no finished construction (there is no {BENCHMARK}/benchmark.yaml)")
    found = BenchmarkCheck()
    found.problems += [f"{folder / name}: is missing" for name in FILES if not (folder / name).is_file()]
    found.problems += _faults_of_the_benchmark(folder / BENCHMARK)
    try:
        records = (
            {row["id"]: row for row in read_rows(folder / PRIVILEGED)} if (folder / PRIVILEGED).is_file() else {}
        )
        found.problems += _told(folder)
    except ConfigError as error:
        found.problems += map(str, error.faults)
        return found
    except (KeyError, TypeError):
        found.problems.append(f"{folder / PRIVILEGED}: id: is missing, or is not text")
        return found
    sources = sources_by_name((*SOURCES, reader()))
    verifier = Verifier(sources, size=10**9)
    kept: list[Item] = []
    for place, row, split in _rows(folder / BENCHMARK, found):
        found.items += 1
        kept += _check_row(place, row, split, records, folder, verifier, found)
    unused = records.keys() - {str(item.id) for item in kept} if not found.problems else set()
    found.problems += [f"{folder / PRIVILEGED}: {name}: stands in no split" for name in sorted(unused)]
    alike = len(kept) - len({fingerprint(item) for item in kept})
    if kept and alike > NEAR_DUPLICATES_ALLOWED * len(kept):
        found.problems.append(
            f"{folder / BENCHMARK}: {alike} of {len(kept)} items differ from another in names and numbers alone"
        )
    return found


def _faults_of_the_benchmark(folder: Path) -> list[str]:
    try:
        benchmark = documents.load(Benchmark, folder / "benchmark.yaml")
        files = ItemFiles(folder, benchmark)
        for split in benchmark.splits.declared:
            files.data(split)
        return files.repeated()
    except ConfigError as error:
        return [str(fault) for fault in error.faults]


def _told(folder: Path) -> Iterator[str]:
    """Files beside the benchmark that cannot be read."""
    for name in ("trajectory.jsonl", CANDIDATES_FILE):
        if (folder / name).is_file() and not read_rows(folder / name):
            yield f"{folder / name}: is empty"
    if (folder / CANDIDATES_FILE).is_file():
        for name in learned_otherwise(read_rows(folder / CANDIDATES_FILE)):
            yield f"{folder / CANDIDATES_FILE}: learned: {name} {LEARNED_OTHERWISE}"
    for name in ("card.yaml", "quality.json"):
        if (folder / name).is_file() and not isinstance(documents.read(folder / name).data, dict):
            yield f"{folder / name}: should be a mapping"


def _rows(folder: Path, found: BenchmarkCheck) -> Iterator[tuple[str, Mapping[str, Any], str]]:
    for split in ("train", "search", "gate"):
        path = folder / f"{split}.jsonl"
        try:
            rows = read_rows(path)
        except ConfigError as error:
            found.problems.append(str(error))
            continue
        for line, row in enumerate(rows, 1):
            yield f"{path}:{line}", row, split


def _check_row(
    place: str,
    row: Mapping[str, Any],
    split: str,
    records: Mapping[str, Any],
    folder: Path,
    verifier: Verifier,
    found: BenchmarkCheck,
) -> list[Item]:
    record = records.get(str(row.get("id")))
    if record is None:
        found.problems.append(f"{place}: id: {row.get('id')!r} has no evidence in {PRIVILEGED}")
        return []
    try:
        item = _item(row, record, folder)
    except (KeyError, TypeError, AttributeError):
        found.problems.append(f"{place}: input: is not what a construction writes")
        return []
    problems = [*_differences(item, row, record, split, verifier.sources)]
    if (defect := verifier.defect(item)) is not None:
        found.wrong_keys += defect is Defect.WRONG_KEY
        name = "answer" if defect in {Defect.WRONG_KEY, Defect.UNANSWERABLE, Defect.NO_RIGHT_OPTION} else "input"
        problems.append(f"{name}: {defect.value}")
    found.problems += [f"{place}: {problem}" for problem in problems]
    return [item]


def _item(row: Mapping[str, Any], record: Mapping[str, Any], folder: Path) -> Item:
    """The item as the benchmark has it, with the evidence of the privileged record."""
    given = row["input"]
    item = Item.of({**record, "answer": row["answer"]}, read_media(folder / BENCHMARK, row))
    return replace(item, asked=Asked.of(given, item.asked.media))


def _differences(
    item: Item, row: Mapping[str, Any], record: Mapping[str, Any], split: str, sources: Mapping[str, Source]
) -> Iterator[str]:
    media = item.asked.media.sha256 if item.asked.media else None
    if media != record["media_sha256"]:
        yield (
            "input.media: is missing or another file than was built"
            if record["media_sha256"]
            else "input.media: was added"
        )
    elif item.id != row["id"]:
        yield "id: is not the one of this question"
    if item.source not in sources:
        yield f"source: there is no source {item.source!r} any more"
    if row.get("slice") != slice_of(item):
        yield f"slice: should be {slice_of(item)}, is {row.get('slice')!r}"
    if record.get("split") != split:
        yield f"id: was built for {record.get('split')}"
