"""Inline markup to text: Markdown emphasis and links, HTML tags and entities.

Superscripts and subscripts stay marked (``^(1)``, ``_(2)``), because ``93.2<sup>1</sup>`` is not 93.21.
"""

from __future__ import annotations

import html
import re

_BREAK = re.compile(r"(?i)<(?:br|/p|/div|/li|p|div|li)\b[^<>]*>")
_HIDDEN = re.compile(r"(?is)<!--.*?-->|<(script|style|s|del|strike)\b[^<>]*>.*?</\1\s*>")
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_OTHER_TAG = re.compile(r"(?i)</?(?!su[pb]\b)[a-z][^<>]*>")
_SCRIPTS = re.compile(r"(?is)(?<=[^\s>])([^\S\n]*)<(sup|sub)\b[^<>]*>(.*?)</\2\s*>")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>$%&])")
_SPELT = re.compile(r"&(?:amp|lt|gt|quot|apos|#39|#x27|nbsp);")
_CODE = re.compile(r"(`+)(.+?)\1")
_STRUCK = re.compile(r"~~(?=\S).+?(?<=\S)~~")
_EMPHASIS = (
    re.compile(r"\*\*\*(?=\S)(.+?)(?<=\S)\*\*\*"),
    re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*"),
    re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?!\*)"),
    re.compile(r"(?<![\w_])__(?=\S)(.+?)(?<=\S)__(?!\w)"),
    re.compile(r"(?<![\w_])_(?=[^\s_])(.+?)(?<=[^\s_])_(?!\w)"),
)
_WHITE = re.compile(r"(?:(?!(?<=\d)[\u00A0\u2009\u202F](?=\d{3}(?!\d)))\s)+")
"""White space other than the space that groups thousands."""
SPACES = " \t\r\n\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_MARKED = re.compile(r"[*_~`\\]")
_SCRIPT_TEXT = re.compile(r"[\^_]\(([^()]*)\)")


class Stripped(str):
    """Text from which a source took markup that its format does not have, with what was written.

    Attributes:
        written: the text with the markup.
    """

    __slots__ = ("written",)
    written: str

    def __new__(cls, text: str, written: str) -> Stripped:
        """The text; ``written`` is what it was before."""
        made = super().__new__(cls, text)
        made.written = written
        return made


def trimmed(text: str) -> str:
    """The text without spaces, tabs and line ends around it. What ``str.strip`` takes besides those is not white."""
    return text.strip(SPACES)


def stripped(text: str) -> str:
    """:func:`plain` text of a cell whose format knows no markup; a :class:`Stripped` where there was some.

    The escapes of ``&``, ``<``, ``>`` and quotes are spelling, not markup.
    """
    shown = plain(text, emphasis=False)
    spelt = _SPELT.sub(lambda m: html.unescape(m[0]), text)
    same = "\n".join(collapsed(line) for line in spelt.split("\n")).strip("\n") == shown
    return shown if same else Stripped(shown, trimmed(text))


def plain(text: str, *, emphasis: bool = True) -> str:
    """Visible text of an inline fragment; ``<br>`` and blocks become newlines, struck text is gone.

    Args:
        text: Markdown, HTML or both.
        emphasis: also strip Markdown emphasis, escapes and code marks. Off where ``_x_`` is just a name.
    """
    if "[" in text:
        text = _links(text)
    if "<" in text:
        text = _HIDDEN.sub(" ", text)
        text = _OTHER_TAG.sub("", _BREAK.sub("\n", text))
        text = _TAG.sub("", _SCRIPTS.sub(lambda m: f"{m[1]}{'^' if m[2].lower() == 'sup' else '_'}({m[3]})", text))
    if "&" in text:
        text = html.unescape(text)
    if emphasis and _MARKED.search(text):
        text = _STRUCK.sub(" ", text)
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\1", text)
        text = _ESCAPE.sub(r"\1", _CODE.sub(r"\2", text))
    elif not emphasis:
        text = _EMPHASIS[1].sub(r"\1", text)
    return "\n".join(collapsed(line) for line in text.split("\n")).strip("\n")


def collapsed(text: str) -> str:
    """White space collapsed and trimmed. A non-breaking or thin space that groups thousands stays: ``1 234``."""
    if text.isascii():
        return " ".join(text.split())
    return _WHITE.sub(" ", text).strip()


def without_scripts(text: str) -> str:
    """Inline the marked super- and subscripts: ``F_(1)`` is the metric F1."""
    return _SCRIPT_TEXT.sub(r"\1", text) if "^(" in text or "_(" in text else text


def _links(text: str) -> str:
    """``[label](target)`` -> label, images -> nothing; brackets inside the target may nest."""
    out: list[str] = []
    i = 0
    while i < len(text):
        image = text.startswith("![", i)
        if text[i] == "[" or image:
            end = _closing(text, i + image, "[", "]")
            follows = text[end + 1 : end + 2] if end > 0 else ""
            if follows in {"(", "["}:
                close = _closing(text, end + 1, follows, ")" if follows == "(" else "]")
                if close > 0:
                    out.append("" if image else _links(text[i + 1 : end]))
                    i = close + 1
                    continue
        out.append(text[i])
        i += 1
    return "".join(out)


def _closing(text: str, start: int, opening: str, closing: str) -> int:
    """Index of the bracket that closes the one at ``start``, or -1."""
    depth = 0
    for i in range(start, len(text)):
        if text[i] == "\\":
            continue
        if text[i] == opening:
            depth += 1
        elif text[i] == closing:
            depth -= 1
            if depth == 0:
                return i
    return -1
