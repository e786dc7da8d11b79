"""Unified diffs of a workspace: what an attempt changed, and such a patch put on files again.

Hunks apply where their old lines stand word for word: at the line they name, or at the only other place. Nothing is
guessed, since a patch that lands elsewhere than it was meant for is another change.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from auto_benchmark.agents.workspace import File, Files
from auto_benchmark.artifacts.unified_diff import NOWHERE, lines_of, section_of
from auto_benchmark.errors import InputError

_HUNK = re.compile(r"@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@")
_HEADER = re.compile(r"diff --git a/(?P<name>.*) b/(?P=name)")


class PatchError(InputError):
    """A patch cannot be read, or does not apply; the text says where."""


def unified(before: Files, after: Files) -> str:
    """What makes ``after`` of ``before``; empty where nothing has changed. Files that are no text are only named."""
    changed = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    return "".join(section_of(name, before.get(name), after.get(name)) for name in changed)


def applied(files: Files, patch: str) -> dict[str, File]:
    """The files after a patch.

    Raises:
        PatchError: it cannot be read, names a file that is not there or a place outside, or a hunk does not fit.
    """
    result = dict(files)
    for section in _sections(patch.split("\n")):
        section.apply(result)
    return result


@dataclass(slots=True)
class _Hunk:
    at: int
    start: int
    old: list[str]
    new: list[str]


@dataclass(slots=True)
class _Section:
    """What one patch says about one file."""

    at: int
    name: str
    is_new: bool = False
    is_deleted: bool = False
    executable: bool | None = None
    hunks: list[_Hunk] = field(default_factory=list)

    def apply(self, files: dict[str, File]) -> None:
        if self.is_new == (self.name in files):
            what = "exists already" if self.is_new else "is not there"
            raise PatchError(f"line {self.at}: {self.name} {what}")
        old = files.get(self.name, File(b""))
        lines = lines_of(old.content)
        if lines is None:
            raise PatchError(f"line {self.at}: {self.name} is not text")
        shift = 0
        for hunk in self.hunks:
            place = _place(lines, hunk, hunk.start + shift)
            if place is None:
                raise PatchError(f"line {hunk.at}: the lines that this hunk changes do not stand in {self.name}")
            lines[place : place + len(hunk.old)] = hunk.new
            shift = place - hunk.start + len(hunk.new) - len(hunk.old)
        if self.is_deleted:
            if lines:
                raise PatchError(f"line {self.at}: {self.name} holds more than the patch deletes")
            del files[self.name]
            return
        is_executable = old.executable if self.executable is None else self.executable
        files[self.name] = File("".join(lines).encode(), is_executable)


def _place(lines: list[str], hunk: _Hunk, start: int) -> int | None:
    """Where the old lines of a hunk stand."""
    length = len(hunk.old)
    if lines[start : start + length] == hunk.old and start <= len(lines):
        return start
    if not length:
        return None
    found = [
        i for i in range(len(lines) - length + 1) if lines[i] == hunk.old[0] and lines[i : i + length] == hunk.old
    ]
    return found[0] if len(found) == 1 else None


def _sections(lines: list[str]) -> Iterator[_Section]:
    section: _Section | None = None
    has_names, i = False, 0
    while i < len(lines):
        line, at = lines[i].removesuffix("\r"), i + 1
        if header := _HEADER.fullmatch(line):
            if section:
                yield section
            section, has_names = _Section(at, _checked(header["name"], at)), False
        elif line.startswith("--- ") and i + 1 < len(lines) and lines[i + 1].startswith("+++ "):
            named = _named(line, lines[i + 1].removesuffix("\r"), at)
            if section is None or has_names or section.name != named.name:
                if section:
                    yield section
                section = named
            section.is_new, section.is_deleted, has_names = named.is_new, named.is_deleted, True
            i += 1
        elif line.startswith("@@ "):
            if section is None or not has_names:
                raise PatchError(f"line {at}: a hunk before the name of its file")
            hunk, i = _hunk(lines, i)
            section.hunks.append(hunk)
            continue
        elif section is not None and not has_names:
            _extended(section, line, at)
        elif line.startswith(("+", "-", " ")) and line.strip() not in {"", "--"} and section is not None:
            raise PatchError(f"line {at}: no line of a patch: {line[:80]!r}")
        i += 1
    if section is None:
        raise PatchError("line 1: no unified diff: it names no file")
    yield section


def _extended(section: _Section, line: str, at: int) -> None:
    """Lines between ``diff --git`` and the names."""
    if line.startswith(("Binary files ", "GIT binary patch", "rename ", "copy ")):
        raise PatchError(f"line {at}: {section.name}: binary changes, renames and copies are not taken")
    words = line.split(" ")
    if words[:2] in (["new", "file"], ["new", "mode"], ["deleted", "file"]):
        if words[-1] not in {"100644", "100755"}:
            raise PatchError(f"line {at}: {section.name}: only regular files are taken, not mode {words[-1][:10]}")
        section.executable = words[-1] == "100755"
        section.is_new, section.is_deleted = line.startswith("new file"), line.startswith("deleted")


def _named(old: str, new: str, at: int) -> _Section:
    names = [line[4:].split("\t")[0] for line in (old, new)]
    before, after = (None if name == NOWHERE else _unprefixed(name) for name in names)
    if before is not None and after is not None and before != after:
        raise PatchError(f"line {at}: renames are not taken")
    return _Section(at, _checked(after or before or "", at), is_new=before is None, is_deleted=after is None)


def _unprefixed(name: str) -> str:
    return name[2:] if name.startswith(("a/", "b/")) else name


def _checked(name: str, at: int) -> str:
    """A name that stays inside."""
    parts = PurePosixPath(name).parts
    if not name or name.startswith("/") or ".." in parts or '"' in name or "\\" in name or not name.isprintable():
        raise PatchError(f"line {at}: {name[:200]!r} is not a path inside")
    return PurePosixPath(name).as_posix()


def _hunk(lines: list[str], i: int) -> tuple[_Hunk, int]:
    """The hunk that begins at a line, and the number of the line behind it."""
    at = i + 1
    found = _HUNK.match(lines[i])
    if found is None:
        raise PatchError(f"line {at}: no head of a hunk: {lines[i][:80]!r}")
    start, left, _, gained = (1 if part is None else int(part) for part in found.groups())
    hunk = _Hunk(at, start - 1 if left else start, [], [])
    i += 1
    while i < len(lines) and (len(hunk.old) < left or len(hunk.new) < gained):
        mark, text = lines[i][:1] or " ", lines[i][1:] + "\n"
        if mark not in " +-":
            raise PatchError(f"line {i + 1}: no line of a hunk: {lines[i][:80]!r}")
        ends = i + 1 < len(lines) and lines[i + 1].startswith("\\")
        text = text[:-1] if ends else text
        if mark in " -":
            hunk.old.append(text)
        if mark in " +":
            hunk.new.append(text)
        i += 2 if ends else 1
    if (len(hunk.old), len(hunk.new)) != (left, gained):
        raise PatchError(f"line {at}: the hunk has other numbers of lines than its head says")
    return hunk, i
