"""The difference of two stored trees, as a patch that ``git apply`` takes, and as lines that are safe to show."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from auto_benchmark.artifacts.tree_store import changed_files
from auto_benchmark.artifacts.unified_diff import Side, section_of

MOST_LINES, LONGEST_LINE = 120, 200
"""Of what is shown to a person who approves; the patch file is whole."""


def patch(before: Path, after: Path) -> str:
    """What leads from one tree to the other. A file that is not text is named and left out."""
    return "".join(_of_file(name, before, after) for name in changed_files(before, after))


def shown(text: str) -> str:
    """A patch as a person may be shown it: bounded, and with every character that could hide others spelt out."""
    lines = text.split("\n")
    told = [_cut(_visible(line)) for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        told.append(f"and {len(lines) - MOST_LINES} more lines")
    return "\n".join(told)


def _cut(line: str) -> str:
    """A line that is cut says so: what stands far to the right is code, too."""
    more = len(line) - LONGEST_LINE
    return line if more <= 0 else f"{line[:LONGEST_LINE]} … and {more} more characters"


def _visible(line: str) -> str:
    """Control and formatting characters (those that turn the direction of text, too) as their code points."""
    return "".join(
        char if char == "\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        else f"\\u{ord(char):04x}"
        for char in line
    )  # fmt: skip


def _of_file(name: str, before: Path, after: Path) -> str:
    sides = (_side(folder / name) for folder in (before, after))
    return section_of(name, *sides, no_text=f"# {name} is not text: its content is in the stored tree")


def _side(file: Path) -> Side | None:
    return (file.read_bytes(), bool(file.stat().st_mode & 0o100)) if file.exists() else None
