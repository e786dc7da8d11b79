"""A reason that people give says something."""

import pytest
from typer.testing import CliRunner

from auto_benchmark.cli import app
from auto_benchmark.telling.reason import as_reason, storable

BLANKS = ["", "   ", "\n\t", "\u200b\u200b\u200b", "\u3164 \u2800", "\ufeff"]


@pytest.mark.parametrize("blank", BLANKS)
def test_what_shows_nothing_is_no_reason(blank):
    with pytest.raises(ValueError, match="is blank"):
        as_reason(blank)
    assert as_reason(blank, at_least=0) == blank.strip()


def test_blanks_around_a_reason_do_not_count():
    assert as_reason("  why not \n", at_least=3) == "why not"
    with pytest.raises(ValueError, match="at least 3 characters"):
        as_reason(" a\u200b\u200b ", at_least=3)


@pytest.mark.parametrize("text", ["…", "...", " - ", "???", "“…”"])
def test_the_mark_that_stands_where_a_command_is_shown_is_no_reason(text):
    for least in (0, 1, 3):
        with pytest.raises(ValueError, match=r"placeholder|at least 3 characters"):
            as_reason(text, at_least=least)


@pytest.mark.parametrize("text", ["ok", "理由", "see #12", "да"])
def test_words_of_any_script_are_a_reason(text):
    assert as_reason(text) == text


@pytest.mark.parametrize("text", ["a\0b", "half \ud83d", "\udc00"])
def test_what_no_database_keeps_is_refused(text):
    for check in (storable, as_reason):
        with pytest.raises(ValueError, match="NUL or half of a character"):
            check(text)


def test_an_approval_may_come_without_a_reason_and_not_with_a_placeholder():
    ended = CliRunner().invoke(app, ["approve", "H-001", "--reason", "…"])
    assert ended.exit_code == 2
    assert "placeholder" in ended.output


@pytest.mark.parametrize("words", [("close", "key"), ("reject", "H-001"), ("invalidate", "trial", "1")])
@pytest.mark.parametrize("reason", ["  ", "\udcff", "…"], ids=["blank", "no UTF-8", "as shown"])
def test_commands_ask_for_a_reason(words, reason):
    ended = CliRunner().invoke(app, [*words, "--reason", reason])
    assert ended.exit_code == 2
    assert "the reason" in ended.output
