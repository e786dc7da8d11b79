"""Program text as tokens: enough of the lexical rules that C, C++, Rust, Go and Python share to find what can be changed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_COMMON = r"""
  (?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)'|`[^`]*`)
 |(?P<number>0[xX][0-9a-fA-F_]+[uUlL]*|(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?[a-zA-Z]*\d*)
 |(?P<name>[A-Za-z_]\w*)
 |(?P<operator><<=|>>=|\*\*=|//=|\.\.=|<=|>=|==|!=|&&|\|\||<<|>>|\+\+|--|\+=|-=|\*=|/=|%=|&=|\|=|\^=|->|=>|::|\*\*|[-+*/%<>=!&|^~?:.,;@])
 |(?P<bracket>[()\[\]{}])
 |(?P<space>\s+)
 |(?P<other>.)
"""
_BRACES = re.compile(r"(?P<comment>//[^\n]*|/\*.*?\*/)|" + _COMMON, re.VERBOSE | re.DOTALL)
_PYTHON = re.compile(
    r"(?P<comment>\#[^\n]*)|(?P<text>\"\"\".*?\"\"\"|'''.*?'''|'(?:[^'\\\n]|\\.)*')|" + _COMMON,
    re.VERBOSE | re.DOTALL,
)
_NUMBER = re.compile(r"(\d[\d_]*)([uUlL]*|[iu](?:8|16|32|64|128|size))")
_FRACTION = re.compile(r"((?:\d[\d_]*\.[\d_]*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?)(f|F|f32|f64)?")
PYTHON = ".py"


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a program.

    Attributes:
        kind: ``string``, ``number``, ``name``, ``operator``, ``bracket``, ``space``, ``comment``, ``text`` or ``other``.
        text: as it stands.
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Literal:
    """A decimal number in a program.

    Attributes:
        value: the number.
        is_whole: whether it is written without a fraction.
        suffix: what its type is written with.
    """

    value: float
    is_whole: bool
    suffix: str

    def spelled(self, value: float) -> str:
        """Another number in the same form."""
        if self.is_whole:
            return f"{round(value)}{self.suffix}"
        text = f"{value:.6g}"
        return (text if any(mark in text for mark in ".en") else f"{text}.0") + self.suffix


def tokens(text: str, file: str) -> list[Token]:
    """All tokens of a text; joined they are the text again."""
    pattern = _PYTHON if file.endswith(PYTHON) else _BRACES
    return [Token(found.lastgroup or "other", found.group()) for found in pattern.finditer(text)]


def joined(parts: Sequence[Token]) -> str:
    """The text of tokens."""
    return "".join(token.text for token in parts)


def literal(token: Token) -> Literal | None:
    """The number that a token is; None where it is none, or not decimal."""
    if token.kind != "number":
        return None
    if found := _NUMBER.fullmatch(token.text):
        return Literal(float(found[1].replace("_", "")), True, found[2])
    if found := _FRACTION.fullmatch(token.text):
        return Literal(float(found[1].replace("_", "")), False, found[2] or "")
    return None


def is_balanced(parts: Sequence[Token]) -> bool:
    """Whether every bracket is closed by its own kind."""
    closing, open_ones = {")": "(", "]": "[", "}": "{"}, list[str]()
    for token in parts:
        if token.kind == "bracket":
            if token.text not in closing:
                open_ones.append(token.text)
            elif not open_ones or open_ones.pop() != closing[token.text]:
                return False
    return not open_ones


def closing_bracket(parts: Sequence[Token], start: int) -> int | None:
    """Index of the bracket that closes the one at ``start``."""
    depth = 0
    for i in range(start, len(parts)):
        if parts[i].kind == "bracket":
            depth += 1 if parts[i].text in "([{" else -1
            if depth == 0:
                return i
    return None
