"""A change of code as a person names it, made into a stored tree; refused where it changes what it may not."""

from __future__ import annotations

from pathlib import Path

from auto_benchmark import documents
from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.tree_store import UnfitTreeError
from auto_benchmark.errors import ConfigError
from auto_benchmark.hypotheses.hypothesis import CodeChange
from auto_benchmark.ideas.code_form import CodeForm
from auto_benchmark.ideas.code_sources import bring
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import DECLARATION, bench_on, follows_folder
from auto_benchmark.registry.schedule import FolderMode, Mode
from auto_benchmark.registry.solution import NEVER_EDITED, Solution
from auto_benchmark.runners.runner import EnvironmentFaultError

MOST_NAMED = 5


def why_no_code(ctx: Context) -> str | None:
    """Why no change of code is taken in; None where it is."""
    if follows_folder(ctx) and ctx.config.schedule.code.folder is not FolderMode.FOLLOW:
        return f"the runner {ctx.bench.runner.name} runs the code inside its image, and takes in no other"
    if follows_folder(ctx):
        return (
            "schedule.yaml says code: {folder: follow}, so that what the solution's folder holds runs; edit it there"
        )
    if ctx.config.schedule.automation.code is Mode.OFF:
        return "schedule.yaml says automation: {code: off}"
    return None


def code_change(ctx: Context, base_tree: str, form: CodeForm, beside: Path) -> CodeChange | None:
    """Store the changed code; None where it is the base's.

    Args:
        ctx: the project.
        base_tree: the code that the change starts from.
        form: what a person has named.
        beside: the folder that relative paths start from.

    Raises:
        UnfitTreeError: it cannot be taken, for a stated reason.
    """
    root, live = ctx.bench.data.root, ctx.bench.solution.path
    try:
        base = bench_on(ctx.bench, base_tree).solution.path
    except EnvironmentFaultError as error:
        raise UnfitTreeError(str(error)) from None
    with tree_store.draft(live.name, root) as target:
        tree_store.copy_plain(base, target)
        bring(form, beside, target, live)
        tree_store.require_bounds(target)
        files = tree_store.changed_files(base, target)
        knobs_alone = DECLARATION in files and any(only_adds_knobs(old, target) for old in (base, live))
        _require_editable(ctx, files, brings_knobs=knobs_alone)
        if not files:
            return None
        return CodeChange(tree=tree_store.keep(target, root), base_tree=base_tree, files=files)


def only_adds_knobs(before: Path, after: Path) -> bool:
    """Whether a folder's declaration is another's with knobs that are new; their defaults are what is judged.

    Raises:
        UnfitTreeError: the later declaration is faulty.
    """
    try:
        old, new = (documents.load(Solution, each / DECLARATION, shown_as=DECLARATION) for each in (before, after))
    except ConfigError as error:
        raise UnfitTreeError(str(error)) from None
    kept = {name: knob for name, knob in new.knobs.items() if name in old.knobs}
    return len(new.knobs) > len(kept) and new.model_copy(update={"knobs": kept}) == old


def _require_editable(ctx: Context, files: list[str], *, brings_knobs: bool) -> None:
    solution = ctx.bench.solution.solution
    taken = {DECLARATION} if brings_knobs and len(files) > 1 else set()
    wrong = [file for file in files if not solution.is_editable(file) and file not in taken]
    if not wrong:
        return
    named = ", ".join(wrong[:MOST_NAMED]) + (
        f" and {len(wrong) - MOST_NAMED} more" if len(wrong) > MOST_NAMED else ""
    )
    allowed = f"all but {', '.join(NEVER_EDITED)}" if solution.editable is None else ", ".join(solution.editable)
    told = f"changes {named}, which no hypothesis may change (editable: {allowed or 'nothing'})"
    if DECLARATION in wrong:
        told += f"; of {DECLARATION} it may add knobs, beside a program that reads them, and nothing else"
    raise UnfitTreeError(told)
