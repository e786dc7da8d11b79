"""TOML files that know on which line each value stands.

``tomllib`` parses and says nothing about lines. Lines of tables and keys are found by their shapes at the beginning of a
line and kept only where the parsed data hold such a path, so a text that merely looks like a key names no wrong place.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from auto_benchmark.documents import Document
from auto_benchmark.documents import Path as Place
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.text_file import text_of

_KEY = r"""(?:[A-Za-z0-9_-]+|"[^"\n]*"|'[^'\n]*')"""
_TABLE = re.compile(rf"\s*(\[\[?)\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*\]")
_VALUE = re.compile(rf"\s*({_KEY}(?:\s*\.\s*{_KEY})*)\s*=")
_LONG_TEXT = re.compile(r'"""|' + "'''")
_ERROR = re.compile(r"(.*) \(at line (\d+), column \d+\)$", re.DOTALL)


def read(path: Path, *, shown_as: str) -> Document:
    """Read one TOML file.

    Raises:
        ConfigError: when it is missing, too large, not UTF-8, or not valid TOML.
    """
    return parse(text_of(path, shown_as), shown_as)


def parse(text: str, file: str) -> Document:
    """Parse TOML and note the lines of tables and keys. Raises ConfigError when it is not valid."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = _ERROR.match(str(error))
        message, line = (found[1], int(found[2])) if found else (str(error), None)
        raise ConfigError([Fault(file, line, "", f"not valid TOML: {message}")]) from None
    return Document(file, data, _lines(text, data))


def _lines(text: str, data: dict[str, Any]) -> dict[Place, int]:
    lines: dict[Place, int] = {(): 1}
    table: Place = ()
    arrays: dict[Place, int] = {}
    within = ""
    for number, line in enumerate(text.splitlines(), 1):
        if not within:
            if header := _TABLE.match(line):
                table = _parts(header[2])
                if header[1] == "[[":
                    arrays[table] = arrays.get(table, -1) + 1
                    table = (*table, arrays[table])
                _note(lines, data, table, number)
            elif value := _VALUE.match(line):
                _note(lines, data, (*table, *_parts(value[1])), number)
        for quotes in _LONG_TEXT.findall(line.partition("#")[0] if not within else line):
            within = "" if within == quotes else within or quotes
    return lines


def _note(lines: dict[Place, int], data: Any, place: Place, number: int) -> None:
    """Remember the line of a place and of what is around it, if the data hold it."""
    for end in range(1, len(place) + 1):
        part = place[end - 1]
        try:
            data = data[part]
        except (KeyError, IndexError, TypeError):
            return
        lines.setdefault(place[:end], number)


def _parts(dotted: str) -> Place:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))
