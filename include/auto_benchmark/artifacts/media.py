"""Pictures, sounds and other files beside the items of a benchmark, which its rows name by relative path.

A trial gets them under names made of their content, all with one date: a file's own name, its folder and its date may
tell the answer. So a row's text changes with the file, and changed files are other data.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from auto_benchmark.artifacts.item_rows import ItemRow, RowError
from auto_benchmark.documents import kind
from auto_benchmark.errors import InputError

FOLDER = "media"
"""Where they lie in a trial's data directory."""
SUFFIXES = (
    *(".bmp", ".gif", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp"),
    *(".flac", ".m4a", ".mid", ".midi", ".mp3", ".ogg", ".opus", ".wav"),
    *(".avi", ".mkv", ".mov", ".mp4", ".webm"),
    *(".npy", ".npz", ".obj", ".pdf", ".ply", ".stl"),
)
"""What a text of the input is taken for a file by; under ``media`` a row may name files of any kind."""
LARGEST_BYTES = 256 * 2**20
LONGEST_PATH = 1_000
_DIGITS = 32
_NAMED = re.compile(rb'"media/([0-9a-f]{32}(?:\.[a-z0-9]{1,8})?)"')
_SOUND_SUFFIX = re.compile(r"\.[a-z0-9]{1,8}")


@dataclass(slots=True)
class MediaFiles:
    """The files that rows of one benchmark have named so far.

    Attributes:
        folder: of ``benchmark.yaml``; nothing outside it can be named.
        barred: paths below it that hold answers.
        absent: file of items -> line and text of the first input that looks like a path and names no file, and how many
            do.
    """

    folder: Path
    barred: frozenset[Path]
    absent: dict[str, tuple[int, str, int]] = field(default_factory=dict)
    _source: dict[str, Path] = field(default_factory=dict)
    _name: dict[Path, str] = field(default_factory=dict)

    def of(self, row: ItemRow, name: str) -> dict[str, str]:
        """What a row gives as media: path, relative to the file of items -> path in a trial's data directory.

        Args:
            row: of a file of items.
            name: the field: a path, or a list of paths.

        Raises:
            RowError: no path, or one of no file, of one elsewhere, or of one that a trial may not see.
        """
        given = row.values.get(name)
        found = dict[str, str]()
        for path in given if isinstance(given, list) else [] if given is None else [given]:
            if not isinstance(path, str):
                raise RowError(row.line, name, f"should be a path or a list of paths, is {kind(path)}")
            place = self._inside(row, name, path)
            if not place.is_file():
                renamed = "another meaning: fields: {media: NAME} in benchmark.yaml"
                raise RowError(row.line, name, f"names no file: {path[:80]!r} (if the field has {renamed})")
            if place in self.barred or place.suffix in {".py", ".yaml", ".yml"}:
                raise RowError(row.line, name, f"{path[:80]!r} is not a file that a trial may see")
            found[path] = self._told(row, name, place)
        return found

    def as_trial_sees(self, row: ItemRow, value: Any, known: Mapping[str, str]) -> Any:
        """An input with every path in it as a trial finds the file: those under ``media``, and texts that are one.

        Raises:
            RowError: a text looks like a path of a file and leads out of the folder.
        """
        if isinstance(value, dict):
            return {name: self.as_trial_sees(row, inner, known) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.as_trial_sees(row, inner, known) for inner in value]
        if not isinstance(value, str):
            return value
        if value in known or not _looks_like_a_path(value):
            return known.get(value, value)
        place = self._inside(row, "input", value)
        if place.is_file() and place not in self.barred:
            return self._told(row, "input", place)
        line, text, count = self.absent.get(row.file, (row.line, value, 0))
        self.absent[row.file] = line, text, count + 1
        return value

    def copy_named(self, rows: Iterable[bytes], view: Path) -> None:
        """Put the files that rows of a view name into it.

        Raises:
            InputError: a file is not what it was when the rows were read.
        """
        wanted = sorted(self.named_in(rows))
        if wanted:
            (view / FOLDER).mkdir()
        for name in wanted:
            copy = view / FOLDER / name
            shutil.copyfile(self._source[name], copy)
            if _digest(copy) != name[:_DIGITS]:
                raise InputError(f"{self._source[name]}: has changed since the items were read")
            os.utime(copy, (0, 0))
            copy.chmod(0o444)

    def named_in(self, rows: Iterable[bytes]) -> set[str]:
        """Files that rows as a trial gets them name."""
        return {name.decode() for content in rows for name in _NAMED.findall(content)} & self._source.keys()

    def _inside(self, row: ItemRow, name: str, path: str) -> Path:
        if not path or len(path) > LONGEST_PATH or not path.isprintable() or "\\" in path:
            raise RowError(row.line, name, f"should be a path with / between folders, is {path[:80]!r}")
        try:
            place = (Path(row.file).parent / path).resolve()
        except (OSError, RuntimeError):  # links in a circle
            raise RowError(row.line, name, f"cannot be looked up: {path[:80]!r}") from None
        if PurePosixPath(path).is_absolute() or not place.is_relative_to(self.folder.resolve()):
            raise RowError(row.line, name, f"leads out of the folder of benchmark.yaml: {path[:80]!r}")
        return place

    def _told(self, row: ItemRow, name: str, place: Path) -> str:
        if place not in self._name:
            try:
                if (size := place.stat().st_size) > LARGEST_BYTES:
                    limit = f"has {size >> 20} MiB; the limit is {LARGEST_BYTES >> 20} MiB"
                    raise RowError(row.line, name, f"{place.name!r} {limit}")
                digest = _digest(place)
            except OSError as error:
                raise RowError(row.line, name, f"{place.name!r} cannot be read: {error.strerror or error}") from None
            suffix = place.suffix.lower()
            self._name[place] = digest + (suffix if _SOUND_SUFFIX.fullmatch(suffix) else "")
            self._source.setdefault(self._name[place], place)
        return f"{FOLDER}/{self._name[place]}"


def _looks_like_a_path(text: str) -> bool:
    """Whether a whole text could be the path of a picture, a sound or the like; addresses in the web are none."""
    short = len(text) <= LONGEST_PATH and text.isprintable() and "://" not in text
    return short and "\\" not in text and PurePosixPath(text).suffix.lower() in SUFFIXES


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:_DIGITS]
