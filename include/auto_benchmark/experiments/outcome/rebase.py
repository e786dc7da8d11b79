"""Queued changes of code go on after a promotion: each is brought onto the code that is in production now."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.artifacts import tree_store
from auto_benchmark.artifacts.git import GitError
from auto_benchmark.artifacts.tree_merge import MergeConflictError, merge
from auto_benchmark.contract.trial import config_hash
from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.hypotheses.hypothesis import CodeChange, Hypothesis, HypothesisStatus
from auto_benchmark.hypotheses.search.results import changed
from auto_benchmark.project.context import Context
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.runners.runner import EnvironmentFaultError


def rebase_code(ctx: Context, session: Session, base: ProductionCandidate) -> None:
    """Bring every queued change of code onto ``base``; one that cannot be is superseded with the reason.

    One whose experiment has begun is left alone: its trials are of the code that it had.
    """
    queued = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.QUEUED])
    for hypothesis in queued:
        code = hypothesis.implementation.code
        begun = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis.id)
        if code is None or code.tree == base.tree or begun is not None:
            continue
        try:
            onto = code if code.base_tree == base.tree else _brought(ctx, code, base.tree)
        except MergeConflictError as conflict:
            reason = f"superseded: it and the code that is in production now change the same lines of {conflict}"
            _supersede(ctx, session, hypothesis, reason)
        except (GitError, EnvironmentFaultError) as error:
            _supersede(ctx, session, hypothesis, f"superseded: it cannot be brought onto production's code: {error}")
        else:
            if not onto.files or not _restated(ctx, session, hypothesis, onto, base):
                _supersede(ctx, session, hypothesis, "superseded: production has this change already")


def _brought(ctx: Context, code: CodeChange, tree: str) -> CodeChange:
    """The change on top of other code."""
    base, ours, theirs = (bench_on(ctx.bench, one).solution.path for one in (code.base_tree, tree, code.tree))
    root = ctx.bench.data.root
    with tree_store.draft(ours.name, root) as target:
        merge(base, ours, theirs, target)
        files = tree_store.changed_files(ours, target)
        kept = tree_store.keep(target, root)
        return CodeChange(tree=kept, base_tree=tree, files=files, earlier=[*code.earlier, code.tree])


def _restated(ctx: Context, session: Session, old: Hypothesis, code: CodeChange, base: ProductionCandidate) -> bool:
    """Write the change down as one of ``base``; False where another hypothesis is the same by that."""
    solution, implementation = ctx.bench.solution.solution, old.implementation
    params = solution.configured({**base.params, **implementation.patch})
    restated = implementation.model_copy(
        update={"base": base.params, "patch": changed(params, base.params), "code": code}
    )
    return hypotheses.refit(
        session=session, project=ctx.project, hypothesis_id=old.id, implementation=restated,
        config_hash=config_hash(solution.name, params, ctx.bench.ref), tree=code.tree,
    )  # fmt: skip


def _supersede(ctx: Context, session: Session, hypothesis: Hypothesis, reason: str) -> None:
    hypotheses.set_status(
        session=session, project=ctx.project, hypothesis_id=hypothesis.id, status=HypothesisStatus.SUPERSEDED,
        reason=reason, only_from=[HypothesisStatus.QUEUED],
    )  # fmt: skip
