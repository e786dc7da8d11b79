"""Pages whose tree takes more than linear time or memory to build are refused before it is built.

A parser looks through the open elements at most tags, and opens formatting elements again in every paragraph (HTML
Standard, "reconstruct the active formatting elements"), so depth multiplies with length. Chromium cuts a tree off at
512 elements; boards stay below a hundred.
"""

from __future__ import annotations

import re
from collections import Counter

from auto_benchmark.tables.refusal import ReadRefused, Reason

DEEPEST = 2000
FEW_TAGS = 10_000
"""Fewer tags than this cannot nest so deeply that it matters."""
FEW_PRODUCTS = 1_000_000
"""Formatting elements with attributes times tags, below which no multiplication is worth a look."""
WORK_PER_TAG, FREE_WORK = 50, 1_000_000
"""Formatting elements that may be open at a tag, on the mean, and what a page may have beyond that."""
_FORMATTING = "b big code em font i nobr s small strike strong tt u"
_FORMATS = frozenset(_FORMATTING.split())
_ANY_CASE = ("".join(f"[{letter}{letter.upper()}]" for letter in name[1:]) for name in _FORMATTING.split())
_WITH_ATTRIBUTES = re.compile(rf"<[bcefinstuBCEFINSTU](?:{'|'.join(_ANY_CASE)})[\s/]")
"""Names without their first letters, so that the search leaps from one ``<`` to the next and one letter rules most out; a
name that no element has ("cig") only makes the count too high. No flag for case: it would be asked at each letter."""
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]*)")
_NOT_NESTING = """
    a area base br col embed hr img input link meta param source track wbr p li dd dt option optgroup td th tr tbody
    thead tfoot caption colgroup html head body
"""
_CLOSED_BY_OTHERS = frozenset(_NOT_NESTING.split())
"""Elements that have no content, or that the next of their kind ends; they do not nest by themselves."""


def refuse_deep(text: str) -> None:
    """Raise ReadRefused for an HTML text whose tree would be too deep or too large."""
    tags = text.count("<")
    if tags * tags < FEW_PRODUCTS or (tags < FEW_TAGS and len(_WITH_ATTRIBUTES.findall(text)) * tags < FEW_PRODUCTS):
        return
    opened: Counter[str] = Counter()
    depth = formats = work = 0
    for found in _TAG.finditer(text):
        closing, name = found.groups()
        tag = name.lower()
        work += formats
        if tag in _CLOSED_BY_OTHERS or (closing and not opened[tag]):
            continue
        step = -1 if closing else 1
        opened[tag] += step
        depth += step
        formats += step if tag in _FORMATS else 0
        if depth > DEEPEST or work > FREE_WORK + WORK_PER_TAG * tags:
            raise ReadRefused(Reason.TOO_LARGE, f"the page's elements are nested deeper than {DEEPEST}")
