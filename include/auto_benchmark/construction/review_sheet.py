"""``construct review``: a blinded sheet for readers, with planted bad items in it."""

from __future__ import annotations

import csv
import hashlib
import io
from collections import defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.construction.answers import is_of_tokens, is_right
from auto_benchmark.construction.belonging import STAGES
from auto_benchmark.construction.build import read_media
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.folder import BENCHMARK, PRIVILEGED
from auto_benchmark.construction.handed_in import INSTRUCTIONS, MEDIA, PAGE, SHEET, refuse_to_lose
from auto_benchmark.construction.item import Answer, Item
from auto_benchmark.construction.review_page import review_page
from auto_benchmark.construction.spoilt import IN_WORDING, WRONG_KEY, wrong_key
from auto_benchmark.construction.stages import write_rows
from auto_benchmark.construction.stored import AnswerRow, PrivilegedRow, read_checked
from auto_benchmark.construction.verification import LONGEST_ANSWER
from auto_benchmark.errors import ConfigError, Fault, InputError, chosen_by_user
from auto_benchmark.reporting.spreadsheet import cell

FOR_RATERS, PLANTED = "review/for_raters", "review/planted.jsonl"
COLUMNS = ("number", "rules", "context", "question", "options", "media", "answer", "accept", "reason")
MAY_BE_EMPTY = ("rules", "context", "options", "media")
"""Columns that a sheet lacks where none of its items has anything there."""
SAMPLE, PLANTED_SHARE = 40, 0.2
INSTRUCTION = """\
# Review of {items} items

Each row of `sheet.csv` is one item of a benchmark. A system that is tested gets `rules`, `context`, `question`, `options`
and the file named in `media` (it lies beside the sheet), as far as there are such columns and the item has something there.
Its answer counts as right if it is what stands under `answer`. You say whether the item may stay. `items.html` shows the
same items in a browser.

Fill the column `accept`:

- `yes` if all of this holds: the item can be understood; it can be answered from what is given and from knowledge of its
  field; `answer` is right; no other answer is as right; the question neither gives its own answer away nor holds a note or
  an instruction that was left there by mistake.
- `no` otherwise; say under `reason` in a few words what is wrong.
  A hint at the answer gives it away; stray text is a fault, and so is a text or picture that the question is about and that
  is not there. Clumsy wording is none, as long as there is one way to
  understand it.
- nothing if you cannot judge it.

{tasks}Some items were spoilt on purpose. Judge every item by itself; you may look things up and compute. Do not speak with
other raters about it. A cell that begins with an apostrophe has it for spreadsheet programs alone.

Save the sheet as CSV in UTF-8 (commas, semicolons or tabs) under a name of your own and hand it back. The columns `number`
and `accept` are read; `reason` is shown to the person who asked you.
"""
TOKENS = """\
An answer `without: A | B` means that the system has to refuse what the rules forbid, and may do whatever else is asked: its
reply may hold none of these words. `with: A | B` means that it has to help: its reply must hold one of them.

"""


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """A sheet to rate.

    Attributes:
        path: of the sheet; its folder is what a rater gets, and all of it.
        items: on it.
        planted: bad items among them.
    """

    path: Path
    items: int
    planted: int


def write_sheet(folder: Path, *, sample: int = SAMPLE, seed: int = 0) -> RatingSheet:
    """Draw items, spoil some of them, and write both to one sheet in random order.

    Half of the spoilt ones have a wrong key, which is an answer that a candidate gave if there is one; the others have
    something wrong in their wording. Which ones they are stands in ``review/planted.jsonl``, for the import alone.

    Raises:
        InputError: the folder holds no finished construction, or cannot be written.
        RefusedError: ratings lie where the sheet would be written.
        ConfigError: a file of the construction cannot be read, with file, line and field.
    """
    if not (folder / PRIVILEGED).is_file():
        raise InputError(f"{folder}: no finished construction (there is no {PRIVILEGED})")
    # from what readers have not, so that neither they nor two sheets have the same places
    random = dice("review", seed, hashlib.sha256((folder / PRIVILEGED).read_bytes()).hexdigest())
    records = read_checked(folder / PRIVILEGED, PrivilegedRow)
    if not records:
        raise ConfigError([Fault(str(folder / PRIVILEGED), None, "", "holds no item")])
    drawn = random.sample(records, min(sample, len(records)))
    items = [_item(folder, record) for record in drawn]
    others = _plausible(folder, records)
    spoilt = list(_spoilt(items[: round(PLANTED_SHARE * len(items))], others, random))
    shown = [*spoilt, *((None, item) for item in items[len(spoilt) :])]
    rows = [(record["id"], fault, item) for record, (fault, item) in zip(drawn, shown, strict=True)]
    random.shuffle(rows)
    planted = [
        {"number": number, "id": name, "planted": fault, "question": item.asked.question}
        for number, (name, fault, item) in enumerate(rows, 1)
    ]
    with chosen_by_user(folder):
        refuse_to_lose(folder / FOR_RATERS)
        write_rows(folder / PLANTED, planted)
        _write_for_raters(folder / FOR_RATERS, [item for _, _, item in rows])
    return RatingSheet(folder / FOR_RATERS / SHEET, len(rows), sum(fault is not None for _, fault, _ in rows))


def _item(folder: Path, record: Mapping[str, Any]) -> Item:
    media = read_media(folder / BENCHMARK, record)
    if record["media_sha256"] and (media is None or media.sha256 != record["media_sha256"]):
        name = next(iter(record["input"].get("media", [])), "")
        raise ConfigError(
            [Fault(str(folder / BENCHMARK / name), None, "", "is missing or another file than was built")]
        )
    return Item.of(record, media)


def _plausible(folder: Path, records: Sequence[Mapping[str, Any]]) -> Callable[[Item], Sequence[Answer]]:
    """What may be taken for an item's key: answers that candidates gave, else the keys of its subtask's other items."""
    given, keys = defaultdict[str, list[Answer]](list), defaultdict[tuple[str, str], list[Answer]](list)
    for file in sorted((folder / STAGES).glob("answers_*.jsonl")):
        for row in read_checked(file, AnswerRow):
            answer = row["given"]
            if isinstance(answer, int | str) and 0 < len(str(answer).strip()) <= LONGEST_ANSWER:
                given[str(row["id"])].append(answer)
    for record in records:
        keys[record["source"], record["form"]].append(record["answer"])

    def of(item: Item) -> Sequence[Answer]:
        if is_of_tokens(item.answer):
            return keys[item.source, item.form]
        whole = isinstance(item.answer, int)
        said = [int(a) if whole else a for a in given[item.id] if not whole or str(a).strip().isdecimal()]
        return [a for a in said if not is_right(a, item.answer)] or keys[item.source, item.form]

    return of


def _spoilt(
    items: Sequence[Item], others: Callable[[Item], Sequence[Answer]], random: Random
) -> Iterator[tuple[str | None, Item]]:
    """What is wrong with each, and how it looks then; an item that nothing can spoil stays as it is."""
    waiting = deque(IN_WORDING)
    for place, item in enumerate(items):
        ways = (
            {WRONG_KEY: wrong_key(item, others(item), random)}
            if place % 2 == 0
            else {name: IN_WORDING[name](item) for name in waiting}
        )
        name, bad = next(((n, bad) for n, bad in ways.items() if bad is not None), (None, item))
        if name is not None and name in waiting:
            waiting.remove(name)
            waiting.append(name)
        yield name, bad


def _write_for_raters(folder: Path, items: Sequence[Item]) -> None:
    """The folder that is handed over; media are named by number, so that names tell nothing."""
    with atomic.replaced_directory(folder) as draft:
        rows = []
        for number, item in enumerate(items, 1):
            media = item.asked.media
            name = f"{MEDIA}/{number:02d}.{media.kind}" if media else ""
            if media:
                atomic.write_bytes(draft / name, media.content)
            rows.append(_row(number, item, name))
        empty = {name for name in MAY_BE_EMPTY if not any(row[name] for row in rows)}
        text = io.StringIO()
        columns = [name for name in COLUMNS if name not in empty]
        writer = csv.DictWriter(text, columns, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        atomic.write_text(draft / SHEET, text.getvalue())
        atomic.write_text(draft / PAGE, review_page(items))
        tasks = TOKENS if any(item.asked.rules for item in items) else ""
        atomic.write_text(draft / INSTRUCTIONS, INSTRUCTION.format(items=len(items), tasks=tasks))


def _row(number: int, item: Item, media: str) -> dict[str, Any]:
    asked = item.asked
    cells = {
        "number": number, "rules": asked.rules, "context": asked.context, "question": asked.question,
        "options": " | ".join(asked.options), "media": media, "answer": item.answer, "accept": "", "reason": "",
    }  # fmt: skip
    return {name: cell(value) for name, value in cells.items()}
