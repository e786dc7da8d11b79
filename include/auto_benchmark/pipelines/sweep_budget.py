"""What a benchmark sweep has spent; stops it, also in the middle of a run, when its budget is gone."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from auto_benchmark.sweeps.spec import SweepBudget

LOOK_S = 0.2


class SweepSpending:
    """Counts attempts and their time across threads.

    Args:
        budget: what may be spent.
        cost: money for seconds of a trial.
        stop: set when the budget is gone, which cancels the runs under way.
    """

    def __init__(self, budget: SweepBudget, cost: Callable[[float], float], stop: threading.Event) -> None:
        self.budget, self.cost, self.stop = budget, cost, stop
        self.attempts, self.wall_s = 0, 0.0
        self.exhausted = ""
        self._running: dict[int, float] = {}
        self._lock = threading.Lock()

    def had(self, attempts: int, wall_s: float) -> None:
        """Add what an earlier call of the same sweep has spent."""
        self.attempts += attempts
        self.wall_s += wall_s

    @contextlib.contextmanager
    def attempt(self) -> Iterator[bool]:
        """Around one attempt: yields whether it may start, and counts its time."""
        key = threading.get_ident()
        with self._lock:
            limit = self.budget.trials
            if limit is not None and self.attempts >= limit:
                self.exhausted = f"the budget of {limit} trials is spent"
            self._look()
            allowed = not self.exhausted and not self.stop.is_set()
            if allowed:
                self.attempts += 1
                self._running[key] = time.monotonic()
        try:
            yield allowed
        finally:
            with self._lock:
                started = self._running.pop(key, None)
                if started is not None:
                    self.wall_s += time.monotonic() - started

    @contextlib.contextmanager
    def watched(self) -> Iterator[None]:
        """Look at the budget while the body runs."""
        done = threading.Event()

        def watch() -> None:
            while not done.wait(LOOK_S):
                with self._lock:
                    self._look()

        thread = threading.Thread(target=watch, name="sweep-budget", daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def _look(self) -> None:
        """Time and money stop the runs under way; a limit on trials lets them end."""
        now = time.monotonic()
        spent_s = self.wall_s + sum(now - started for started in self._running.values())
        hours, money = self.budget.hours, self.budget.money
        if hours is not None and spent_s >= hours * 3600:
            self.exhausted = f"the budget of {hours:g} hours is spent"
        elif money is not None and self.cost(spent_s) >= money:
            self.exhausted = f"the budget of {money:g} in money is spent"
        else:
            return
        self.stop.set()
