"""Which code a configuration has, and the bench that runs it.

The solution's folder is where people work; what runs is the tree that production, a hypothesis or an experiment names.
The empty name is the folder itself: of rows from before code was stored, and of projects whose ``schedule.yaml`` says
``code: {folder: follow}``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.code_tree import CodeChangedError, code_tree
from auto_benchmark.artifacts.fingerprint import code_files, file_sha256, folder_sha256
from auto_benchmark.db.repositories.trials import fingerprint_hash
from auto_benchmark.errors import ConfigError
from auto_benchmark.project.bench import Bench
from auto_benchmark.project.configuration import SolutionFolder
from auto_benchmark.project.context import Context
from auto_benchmark.registry.schedule import FolderMode
from auto_benchmark.registry.solution import Solution
from auto_benchmark.runners.runner import EnvironmentFaultError

DECLARATION = "solution.yaml"


def follows_folder(ctx: Context) -> bool:
    """Whether the folder is live: whatever is written there runs at once."""
    return ctx.config.schedule.code.folder is FolderMode.FOLLOW


def bench_on(bench: Bench, tree: str) -> Bench:
    """The bench with the code of a tree; the bench itself where the name is empty, or it is that already.

    The command is that of the tree's own ``solution.yaml``. So are its knobs, since its program was written for them,
    unless the folder has the same program. Limits, image and all else are declared by the folder, as the operator has
    it now; the fingerprint of a tree that runs within other limits than its own says so.

    Raises:
        EnvironmentFaultError: the tree is not stored, is damaged, or cannot be read.
    """
    if tree in {"", bench.tree}:
        return bench
    folder, root, live = bench.solution.path, bench.data.root, bench.solution.solution
    is_folder = not bench.tree and folder_sha256(folder) == tree
    try:
        place = code_tree(folder, tree, root) if is_folder else tree_store.find(tree, folder.name, root)
        own = documents.load(Solution, place / DECLARATION, shown_as=f"{tree}/{DECLARATION}")
    except (CodeChangedError, tree_store.CodeMissingError, ConfigError) as error:
        raise EnvironmentFaultError(str(error)) from None
    knobs = live.knobs if edited_files(place, folder) <= {DECLARATION} else own.knobs
    declared = live.model_copy(update={"command": own.command, "knobs": knobs})
    limits = "" if live.resources == own.resources else live.resources.model_dump_json()
    return replace(
        bench,
        solution=SolutionFolder(place, declared),
        tree=tree,
        is_folder=is_folder,
        other_limits=limits,
        image_lock="" if is_folder else file_sha256(folder / "requirements.lock"),
    )


def edited_files(before: Path, after: Path) -> set[str]:
    """Names of the code files that only one of two folders has, or that differ; links are looked through."""
    return tree_store.differing(code_files(before), code_files(after))


def fingerprint_on(ctx: Context, tree: str) -> dict[str, str]:
    """Environment facts of a trial that runs the tree now. Raises EnvironmentFaultError."""
    return bench_on(ctx.bench, tree).fingerprint()


def environment_key(ctx: Context, tree: str) -> str:
    """What finished trials of the tree have to name as their ``fingerprint_hash`` to be comparable with one of now.

    Empty, which no trial has, where the tree is not stored here, so that none can run. Raises EnvironmentFaultError where
    the runner cannot tell.
    """
    try:
        bench = bench_on(ctx.bench, tree)
    except EnvironmentFaultError:
        return ""
    return fingerprint_hash(bench.fingerprint())
