"""What a benchmark sweep has spent; stops it, also in the middle of a run, when its budget is gone."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator

from auto_benchmark.grid.spec import SweepBudget

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
        self.made, self.wall_s = 0, 0.0
        self.exhausted = ""
        self._running: dict[int, float] = {}
        self._lock = threading.Lock()

    def had(self, attempts: int, wall_s: float) -> None:
        """Add what an earlier call of the same sweep has spent."""
        self.made += attempts
        self.wall_s += wall_s

    @contextlib.contextmanager
    def attempts(self, wanted: int) -> Iterator[int]:
        """Around one process: yields how many of its ``wanted`` runs may start, and counts them and its time."""
        key = threading.get_ident()
        with self._lock:
            limit = self.budget.trials
            free = wanted if limit is None else max(0, limit - self.made)
            if free < wanted:
                self.exhausted = f"the budget of {limit} trials is spent"
            self._look()
            allowed = min(wanted, free) if not self.stop.is_set() else 0
            if allowed:
                self.made += allowed
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
