"""Messages stay within Slack's limits and show text as text, whatever the notice says."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fakes.slack_server import fault_of, live_markup

from auto_benchmark.reporting.slack.blocks import MOST_MESSAGES, messages, plain_text
from auto_benchmark.reporting.slack.notice import Notice, NoticeKind, Part
from auto_benchmark.reporting.slack.quiet import quiet_until
from auto_benchmark.reporting.slack.text import HEADER_LIMIT, SECTION_LIMIT, fitted, literal
from auto_benchmark.reporting.slack.threads import threaded

NOW = datetime(2026, 3, 2, 22, 30, tzinfo=UTC)
TEXT = st.text(alphabet=st.one_of(st.sampled_from("&<>*_~`:•|!@#\n\u202e"), st.characters()), max_size=600)


def notice(title="T", lines=("a",), **more):
    return Notice("k", NoticeKind.COMPETITOR, NOW, title, [Part("Heading", list(lines))], **more)


def body_of(message):
    return {"text": message.text, "blocks": list(message.blocks)}


@settings(max_examples=60, deadline=None)
@given(TEXT, st.lists(TEXT, max_size=40))
def test_slack_takes_any_text_and_makes_nothing_live_of_it(title, lines):
    for message in messages(notice(title or "x", lines)):
        assert fault_of(body_of(message)) is None
        assert live_markup(body_of(message)) == []


def test_the_worst_characters_still_fit():
    assert len(literal("&" * 5000)) <= SECTION_LIMIT
    assert len(fitted("&" * 500, HEADER_LIMIT)) <= HEADER_LIMIT
    assert fitted("&" * 500, HEADER_LIMIT).endswith("&amp;…")


@pytest.mark.parametrize("text", ["*bold*", "_it_", "~gone~", "`code`", ":tada:"])
def test_markup_of_slack_is_shown_and_not_meant(text):
    shown = literal(f"a {text} b")
    assert text not in shown
    assert shown.replace("\u2060", "") == f"a {text} b"


@pytest.mark.parametrize("sign", ["\x9b", "\u061c", "\u2028", "\u2066", "\u3164", "\U000e0041"])
def test_no_sign_that_is_not_seen_reaches_a_reader(sign):
    (first,) = messages(notice(f"Ours{sign}", [f"Ours{sign} leads"]))
    assert sign not in str(body_of(first))
    assert sign not in plain_text(notice(f"Ours{sign}", [f"Ours{sign} leads"]))


def test_more_than_fits_is_counted():
    lines = [f"competitor_{n:05d} moved {'x' * 300}" for n in range(1000)]
    made = messages(notice(lines=lines, report="reports/gap_matrix.md"))
    assert len(made) == MOST_MESSAGES
    text = "\n".join(block["text"]["text"] for message in made for block in message.blocks)
    shown = sum(f"competitor\u2060_{n:05d}" in text or f"competitor_\u2060{n:05d}" in text for n in range(1000))
    assert f"… and {1000 - shown} more: see reports/gap_matrix.md" in text.replace("\u2060", "")
    assert plain_text(notice(lines=lines)).count("competitor_") == 1000


@pytest.mark.parametrize(
    ("moment", "hours", "zone", "until"),
    [
        (NOW, (22, 7), "UTC", datetime(2026, 3, 3, 7, tzinfo=UTC)),
        (NOW - timedelta(hours=1), (22, 7), "UTC", None),
        (NOW + timedelta(hours=8), (22, 7), "UTC", datetime(2026, 3, 3, 7, tzinfo=UTC)),
        (NOW + timedelta(hours=9), (22, 7), "UTC", None),
        (NOW, (1, 5), "Asia/Tokyo", None),
        (NOW, (6, 9), "Asia/Tokyo", datetime(2026, 3, 3, 0, tzinfo=UTC)),
        (NOW, (3, 3), "UTC", None),
        (NOW, None, "UTC", None),
    ],
)
def test_quiet_hours_end_when_they_say(moment, hours, zone, until):
    assert quiet_until(moment, hours, zone) == until


def test_an_incident_lasts_until_the_place_is_back():
    def of(key, **about):
        return Notice(key, NoticeKind.COMPETITOR, NOW, key, [], board="B", **about)

    told = [
        of("quiet", rank=1),
        of("lost", opens_at=1, rank=2),
        of("worse", opens_at=2, rank=3),
        of("better", rank=2),
        of("back", rank=1),
        of("later", rank=1),
    ]
    roots = [root for _, root in threaded(told)]
    assert roots == ["quiet", "lost", "lost", "lost", "lost", "later"]
