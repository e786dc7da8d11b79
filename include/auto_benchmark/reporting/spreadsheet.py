"""Text as a cell of a CSV file that a spreadsheet shows and does not calculate.

A cell that starts with one of these characters is a formula to the usual programs, whatever it is quoted with:
https://owasp.org/www-community/attacks/CSV_Injection
"""

from __future__ import annotations

FORMULA = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20", "\t", "\r", "\n")
"""With the wide forms, which East Asian settings read alike."""


def cell(value: object) -> object:
    """The value; text that would be read as a formula gets an apostrophe in front. Numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
