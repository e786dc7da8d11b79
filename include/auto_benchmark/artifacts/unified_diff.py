"""Writes unified diffs that ``git apply`` takes, file by file."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

CONTEXT = 3
MOST_COMPARED = 4_000_000
"""Pairs of lines; where more would have to be compared, the lines that differ are replaced as a whole."""
NO_NEWLINE = "\\ No newline at end of file"
NOWHERE = "/dev/null"
Side = tuple[bytes, bool]
"""A file's content, and whether it may be executed."""


def section_of(name: str, old: Side | None, new: Side | None, *, no_text: str | None = None) -> str:
    """What makes a file's new side of its old one.

    Args:
        name: of the file, below the root of the patch.
        old: None where the file is new.
        new: None where it is removed.
        no_text: line that stands for changes of a file that is not text; git's own words by default.
    """
    head = [f"diff --git a/{name} b/{name}"]
    if old is None and new is not None:
        head.append(f"new file mode {_mode(new)}")
    elif new is None and old is not None:
        head.append(f"deleted file mode {_mode(old)}")
    elif old is not None and new is not None and old[1] != new[1]:
        head += [f"old mode {_mode(old)}", f"new mode {_mode(new)}"]
    lines_before, lines_after = (lines_of(side[0] if side else b"") for side in (old, new))
    if lines_before is None or lines_after is None:
        return "\n".join([*head, no_text or f"Binary files a/{name} and b/{name} differ", ""])
    hunks = list(_hunks(lines_before, lines_after))
    if hunks:
        tail = "\t" if " " in name else ""  # as git marks the end of such a name
        head.append(f"--- {NOWHERE}" if old is None else f"--- a/{name}{tail}")
        head.append(f"+++ {NOWHERE}" if new is None else f"+++ b/{name}{tail}")
    return "\n".join([*head, *hunks, ""])


def lines_of(content: bytes) -> list[str] | None:
    """Lines with their ends, which are newlines and nothing else; None for what is not text."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return None
    return None if "\0" in text else re.findall(r"[^\n]*\n|[^\n]+", text)


def _mode(side: Side) -> str:
    return "100755" if side[1] else "100644"


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    """Hunks, each line without its end."""
    shortest = min(len(old), len(new))
    start = next((i for i in range(shortest) if old[i] != new[i]), shortest)
    end = next((i for i in range(shortest - start) if old[-1 - i] != new[-1 - i]), shortest - start)
    if start == len(old) == len(new):
        return
    first = max(0, start - CONTEXT)
    kept = max(0, end - CONTEXT)
    old, new = old[first : len(old) - kept], new[first : len(new) - kept]
    for group in _groups(old, new):
        a, b = group[0][1], group[0][3]
        a_length, b_length = group[-1][2] - a, group[-1][4] - b
        yield f"@@ -{_range(first + a, a_length)} +{_range(first + b, b_length)} @@"
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                yield from (_line(" ", line) for line in old[i1:i2])
                continue
            yield from (_line("-", line) for line in old[i1:i2])
            yield from (_line("+", line) for line in new[j1:j2])


def _groups(old: list[str], new: list[str]) -> Iterator[list[tuple[str, int, int, int, int]]]:
    if len(old) * len(new) > MOST_COMPARED:
        yield [("replace", 0, len(old), 0, len(new))]
    else:
        yield from (
            [(str(tag), *places) for tag, *places in group]  # type: ignore[misc]
            for group in difflib.SequenceMatcher(None, old, new).get_grouped_opcodes(CONTEXT)
        )


def _range(start: int, length: int) -> str:
    return f"{start + 1 if length else start},{length}"


def _line(mark: str, line: str) -> str:
    return f"{mark}{line[:-1]}" if line.endswith("\n") else f"{mark}{line}\n{NO_NEWLINE}"
