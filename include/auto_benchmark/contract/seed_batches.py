"""Which trials share a process, where a solution trains several seeds at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any, TypeVar

T = TypeVar("T")
MAY_DIFFER = frozenset({"seed", "id", "priority"})
"""In what trials of one process may differ: the seed, and what no process is given."""


def may_share_a_process(one: Any, other: Any) -> bool:
    """Whether two trials, of any one dataclass, differ in nothing but :data:`MAY_DIFFER`.

    The only definition: for the trials of a round, for a task of its own that takes others along, and for a sweep.
    """
    names = [field.name for field in fields(one) if field.name not in MAY_DIFFER]
    return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in names)


def seed_batches(trials: Sequence[T], size: int, plan_of: Callable[[T], Any] = lambda trial: trial) -> list[list[T]]:
    """Trials that may share a process together, in order of first appearance.

    Args:
        trials: to run.
        size: most of them in one process.
        plan_of: what says how one is run, a dataclass; not asked where ``size`` is 1.
    """
    if size == 1:
        return [[trial] for trial in trials]
    groups: list[tuple[Any, list[T]]] = []
    for trial in trials:
        plan = plan_of(trial)
        group = next((group for first, group in groups if may_share_a_process(first, plan)), None)
        if group is None:
            groups.append((plan, [trial]))
        else:
            group.append(trial)
    return [group[i : i + size] for _, group in groups for i in range(0, len(group), size)]
