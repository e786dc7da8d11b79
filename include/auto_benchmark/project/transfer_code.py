"""The stored code of a project in its archive: each tree under the checksum of its content, and believed by that alone.

Code is a program and not a record: an import takes it in only where the person who imports asks for it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from auto_benchmark.artifacts import home_files, tree_store
from auto_benchmark.artifacts.code_tree import CODE, is_sound
from auto_benchmark.artifacts.export_archive import ArchiveReader, Member
from auto_benchmark.artifacts.fingerprint import SKIPPED
from auto_benchmark.artifacts.import_stage import ImportStage
from auto_benchmark.errors import RefusedError

_TREE, _SOLUTION = re.compile(r"[0-9a-f]{16}"), re.compile(r"[a-z][a-z0-9_]{0,62}")


def stored(root: Path, trees: Collection[str]) -> Iterator[tuple[str, Path]]:
    """Name in an archive and place of every file of these trees, as far as they are stored here, undamaged.

    A tree with a name that no archive may hold stays where it is.
    """
    for tree in sorted(trees):
        place = root / CODE / tree
        for copy in sorted(place.iterdir()) if place.is_dir() else ():
            if _SOLUTION.fullmatch(copy.name) and copy.is_dir() and is_sound(copy, tree):
                yield from _files_of(copy, f"{CODE}/{tree}/{copy.name}")


def _files_of(copy: Path, name: str) -> list[tuple[str, Path]]:
    try:
        found = [(f"{name}/{below}", path) for below, path in tree_store.plain_files(copy)]
        for each, _ in found:
            home_files.path_of(each)
    except (tree_store.UnfitTreeError, RefusedError):
        return []
    return found


@dataclass(slots=True)
class IncomingCode:
    """The trees of one archive, unpacked aside and checked before they count.

    Attributes:
        stage: of the import.
        wanted: whether they are taken in; else they are read past.
    """

    stage: ImportStage
    wanted: bool
    _files: dict[PurePosixPath, int] = field(default_factory=dict)
    _bytes: dict[PurePosixPath, int] = field(default_factory=dict)

    def add(self, path: PurePosixPath, member: Member, reader: ArchiveReader) -> None:
        """Unpack one file.

        Raises:
            RefusedError: it is no file of a tree, or the tree holds more than one may.
        """
        _, tree, solution, *below = (*path.parts, "", "")
        is_file = len(path.parts) > 3 and not SKIPPED & set(below)
        if not (is_file and _TREE.fullmatch(tree) and _SOLUTION.fullmatch(solution)):
            raise RefusedError(
                f"{str(path)!a}: is not a file of stored code, which is {CODE}/<tree>/<solution>/<file>"
            )
        if not self.wanted:
            return
        copy = PurePosixPath(tree, solution)
        self._files[copy] = self._files.get(copy, 0) + 1
        self._bytes[copy] = self._bytes.get(copy, 0) + member.size
        if self._files[copy] > tree_store.MOST_FILES or self._bytes[copy] > tree_store.MOST_BYTES:
            raise RefusedError(
                f"{CODE}/{tree}: holds more than {tree_store.MOST_FILES} files or {tree_store.MOST_BYTES // 2**20} MiB"
            )
        self.stage.add_code(PurePosixPath(*path.parts[1:]), reader, executable=member.executable)

    @property
    def trees(self) -> set[str]:
        """Names of what was taken in."""
        return {copy.parts[0] for copy in self._files}

    def check(self, named: Collection[str]) -> None:
        """Compare every tree with its name.

        Raises:
            RefusedError: one has another content than its name says, or no row names it.
        """
        for copy in self._files:
            tree = copy.parts[0]
            if tree not in named:
                raise RefusedError(f"{CODE}/{tree}: no row of the archive names this code")
            if not is_sound(self.stage.code / copy, tree):
                raise RefusedError(f"{CODE}/{tree}: holds other code than its name says")

    def place(self, root: Path) -> None:
        """Put the trees where code is stored; what is there already stays."""
        for copy in self._files:
            target = root / CODE / copy
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.exists():
                (self.stage.code / copy).rename(target)
