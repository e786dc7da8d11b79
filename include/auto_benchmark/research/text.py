"""From text as sources give it to sentences that rules can read.

Sources deliver LaTeX, Markdown, HTML, tokenised text (``state - of - the - art``) and invisible characters.
Rules read a normalised copy of each sentence; what is quoted is the sentence as it stands in the source.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field

LONGEST_TEXT = 400_000
"""Characters of one text that are read; the rest of a longer one is ignored."""
LONGEST_SENTENCE = 2_000
"""Characters; a longer run without a full stop is cut, which bounds the cost of every rule."""

_INVISIBLE = re.compile(r"[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_BOUNDARY = re.compile(
    r"[.!?\n](?:"  # first what all have in common: the search leaps from one to the next
    r"(?<=[.!?])[\"')\]”’]*\s+(?=[\"'(\[“‘]?[A-Z0-9$*\\])"  # a full stop, then a capital or a number
    r"|(?<=[a-z)%\d]\.)(?=[A-Z][a-z]+[\s,])"  # the space after the full stop is missing
    r"|(?<=\n)\s*\n)"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|et al|etc|vs|cf|resp|approx|Figs?|Eqs?|Secs?|Tabs?|Nos?|Dr|St|Mr|Prof|w\.r\.t|a\.k\.a)"
    r"|(?<![A-Za-z])[A-Z])\.$"
)
_ABBREVIATION_ENDS = frozenset(
    [
        ".g",
        ".e",
        "al",
        "tc",
        "vs",
        "cf",
        "sp",
        "ox",
        "ig",
        "gs",
        "Eq",
        "qs",
        "ec",
        "cs",
        "ab",
        "bs",
        "No",
        "os",
        "Dr",
        "St",
        "Mr",
        "of",
        ".t",
        ".a",
    ]
)
"""The last two letters of each of them, but of a single capital; a look-up spares most patterns."""
_LATEX_STYLE = re.compile(r"\\(?:emph|textbf|textit|texttt|textsc|text|mathrm|mathbf|underline)\s*\{([^{}]{0,300})\}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]{0,300}>|<!--.{0,500}?-->", re.S)
_SPACED_RANGE = re.compile(r"(?<=\d) - (?=\d)")
_TOKENISED = re.compile(r" [,.](?<=[\w)]..)(?: |$)|\( \w")
_SPACED_HYPHEN = re.compile(r"(?<=[\w)]) - (?=\w)")
_SPACED_THOUSANDS = re.compile(r"(?<=\d) , (?=\d{3}(?!\d))")
_SPACE_BEFORE = re.compile(r"(?<=\S)\s+(?=[,.;:!?%)\]](?:\s|$|[,.;)]))")
_SPACE_AFTER = re.compile(r"(?<=[(\[])\s+|(?<=\s[+~±])\s+(?=\d)")
_BEFORE_SPACE = "([+~±"
_SITES = "com|org|io|net|ai|edu|co|dev|gov"
_LINK = re.compile(
    rf"(?:(?i:https?|ftp)://|www\.|(?<![\w.@-])(?:[\w-]{{1,60}}\.){{1,6}}(?:{_SITES})/)[^\s<>,]*[^\s<>.,;:)\]]"
)
_OF_LINKS = ("://", "www.", *(f".{site}/" for site in _SITES.split("|")))
_APART = (" ,", " .", " ;", " :", " !", " ?", " %", " )", " ]", "( ", "[ ", " + ", " ~ ", " ± ")
_MARKED = ("&", "<", "\\", "×", "*", "$", "_", " - ", *_OF_LINKS, *_APART)
"""Without any of these a text of ASCII needs no normalising but of its spaces."""
_TIMES = re.compile(r"\$?\s*\\times\b\s*\$?|(?<=\d) ?[×✕✖]")
_PLAIN = str.maketrans({"–": "-", "—": " -- ", "‑": "-", "‐": "-", "−": "-", "“": '"', "”": '"', "’": "'", "‘": "'"})


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence.

    Attributes:
        quote: as it stands in the source, cut at :data:`LONGEST_SENTENCE`.
        plain: normalised for reading by rules.
        lower: ``plain`` in lower case.
        index: position in the text; -1 is the title.
        chunks: ``plain`` cut at its spaces.
    """

    quote: str
    plain: str
    lower: str
    index: int
    chunks: tuple[str, ...] = field(compare=False, repr=False)


def storable(text: str) -> str:
    """``text`` without control characters and lone surrogates, which neither databases nor UTF-8 can hold."""
    return text if text.isprintable() else _CONTROL.sub("\ufffd", text)


def plain(text: str) -> str:
    """Normalise one sentence: no markup, no invisible characters, one way to write numbers, hyphens and signs."""
    return " ".join(_chunks(text))


def _chunks(text: str) -> list[str]:
    """What :func:`plain` puts spaces between."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", _INVISIBLE.sub("", text)).translate(_PLAIN)
    if "&" in text:
        text = html.unescape(text)
    if "<" in text:
        text = _TAG.sub(" ", text)
    if ("/" in text or "www." in text) and any(mark in text for mark in _OF_LINKS):
        text = _LINK.sub(" ", text)
    if "\\" in text:
        text = _TIMES.sub("×", _LATEX_STYLE.sub(r"\1", text).replace("\\%", "%").replace("\\sim", "~"))
        text = re.sub(r"\\(?:approx|geq?|leq?|uparrow|downarrow)\b", " ", text)
    if "×" in text:
        text = _TIMES.sub("×", text)
    if "*" in text or "$" in text or "_" in text:
        text = re.sub(r"[$*`]|(?<!\w)_|_(?!\w)", "", text)
    if " - " in text:
        text = (_SPACED_HYPHEN if _TOKENISED.search(text) else _SPACED_RANGE).sub("-", text)
    if any(mark in text for mark in _APART):
        text = _SPACE_BEFORE.sub("", _SPACED_THOUSANDS.sub(",", text))
        if any(mark in text for mark in _BEFORE_SPACE):
            text = _SPACE_AFTER.sub("", text)
    return text.split()


def sentences(text: str) -> list[Sentence]:
    """Split ``text`` and normalise each sentence. The cost is linear in its length, whatever it holds."""
    text = storable(text[:LONGEST_TEXT])
    cut = _chunks if not text.isascii() or any(mark in text for mark in _MARKED) else str.split
    found: list[Sentence] = []
    start = 0
    for boundary in _BOUNDARY.finditer(text):
        stop = boundary.start() + (boundary[0][0] != "\n")  # the full stop belongs to its sentence
        if _may_abbreviate(text, stop) and _ABBREVIATION.search(text, max(start, stop - 12), stop):
            continue
        _append(found, text[start:stop], cut)
        start = boundary.end()
    _append(found, text[start:], cut)
    return found


def _may_abbreviate(text: str, stop: int) -> bool:
    return text[stop - 3 : stop - 1] in _ABBREVIATION_ENDS or text[stop - 2 : stop - 1].isupper()


def title_sentence(title: str) -> Sentence:
    """The title as the sentence before all others."""
    quote = storable(title[:LONGEST_SENTENCE]).strip()
    return _sentence(quote, _chunks(quote), -1)


def lowered(text: str) -> str:
    """Lower case in which every character keeps its place: the few whose lower case is longer stay."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(c.lower() if len(c.lower()) == 1 else c for c in text)


def _append(found: list[Sentence], raw: str, cut: Callable[[str], list[str]]) -> None:
    for begin in range(0, len(raw), LONGEST_SENTENCE):
        quote = raw[begin : begin + LONGEST_SENTENCE].strip()
        if chunks := cut(quote):
            found.append(_sentence(quote, chunks, len(found)))


def _sentence(quote: str, chunks: list[str], index: int) -> Sentence:
    text = " ".join(chunks)
    return Sentence(quote, text, lowered(text), index, tuple(chunks))
