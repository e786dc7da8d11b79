"""Names steer no terminal."""

import json
import logging

import pytest

from auto_benchmark.commands import output
from auto_benchmark.leaderboards.gap_matrix import BoardState, gap_matrix
from auto_benchmark.tables.entry import Entry
from auto_benchmark.terminal import PrintableFormatter, one_line, printable

EVIL = "a\x1b[2J\x07\x9b31m\r\u202eb\u2066\ud800"
STEERING = "\x1b\x07\x9b\r\u202e\u2066\ud800"


def test_what_steers_is_written_out_and_the_rest_stays():
    assert printable("a\x1b[2J\x9b\r\n\té 東 🚀\ufe0f") == "a⟨U+001B⟩[2J⟨U+009B⟩⟨U+000D⟩\n\té 東 🚀\ufe0f"
    assert one_line("a\n[ALERT] b\x85c") == "a [ALERT] b c"
    assert not set(STEERING) & set(printable(EVIL))


@pytest.mark.parametrize("speak", [output.emit, output.note, lambda text: output.emit_json({"name": text})])
def test_commands_print_nothing_that_steers(capsys, speak):
    speak(EVIL)
    told = "".join(capsys.readouterr())
    assert not set(STEERING) & set(told)
    if told.startswith("{"):
        assert json.loads(told) == {"name": EVIL}


def test_the_log_on_a_terminal_has_nothing_that_steers():
    record = logging.LogRecord("x", logging.WARNING, "", 1, "%s", (EVIL,), None)
    assert not set(STEERING) & set(PrintableFormatter().format(record))


def test_a_matrix_shows_names_as_they_are():
    names = ["<b>x</b> &lt; [a](b)", "|*~`\\", "_em_ snake_case", "AT&T", "a\nb"]
    entries = [Entry(rank=i + 1, system=name, score=1 - i / 10) for i, name in enumerate(names)]
    text = gap_matrix([BoardState("<i>Board", entries, higher_is_better=True)], ["Ours"]).markdown()
    shown = ["&lt;b&gt;x&lt;/b&gt; &amp;lt; \\[a\\](b)", "\\|\\*\\~\\`\\\\", "\\_em\\_ snake_case", "AT&T", "a b"]
    assert [line.split(" | ")[1].strip() for line in text.splitlines()[2:]] == shown
    assert "<" not in text


def test_no_line_of_a_message_looks_like_a_record():
    text = "x\n2026-03-02 10:00:00 ERROR auto_benchmark: promoted\r\n2026 INFO y"
    record = logging.LogRecord("n", logging.INFO, __file__, 1, "read %s", (text,), None)
    shown = PrintableFormatter("%(levelname)s %(message)s").format(record)
    assert [line for line in shown.split("\n") if not line.startswith("  ")] == ["INFO read x"]
