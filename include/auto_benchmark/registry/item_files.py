"""What ``benchmark.yaml`` says about a benchmark whose items lie in files: JSON Lines, CSV or TSV."""

from __future__ import annotations

from pathlib import PurePosixPath

from pydantic import Field, StrictStr

from auto_benchmark.documents import Strict

SUFFIXES = (".jsonl", ".csv", ".tsv")


class Fields(Strict):
    """Which fields of a row are what.

    Attributes:
        id: unique in its file; items are numbered where no row has one.
        input: what a trial sees: one field, or several as a mapping. Without it the field ``input``; in a table that
            has none, every column with another meaning left out.
        answer: what a trial is graded by; seen in the training data alone.
        slice: part of the data that is reported separately.
        media: files beside the items that a trial gets: a relative path or a list of them.
    """

    id: StrictStr = "id"
    input: StrictStr | list[StrictStr] | None = Field(default=None, min_length=1)
    answer: StrictStr = "answer"
    slice: StrictStr = "slice"
    media: StrictStr = "media"


def refused_path(path: str) -> str | None:
    """Why ``path`` cannot name a file of items; None when it can."""
    pure = PurePosixPath(path)
    if pure.is_absolute() or ".." in pure.parts or "\\" in path or "\0" in path:
        return f"should be a path below the folder of benchmark.yaml, is {path[:80]!r}"
    if pure.suffix.lower() not in SUFFIXES:
        return f"should end in {', '.join(SUFFIXES[:-1])} or {SUFFIXES[-1]}, is {path[:80]!r}"
    return None
