"""Which items the gate asks now, when they are drawn anew, and what happens to work on earlier items.

A gate that is asked often enough gives its answers away: after k questions that each depend on the answers before, a
configuration can look better on n items without being better at all, by about sqrt(k / n) / pi where each answer
reveals one bit, by sqrt(k / n) / sqrt(2 pi) where it reveals the score (a majority vote over random answers, Blum &
Hardt 2015). So its items are drawn anew after a declared number of questions. The number of the draw is part of the
benchmark's version: production is measured again before anything is compared on new items.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace

from sqlalchemy.orm import Session

from auto_benchmark.artifacts.split_seeds import FIRST, is_generated
from auto_benchmark.contract.trial import BenchmarkRef
from auto_benchmark.db.repositories import experiments, gate_draws, records, trials
from auto_benchmark.kinds import ExperimentKind, LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.research.log import citation_in

PAPERS = "papers"


@dataclass(frozen=True, slots=True)
class GateItemUse:
    """What the gate has answered on its present items.

    Attributes:
        draw: number of the draw.
        limit: questions after which the items are drawn anew.
        by_source: where hypotheses come from -> how many of them were judged.
    """

    draw: int
    limit: int
    by_source: dict[str, int]

    @property
    def total(self) -> int:
        """Questions from anywhere."""
        return sum(self.by_source.values())


def draw_now(ctx: Context, session: Session) -> int:
    """Number of the draw that new questions are asked on."""
    return gate_draws.latest(session=session, project=ctx.project, data=ctx.bench.ref) or FIRST


def gate_ref(ctx: Context, session: Session) -> BenchmarkRef:
    """The benchmark as new trials on the gate split are recorded with it."""
    return ctx.bench.ref_of(draw_now(ctx, session))


def asked(ctx: Context, session: Session) -> GateItemUse:
    """How far the present items are used up. A hypothesis is one question, however many looks it takes."""
    draw = draw_now(ctx, session)
    counts: Counter[str] = Counter()
    found = gate_draws.questions(session=session, project=ctx.project, data=ctx.bench.ref_of(draw))
    for source, count in found.items():
        counts[_origin(source)] += count
    return GateItemUse(draw, ctx.settings.gate_questions, dict(sorted(counts.items())))


def renew(ctx: Context, session: Session) -> bool:
    """Draw the gate's items anew where the present ones are used up; experiments that run stay on theirs."""
    used = asked(ctx, session)
    if used.total < used.limit:
        return False
    shown = ", ".join(f"{source} {count}" for source, count in used.by_source.items())
    if not is_generated(ctx.bench.benchmark.benchmark, "gate"):
        _ask_for_new_items(ctx, session, used, shown)
        return False
    reason = f"the gate's items were drawn anew after {used.total} questions ({shown}); production is measured again"
    number = used.draw + 1
    if not gate_draws.add(session=session, project=ctx.project, data=ctx.bench.ref, number=number, reason=reason):
        return False
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.GATE_DRAW}/{ctx.bench.ref_of(number).version}",
        kind=LogKind.GATE_DRAW, subject=ctx.bench.ref.name, reason=reason,
        inputs={"draw": number, "questions": used.by_source},
    )  # fmt: skip
    ctx.say(reason)
    return True


def _ask_for_new_items(ctx: Context, session: Session, used: GateItemUse, shown: str) -> None:
    """Say once that a file of items is used up: only its owner can draw others."""
    data = ctx.bench.ref
    records.log(
        session=session, project=ctx.project, key=f"{LogKind.GATE_DRAW}/{data.version}/used-up",
        kind=LogKind.GATE_DRAW, subject=data.name,
        reason=f"the gate's file of {data.name} {data.version} has answered {used.total} questions ({shown}); its items "
        "cannot be drawn anew: give it other items under a new version",
        inputs={"draw": used.draw, "questions": used.by_source},
    )  # fmt: skip


def carry_over(ctx: Context, session: Session) -> None:
    """Let what runs on data that this installation does not have any more go on with the data that it has.

    That is so after an upgrade from published seeds, after an import, and after a new version of the benchmark.
    """
    data, known = ctx.bench.ref, ctx.bench.draw_of
    versions = gate_draws.versions_of_unfinished_trials(session=session, project=ctx.project, benchmark=data.name)
    gone = [version for version in versions if known(BenchmarkRef(name=data.name, version=version)) is None]
    ids = gate_draws.unfinished_trials(session=session, project=ctx.project, benchmark=data.name, versions=gone)
    if ids:
        trials.cancel(session=session, trial_ids=ids, reason=f"the data is {data.name} {data.version} now")
        ctx.say(f"{len(ids)} trials of an earlier version of {data.name} will not run")
    for experiment in experiments.running(session=session, project=ctx.project, kind=ExperimentKind.HYPOTHESIS):
        if experiment.plan.benchmark.name == data.name and known(experiment.plan.benchmark) is None:
            moved = replace(experiment.plan, benchmark=gate_ref(ctx, session))
            gate_draws.move(session=session, experiment_id=experiment.id, plan=moved)
            ctx.say(f"{experiment.plan.key} goes on with {data.name} {moved.benchmark.version}")


def _origin(source: str) -> str:
    """Papers count together; ``structural search + gap analysis (...)`` counts as ``structural search``."""
    return PAPERS if citation_in(source) else source.split(" + ", maxsplit=1)[0]
