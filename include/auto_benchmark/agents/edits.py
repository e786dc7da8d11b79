"""Edits as a language model writes them: search/replace blocks, whole files, or JSON. All of an answer, or none.

Three forms, since models keep to one of them whatever they are told::

    FILE: train.py              FILE: train.py            {"edits": [{"file", "search", "replace"},
    <<<<<<< SEARCH              ```python                            {"file", "content"}],
    old lines                   the whole file             "done": false}
    =======                     ```
    new lines
    >>>>>>> REPLACE

A line ``DONE`` says that there is nothing more to try.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from auto_benchmark.agents.workspace import EDITED, OURS, SKIPPED, File, Files, is_editable, unfit_names
from auto_benchmark.errors import InputError

MOST_EDITS, LARGEST_FILE, LONGEST_NAME = 200, 2**20, 300
SHOWN = 120
_SEARCH, _MIDDLE, _REPLACE = re.compile(r"<{5,9} ?SEARCH"), re.compile(r"={5,9}"), re.compile(r">{5,9} ?REPLACE")
_FENCE = re.compile(r"(`{3,}|~{3,})(.*)")
_MARKED = re.compile(r"[#*`\s]*(?:file|path)[*`]*:", re.IGNORECASE)


class EditError(InputError):
    """An edit cannot be read or does not apply; the text says which and why, for the model that wrote it."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One edit.

    Attributes:
        file: path in the workspace.
        search: text that stands once in the file; None where the whole file is given.
        replace: what takes its place.
    """

    file: str
    search: str | None
    replace: str


@dataclass(frozen=True, slots=True)
class ModelReply:
    """What a model wants done.

    Attributes:
        edits: in order.
        is_done: whether it has nothing more to try.
    """

    edits: tuple[Edit, ...]
    is_done: bool


def read_answer(text: str) -> ModelReply:
    """The edits in an answer.

    Raises:
        EditError: a block without its end or without the name of a file, or too many.
    """
    as_json = _object(text)
    if as_json is not None:
        edits, is_done = tuple(_from_json(as_json)), as_json.get("done") is True
    else:
        edits = tuple(_from_text(text.replace("\r\n", "\n").split("\n")))
        is_done = any(line.strip() == "DONE" for line in text.splitlines())
    if len(edits) > MOST_EDITS:
        raise EditError(f"{len(edits)} edits; the most are {MOST_EDITS}")
    return ModelReply(edits, is_done)


def edited(files: Files, edits: Sequence[Edit], editable: Sequence[str]) -> dict[str, File]:
    """The editable files after all edits.

    Raises:
        EditError: one names a file that may not be edited, or its search text does not stand there exactly once.
    """
    result = {name: file for name, file in files.items() if is_editable(name, editable)}
    problems = []
    for number, edit in enumerate(edits, 1):
        try:
            name = _placed(edit.file, editable)
            result[name] = _applied(result.get(name), edit)
        except EditError as error:
            problems.append(f"edit {number}, {edit.file[:SHOWN]}: {error}")
    if wrong := unfit_names({*files, *result}):
        problems.append(wrong)
    if len(result) > EDITED.files:
        problems.append(f"{len(result)} files; the most are {EDITED.files}")
    if problems:
        raise EditError("\n".join(problems))
    return result


def _placed(name: str, editable: Sequence[str]) -> str:
    """The path that an edit names, in one spelling. Raises EditError where no editable file can lie there."""
    path = PurePosixPath(name)
    parts = path.parts
    outside = name.startswith("/") or ".." in parts or not parts or not name.isprintable()
    if outside or parts[0] == OURS or SKIPPED & {*parts} or not is_editable(path.as_posix(), editable):
        raise EditError(f"is not editable; you may edit {', '.join(editable)}")
    if len(parts) > EDITED.depth:
        raise EditError(f"lies too deep; the most are {EDITED.depth} folders in each other")
    return path.as_posix()


def _applied(file: File | None, edit: Edit) -> File:
    if edit.search is None or (not edit.search.strip() and (file is None or not file.content)):
        text = edit.replace
    elif file is None:
        raise EditError("there is no such file to search in")
    else:
        old = file.content.decode("utf-8", "replace")
        count = old.count(edit.search) if edit.search.strip() else 0
        if count != 1:
            first = next((line for line in edit.search.split("\n") if line.strip()), "")
            where = "does not stand in the file" if count == 0 else f"stands {count} times in the file"
            raise EditError(
                f"the search text, which begins {first.strip()[:SHOWN]!r}, {where}; it must stand there once"
            )
        text = old.replace(edit.search, edit.replace)
    content = text.encode("utf-8", "replace")
    if len(content) > LARGEST_FILE:
        raise EditError(f"would have {len(content)} bytes; the most are {LARGEST_FILE}")
    return File(content, bool(file and file.executable))


def _object(text: str) -> Mapping[str, Any] | None:
    """The answer as one JSON object with edits, alone or in a fence; None where it is none."""
    stripped = text.strip()
    fenced = re.fullmatch(r"```(?:json)?\s*\n(.*)\n```", stripped, re.DOTALL)
    try:
        found = json.loads(fenced[1] if fenced else stripped)
    except (ValueError, RecursionError):
        return None
    known = isinstance(found, dict) and {"edits", "files", "done"} & {*found}
    return found if known else None


def _from_json(told: Mapping[str, Any]) -> Iterator[Edit]:
    files = told.get("files")
    for name, content in files.items() if isinstance(files, dict) else ():
        yield Edit(str(name), None, _text(content, f"files.{name}"))
    edits = told.get("edits")
    for i, edit in enumerate(edits if isinstance(edits, list) else ()):
        if not isinstance(edit, dict):
            raise EditError(f"edits.{i}: should be an object")
        name = _text(edit.get("file", edit.get("path")), f"edits.{i}.file")
        if "content" in edit:
            yield Edit(name, None, _text(edit["content"], f"edits.{i}.content"))
        else:
            yield Edit(
                name, _text(edit.get("search"), f"edits.{i}.search"), _text(edit.get("replace"), f"edits.{i}.replace")
            )


def _text(value: Any, where: str) -> str:
    if not isinstance(value, str):
        raise EditError(f"{where[:SHOWN]}: should be text")
    return value


def _from_text(lines: Sequence[str]) -> Iterator[Edit]:
    name, i, is_named = "", 0, False  # a fence is a whole file only right below a name: others are examples
    while i < len(lines):
        line = lines[i].strip()
        fence = _FENCE.fullmatch(line)
        if _SEARCH.fullmatch(line):
            middle = _next(lines, i + 1, _MIDDLE, "=======")
            end = _next(lines, middle + 1, _REPLACE, ">>>>>>> REPLACE")
            yield Edit(_known(name, i), _joined(lines[i + 1 : middle]), _joined(lines[middle + 1 : end]))
            i, is_named = end + 1, False
        elif fence and not _opens_blocks(lines, i + 1):
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == fence[1]), -1)
            if end < 0:
                raise EditError(f"line {i + 1}: the fence is never closed")
            name, is_named = (inside, True) if (inside := _file_in(fence[2])) else (name, is_named)
            if is_named:
                yield Edit(name, None, _joined(lines[i + 1 : end]))
            i, is_named = end + 1, False
        else:
            if line and not fence:
                found = _file_name(line)
                name, is_named = found or name, bool(found)
            i += 1


def _opens_blocks(lines: Sequence[str], i: int) -> bool:
    """Whether a fence only wraps search/replace blocks, or closes such a one."""
    following = next((lines[j].strip() for j in range(i, len(lines)) if lines[j].strip()), "")
    behind = next((lines[j].strip() for j in range(i - 2, -1, -1) if lines[j].strip()), "")
    wraps = bool(_SEARCH.fullmatch(following)) or any(_SEARCH.fullmatch(line.strip()) for line in lines[i : i + 2])
    return wraps or bool(_REPLACE.fullmatch(behind))


def _next(lines: Sequence[str], start: int, mark: re.Pattern[str], shown: str) -> int:
    found = next((i for i in range(start, len(lines)) if mark.fullmatch(lines[i].strip())), None)
    if found is None:
        raise EditError(f"line {start}: a block without its {shown}")
    return found


def _joined(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _known(name: str, i: int) -> str:
    if not name:
        raise EditError(f"line {i + 1}: a block without the line FILE: path before it")
    return name


def _file_in(words: str) -> str:
    """The path behind the language of a fence: ```` ```python:src/a.py ````; empty where there is none."""
    found = re.search(r"(?:^|[\s:=\"'])([\w./-]*[\w-]\.\w+)[\"']?$", words.strip()[-LONGEST_NAME:])
    return found[1] if found else ""


def _file_name(line: str) -> str:
    """The path that a line before a block names; empty where it is a sentence."""
    marked = _MARKED.match(line)
    text = (line[marked.end() :] if marked else line).strip("#*`: \t")
    looks_so = bool(marked) or ("." in text.rstrip(".") or "/" in text)
    return text if text and " " not in text and looks_so and len(text) < LONGEST_NAME else ""
