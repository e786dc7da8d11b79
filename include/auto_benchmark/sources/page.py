"""A fetched document: bytes, and the text that they are."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from functools import cached_property

from auto_benchmark.tables.refusal import ReadRefused, Reason

LARGEST_BYTES = 64 * 2**20
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
_DECLARED = re.compile(rb"""(?i)(?:<meta[^>]{0,200}?charset|<\?xml[^>]{0,100}?encoding)\s*=\s*["']?\s*([\w.:-]+)""")
_MULTIBYTE = re.compile(r"(?i)gb|big5|shift_jis|sjis|cp932|cp949|euc|iso2022|utf|johab|hz")
_HIGH = re.compile(rb"[\x80-\xff]+")
_LONE_HIGH = re.compile(rb"(?<![\x80-\xff])[\x80-\xff](?![\x80-\xff])")
_TITLE = re.compile(r"(?is)<title\b[^>]*>(.*?)</title>")
_ERROR_TITLE = re.compile(
    r"(?i)\b(404|403|429|5\d\d|not found|access denied|forbidden|just a moment|attention required|error|unavailable|"
    r"rate limit|too many requests|sign in|log ?in|captcha|are you (a )?(human|robot)|maintenance)\b"
)


@dataclass(frozen=True)
class Page:
    """Bytes of a document and what is known about them.

    Attributes:
        content: raw bytes.
        source: URL or path, for messages.
        content_type: as the server says, or None.
    """

    content: bytes
    source: str
    content_type: str | None = None

    @cached_property
    def text(self) -> str:
        """The text: byte-order mark, then the server's charset, then the document's own, then UTF-8, then a guess.

        Raises:
            ReadRefused: too large, or not text.
        """
        if len(self.content) > LARGEST_BYTES:
            raise ReadRefused(Reason.TOO_LARGE, f"{self.source} is larger than {LARGEST_BYTES >> 20} MiB")
        for mark, encoding in _BOMS:
            if self.content.startswith(mark):
                return self.content[len(mark) :].decode(encoding, errors="replace")
        if b"\0" in self.content[:4096]:
            raise ReadRefused(Reason.WRONG_FORMAT, f"{self.source} is binary, not text")
        named = (self._served_charset(), self._declared_charset(), "utf-8")
        for charset in filter(None, named):
            try:
                return self.content.decode(charset).replace("\0", "\ufffd")
            except (LookupError, UnicodeDecodeError):
                continue
        return self._guessed()

    def _served_charset(self) -> str | None:
        found = re.search(r"(?i)charset=[\"']?([\w.:-]+)", self.content_type or "")
        return found.group(1) if found else None

    def _declared_charset(self) -> str | None:
        found = _DECLARED.search(self.content[:4096])
        return found.group(1).decode("ascii") if found else None

    def _guessed(self) -> str:
        from charset_normalizer import from_bytes

        sample = self.content[: 2**18]
        high = sum(map(len, _HIGH.findall(sample)))
        if (
            2 * len(_LONE_HIGH.findall(sample)) > high
        ):  # accents between letters; double-byte characters stand together
            return self.content.decode("cp1252", errors="replace")
        best = from_bytes(sample).best()
        guess = best.encoding if best and _MULTIBYTE.match(best.encoding) else "cp1252"  # the web's default
        return self.content.decode(guess, errors="replace")

    @cached_property
    def is_html(self) -> bool:
        """Looks like an HTML page."""
        head = self.text[:2048].lstrip().lower()
        return head.startswith(
            ("<!doctype html", "<html", "<head", "<body", "<table", "<div", "<section", "<!--")
        ) or (head.startswith("<") and any(tag in self.text.lower() for tag in ("<table", "</html>", "</body>")))

    @cached_property
    def title(self) -> str:
        """Title of an HTML page, or empty."""
        start = self.text[:65536].lower().find("<title")
        found = _TITLE.match(self.text, start) if start >= 0 else None
        return " ".join(found.group(1).split())[:120] if found else ""

    @property
    def looks_like_error(self) -> bool:
        """An HTML page whose title speaks of an error or a login."""
        return self.is_html and bool(_ERROR_TITLE.search(self.title))

    @property
    def seen(self) -> str:
        """What this document is, in a few words, for messages."""
        if self.is_html:
            return f"{self.source} (HTML page titled {self.title!r})" if self.title else f"{self.source} (HTML page)"
        return self.source
