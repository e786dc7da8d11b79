"""What an edit of the solution's folder is: a candidate that waits to be proposed, or live at once where that is declared.

Production goes on from the tree that it was stored as. Limits, image and knobs that ``solution.yaml`` alone changes are
declarations, and count at once.
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlalchemy.orm import Session

from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.fingerprint import folder_sha256
from auto_benchmark.db.repositories import code_trees, production
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import DECLARATION, bench_on, edited_files, follows_folder
from auto_benchmark.promotion.production import Role
from auto_benchmark.runners.runner import EnvironmentFaultError


@dataclass(frozen=True, slots=True)
class FolderEdit:
    """The folder where it is not production's code.

    Attributes:
        files: in which the two differ.
        new_knobs: whether ``solution.yaml`` declares other knobs than production's program was written for.
        new_environment: whether the lock or the Dockerfile is another one.
        is_known: whether this code was in production before, or is a hypothesis already.
    """

    tree: str
    base_tree: str
    files: tuple[str, ...]
    new_knobs: bool
    new_environment: bool
    is_known: bool


def settle_code(ctx: Context, session: Session) -> None:
    """Write down which code production has, where that is not known yet, and keep it."""
    held = production.current(session=session, project=ctx.project)
    if held is None:
        return
    folder, root, tree = ctx.bench.solution.path, ctx.bench.data.root, held.candidate.tree
    if follows_folder(ctx):
        if tree:
            ctx.say("production runs what the solution's folder holds: schedule.yaml says code: {folder: follow}")
        for role in Role:
            code_trees.settle(session=session, project=ctx.project, role=role, tree="")
    elif not tree:
        code_trees.adopt(session=session, project=ctx.project, tree=tree_store.keep(folder, root))
    elif folder_sha256(folder) == tree:
        tree_store.keep(folder, root)
    elif not tree_store.holds(tree, folder.name, root):
        ctx.say(
            f"[ALERT] production's code {tree} is not stored under {root}, and the solution's folder holds other code: "
            "no trial of it can run. Put that code into the folder, or restore the home directory"
        )


def folder_edit(ctx: Context, session: Session) -> FolderEdit | None:
    """What people have changed in the folder since; None where its program is production's, or live anyway."""
    held = production.current(session=session, project=ctx.project)
    if held is None or not held.candidate.tree or follows_folder(ctx):
        return None
    folder, base = ctx.bench.solution.path, held.candidate.tree
    tree = folder_sha256(folder)
    if tree == base:
        return None
    try:
        stored = bench_on(ctx.bench, base).solution
    except EnvironmentFaultError:  # settle_code has said so
        return None
    files = edited_files(stored.path, folder)
    live = ctx.bench.solution.solution
    if files <= {DECLARATION} and live.command == stored.solution.command:
        return None
    return FolderEdit(
        tree=tree,
        base_tree=base,
        files=tuple(sorted(files)),
        new_knobs=live.knobs != stored.solution.knobs,
        new_environment=bool(files & {"requirements.lock", "Dockerfile"}),
        is_known=tree in code_trees.known(session=session, project=ctx.project),
    )
