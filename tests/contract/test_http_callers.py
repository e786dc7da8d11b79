"""Boards, papers, submissions and the language model repeat, wait and give up alike, over a real socket."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from email.utils import formatdate

import pytest
from tests.fakes.clock import FrozenClock
from tests.fakes.wire import served, whole

from auto_benchmark.errors import AutoBenchmarkError
from auto_benchmark.experiments.submission import SubmissionError, _receipt
from auto_benchmark.http.opener import http_opener
from auto_benchmark.http.retry import Retry
from auto_benchmark.llm.chat import Chat, ChatFailed
from auto_benchmark.private_hosts import ALL_PRIVATE
from auto_benchmark.sources.connection import RETRY, HttpConnection
from auto_benchmark.sources.fetch import fetch
from auto_benchmark.sources.papers.source import SourceFailed
from auto_benchmark.sources.papers.web import Pace, Web
from auto_benchmark.tables.refusal import ReadRefused

GOOD = b'{"choices": [{"message": {"content": "{}"}}], "usage": {"total_tokens": 1}}'


def board(url: str, clock: FrozenClock) -> object:
    return fetch(url + "/x", private=ALL_PRIVATE, robots=None, sleep=clock.sleep, clock=clock).content


def paper(url: str, clock: FrozenClock) -> object:
    web = Web(Pace(clock=clock, sleep=clock.sleep, default=0.0), opener=http_opener(ALL_PRIVATE), attempts=3)
    return web.json(url + "/x")


def connection(url: str, clock: FrozenClock) -> HttpConnection:
    retry: Retry = replace(RETRY, sleep=clock.sleep, clock=clock)
    return HttpConnection(url, retry=retry)


def submission(url: str, clock: FrozenClock) -> object:
    return _receipt(connection(url, clock).post("/x", {"predictions": []}, headers={"Idempotency-Key": "k"}))


def model(url: str, clock: FrozenClock) -> object:
    return Chat(connection(url, clock), "m", 10, 1000, {}).ask("Answer.", "text")


CALLERS = {
    "board": (board, ReadRefused), "paper": (paper, SourceFailed), "submission": (submission, SubmissionError),
    "model": (model, ChatFailed),
}  # fmt: skip


@dataclass
class Turns:
    """One answer after the other; the last one for ever."""

    answers: list[tuple[str, ...]]
    asked: int = 0
    clock: FrozenClock = field(default_factory=FrozenClock)

    def __call__(self, client, ended) -> None:  # type: ignore[no-untyped-def]
        self.asked += 1
        status, *headers = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if status != "broken":
            whole(GOOD, *headers, status=status)(client, ended)


@pytest.fixture(params=CALLERS.values(), ids=CALLERS.keys())
def caller(request: pytest.FixtureRequest) -> tuple[Callable[[str, FrozenClock], object], type[Exception]]:
    return request.param


def test_passing_trouble_is_outlasted(caller) -> None:
    ask, _ = caller
    turns = Turns([("broken",), ("503 Busy",), ("200 OK",)])
    with served(turns) as wire:
        assert ask(wire.url, turns.clock) is not None
    assert turns.asked == 3
    assert 1 <= turns.clock.slept[0] <= 2 <= turns.clock.slept[1] <= 3


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_waited_for(caller, form: str) -> None:
    ask, _ = caller
    asked = "9" if form == "seconds" else formatdate(4102444800, usegmt=True)
    turns = Turns([("429 Slow Down", f"Retry-After: {asked}"), ("200 OK",)])
    with served(turns) as wire:
        if form == "seconds":
            assert ask(wire.url, turns.clock) is not None
            assert turns.clock.slept[0] == 9.0
        else:
            with pytest.raises((AutoBenchmarkError, SubmissionError)):
                ask(wire.url, turns.clock)
            assert turns.asked == 1


def test_lasting_trouble_is_told_in_the_caller_s_own_error(caller) -> None:
    ask, error = caller
    turns = Turns([("500 Broken",)])
    with served(turns) as wire, pytest.raises(error, match="500"):
        ask(wire.url, turns.clock)
    assert turns.asked in {3, 4}


def test_what_will_not_pass_is_asked_once(caller) -> None:
    ask, error = caller
    turns = Turns([("403 Forbidden",)])
    with served(turns) as wire, pytest.raises(error, match="403"):
        ask(wire.url, turns.clock)
    assert (turns.asked, turns.clock.slept) == (1, [])


def test_a_model_is_looked_for_at_its_address_and_below_its_version() -> None:
    turns = Turns([("404 Not Found",)])
    with served(turns) as wire, pytest.raises(ChatFailed, match="404"):
        model(wire.url, turns.clock)
    assert (turns.asked, turns.clock.slept) == (2, [])


def test_a_submission_comes_back_when_the_board_says_and_never_later_than_a_day() -> None:
    for asked, due in (("3600", 3600.0), ("9" * 30, 86_400.0), ("0", None), ("soon", None)):
        turns = Turns([("429 Slow Down", f"Retry-After: {asked}")])
        with served(turns) as wire, pytest.raises(SubmissionError) as caught:
            submission(wire.url, turns.clock)
        assert (caught.value.retry_after_s, caught.value.final) == (due, False)


def test_every_attempt_of_a_submission_carries_its_key() -> None:
    turns = Turns([("503 Busy",), ("201 Created",)])
    with served(turns) as wire:
        submission(wire.url, turns.clock)
    assert [b"idempotency-key: k" in head.lower() for head in wire.heads] == [True, True]
