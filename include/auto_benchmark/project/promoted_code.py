"""What a promotion of code leaves for people: ``experiments/promoted/<hypothesis>/`` with the patch and the reasons.

A view of rows and stored trees: written after the commit, and again by the next ``reconcile`` where a process died.
"""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.artifacts import tree_diff
from auto_benchmark.db.repositories import experiments, hypotheses
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.runners.runner import EnvironmentFaultError

PATCH, REASONS = "change.patch", "reasons.md"


def diff_of(ctx: Context, before: str, after: str) -> str:
    """The patch between two trees, as a person may be shown it; why there is none where one is not stored."""
    try:
        return tree_diff.shown(_patch(ctx, before, after))
    except EnvironmentFaultError as error:
        return f"no patch: {error}"


def write_promoted_code(ctx: Context, session: Session) -> None:
    """Write the folder of every promoted change of code that has none yet."""
    promoted = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.PROMOTED])
    for hypothesis in promoted:
        folder = ctx.home / "experiments" / "promoted" / hypothesis.id
        if hypothesis.implementation.code is None or (folder / REASONS).exists():
            continue
        before = _control_tree(ctx, session, hypothesis)
        try:
            patch = _patch(ctx, before, hypothesis.tree)
        except EnvironmentFaultError as error:
            ctx.say(f"{hypothesis.id}: no patch is written: {error}")
            continue
        atomic.write_text(folder / PATCH, patch)
        atomic.write_text(folder / REASONS, _reasons(ctx, hypothesis, before))


def _control_tree(ctx: Context, session: Session, hypothesis: Hypothesis) -> str:
    """The code that was in production when the hypothesis was judged."""
    number = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis.id)
    found = number and experiments.get(session=session, project=ctx.project, experiment_id=number)
    return found.plan.control_tree if found else hypothesis.base_tree


def _patch(ctx: Context, before: str, after: str) -> str:
    return tree_diff.patch(*(bench_on(ctx.bench, tree).solution.path for tree in (before, after)))


def _reasons(ctx: Context, hypothesis: Hypothesis, before: str) -> str:
    name = ctx.bench.solution.path.name
    code = hypothesis.implementation.code
    files = "\n".join(f"- {file}" for file in (code.files if code else []))
    return (
        f"# {hypothesis.id}\n\n{hypothesis.reason}\n\n"
        f"Code {hypothesis.tree} instead of {before}; both are stored below `code/` in the home directory. Files:\n"
        f"{files}\n\n"
        f"The solution's folder is as people left it. To bring it up to date, in its folder `{name}`:\n\n"
        f"    git apply {PATCH}\n"
    )
