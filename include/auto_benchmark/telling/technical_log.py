"""``TECHNICAL_LOG`` as Markdown and as one HTML file, its pictures, and ``CHANGELOG.md``."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from datetime import timedelta
from pathlib import Path

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.boards.standing import positions
from auto_benchmark.db.repositories import (
    board_history,
    decisions,
    experiments,
    hypotheses,
    production,
    records,
    trial_rows,
)
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.board_units import in_board_units
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.gate import thaw
from auto_benchmark.promotion.production import ProductionCandidate, RecordedDecision, Role
from auto_benchmark.promotion.schema import Decision
from auto_benchmark.reporting.approval_brief import changes
from auto_benchmark.reporting.html import page
from auto_benchmark.reporting.technical_log import (
    ExperimentEntry,
    Holder,
    LogLine,
    Promotion,
    TechnicalLog,
    one_line,
    render_changelog,
    render_technical_log,
)
from auto_benchmark.reporting.words import counted
from auto_benchmark.telling import log_sections

MOST_LINES = 200
MOST_EXPERIMENTS = 100
MOST_PLOTS = 12
"""Boards whose history is drawn; a picture of a thousand boards is of no use."""


def write_logs(ctx: Context) -> None:
    """Render ``TECHNICAL_LOG.md`` with its pictures, ``reports/technical_log.html`` and the changelog."""
    with ctx.sessions() as session:
        log = _technical_log(ctx, session)
        promotions = _promotions(ctx, session)
    text = render_technical_log(log)
    pictures = [*log.plots.values(), *(e.plot for e in log.experiments if e.plot)]
    images = {name: (ctx.home / name).read_bytes() for name in pictures}
    atomic.write_text(ctx.home / "TECHNICAL_LOG.md", text)
    atomic.write_text(ctx.home / "reports" / "technical_log.html", page("Technical Log", text, images))
    newest_first = sorted(promotions, key=lambda p: p.at, reverse=True)
    atomic.write_text(ctx.home / "CHANGELOG.md", render_changelog(newest_first))


def _promotions(ctx: Context, session: Session) -> list[Promotion]:
    """Every configuration that took a role, with what it changed: a challenger against the production of its time."""
    in_production = list(production.history(session=session, project=ctx.project, role=Role.PRODUCTION))
    challengers = production.history(session=session, project=ctx.project, role=Role.CHALLENGER)
    found = []
    for config in (*in_production, *challengers):
        held = config.candidate
        before = max((c for c in in_production if c.id < config.id), key=lambda c: c.id, default=None)
        said = "" if before is None else changed(before.candidate, held)
        found.append(
            Promotion(
                config.opened_at,
                str(config.role),
                held.hypothesis_id,
                in_board_units(ctx, session, held.scores),
                held.reason,
                said,
            )
        )
    return found


def changed(before: ProductionCandidate, held: ProductionCandidate) -> str:
    """What one configuration changes of another: its values, its code by the names that reports use, or nothing."""
    values = changes(before.params, held.params)
    if before.tree == held.tree:
        return values
    named = (tree[:8] or "the solution's folder" for tree in (before.tree, held.tree))
    code = "code from {} to {}".format(*named)
    return code if values == "nothing" else f"{values}, {code}"


def _technical_log(ctx: Context, session: Session) -> TechnicalLog:
    listed = sorted(hypotheses.listed(session=session, project=ctx.project), key=lambda h: -int(h.id[2:]))
    entries: list[ExperimentEntry] = []
    for hypothesis in listed:
        found = hypotheses.experiment_of(session=session, project=ctx.project, hypothesis_id=hypothesis.id)
        if found is not None and len(entries) < MOST_EXPERIMENTS:
            entries.append(_entry(ctx, session, hypothesis, found))
    logged = records.logged(session=session, project=ctx.project, limit=MOST_LINES)
    lines = [LogLine(e.created_at, e.kind, e.subject, e.reason) for e in logged]
    by_id = {e.hypothesis.id: e for e in entries}
    return TechnicalLog(
        written_at=ctx.now(),
        positions=positions(ctx, session),
        experiments=entries,
        queue=hypotheses.queue(session=session, project=ctx.project),
        lines=lines,
        statistics=log_sections.statistics(ctx, session),
        summary=_summary(ctx, session),
        cases=log_sections.cases(ctx, session),
        ranks=log_sections.ranks(ctx, session, [board.name for board in ctx.boards[:MOST_PLOTS]]),
        verdicts=log_sections.verdicts(ctx, session, by_id),
        spending=log_sections.spent(ctx, session),
        failed=log_sections.failed(ctx, session),
        others=log_sections.others(ctx, session, [t.id for e in entries for t in e.trials]),
        plots=_histories(ctx, session),
        production=_production(ctx, session),
        isolations=trial_rows.isolations(session=session, project=ctx.project, since=ctx.now() - timedelta(days=7)),
        agents=log_sections.agents(ctx, session),
        **log_sections.papers_read(ctx, session),
    )


def _summary(ctx: Context, session: Session) -> list[str]:
    since = ctx.now() - timedelta(days=7)
    week = records.logged(session=session, project=ctx.project, since=since, limit=5000)
    kinds = Counter(entry.kind for entry in week)
    outcomes = Counter(str(e.inputs.get("outcome")) for e in week if e.kind is LogKind.REJECTION)
    waiting = records.open_escalations(session=session, project=ctx.project)
    ended = ", ".join(f"{n} {'for failed criteria' if o == 'reject' else o}" for o, n in outcomes.most_common())
    lines = [
        f"{counted(kinds[LogKind.PROMOTION], 'promotion')}, {counted(kinds[LogKind.CHALLENGER], 'new challenger')}, "
        f"{counted(kinds[LogKind.ROLLBACK], 'rollback')}, {counted(kinds[LogKind.REJECTION], 'rejection')}"
        + (f" ({ended})" if ended else ""),
        f"{counted(kinds[LogKind.RANK_DROP], 'lost place')} answered, {counted(kinds[LogKind.REGRESSION], 'regression')}, "
        f"{counted(kinds[LogKind.ALERT], 'missed cycle')}",
        counted(len(waiting), "case waits for a person", "cases wait for a person")
        + "".join(f"; {case.title}" for case in waiting[:3]),
    ]
    states = hypotheses.outcome_counts(session=session, project=ctx.project)
    if states:
        lines.append("Hypotheses so far: " + ", ".join(f"{n} {state}" for state, n in sorted(states.items())))
    return lines


def _production(ctx: Context, session: Session) -> Holder | None:
    current = production.current(session=session, project=ctx.project)
    if current is None:
        return None
    held = current.candidate
    name = held.hypothesis_id or "the first configuration"
    return Holder(current.opened_at, name, one_line(held.params), in_board_units(ctx, session, held.scores))


def _entry(ctx: Context, session: Session, hypothesis: Hypothesis, experiment_id: int) -> ExperimentEntry:
    experiment = experiments.get(session=session, project=ctx.project, experiment_id=experiment_id)
    made = decisions.of_experiment(session=session, experiment_id=experiment_id)
    rows = trial_rows.of_experiment(
        session=session,
        project=ctx.project,
        experiment_id=experiment_id,
        config_hash=hypothesis.config_hash,
        tree=hypothesis.tree,
    )
    trials = [log_sections.trial_line(ctx, row) for row in rows]
    return ExperimentEntry(
        hypothesis=hypothesis,
        outcome=(experiment.outcome if experiment else None) or "running",
        reason=experiment.reason if experiment else "",
        decision=Decision.model_validate_json(made[-1].decision_json) if made else None,
        trials=trials,
        decision_id=made[-1].id if made else None,
        plot=_intervals(ctx, hypothesis, made) if made else None,
        is_perfect=log_sections.is_perfect(ctx, trials),
    )


def _intervals(ctx: Context, hypothesis: Hypothesis, made: list[RecordedDecision]) -> str:
    """Draw the decisions on an experiment, once per last decision; the picture's path."""
    from auto_benchmark.reporting.plots import decision_intervals

    name = f"reports/plots/{hypothesis.id}-{made[-1].id}.png"
    if not (ctx.home / name).exists():
        looks = [(m.look, Decision.model_validate_json(m.decision_json)) for m in made]
        threshold = thaw(made[-1].evidence_json).evidence.promotion_threshold
        _save(ctx.home / name, decision_intervals(looks, threshold))
    return name


def _histories(ctx: Context, session: Session) -> dict[str, str]:
    """Draw the history of each board that was read, once per newest snapshot and promotion; board -> path."""
    from auto_benchmark.reporting.plots import HistoryPoint, rank_history

    held = production.history(session=session, project=ctx.project)
    marks = [(h.opened_at, h.candidate.hypothesis_id) for h in held if h.candidate.hypothesis_id]
    found = {}
    for board in ctx.boards[:MOST_PLOTS]:
        seen = board_history.history(session=session, project=ctx.project, board=board.name, limit=365)
        if not seen:
            continue
        file = f"{_file_name(board.name)}-{seen[-1].snapshot_id}-{len(held)}.png"
        name = f"reports/plots/{file}"
        if not (ctx.home / name).exists():
            points = [HistoryPoint(s.fetched_at, s.standing.our_rank, s.standing.our_score) for s in seen]
            _save(ctx.home / name, rank_history(board.name, points, marks))
        found[board.name] = name
    return found


def _file_name(board: str) -> str:
    """A board's name as part of a file's name; two boards never share one."""
    return f"{re.sub(r'[^A-Za-z0-9]+', '-', board)[:40]}-{hashlib.sha256(board.encode()).hexdigest()[:6]}"


def _save(path: Path, picture: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    atomic.write_bytes(path, picture)
