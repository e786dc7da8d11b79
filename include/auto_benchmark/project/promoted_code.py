"""What a promotion of code leaves for people: ``experiments/promoted/<hypothesis>/`` with the patch and the reasons.

A view of rows and stored trees: written after the commit, and again by the next ``reconcile`` where a process died.
"""

from __future__ import annotations

from pathlib import Path

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.artifacts import code_remarks, tree_diff
from auto_benchmark.artifacts.git import GitError
from auto_benchmark.db.repositories import experiments, hypotheses
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.project.checkout import Checkout, CheckoutError, how_to_apply
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import bench_on, edited_files
from auto_benchmark.registry.schedule import OnPromotion
from auto_benchmark.runners.runner import EnvironmentFaultError

PATCH, REASONS = "change.patch", "reasons.md"


def diff_of(ctx: Context, before: str, after: str) -> str:
    """The patch between two trees, as a person may be shown it; why there is none where one is not stored."""
    try:
        return tree_diff.shown(patch_between(ctx, before, after))
    except EnvironmentFaultError as error:
        return f"no patch: {error}"


def remarks_on(ctx: Context, before: str, after: str) -> list[str]:
    """What the second tree looks at and the first does not, besides its data; nothing where one is not stored."""
    try:
        return code_remarks.remarks(*_places(ctx, before, after))
    except EnvironmentFaultError:
        return []


def write_promoted_code(ctx: Context, session: Session) -> None:
    """Write the folder of every promotion that brought other code and has none yet: its own, or a challenger's before it."""
    promoted = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.PROMOTED])
    for hypothesis in promoted:
        folder = ctx.home / "experiments" / "promoted" / hypothesis.id
        if (folder / REASONS).exists():
            continue
        before = _control_tree(ctx, session, hypothesis)
        if not before or before == hypothesis.tree:
            continue
        try:
            patch = patch_between(ctx, before, hypothesis.tree)
        except EnvironmentFaultError as error:
            ctx.say(f"{hypothesis.id}: no patch is written: {error}")
            continue
        atomic.write_text(folder / PATCH, patch)
        done = _into_checkout(ctx, hypothesis, before, folder)
        atomic.write_text(folder / REASONS, _reasons(ctx, hypothesis, before, done, folder))


def _into_checkout(ctx: Context, hypothesis: Hypothesis, before: str, folder: Path) -> str:
    """Make the branch or the commit that ``schedule.yaml`` asks for; what was done, or why it was not, in words."""
    wanted = ctx.config.schedule.code.on_promotion
    if wanted is OnPromotion.PATCH:
        ctx.say(f"{hypothesis.id}: {_what_is_left(ctx, hypothesis, folder)}")
        return ""
    sides = [bench_on(ctx.bench, tree).solution.path for tree in (before, hypothesis.tree)]
    message = f"{hypothesis.title}\n\n{hypothesis.id}: {hypothesis.reason}\n"
    try:
        checkout = Checkout.of(ctx.bench.solution.path)
        if wanted is OnPromotion.COMMIT:
            done = checkout.commit(sides[0], sides[1], message)
        else:
            done = checkout.branch(f"auto-benchmark/{ctx.project}-{hypothesis.id}", sides[0], sides[1], message)
    except (CheckoutError, GitError, OSError) as error:
        done = f"no {wanted} was made: {error}"
    ctx.say(f"{hypothesis.id}: {done}")
    return done


def _what_is_left(ctx: Context, hypothesis: Hypothesis, folder: Path) -> str:
    """What a person does with the solution's folder, which holds the code already where the edit was made there."""
    if not edited_files(ctx.bench.solution.path, bench_on(ctx.bench, hypothesis.tree).solution.path):
        return "your folder holds this code already"
    return f"to bring your folder up to date: {_applied(ctx, folder)}"


def _applied(ctx: Context, folder: Path) -> str:
    return how_to_apply(folder / PATCH, ctx.bench.solution.path)


def _control_tree(ctx: Context, session: Session, hypothesis: Hypothesis) -> str:
    """The code that was in production when the hypothesis was judged."""
    number = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis.id)
    found = number and experiments.get(session=session, project=ctx.project, experiment_id=number)
    code = hypothesis.implementation.code
    return found.plan.control_tree if found else code.base_tree if code else hypothesis.tree


def patch_between(ctx: Context, before: str, after: str) -> str:
    """The whole patch between two trees. Raises EnvironmentFaultError where one is not stored."""
    return tree_diff.patch(*_places(ctx, before, after))


def _places(ctx: Context, before: str, after: str) -> tuple[Path, Path]:
    """Where two trees are stored. Raises EnvironmentFaultError where one is not."""
    return bench_on(ctx.bench, before).solution.path, bench_on(ctx.bench, after).solution.path


def _reasons(ctx: Context, hypothesis: Hypothesis, before: str, done: str, folder: Path) -> str:
    files = "\n".join(f"- {file}" for file in sorted(edited_files(*_places(ctx, before, hypothesis.tree))))
    remarks = "".join(f"    {remark}\n" for remark in remarks_on(ctx, before, hypothesis.tree))
    looks_at = f"Besides its data, the changed code:\n\n{remarks}\n" if remarks else ""
    told = f"In the git checkout: {done}.\n\n" if done else ""
    return (
        f"# {hypothesis.id}\n\n{hypothesis.reason}\n\n"
        f"Code {hypothesis.tree} instead of {before}; both are stored below `code/` in the home directory. Files:\n"
        f"{files}\n\n"
        f"{looks_at}"
        f"{told}To bring the solution's folder up to date, unless the edit was made there:\n\n"
        f"    {_applied(ctx, folder)}\n"
    )
