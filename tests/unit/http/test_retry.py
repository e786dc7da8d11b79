"""When a call is repeated, and for how long is waited before."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.fakes.clock import FrozenClock

from auto_benchmark.http.answer import Answer
from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.errors import TooLargeError, UnreachableError
from auto_benchmark.http.redirect import follow
from auto_benchmark.http.retry import LONGEST_RETRY_AFTER_S, PASSING, GaveUpError, Retry, retry_after

EPOCH = 784111777.0
"""Sun, 06 Nov 1994 08:49:37 GMT, the example of RFC 9110."""


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 7 ", 7.0),
        ("0", 0.0),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("Sun, 06 Nov 1994 09:50:37 +0100", 60.0),
        ("Sun, 06 Nov 1994 08:00:00 GMT", 0.0),
        ("Fri, 31 Dec 9999 23:59:59 GMT", LONGEST_RETRY_AFTER_S),
        ("99999999", LONGEST_RETRY_AFTER_S),
        ("9" * 5000, LONGEST_RETRY_AFTER_S),
        ("-5", None),
        ("1.5", None),
        ("²", None),
        ("٣", None),
        ("soon", None),
        ("Sun, 99 Nov 1994 08:49:37 GMT", None),
        ("Sun, 06 Nov 99999 08:49:37 GMT", None),
        ("", None),
        (None, None),
    ],
)
def test_forms_of_retry_after(value: str | None, seconds: float | None) -> None:
    assert retry_after(value, now=EPOCH) == seconds


class Server:
    """Answers in order, the last one for ever; what is an exception is raised."""

    def __init__(self, *answers: Answer | Exception) -> None:
        self.answers, self.asked = list(answers), 0

    def __call__(self, until: Deadline) -> Answer:
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def patient(clock: FrozenClock, **changed: Any) -> Callable[..., Answer]:
    return Retry(sleep=clock.sleep, clock=clock, **changed)


@pytest.mark.parametrize("status", sorted(PASSING))
def test_passing_trouble_is_outlasted(status: int) -> None:
    clock, server = FrozenClock(), Server(Answer(status), UnreachableError("gone"), Answer(200))
    assert patient(clock)(server).status == 200
    assert server.asked == 3
    assert 1 <= clock.slept[0] <= 2 <= clock.slept[1] <= 3


@pytest.mark.parametrize("status", [200, 204, 301, 304, 400, 401, 404, 409, 501])
def test_what_will_not_pass_is_an_answer(status: int) -> None:
    server = Server(Answer(status))
    assert patient(FrozenClock())(server).status == status
    assert server.asked == 1


def test_refusals_are_not_repeated() -> None:
    server = Server(TooLargeError("too large"))
    with pytest.raises(TooLargeError):
        patient(FrozenClock())(server)
    assert server.asked == 1


@pytest.mark.parametrize(
    ("last", "said"),
    [(Answer(503), "status 503 after 3 attempts"), (UnreachableError("gone"), "gone after 3 attempts")],
)
def test_attempts_end(last: Answer | Exception, said: str) -> None:
    server = Server(last)
    with pytest.raises(GaveUpError, match=said) as caught:
        patient(FrozenClock(), attempts=3)(server)
    assert server.asked == 3
    assert (caught.value.answer is None) is isinstance(last, Exception)


def test_retry_after_is_waited_for_and_too_much_of_it_is_not() -> None:
    clock, server = FrozenClock(), Server(Answer(429, headers={"Retry-After": "50"}), Answer(200))
    assert patient(clock)(server).status == 200
    assert clock.slept == [50.0]
    clock, server = FrozenClock(), Server(Answer(429, headers={"RETRY-AFTER": "61"}))
    with pytest.raises(GaveUpError, match="status 429, and asks to wait 61 s") as caught:
        patient(clock)(server)
    assert (clock.slept, server.asked, caught.value.retry_after_s) == ([], 1, 61.0)


def test_no_wait_goes_beyond_the_deadline() -> None:
    clock, server = FrozenClock(), Server(Answer(503, headers={"Retry-After": "20"}))
    with pytest.raises(GaveUpError):
        patient(clock, attempts=50, seconds=90.0)(server)
    assert clock.slept == [20.0] * 4


def test_several_calls_share_a_deadline() -> None:
    clock = FrozenClock()
    deadline = Deadline(5.0, clock)
    with pytest.raises(GaveUpError, match="no time for another"):
        for _ in range(20):
            patient(clock)(Server(Answer(503), Answer(200)), deadline)
    assert clock.now - 1000.0 <= 5.0


def test_one_attempt_does_not_use_up_the_time_of_all() -> None:
    clock = FrozenClock()
    deadline = Deadline(100.0, clock)
    assert Bounds(silence_s=10.0).within(deadline).seconds == 30.0
    clock.sleep(90.0)
    assert Bounds(silence_s=10.0).within(deadline).seconds == 10.0


def test_credentials_stay_with_the_host_that_they_are_for() -> None:
    hops = iter(["/b", "http://a.example:81/c", "http://a.example/d"])
    seen: list[tuple[str, list[str]]] = []

    def get(url: str, headers: Any) -> Answer:
        seen.append((url, sorted(headers)))
        target = next(hops, None)
        return Answer(200) if target is None else Answer(302, headers={"Location": target})

    sent = {"Authorization": "Bearer x", "Cookie": "y", "Accept": "*/*"}
    assert follow("http://a.example/a", sent, get)[0] == "http://a.example/d"
    everything = ["Accept", "Authorization", "Cookie"]
    assert [names for _, names in seen] == [everything, everything, ["Accept"], ["Accept"]]
