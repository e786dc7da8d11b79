"""The difference of two stored trees, as a patch that ``git apply`` takes, and as lines that are safe to show."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from auto_benchmark.artifacts.tree_store import changed_files

MOST_LINES, LONGEST_LINE = 120, 200
"""Of what is shown to a person who approves; the patch file is whole."""
_NO_NEWLINE = "\\ No newline at end of file\n"


def patch(before: Path, after: Path) -> str:
    """What leads from one tree to the other. A file that is no text is named and left out."""
    return "".join(part for name in changed_files(before, after) for part in _of_file(name, before, after))


def shown(text: str) -> str:
    """A patch as a person may be shown it: bounded, and with every character that could hide others spelt out."""
    lines = text.split("\n")
    told = [_visible(line)[:LONGEST_LINE] for line in lines[:MOST_LINES]]
    if len(lines) > MOST_LINES:
        told.append(f"and {len(lines) - MOST_LINES} more lines")
    return "\n".join(told)


def _visible(line: str) -> str:
    """Control and formatting characters (those that turn the direction of text, too) as their code points."""
    return "".join(
        char if char == "\t" or unicodedata.category(char) not in {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
        else f"\\u{ord(char):04x}"
        for char in line
    )  # fmt: skip


def _of_file(name: str, before: Path, after: Path) -> Iterator[str]:
    old, new = (_text(folder / name) for folder in (before, after))
    yield f"diff --git a/{name} b/{name}\n"
    if not (before / name).exists():
        yield f"new file mode {_mode(after / name)}\n"
    elif not (after / name).exists():
        yield f"deleted file mode {_mode(before / name)}\n"
    if old is None or new is None:
        yield f"# {name} is no text: its content is in the stored tree\n"
        return
    was = f"a/{name}" if (before / name).exists() else "/dev/null"
    becomes = f"b/{name}" if (after / name).exists() else "/dev/null"
    for line in difflib.unified_diff(old, new, was, becomes):
        yield line if line.endswith("\n") else f"{line}\n{_NO_NEWLINE}"


def _text(file: Path) -> list[str] | None:
    """Lines with their ends; none for a file that is absent, None for one that is no text."""
    if not file.exists():
        return []
    content = file.read_bytes()
    if b"\0" in content:
        return None
    try:
        return re.findall(
            r"[^\n]*\n|[^\n]+", content.decode("utf-8")
        )  # a line ends at a newline, and at nothing else
    except UnicodeDecodeError:
        return None


def _mode(file: Path) -> str:
    return "100755" if file.stat().st_mode & 0o100 else "100644"
