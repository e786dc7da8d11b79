"""The full build: items of the chosen descriptions until every quota is filled with verified ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.item import Item, Media
from auto_benchmark.construction.progress import Progress
from auto_benchmark.construction.source import Description, Source
from auto_benchmark.construction.stages import Stages
from auto_benchmark.construction.stored import BuiltRow, checked
from auto_benchmark.construction.verification import Verifier

DRAWS_PER_ITEM = 30
"""Draws after which a quota stays unfilled."""
SPLITS = {"train": 0.2, "search": 0.4, "gate": 0.4}
"""Shares of the items: to learn from, to choose by, to report on."""


@dataclass(frozen=True, slots=True)
class Built:
    """The verified items.

    Attributes:
        splits: split -> items, in a random order that the seed fixes.
        rejected: reason -> items that were replaced.
        short: subtask -> items that its source could not give.
    """

    splits: Mapping[str, Sequence[Item]]
    rejected: Mapping[str, int]
    short: Mapping[str, int]

    @property
    def items(self) -> list[Item]:
        """All of them."""
        return [item for items in self.splits.values() for item in items]


def build(
    stages: Stages, sources: Mapping[str, Source], verifier: Verifier, plan: Mapping[str, int],
    chosen: Mapping[str, Sequence[Mapping[str, Any]]], seed: int, progress: Progress, anchors: Sequence[Item] = (),
) -> Built:  # fmt: skip
    """Build subtask after subtask; each is a stage of its own, so that a killed build goes on with the next.

    Args:
        stages: of the construction.
        sources: by name.
        verifier: remembers what is kept over all subtasks.
        plan: subtask -> items.
        chosen: subtask -> descriptions with shares.
        seed: of the request.
        progress: called for every subtask.
        anchors: items of an earlier generation that stand in ``gate`` again; they count for their subtask's quota.
    """
    splits: dict[str, list[Item]] = {split: [] for split in SPLITS}
    for item in anchors:
        verifier.remember(item)
        splits["gate"].append(item)
    rejected, short = Counter[str](), dict[str, int]()
    before: list[Any] = []
    for key, quota in plan.items():
        wanted = quota - sum(f"{item.source}.{item.form}" == key for item in anchors)
        inputs = [seed, key, wanted, chosen[key], list(before), sorted(item.id for item in anchors)]
        make = partial(_filled, stages.folder, sources, verifier, key, wanted, chosen[key], seed)
        rows = checked(stages.path(f"items_{key}"), stages.rows(f"items_{key}", inputs, make), BuiltRow)
        before.append(inputs[1:4])
        items = [_restored(stages.folder, row["kept"]) for row in rows if "kept" in row]
        for item in items:
            if item.id not in verifier.ids:
                verifier.remember(item)
        rejected.update(row["rejected"] for row in rows if "rejected" in row)
        if len(items) < wanted:
            short[key] = wanted - len(items)
        for split, part in _split(items, seed).items():
            splits[split] += part
        progress.tell(f"build: {key}: {len(items)} items kept, {len(rows) - len(items)} rejected")
    for split, items in splits.items():
        items.sort(key=lambda item: dice(seed, split, item.id).random())
    return Built(splits, dict(rejected.most_common()), short)


def _filled(
    folder: Path, sources: Mapping[str, Source], verifier: Verifier, key: str, wanted: int,
    chosen: Sequence[Mapping[str, Any]], seed: int,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    """Rows of kept and rejected items; a rejected one is followed by another of the same description."""
    left = wanted
    for i, row in enumerate(chosen):
        description = Description.of(key, row["params"])
        source = sources[description.source]
        quota = left if i == len(chosen) - 1 else min(left, round(wanted * row["share"]))
        kept = 0
        if not quota:
            continue
        for item in source.stream(description, f"{seed}/build", most=DRAWS_PER_ITEM * quota):
            if (defect := verifier.defect(item)) is not None:
                yield {"rejected": defect.value, "id": item.id, "question": item.asked.question}
                continue
            if item.asked.media is not None:
                atomic.write_bytes(folder / str(item.media_name), item.asked.media.content)
            yield {"kept": item.record()}
            kept += 1
            if kept == quota:
                break
        left -= kept


def _restored(folder: Path, record: Mapping[str, Any]) -> Item:
    return Item.of(record, read_media(folder, record))


def read_media(folder: Path, record: Mapping[str, Any]) -> Media | None:
    """The picture or sound of a record, from below ``folder``; None where it has none or it is not there."""
    names = record["input"].get("media", [])
    if not names or not (folder / names[0]).is_file():
        return None
    return Media("png" if names[0].endswith(".png") else "wav", (folder / names[0]).read_bytes())


def _split(items: Sequence[Item], seed: int) -> dict[str, list[Item]]:
    """Each subtask in the shares of :data:`SPLITS`."""
    order = sorted(items, key=lambda item: dice(seed, "split", item.id).random())
    found, start, total = dict[str, list[Item]](), 0, 0.0
    for split, share in SPLITS.items():
        total += share
        end = round(total * len(order))
        found[split] = order[start:end]
        start = end
    return found
