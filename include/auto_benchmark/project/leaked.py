"""Removes containers and pods of ours that nothing waits for: their trial has ended, or was never recorded."""

from __future__ import annotations

import logging

from auto_benchmark.db.repositories import trials
from auto_benchmark.project.context import Context
from auto_benchmark.runners.pod import pod_label
from auto_benchmark.runners.runner import EnvironmentFaultError, Sweeper

log = logging.getLogger(__name__)


def sweep_leaked(ctx: Context) -> list[str]:
    """Remove what earlier workers of this project left behind; returns the names.

    A place that cannot be reached is not an error here: there is nothing to decide, and the next sweep comes.
    """
    runner = ctx.bench.runner
    if not isinstance(runner, Sweeper):
        return []
    with ctx.sessions() as session:
        unfinished = trials.unfinished(session=session, project=ctx.project)
    in_use = {name for trial in unfinished for name in _names(ctx.trial_name(trial))}
    ours = tuple(_names(ctx.trial_name_prefix))
    try:
        removed = runner.sweep(lambda name: name.startswith(ours) and name not in in_use)
    except EnvironmentFaultError as error:
        log.warning("leaked containers are not swept: %s", error)
        return []
    for name in removed:
        ctx.say(f"removed {name}: nothing waited for it")
    return removed


def _names(trial_name: str) -> set[str]:
    return {trial_name, pod_label(trial_name)}
