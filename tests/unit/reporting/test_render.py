"""Values are shown as they are, in Markdown and in the page that is made of it."""

import re
from html import unescape

import pytest

from auto_benchmark.reporting.html import page
from auto_benchmark.reporting.render import markdown


def shown(text: str) -> str:
    """What a reader sees of a value."""
    body = page("t", f"A {markdown(text)} Z").partition("<body>")[2].partition("</body>")[0]
    assert re.sub(r"</?p>", "", body).strip().count("<") == 0, body
    return unescape(re.sub(r"</?p>", "", body)).strip()[2:-2]


@pytest.mark.parametrize(
    "text",
    ["Ours&#x202e;sruO", "Ours&#8203;", "&lt;b&gt;Ours", "&zwnj;Ours", "&copy;", "AT&T", "a & b", "&amp;#x202e;",
     "<b>Ours</b>", "`&#x202e;`", "\\&#x202e;", "[a](javascript:b)", "![a](b)"],
)  # fmt: skip
def test_a_value_is_shown_as_it_is(text):
    assert shown(text) == text


@pytest.mark.parametrize("sign", ["\u200b", "\u2060", "\u00ad", "\u061c", "\u3164", "\r", "\x9b", "\U000e0041"])
def test_a_sign_that_is_not_seen_is_not_shown(sign):
    assert shown(f"Ours{sign}") == "Ours"
