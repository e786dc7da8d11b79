"""robots.txt as RFC 9309 has it, asked for once per host and kept for an hour."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from auto_benchmark.addresses import shown
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.errors import BadRequestError, RedirectRefusedError, RedirectsEndlessError
from auto_benchmark.http.redirect import follow
from auto_benchmark.tables.refusal import ReadRefused, Reason

if TYPE_CHECKING:
    from protego import Protego

KEEP_S = 3600.0
"""How long rules hold before they are asked for again; the RFC allows a day."""
STALE_S = 86_400.0
"""How long old rules hold while the host's robots.txt cannot be had."""
DOWN_S = 60.0
"""How long a host without an answer is left alone."""
LARGEST_CHARACTERS = 512 * 1024


@dataclass(frozen=True, slots=True)
class _Rules:
    """Of one host. ``rules`` is None where everything is allowed."""

    asked_at: float
    rules: Protego | None


class Robots:
    """What hosts allow. Threads may share it; those that ask about one host wait for one answer.

    Args:
        clock: monotonic seconds.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._rules: dict[str, _Rules] = {}
        self._down: dict[str, tuple[float, str]] = {}
        self._locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)

    def check(self, url: str, agent: str, get: Callable[[str], Answer]) -> None:
        """Refuse what the host's robots.txt forbids.

        A missing file (4xx) allows everything. One that cannot be had (5xx, no answer) forbids everything, unless rules
        of the last day are known.

        Args:
            url: wanted.
            agent: our User-Agent.
            get: fetches one URL without following redirects; raises ReadRefused where nothing comes.

        Raises:
            ReadRefused: forbidden, or the rules cannot be had.
        """
        parts = urlsplit(url)
        place = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/robots.txt"
        with self._locks[place]:
            found = self._rules.get(place)
            if found is None or self._clock() - found.asked_at > KEEP_S:
                found = self._ask(place, found, get)
        if found.rules is not None and not found.rules.can_fetch(url, agent):
            raise ReadRefused(Reason.NOT_ALLOWED, f"robots.txt of {parts.hostname} forbids {shown(url)}")

    def _ask(self, place: str, known: _Rules | None, get: Callable[[str], Answer]) -> _Rules:
        now = self._clock()
        down_since, why = self._down.get(place, (-DOWN_S, ""))
        if now - down_since >= DOWN_S:
            try:
                answer = _followed(place, get)
                why = f"{place} answers {answer.status}" if answer.status >= 500 else ""
            except ReadRefused as error:
                if error.reason_code is not Reason.UNREACHABLE:
                    raise
                why = error.message
            if not why:
                self._rules[place] = _Rules(now, _parsed(answer))
                return self._rules[place]
            self._down[place] = (self._clock(), why)
        if known is not None and now - known.asked_at <= STALE_S:
            return known
        raise ReadRefused(Reason.UNREACHABLE, f"{why}; without its robots.txt nothing of a host is fetched")


ROBOTS = Robots()
"""Shared by everything in this process."""


def _followed(place: str, get: Callable[[str], Answer]) -> Answer:
    """The answer behind redirects, which may lead to other hosts; where they lead nowhere, there is no such file."""
    try:
        return follow(place, {}, lambda url, _: get(url))[1]
    except (RedirectRefusedError, RedirectsEndlessError, BadRequestError):
        return Answer(404)


def _parsed(answer: Answer) -> Protego | None:
    from protego import Protego

    if not 200 <= answer.status < 300:
        return None
    return Protego.parse(answer.content.decode("utf-8", "replace")[:LARGEST_CHARACTERS])
