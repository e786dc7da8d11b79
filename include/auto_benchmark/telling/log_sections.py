"""The parts of the technical log that answer one question each, read from the rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.contract.measured import shown_name, source_of
from auto_benchmark.db.repositories import (
    board_history,
    decisions,
    experiments,
    hypotheses,
    papers,
    records,
    spending,
    split_queries,
    trial_rows,
)
from auto_benchmark.db.repositories.trial_rows import TrialRow
from auto_benchmark.experiments.gate.aa import measured_rate
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.schema import Decision
from auto_benchmark.reporting.criteria_table import failure
from auto_benchmark.reporting.technical_log import (
    ExperimentEntry,
    FailedTrial,
    LogLine,
    OpenQuestion,
    PaperLine,
    RankLine,
    SpendingLine,
    Statistics,
    TrialLine,
    VerdictLine,
    one_line,
)
from auto_benchmark.reporting.words import counted, percent
from auto_benchmark.research.log import cited
from auto_benchmark.research.record import PaperRecord
from auto_benchmark.telling.questions import PROMOTION, commands, decision_behind, kind_of

WEEK = timedelta(days=7)
MOST_PAPERS = 50
MOST_READ = 1000
MOST_TRIALS = 300
MOST_VERDICTS = 100
VERDICTS = (LogKind.PROMOTION, LogKind.CHALLENGER, LogKind.REJECTION, LogKind.ROLLBACK)
MOST_READINGS = 10
LONGEST_MESSAGE = 300


def agents(ctx: Context, session: Session) -> list[tuple[str, int]]:
    """How the week's runs of agents that are programs were isolated, in words, with the number of each."""
    week = records.logged(
        session=session, project=ctx.project, kind=LogKind.PROPOSAL, since=ctx.now() - WEEK, limit=MOST_READ
    )
    told = Counter(str(entry.inputs["isolation"]) for entry in week if entry.inputs.get("isolation"))
    return told.most_common()


def cases(ctx: Context, session: Session) -> list[OpenQuestion]:
    """What waits for a person, oldest first."""
    found = records.open_escalations(session=session, project=ctx.project)
    return [_case(ctx, session, escalation) for escalation in found]


def _case(ctx: Context, session: Session, asked: records.OpenEscalation) -> OpenQuestion:
    """A question, with the numbers of the decision that it rests on; a promotion's brief says no more than those."""
    answers = commands(ctx, session, asked.key)
    made = decision_behind(ctx, session, asked.key)
    experiment = (
        experiments.get(session=session, project=ctx.project, experiment_id=made.experiment_id) if made else None
    )
    if made is None or experiment is None:
        return OpenQuestion(asked.created_at, asked.title, asked.brief, answers)
    hypothesis = hypotheses.get(session=session, project=ctx.project, hypothesis_id=experiment.plan.key)
    return OpenQuestion(
        asked.created_at,
        asked.title,
        "" if kind_of(asked.key) == PROMOTION else asked.brief,
        answers,
        decision=Decision.model_validate_json(made.decision_json),
        about=experiment.plan.key,
        patch=one_line(hypothesis.implementation.patch if hypothesis else experiment.plan.params),
    )


def ranks(ctx: Context, session: Session, boards: Sequence[str]) -> dict[str, list[RankLine]]:
    """Board -> its newest readings, newest first; boards that were never read are left out."""
    found = {}
    for board in boards:
        seen = board_history.history(session=session, project=ctx.project, board=board, limit=MOST_READINGS)
        lines = [
            RankLine(
                s.fetched_at, s.standing.our_rank, s.standing.our_score, s.standing.leader, s.standing.leader_score
            )
            for s in reversed(seen)
        ]
        if lines:
            found[board] = lines
    return found


def verdicts(ctx: Context, session: Session, entries: Mapping[str, ExperimentEntry]) -> list[VerdictLine]:
    """Every promotion and rejection, newest first; ``entries`` are the experiments by hypothesis."""
    about: dict[str, Any] = {"session": session, "project": ctx.project, "limit": MOST_VERDICTS}
    found = [entry for kind in VERDICTS for entry in records.logged(kind=kind, **about)]
    newest = sorted(found, key=lambda e: (e.created_at, e.id), reverse=True)[:MOST_VERDICTS]
    return [
        _verdict(
            LogLine(e.created_at, e.kind, e.subject, e.reason),
            entries.get(e.subject),
            str(e.inputs.get("outcome", "")),
        )
        for e in newest
    ]


def _verdict(line: LogLine, entry: ExperimentEntry | None, outcome: str) -> VerdictLine:
    if entry is None:
        return VerdictLine(line, "", "no decision", outcome=outcome)
    if entry.decision is None:
        return VerdictLine(line, entry.hypothesis.title, "the gate was not reached", ["not tested"], outcome)
    failed = [failure(c) for c in entry.decision.criteria if not c.passed]
    return VerdictLine(line, entry.hypothesis.title, _evidence(entry.decision), failed, outcome)


def _evidence(decision: Decision) -> str:
    """Estimate, interval, seeds and the probability of #1, in a line."""
    seeds = counted(decision.n, "seed")
    if decision.estimate is None:
        return f"no estimate from {seeds}"
    between = "no interval"
    if decision.interval is not None:
        low, high = decision.interval
        between = f"95 % interval {low:+.4f} to {high:+.4f}"
    text = f"{decision.estimate:+.4f} ({between}) on {seeds}"
    projected = next((c.value for c in decision.criteria if c.name == "projection" and c.value is not None), None)
    return text if projected is None else f"{text}; P(#1) {projected:.2f}"


def spent(ctx: Context, session: Session) -> list[SpendingLine]:
    """The last day and week against the budget, which holds for any 24 hours."""
    budget, currency = ctx.config.schedule.budget, ctx.config.schedule.rate_card.currency
    found = []
    for period, length in (("last 24 hours", 1), ("last seven days", 7)):
        used = spending.since(session=session, project=ctx.project, moment=ctx.now() - timedelta(days=length))
        found.append(
            SpendingLine(
                period,
                f"{used.trials} of {budget.trials * length}",
                f"{used.hours:.3f} of {budget.hours * length:g}",
                f"{used.money:.4f} of {budget.money * length:g} {currency}",
            )
        )
    return found


def failed(ctx: Context, session: Session) -> list[FailedTrial]:
    """Trials of the week that have failed for good."""
    rows = trial_rows.failed(session=session, project=ctx.project, since=ctx.now() - WEEK)
    return [
        FailedTrial(
            row.id,
            row.about or f"{row.purpose}, {row.stage} stage, seed {row.seed}",
            row.failure_class or "unknown",
            " ".join((row.message or "no message").split())[:LONGEST_MESSAGE],
            row.attempts,
        )
        for row in rows
    ]


def trial_line(ctx: Context, row: TrialRow) -> TrialLine:
    """A trial as the log shows it: what only the trial vouches for is named so."""
    scored = ctx.bench.scored_metrics
    metrics = {shown_name(name, source_of(name, scored)): value for name, value in row.metrics.items()}
    return TrialLine(row.id, row.purpose, row.stage, row.seed, row.failure_class or row.state, metrics, row.wall_s)


def is_perfect(ctx: Context, trials: Sequence[TrialLine]) -> bool:
    """Whether a candidate scores 1 with each of several seeds, in a metric of a board that is a share."""
    scored = [t.metrics for t in trials if t.purpose == Purpose.CANDIDATE and t.outcome == "done"]
    measured = (ctx.metric_of(board.name) for board in ctx.boards if board.higher_is_better)
    return len(scored) > 1 and any(all(m.get(name[0]) == 1 for m in scored) for name in measured if name)


def others(ctx: Context, session: Session, shown: Sequence[int]) -> list[tuple[TrialLine, str]]:
    """Trials of the week that no experiment of the log shows, with what they change."""
    defaults = ctx.bench.solution.solution.defaults
    found = trial_rows.finished(
        session=session, project=ctx.project, since=ctx.now() - WEEK, without=shown, limit=MOST_TRIALS
    )
    changed = [{k: v for k, v in params.items() if defaults.get(k) != v} for _, params in found]
    return [
        (trial_line(ctx, row), one_line(c) if c else "nothing") for (row, _), c in zip(found, changed, strict=True)
    ]


def statistics(ctx: Context, session: Session) -> Statistics:
    """A/A rate, level left and uses of held-out splits."""
    aa = measured_rate(session=session, project=ctx.project)
    asked = split_queries.by_split(session=session, project=ctx.project)
    said = "no comparison yet"
    if aa is not None:
        low, high = aa.interval
        said = f"{aa.wins} of {aa.comparisons} ({percent(aa.rate)}, 95 % interval {percent(low)} to {percent(high)})"
    return Statistics(
        said,
        decisions.alpha_wealth(session=session, project=ctx.project),
        {split: _by_kind(uses) for split, uses in asked.items()},
    )


def _by_kind(uses: Mapping[str, int]) -> dict[str, int]:
    """Purposes without what follows their colon: the one configuration that they were about."""
    found: Counter[str] = Counter()
    for purpose, n in uses.items():
        found[purpose.partition(":")[0]] += n
    return dict(found)


def papers_read(ctx: Context, session: Session) -> dict[str, Any]:
    """``screening``, ``papers`` and ``other_papers`` of the log."""
    read = papers.listed(session=session, project=ctx.project, limit=MOST_READ)
    if not read:
        return {}
    relevant = [p for p in read if p.relevant]
    others = [p for p in read if not p.relevant]
    became = Counter(p.disposition or "not decided yet" for p in relevant)
    ends = ", ".join(f"{n} {what}" for what, n in became.most_common()) or "none"
    concern = counted(len(relevant), "concerns us", "concern us")
    screening = f"{counted(len(read), 'paper')} screened, {concern}: {ends}."
    return {
        "screening": screening,
        "papers": [_paper(p) for p in relevant[:MOST_PAPERS]],
        "other_papers": [_paper(p) for p in others[:MOST_PAPERS]],
    }


def _paper(record: PaperRecord) -> PaperLine:
    why = record.dossier.disposition_reason or record.reason
    decided = record.disposition
    said = f"{decided}: {why}" if decided and why else decided or why or "not decided"
    return PaperLine(record.paper.title, cited(record.id), sorted(record.techniques), said)
