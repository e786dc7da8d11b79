"""What ``status`` shows, read from the database."""

from __future__ import annotations

from dataclasses import asdict

from sqlalchemy.orm import Session

from auto_benchmark.boards.notes import board_notes
from auto_benchmark.boards.standing import positions
from auto_benchmark.boards.victory import victory
from auto_benchmark.db.repositories import (
    board_history,
    decisions,
    experiments,
    hypotheses,
    outbox,
    production,
    records,
    split_queries,
)
from auto_benchmark.db.repositories.judged_claims import judged_claims
from auto_benchmark.experiments.gate.aa import measured_rate
from auto_benchmark.experiments.gate.purse import by_source, purse
from auto_benchmark.experiments.search import conclusion as search_conclusion
from auto_benchmark.hypotheses.source_prior import priors
from auto_benchmark.project.context import Context
from auto_benchmark.project.folder_code import folder_edit
from auto_benchmark.project.gate_items import GateItemUse, asked
from auto_benchmark.project.solution_code import follows_folder
from auto_benchmark.promotion.production import Role
from auto_benchmark.registry.leaderboard import Leaderboard
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.status import (
    BoardStatus,
    CodeStatus,
    DecisionStatus,
    GateStatus,
    IsolationStatus,
    LevelStatus,
    QuestionStatus,
    QueuedStatus,
    SourceStatus,
    Status,
)
from auto_benchmark.runners.isolation import isolation_report
from auto_benchmark.telling import questions


def status(ctx: Context) -> Status:
    """The present state of one project."""
    with ctx.sessions() as session:
        aa = measured_rate(session=session, project=ctx.project)
        where = {p.board: p for p in positions(ctx, session)}
        return Status(
            boards=[_board(ctx, session, board, where[board.name]) for board in ctx.boards],
            queue=[
                QueuedStatus(
                    id=h.id, title=h.title, priority_score=h.priority_score, urgency=h.urgency, status=h.status
                )
                for h in hypotheses.queue(session=session, project=ctx.project)
            ],
            decisions=_decisions(ctx, session),
            alpha_wealth=decisions.alpha_wealth(session=session, project=ctx.project),
            aa_rate=aa.rate if aa else None,
            aa_interval=aa.interval if aa else None,
            split_queries=split_queries.by_split(session=session, project=ctx.project),
            search=search_conclusion.latest(ctx, session),
            challenger=_challenger(ctx, session),
            questions=_questions(ctx, session),
            waiting=outbox.pending(session=session, project=ctx.project),
            isolation=IsolationStatus(**isolation_report(ctx.bench.runner).document),
            gate=_gate(asked(ctx, session), published=ctx.bench.data.seeds.are_published),
            code=_code(ctx, session),
            agent=_agent(ctx),
            sources=[
                SourceStatus(**asdict(each))
                for each in priors(judged_claims(session=session, project=ctx.project))
                if each.judged
            ],
            levels=[
                LevelStatus(**line)
                for line in by_source(
                    purse(session=session, project=ctx.project, shares=ctx.config.schedule.gate.shares)
                )
            ],
        )


def _challenger(ctx: Context, session: Session) -> str | None:
    held = production.current(session=session, project=ctx.project, role=Role.CHALLENGER)
    return held.candidate.hypothesis_id if held else None


def _agent(ctx: Context) -> str | None:
    declared = ctx.config.schedule.proposals
    if declared.agent is None:
        return None
    may = "may use the machine's network" if declared.network else "has no network"
    return f"{declared.agent} works on the code before each sweep" + (
        f" and {may}" if declared.agent.startswith("command:") else ""
    )


def _code(ctx: Context, session: Session) -> CodeStatus | None:
    held = production.current(session=session, project=ctx.project)
    if held is None:
        return None
    edit = folder_edit(ctx, session)
    follows = follows_folder(ctx)
    return CodeStatus(
        tree=held.candidate.tree or None, folder="follow" if follows else "candidate",
        edited=list(edit.files) if edit else [],
    )  # fmt: skip


def _gate(used: GateItemUse, *, published: bool) -> GateStatus:
    return GateStatus(draw=used.draw, questions=used.by_source, limit=used.limit, published=published)


def _board(ctx: Context, session: Session, board: Leaderboard, position: Position) -> BoardStatus:
    history = board_history.history(session=session, project=ctx.project, board=board.name, limit=1)
    now = history[-1].standing if history else None
    return BoardStatus(
        board=board.name,
        our_rank=position.rank,
        our_score=position.score,
        measured=position.measured,
        notes=board_notes(ctx, session, board),
        leader=now.leader if now else None,
        leader_score=now.leader_score if now else None,
        gap=position.gap,
        mode="defense" if position.rank == 1 else "attack",
        victory=victory(ctx, session, board).achieved,
        stale=position.is_stale,
    )


def _questions(ctx: Context, session: Session) -> list[QuestionStatus]:
    return [
        QuestionStatus(
            key=asked.key, kind=questions.kind_of(asked.key), title=asked.title, brief=asked.brief,
            subject=questions.subject_of(session, asked.key, ctx.project),
            outdated=questions.outdated(session, asked.key, ctx.project),
            answers=questions.commands(ctx, session, asked.key),
        )
        for asked in records.open_escalations(session=session, project=ctx.project)
    ]  # fmt: skip


def _decisions(ctx: Context, session: Session) -> list[DecisionStatus]:
    found = []
    for made in decisions.latest(session=session, project=ctx.project):
        experiment = experiments.get(session=session, project=ctx.project, experiment_id=made.experiment_id)
        found.append(
            DecisionStatus(
                id=made.id,
                hypothesis_id=experiment.plan.hypothesis_id if experiment else None,
                verdict=made.verdict,
                reason=made.reason,
                decided_at=made.decided_at.isoformat(),
            )
        )
    return found
