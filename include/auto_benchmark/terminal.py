"""Text as terminals and logs may have it: characters that steer a terminal, or its direction of writing, are written out.

Names come from boards, papers and trials. JSON's own escapes leave C1 controls as they are, which some terminals obey.
"""

from __future__ import annotations

import logging
import re

_STEERING = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufff9-\ufffb]"
)
"""Everything but tabs and ends of lines."""


def printable(text: str) -> str:
    """The text with every such character as ``⟨U+001B⟩``; lines stay lines."""
    return _STEERING.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)


def one_line(text: str) -> str:
    """The text as one line: a name with an end of line in it begins none of its own."""
    return printable(" ".join(text.splitlines()) if "\n" in text else text)


def printable_json(document: str) -> str:
    """JSON that means the same, with every such character escaped."""
    return _STEERING.sub(lambda found: f"\\u{ord(found[0]):04x}", document)


class PrintableFormatter(logging.Formatter):
    """Formats log records for a terminal."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as text, tracebacks included; lines after its first are set in, so that none looks like a record."""
        return printable(super().format(record)).replace("\n", "\n  ")
