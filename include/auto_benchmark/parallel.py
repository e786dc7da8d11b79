"""Calls side by side, in threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")


def side_by_side(calls: Sequence[Callable[[], T]], *, workers: int, name: str) -> list[T]:
    """What each call returns, in order; at most ``workers`` at a time.

    One call's failure stops no other. An interrupt from the keyboard waits for the calls under way and starts no further.

    Raises:
        Exception: what the first failed call in order raised, after all of them have ended.
    """
    with ThreadPoolExecutor(workers, thread_name_prefix=name) as pool:
        tasks = [pool.submit(call) for call in calls]
        try:
            wait(tasks)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [task.result() for task in tasks]
