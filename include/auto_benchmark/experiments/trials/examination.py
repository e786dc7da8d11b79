"""The doctor's look at changed code before any seed is spent on it: once per code and parameters, and remembered.

Faults that the code has in common with the one that it was made from are not its own: an environment that breaks both, or a
solution that no seed makes repeatable, refuses no change.
"""

from __future__ import annotations

from collections.abc import Iterable

from auto_benchmark.contract.limits import storable
from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import records
from auto_benchmark.experiments.trials.doctor import CheckResult, examine
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.registry.solution import Params

Code = tuple[str, Params]
"""A tree and the parameters that it runs with."""
SUBSET = 0.1
LONGEST = 2_000
"""Characters of the doctor's words that are kept; the last lines of a program's output are among them."""


def fault_of(ctx: Context, changed: Code, base: Code) -> str | None:
    """Why no seed is spent on changed code, in the doctor's words; None where nothing speaks against it.

    Raises:
        EnvironmentFaultError: a tree is not stored, or is damaged.
    """
    tree, params = changed
    key = f"examined/{tree}/{config_hash(ctx.bench.solution.solution.name, params, ctx.bench.ref)}/{base[0]}"
    with ctx.sessions() as session:
        known = records.logged(session=session, project=ctx.project, kind=LogKind.EXAMINED, subject=key, limit=1)
    if known:
        return None if known[0].inputs.get("sound") else known[0].reason
    found = list(examine(bench_on(ctx.bench, tree), subset=SUBSET, params=params))
    if not all(each.blames_code for each in found):
        return None  # the trials themselves will tell, and are repeated
    told = _told(found)
    if told and _told(examine(bench_on(ctx.bench, base[0]), subset=SUBSET, params=base[1])):
        return None
    with ctx.sessions.begin() as session:
        records.log(
            session=session, project=ctx.project, key=key, kind=LogKind.EXAMINED, subject=key,
            reason=told or "the doctor finds nothing wrong with this code", inputs={"sound": told is None},
        )  # fmt: skip
    return told


def _told(found: Iterable[CheckResult]) -> str | None:
    return storable("; ".join(each.text for each in found if not each.ok), LONGEST) or None
