"""Reads the file of one idea."""

from __future__ import annotations

from pathlib import Path

from auto_benchmark.documents import Document, read, validate
from auto_benchmark.ideas.idea import Idea

_WRAPPED = "hypothesis"


def read_idea(path: Path, *, shown_as: str | None = None) -> tuple[Idea, Document]:
    """The idea in a file, on its own or under ``hypothesis:`` as the queue's files have it; and where its fields stand.

    Raises:
        ConfigError: it cannot be read, or something in it is wrong; each fault with line and field.
    """
    document = read(path, shown_as=shown_as)
    if isinstance(document.data, dict) and set(document.data) == {_WRAPPED}:
        inner = {path[1:]: line for path, line in document.lines.items() if path[:1] == (_WRAPPED,)}
        document = Document(document.file, document.data[_WRAPPED], inner)
    return validate(Idea, document), document
