"""Inline markup to text: Markdown emphasis and links, HTML tags and entities.

Superscripts and subscripts stay marked (``^(1)``, ``_(2)``), because ``93.2<sup>1</sup>`` is not 93.21.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping

_BREAK = re.compile(r"(?i)<(?:br|/p|/div|/li|p|div|li)\b[^<>]*>")
_HIDING = re.compile(r"(?i)<(?:(!)--|(script|style|s|del|strike)\b[^<>]*>)")
_HIDING_END = {
    "!": re.compile("-->"),
    **{tag: re.compile(rf"(?i)</{tag}\s*>") for tag in ("script", "style", "s", "del", "strike")},
}
_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_OTHER_TAG = re.compile(r"(?i)</?(?!su[pb]\b)[a-z][^<>]*>")
_SCRIPT = re.compile(r"(?i)(?<=[^\s>])([^\S\n]*+)<(sup|sub)\b[^<>]*>")
_SCRIPT_END = {tag: re.compile(rf"(?i)</{tag}\s*>") for tag in ("sup", "sub")}
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+\-.!|~<>$%&])")
_SPELT = re.compile(r"&(?:amp|lt|gt|quot|apos|#39|#x27|nbsp);")
_TICKS = re.compile("`+")
_Pair = tuple[re.Pattern[str], re.Pattern[str]]
_STRUCK: _Pair = (re.compile(r"~~(?=\S)"), re.compile(r"(?<=\S)~~"))
_STRONG: _Pair = (re.compile(r"\*\*(?=\S)"), re.compile(r"(?<=\S)\*\*"))
_STARRED = re.compile(r"(?<![\w*])\*(?=[^\s*])([^*]+?)(?<=[^\s*])\*(?!\*)")
_UNDERLINED: tuple[_Pair, ...] = (
    (re.compile(r"(?<![\w_])__(?=\S)"), re.compile(r"(?<=\S)__(?!\w)")),
    (re.compile(r"(?<![\w_])_(?=[^\s_])"), re.compile(r"(?<=[^\s_])_(?!\w)")),
)
_BOTH: _Pair = (re.compile(r"\*\*\*(?=\S)"), re.compile(r"(?<=\S)\*\*\*"))
_GROUPING = "\u00a0\u2009\u202f"
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
        text = _replaced(text, _HIDING, _HIDING_END, lambda _, __: " ")
        text = _OTHER_TAG.sub("", _BREAK.sub("\n", text))
        text = _TAG.sub("", _replaced(text, _SCRIPT, _SCRIPT_END, _marked_script))
    if "&" in text:
        text = unescaped(text)
    if emphasis and _MARKED.search(text):
        text = "\n".join(map(_without_emphasis, text.split("\n")))
        text = _ESCAPE.sub(r"\1", _without_ticks(text))
    elif not emphasis and "**" in text:
        text = "\n".join(_unwrapped(line, _STRONG) for line in text.split("\n"))
    return "\n".join(collapsed(line) for line in text.split("\n")).strip("\n")


def collapsed(text: str) -> str:
    """White space collapsed and trimmed. A non-breaking or thin space that groups thousands stays: ``1 234``."""
    if text.isascii() or not any(space in text for space in _GROUPING):
        return " ".join(text.split())
    return _WHITE.sub(" ", text).strip()


def without_scripts(text: str) -> str:
    """Inline the marked super- and subscripts: ``F_(1)`` is the metric F1."""
    return _SCRIPT_TEXT.sub(r"\1", text) if "^(" in text or "_(" in text else text


def unescaped(text: str) -> str:
    """The text with HTML's character references resolved; unchanged where one names a number of thousands of digits."""
    try:
        return html.unescape(text)
    except ValueError:
        return text


def _replaced(
    text: str,
    opening: re.Pattern[str],
    endings: Mapping[str, re.Pattern[str]],
    put: Callable[[re.Match[str], str], str],
) -> str:
    """Each opening, up to the next ending of its kind, replaced; one that nothing ends stays. In linear time.

    Args:
        text: markup.
        opening: its last group that takes part is the kind.
        endings: per kind, what ends it.
        put: from the opening and the text in between to what takes their place.
    """
    out: list[str] = []
    done = at = 0
    endless: set[str] = set()
    while (found := opening.search(text, at)) is not None:
        at = found.end()
        kind = found.group(found.lastindex or 0).lower()
        if kind in endless:
            continue
        end = endings[kind].search(text, at)
        if end is None:
            endless.add(kind)
            continue
        out += [text[done : found.start()], put(found, text[at : end.start()])]
        done = at = end.end()
    return "".join([*out, text[done:]])


def _marked_script(opening: re.Match[str], inside: str) -> str:
    return f"{opening[1]}{'^' if opening[2].lower() == 'sup' else '_'}({inside})"


def _unwrapped(line: str, pair: _Pair, *, keep: bool = True) -> str:
    """A line without the marks of each opening and the next closing; without what stands between them unless kept."""
    opening, closing = pair
    out: list[str] = []
    done = 0
    while (start := opening.search(line, done)) is not None:
        end = closing.search(line, start.end() + 1)
        if end is None:
            break
        out += [line[done : start.start()], line[start.end() : end.start()] if keep else " "]
        done = end.end()
    return "".join([*out, line[done:]])


def _without_emphasis(line: str) -> str:
    line = _unwrapped(line, _STRUCK, keep=False) if "~~" in line else line
    if "*" in line:
        line = _STARRED.sub(r"\1", _unwrapped(_unwrapped(line, _BOTH), _STRONG))
    if "_" in line:
        for pair in _UNDERLINED:
            line = _unwrapped(line, pair)
    return line


def code_spans(text: str) -> list[tuple[int, int, int]]:
    """(start, end, ticks) of each code span of one text: a run of backticks up to the next run of the same length."""
    runs = [(run.start(), run.end()) for run in _TICKS.finditer(text)]
    later: dict[int, list[int]] = {}
    for i in range(len(runs) - 1, -1, -1):
        later.setdefault(runs[i][1] - runs[i][0], []).append(i)
    found: list[tuple[int, int, int]] = []
    i = 0
    while i < len(runs):
        ticks = runs[i][1] - runs[i][0]
        same = later[ticks]
        while same and same[-1] <= i:
            same.pop()
        if same:
            found.append((runs[i][0], runs[same[-1]][1], ticks))
            i = same[-1]
        i += 1
    return found


def _without_ticks(text: str) -> str:
    out: list[str] = []
    done = 0
    for start, end, ticks in code_spans(text) if "`" in text else ():
        out += [text[done:start], text[start + ticks : end - ticks]]
        done = end
    return "".join([*out, text[done:]])


def _links(text: str) -> str:
    """``[label](target)`` -> label, images -> nothing; brackets inside the target may nest. In linear time."""
    square, round_ = _partners(text, "[", "]"), _partners(text, "(", ")")
    out: list[str] = []
    open_labels: list[tuple[int, int]] = []  # where the label ends, and where its target does
    i, limit = 0, len(text)
    while True:
        while open_labels and i >= open_labels[-1][0]:
            i = open_labels.pop()[1]
            limit = open_labels[-1][0] if open_labels else len(text)
        if i >= limit:
            return "".join(out)
        image = text.startswith("![", i)
        end = square.get(i + image, -1) if image or text[i] == "[" else -1
        close = (square if text[end + 1 : end + 2] == "[" else round_).get(end + 1, -1) if 0 < end < limit else -1
        if not 0 < close < limit:
            out.append(text[i])
            i += 1
        elif image:
            i = close + 1
        else:
            open_labels.append((end, close + 1))
            i, limit = i + 1, end


def _partners(text: str, opening: str, closing: str) -> dict[int, int]:
    """Index of each bracket -> index of the one that closes it."""
    found: dict[int, int] = {}
    waiting: list[int] = []
    for match in re.finditer(f"[{re.escape(opening + closing)}]", text):
        if match[0] == opening:
            waiting.append(match.start())
        elif waiting:
            found[waiting.pop()] = match.start()
    return found
