"""What raters have left in the folder that they were given: no new sheet may take its place."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.text_file import LARGEST_BYTES, text_of

if TYPE_CHECKING:
    import _csv

SHEET, PAGE, INSTRUCTIONS, MEDIA = "sheet.csv", "items.html", "README.md", "media"
"""What is written for raters."""
RATED = ("accept", "reason")


def refuse_to_lose(folder: Path) -> None:
    """Raises RefusedError where a folder for raters holds a filled sheet, or a file that was not written for them."""
    if folder.is_symlink() or not folder.is_dir():
        return
    own = {SHEET, PAGE, INSTRUCTIONS, MEDIA}
    found = sorted(path.name for path in folder.iterdir() if path.name not in own and not path.name.startswith("."))
    if (folder / SHEET).exists() and _is_filled(folder / SHEET):
        found.append(f"{SHEET}, which is filled,")
    if found:
        raise RefusedError(
            f"{folder}: {' and '.join(found)} would be lost; move what raters handed in elsewhere first"
        )


def _is_filled(sheet: Path) -> bool:
    """Whether somebody has worked on it; one that reads otherwise than it was written was saved by somebody."""
    try:
        names, *rows = rows_of(text_of(sheet, str(sheet)))
        at = [names.index(name) for name in RATED]
    except (InputError, ValueError, csv.Error):
        return True
    return any(len(row) != len(names) or any(row[i] for i in at) for row in rows)


def rows_of(text: str, delimiter: str = ",") -> _csv.Reader:
    """The rows of a sheet, whose cells may be as large as itself: a context has no bound. They may raise csv.Error."""
    csv.field_size_limit(LARGEST_BYTES)
    return csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
