"""Data literals in JavaScript: JSON with comments, bare keys, single quotes, trailing commas. Nothing is executed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from auto_benchmark.documents import storable
from auto_benchmark.tables.untyped import Twice

SMALLEST = 2
_HALF = re.compile(r"\\u(?:[dD][89a-fA-F]|0000)")
"""Escapes that may stand for half a character, or for NUL."""
_ASSIGNED = re.compile(
    r"([\w$.\[\]'\"]{1,80})\s*[=:]\s*(?=[\[{])|(?<=export default)\s+(?=[\[{])|JSON\.parse\(\s*(?=['\"`])"
)
_SPACE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|Infinity|NaN)")
_WORD = re.compile(r"[A-Za-z_$][\w$]*")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "v": "\v", "\n": ""}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}
_CAPITALS = re.compile("[A-Z]+")
DEEPEST = 60
MOST_FAILURES = 2000
"""Assignments that turn out to hold code, after which a script is given up."""


def parse_json(text: str) -> Any:
    """JSON with NaN and Infinity as floats and repeated keys kept as :class:`Twice`.

    Raises:
        ValueError: not JSON.
    """
    try:
        data = json.loads(text, object_pairs_hook=_object)
        return _whole(data) if _HALF.search(text) else data
    except RecursionError:
        raise ValueError("nested too deeply") from None


def _whole(value: Any) -> Any:
    """Data without characters that cannot be stored."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {storable(key): _whole(item) for key, item in value.items()}
    return Twice(tuple(map(_whole, value.values))) if isinstance(value, Twice) else value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        result[key] = Twice((result[key], value)) if key in result and result[key] != value else value
    return result


def literals(text: str) -> list[tuple[str, Any]]:
    """(name, data) of every object or list literal that a script assigns or a page embeds, in order.

    Literals that hold code (functions, variables) are left out: they are no data.
    """
    if "<script" not in text[:100_000].lower() and "</script" not in text.lower():
        return _in_script(text)
    found: list[tuple[str, Any]] = []
    for number, (start, end) in enumerate(elements(text, "script"), start=1):
        attributes, _, body = text[start:end].partition(">")
        body = body.rpartition("</")[0]
        if "json" in attributes.lower():
            try:
                found.append((f"script {number}", parse_json(body)))
            except ValueError:
                continue
        else:
            found += _in_script(body)
    return found


def elements(text: str, tag: str) -> Iterator[tuple[int, int]]:
    """Where every ``<tag …>…</tag>`` begins and ends, in one pass; one that is never closed ends the search."""
    lower = text.lower()
    if len(lower) != len(text):  # some letters are two in lower case
        lower = _CAPITALS.sub(lambda found: found[0].lower(), text)
    start = lower.find(f"<{tag}")
    while start >= 0:
        close = lower.find(f"</{tag}", start)
        end = lower.find(">", close) + 1 if close >= 0 else 0
        if end <= 0:
            return
        yield start, end
        start = lower.find(f"<{tag}", end)


class _CommentLeftOpenError(ValueError):
    """Nothing behind this place is code."""


def _in_script(text: str) -> list[tuple[str, Any]]:
    found: list[tuple[str, Any]] = []
    position = failed = 0
    for match in _ASSIGNED.finditer(text):
        if match.start() < position:
            continue
        if failed > MOST_FAILURES:
            break
        try:
            value, end = _value(text, match.end(), 0)
            if match.group().startswith("JSON.parse"):
                value = parse_json(value)
        except _CommentLeftOpenError:
            break  # the rest of the script is a comment
        except (ValueError, IndexError):
            failed += 1
            continue
        position = end
        if isinstance(value, dict | list) and len(value) >= 1:
            found.append((match.group(1) or "", value))
    start = _SPACE.match(text).end()  # type: ignore[union-attr]
    if not found and text[start : start + 1] in {"[", "{"}:
        try:
            value, _ = _value(text, start, 0)
            found = [("", value)]
        except (ValueError, IndexError):
            pass
    return found


def _skip(text: str, i: int) -> int:
    match = _SPACE.match(text, i)
    end = match.end() if match else i
    if text.startswith("/*", end):
        raise _CommentLeftOpenError("a comment that does not end")
    return end


def _value(text: str, i: int, depth: int) -> tuple[Any, int]:
    """One literal at ``i`` and where it ends. Raises ValueError at anything that is not data."""
    if depth > DEEPEST:
        raise ValueError("nested too deeply")
    i = _skip(text, i)
    c = text[i]
    if c == "{":
        return _mapping(text, i + 1, depth)
    if c == "[":
        return _sequence(text, i + 1, depth)
    if c in "\"'`":
        return _string(text, i)
    if number := _NUMBER.match(text, i):
        token = number.group().replace("_", "")
        return (
            int(token, 16)
            if "x" in token.lower()
            else float(token)
            if not token.lstrip("+-").isdigit()
            else int(token)
        ), number.end()
    word = _WORD.match(text, i)
    if word and word.group() in _WORDS:
        return _WORDS[word.group()], word.end()
    raise ValueError(f"not data: {text[i : i + 20]!r}")


def _mapping(text: str, i: int, depth: int) -> tuple[dict[str, Any], int]:
    pairs: list[tuple[str, Any]] = []
    while True:
        i = _skip(text, i)
        if text[i] == "}":
            return _object(pairs), i + 1
        if text[i] in "\"'":
            key, i = _string(text, i)
        else:
            match = _WORD.match(text, i) or re.compile(r"\d+(?:\.\d+)?").match(text, i)
            if not match:
                raise ValueError(f"not a key: {text[i : i + 20]!r}")
            key, i = match.group(), match.end()
        i = _skip(text, i)
        if text[i] != ":":
            raise ValueError("key without a value")
        value, i = _value(text, i + 1, depth + 1)
        pairs.append((key, value))
        i = _comma(text, i, "}")


def _sequence(text: str, i: int, depth: int) -> tuple[list[Any], int]:
    items: list[Any] = []
    while True:
        i = _skip(text, i)
        if text[i] == "]":
            return items, i + 1
        value, i = _value(text, i, depth + 1)
        items.append(value)
        i = _comma(text, i, "]")


def _comma(text: str, i: int, closing: str) -> int:
    i = _skip(text, i)
    if text[i] == ",":
        return i + 1
    if text[i] != closing:
        raise ValueError(f"expected , or {closing}: {text[i : i + 20]!r}")
    return i


def _string(text: str, i: int) -> tuple[str, int]:
    quote, i, out = text[i], i + 1, []
    while text[i] != quote:
        if text[i] == "\\":
            i += 1
            code = {"u": 4, "x": 2}.get(text[i])
            if code:
                out.append(chr(int(text[i + 1 : i + 1 + code], 16)))
                i += code
            else:
                out.append(_ESCAPES.get(text[i], text[i]))
        elif quote == "`" and text.startswith("${", i):
            raise ValueError("a template with code")
        elif text[i] == "\n" and quote != "`":
            raise ValueError("a string that does not end")
        else:
            out.append(text[i])
        i += 1
    return storable("".join(out)), i + 1
