"""``construct review``: a blinded sheet for people, with planted bad items in it, and what their ratings say."""

from __future__ import annotations

import csv
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.folder import BENCHMARK, PRIVILEGED, write_json
from auto_benchmark.construction.stages import read_rows, write_rows
from auto_benchmark.errors import ConfigError, Fault, InputError, chosen_by_user
from auto_benchmark.reporting.spreadsheet import cell
from auto_benchmark.stats.agreement import krippendorff_alpha
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import wilson_interval

SHEET, PLANTED, RESULT = "review/sheet.csv", "review/planted.jsonl", "review/result.json"
COLUMNS = ("number", "question", "context", "options", "media", "answer", "accept", "reason")
SAMPLE, PLANTED_SHARE = 40, 0.2
YES, NO = frozenset({"yes", "y", "1", "true"}), frozenset({"no", "n", "0", "false"})


@dataclass(frozen=True, slots=True)
class RatingSheet:
    """A sheet to rate."""

    path: Path
    items: int
    planted: int


def write_sheet(folder: Path, *, sample: int = SAMPLE, seed: int = 0) -> RatingSheet:
    """Draw items, spoil some of them, and write both to one sheet in random order.

    A spoilt item has the answer of another item of its subtask, which differs from its own. Which ones they are stands in
    ``review/planted.jsonl``, for the import alone.

    Raises:
        InputError: the folder holds no finished construction, or cannot be written.
    """
    if not (folder / PRIVILEGED).is_file():
        raise InputError(f"{folder}: no finished construction (there is no {PRIVILEGED})")
    random = dice("review", seed)
    records = read_rows(folder / PRIVILEGED)
    drawn = random.sample(records, min(sample, len(records)))
    spoilt = {r["id"] for r in drawn[: round(PLANTED_SHARE * len(drawn))] if _other_answer(r, records) is not None}
    random.shuffle(drawn)
    rows = [
        _row(n, r, _other_answer(r, records) if r["id"] in spoilt else r["answer"]) for n, r in enumerate(drawn, 1)
    ]
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    planted = [{"number": n, "id": r["id"], "planted": r["id"] in spoilt} for n, r in enumerate(drawn, 1)]
    with chosen_by_user(folder):
        write_rows(folder / PLANTED, planted)
        atomic.write_text(folder / SHEET, text.getvalue())
    return RatingSheet(folder / SHEET, len(drawn), len(spoilt))


def _other_answer(record: Mapping[str, Any], records: Sequence[Mapping[str, Any]]) -> Any:
    options = record["input"].get("options")
    others = options or [
        r["answer"] for r in records if (r["source"], r["form"]) == (record["source"], record["form"])
    ]
    return next((answer for answer in others if str(answer) != str(record["answer"])), None)


def _row(number: int, record: Mapping[str, Any], answer: Any) -> dict[str, Any]:
    given = record["input"]
    cells = {
        "number": number, "question": given["question"], "context": given.get("context", ""),
        "options": " | ".join(given.get("options", ())),
        "media": " ".join(f"{BENCHMARK}/{name}" for name in given.get("media", ())), "answer": answer,
        "accept": "", "reason": "",
    }  # fmt: skip
    return {name: cell(value) for name, value in cells.items()}


def import_ratings(folder: Path, ratings: Sequence[Path]) -> dict[str, Any]:
    """What one sheet per rater says.

    Returns:
        ``accepted`` of the real items with its interval, ``caught`` of the planted ones, Krippendorff's ``alpha`` over all
        (None with one rater, or where everybody says the same of everything), and ``disputed`` item ids.

    Raises:
        InputError: there is no sheet; ConfigError: a rating cannot be read, with file, line and field.
    """
    if not (folder / PLANTED).is_file():
        raise InputError(f"{folder}: there is no sheet yet; write one with `construct review {folder}`")
    known = {int(row["number"]): row for row in read_rows(folder / PLANTED)}
    said = [_ratings(path, known) for path in ratings]
    by_item: dict[int, list[bool]] = defaultdict(list)
    for one in said:
        for number, accept in one.items():
            by_item[number].append(accept)
    real = [accept for n, votes in by_item.items() if not known[n]["planted"] for accept in votes]
    planted = [not accept for n, votes in by_item.items() if known[n]["planted"] for accept in votes]
    try:
        alpha = krippendorff_alpha([[one.get(n) for n in sorted(known)] for one in said])
    except NotApplicableError:
        alpha = None
    result = {
        "raters": len(said), "rated": len(by_item),
        "accepted": _share(real), "caught": _share(planted), "alpha": alpha,
        "disputed": sorted(known[n]["id"] for n, votes in by_item.items() if len(set(votes)) > 1),
        "rejected": sorted(known[n]["id"] for n, v in by_item.items() if not known[n]["planted"] and sum(v) * 2 < len(v)),
    }  # fmt: skip
    write_json(folder / RESULT, result)
    return result


def _share(votes: Sequence[bool]) -> dict[str, Any] | None:
    if not votes:
        return None
    return {
        "value": sum(votes) / len(votes),
        "interval": list(wilson_interval(sum(votes), len(votes))),
        "n": len(votes),
    }


def _ratings(path: Path, known: Mapping[int, Any]) -> dict[int, bool]:
    try:
        rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        why = getattr(error, "strerror", None) or error
        raise ConfigError([Fault(str(path), None, "", f"cannot be read: {why}")]) from None
    found: dict[int, bool] = {}
    faults = []
    for line, row in enumerate(rows, 2):
        number, accept = (row.get("number") or "").strip(), (row.get("accept") or "").strip().casefold()
        if not number.isdigit() or int(number) not in known:
            faults.append(Fault(str(path), line, "number", f"should be a number of the sheet, is {number[:40]!r}"))
        elif accept and accept not in YES | NO:
            faults.append(Fault(str(path), line, "accept", f"should be yes or no, is {accept[:40]!r}"))
        elif accept:
            found[int(number)] = accept in YES
    if not found and not faults:
        faults.append(Fault(str(path), None, "accept", "nothing is rated"))
    if faults:
        raise ConfigError(faults)
    return found
