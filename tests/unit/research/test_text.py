"""Text from anywhere: markup, tokenisation, invisible characters, and sizes that no paper has."""

from __future__ import annotations

import pytest
from tests.growth import assert_grows_linearly

from auto_benchmark.research.text import LONGEST_SENTENCE, plain, sentences


def test_quotes_are_verbatim_and_plain_text_is_normalised() -> None:
    text = "We use state - of - the - art tools , e.g. X . It gains $2\\times$ (Fig. 2). \\textbf{Done}!"
    read = sentences(text)
    assert [s.quote for s in read] == [text[: text.index(" It ")], "It gains $2\\times$ (Fig. 2).", "\\textbf{Done}!"]
    assert read[0].plain == "We use state-of-the-art tools, e.g. X."
    assert read[1].plain == "It gains 2× (Fig. 2)."
    assert all(s.quote in text for s in read)


def test_a_missing_space_between_sentences() -> None:
    assert len(sentences("This is shown.Accordingly, we go on. GPT-3.5 is one.")) == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<b>Bold</b> &amp; <script>x</script>", "Bold & x"),
        ("a\u200bb\u202ec\ufeff", "abc"),
        ("12 % and 1 , 800", "12% and 1,800"),
        ("−3.2 – 4", "-3.2-4"),
        ("ﬁne-tuning", "fine-tuning"),
        ("an image super - resolution method ( SR )", "an image super-resolution method (SR)"),
        ("Code: https://git.example/our/Prompt-Space, and www.site.example/x.", "Code:, and."),
        ("See github.com/us/Deep-Memory for details", "See for details"),
        ("at HTTPS://X.EDU/Prompt-Tuning, sub.user.github.io/soft and ftp://a.b/c now", "at, and now"),
        ("see https://a.b/x,we gain 5%", "see ,we gain 5%"),
        ("TCP/IP and e.g. this stay", "TCP/IP and e.g. this stay"),
    ],
)
def test_markup_and_invisible_characters(text: str, expected: str) -> None:
    assert plain(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10**6,
        "1 , 1" * 200_000,
        "<" * 10**6,
        "a.B " * 250_000,
        "\\emph{" * 100_000,
        "9% " * 300_000,
        "(" * 10**6,
        "a-" * 400_000 + " www.x ",
    ],
    ids=["word", "digits", "angle", "stops", "latex", "percent", "brackets", "hyphens"],
)
def test_a_megabyte_of_anything_is_read_in_linear_time(text: str) -> None:
    assert_grows_linearly(lambda n: sentences(text[:n]), len(text))
    assert all(len(s.quote) <= LONGEST_SENTENCE for s in sentences(text))


def test_lone_surrogates_and_control_characters_can_be_stored() -> None:
    [sentence] = sentences("bad \ud800 and \x00 here")
    assert sentence.quote.encode("utf-8").decode("utf-8") == "bad \ufffd and \ufffd here"
