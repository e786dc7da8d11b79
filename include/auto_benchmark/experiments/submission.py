"""Hands production in to the boards: hidden inputs in, predictions out, through the outbox, once per key."""

from __future__ import annotations

import hashlib
import json
import logging
import time
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.addresses import concealed
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.trial_output import read_predictions
from auto_benchmark.contract.record import Trial, TrialPlan
from auto_benchmark.contract.trial import Split, Stage, TrialState
from auto_benchmark.db.repositories import outbox, production, records, split_queries, submissions, trials
from auto_benchmark.db.repositories.outbox import Message
from auto_benchmark.experiments.hand_in import ask_to_hand_in
from auto_benchmark.experiments.trials.planned import folder_of, run_trials
from auto_benchmark.experiments.trials.scoring import input_ids
from auto_benchmark.http.answer import Answer
from auto_benchmark.http.errors import CallRefusedError, UnreachableError
from auto_benchmark.http.retry import PASSING, asked_wait
from auto_benchmark.kinds import LogKind, Purpose
from auto_benchmark.project.bench import Bench
from auto_benchmark.project.board_units import in_board_units
from auto_benchmark.project.context import Context, new_owner
from auto_benchmark.project.current_config import production_config
from auto_benchmark.promotion.production import ProductionConfig
from auto_benchmark.registry.leaderboard import Leaderboard, SubmissionSettings
from auto_benchmark.registry.schedule import Mode
from auto_benchmark.reporting.approval_brief import listed
from auto_benchmark.sources.connection import Connection

log = logging.getLogger(__name__)
LEASE_S = 30.0
POLL_S = 0.5
SEED_OF_SUBMISSIONS = 2**30
APPROVE_SUBMISSION = "approve-submission/"


class SubmissionError(Exception):
    """A submission that did not go through; ``final`` when trying again is useless."""

    def __init__(self, message: str, *, final: bool = False, retry_after_s: float | None = None) -> None:
        self.final, self.retry_after_s = final, retry_after_s
        super().__init__(message)


def may_submit(ctx: Context, board: Leaderboard, *, approved: bool = False) -> str | None:
    """Why nothing is handed in to ``board``; None when it may be, or when a person has approved what has to wait."""
    schedule = ctx.config.schedule
    if board.submission is None:
        return "the registry declares no submission"
    if not schedule.submission.terms_acknowledged:
        return "submission.terms_acknowledged is false in schedule.yaml"
    if schedule.automation.submission is Mode.APPROVE and approved:
        return None
    if schedule.automation.submission is not Mode.ON:
        return f"automation.submission is {schedule.automation.submission}"
    return None


def approval_key(board: str, production_config_id: int) -> str:
    """Key of the question whether a configuration may be handed in to a board."""
    return f"{APPROVE_SUBMISSION}{board}/{production_config_id}"


def asked_about(key: str) -> str:
    """Number of the configuration that a question of :func:`approval_key` is about."""
    return key.rpartition("/")[2]


def wanted_boards(ctx: Context) -> list[Leaderboard]:
    """Boards whose submissions wait for a person."""
    if ctx.config.schedule.automation.submission is not Mode.APPROVE:
        return []
    return [board for board in ctx.boards if may_submit(ctx, board, approved=True) is None]


def _ask_for_approval(ctx: Context, session: Session, current: ProductionConfig) -> None:
    """Ask for what is in production now; questions about what was there before have no answer any more."""
    waiting = [e.key for e in records.open_escalations(session=session, project=ctx.project)]
    outdated = [k for k in waiting if k.startswith(APPROVE_SUBMISSION) and asked_about(k) != str(current.id)]
    records.resolve_all(
        session=session, project=ctx.project, keys=outdated, resolution="production has changed since it was asked"
    )
    for board in wanted_boards(ctx):
        known = submissions.listed(session=session, project=ctx.project, board=board.name)
        if any(s.production_config_id == current.id for s in known):
            continue
        promised = in_board_units(ctx, session, current.candidate.scores).get(board.name)
        records.escalate(
            session=session, project=ctx.project, key=approval_key(board.name, current.id),
            title=f"Submission to {board.name} waits for approval",
            brief=f"Production would be handed in to {board.name}; expected there: {promised}.\n\n"
            f"{current.candidate.reason}\n\nConfiguration: {listed(current.candidate.params)}",
            inputs={"production_config_id": current.id, "board": board.name},
        )  # fmt: skip


def submit(ctx: Context) -> list[dict[str, Any]]:
    """Make sure that production is handed in everywhere, and deliver what is due.

    Returns:
        One ``{"board", "state", "score", "reason"}`` per message that was due.
    """
    with ctx.sessions.begin() as session:
        current = production_config(ctx, session)
        _ask_for_approval(ctx, session, current)
        ask_to_hand_in(ctx, session, current)
        for board in ctx.boards:
            if may_submit(ctx, board) is None:
                submissions.enqueue(
                    session=session,
                    project=ctx.project,
                    board=board.name,
                    production_config_id=current.id,
                    payload={},
                )
    told: list[dict[str, Any]] = []
    while True:
        owner = new_owner()
        with ctx.sessions.begin() as session:
            messages = outbox.claim(
                session=session, owner=owner, lease_s=LEASE_S, limit=1, project=ctx.project, topic=submissions.TOPIC
            )
        if messages:
            told.append(_deliver(ctx, messages[0], owner))
        elif _others_are_sending(ctx):
            time.sleep(POLL_S)
        else:
            return told


def _others_are_sending(ctx: Context) -> bool:
    """Whether a message is in somebody's hands; if they died, it is ours when their lease ends."""
    with ctx.sessions() as session:
        return outbox.held(session=session, project=ctx.project, topic=submissions.TOPIC) > 0


def _deliver(ctx: Context, message: Message, owner: str) -> dict[str, Any]:
    board_name = str(message.payload["board"])
    try:
        score, receipt = _hand_in(ctx, message, ctx.board(board_name))
    except (SubmissionError, UnreachableError, CallRefusedError, KeyError) as error:
        reason = _reason(ctx, board_name, error)
        final = isinstance(error, KeyError) or getattr(error, "final", False)
        with ctx.sessions.begin() as session:
            outbox.mark_failed(
                session=session,
                message_id=message.id,
                owner=owner,
                error=reason,
                final=final,
                retry_after_s=getattr(error, "retry_after_s", None),
            )
            if final:
                submissions.set_state(
                    session=session,
                    submission_id=message.payload["submission_id"],
                    state="refused",
                    receipt={"error": reason},
                )
        ctx.say(f"submission to {board_name} {'refused' if final else 'postponed'}: {reason}")
        return {
            "board": board_name,
            "state": "refused" if final else "postponed",
            "score": None,
            "reason": reason,
        }
    with ctx.sessions.begin() as session:
        if outbox.mark_sent(session=session, message_id=message.id, owner=owner, response=receipt):
            submissions.set_state(
                session=session,
                submission_id=message.payload["submission_id"],
                state="accepted",
                receipt=receipt,
                score=score,
            )
            ref = ctx.bench.ref
            split_queries.count(
                session=session,
                project=ctx.project,
                benchmark=ref.name,
                version=ref.version,
                split=Split.HIDDEN,
                purpose="submission",
            )
        records.log(
            session=session,
            project=ctx.project,
            key=f"submission/{message.idempotency_key}",
            kind=LogKind.SUBMISSION,
            subject=board_name,
            reason=f"accepted by {board_name}" + (f" with {score:.4f}" if score is not None else ""),
            inputs={"submission_id": message.payload["submission_id"]},
        )
    ctx.say(f"submitted to {board_name}" + (f": scored {score:.4f} on its hidden split" if score is not None else ""))
    return {"board": board_name, "state": "accepted", "score": score, "reason": ""}


def _reason(ctx: Context, board_name: str, error: Exception) -> str:
    """Why it was not taken, without what the declared address may hold of credentials."""
    declared = next((b.submission for b in ctx.boards if b.name == board_name), None)
    return concealed(str(error), declared.api if declared else None)


def _hand_in(ctx: Context, message: Message, board: Leaderboard) -> tuple[float | None, dict[str, Any]]:
    declared = board.submission
    refusal = may_submit(ctx, board, approved="approved_by" in message.payload)
    if declared is None or refusal:
        raise SubmissionError(refusal or "no submission is declared", retry_after_s=3600)
    _respect_quota(ctx, board, declared)
    connection = ctx.connections.get(declared.conn_id or board.conn_id or board.name)
    with ctx.sessions() as session:
        holders = production.history(session=session, project=ctx.project)
        submission = next(
            s
            for s in submissions.listed(session=session, project=ctx.project, board=board.name)
            if s.id == message.payload["submission_id"]
        )
    holder = next(h for h in holders if h.id == submission.production_config_id)
    if holder.closed_at is not None:
        raise SubmissionError("a newer production configuration has taken its place", final=True)
    trial, view = _predict(ctx, holder, connection, declared)
    predictions = read_predictions(folder_of(ctx, trial), input_ids(view))
    body = {
        "system": ctx.config.registry.our_solution.name,
        "predictions": [{"id": item, "answer": answer} for item, answer in predictions.items()],
    }
    answer = connection.post(declared.api, body, headers={"Idempotency-Key": message.idempotency_key})
    receipt = _receipt(answer)
    return _score(receipt, board), receipt


def _score(receipt: dict[str, Any], board: Leaderboard) -> float | None:
    """The board's own metric in its receipt; None where the board only scores later."""
    scores = receipt.get("scores")
    value = scores.get(board.primary_metric) if isinstance(scores, dict) else None
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def _respect_quota(ctx: Context, board: Leaderboard, declared: SubmissionSettings) -> None:
    limit = min(declared.max_per_day, ctx.config.schedule.submission.max_per_day)
    since = ctx.now() - timedelta(days=1)
    with ctx.sessions() as session:
        used = submissions.count_sent_since(session=session, project=ctx.project, board=board.name, since=since)
    if used >= limit:
        raise SubmissionError(f"{limit} submissions to {board.name} in a day are allowed", retry_after_s=3600)


def _predict(
    ctx: Context, holder: ProductionConfig, connection: Connection, declared: SubmissionSettings
) -> tuple[Trial, Path]:
    """Fetch the hidden inputs and run the configuration on them; a finished trial is not run again."""
    answer = connection.get(declared.api.rsplit("/", 1)[0] + "/inputs")
    if answer.status != 200:
        raise SubmissionError(
            f"hidden inputs: HTTP {answer.status}", final=answer.status in {401, 403, 404},
            retry_after_s=asked_wait(answer) or None,
        )  # fmt: skip
    digest = hashlib.sha256(answer.content).hexdigest()[:16]
    file = ctx.home / "hidden_inputs" / f"{digest}.jsonl"
    if not file.exists():
        atomic.write_bytes(file, answer.content)
    view = ctx.bench.data.submit_view(file)
    plan = TrialPlan(
        solution=holder.candidate.solution,
        params=holder.candidate.params,
        benchmark=holder.candidate.benchmark,
        stage=Stage.SUBMIT,
        seed=SEED_OF_SUBMISSIONS,
        purpose=f"{Purpose.SUBMISSION}:{digest}",
        budget_s=ctx.bench.solution.solution.resources.budget_s,
        tree=holder.candidate.tree,
    )
    with ctx.sessions.begin() as session:
        trial = trials.plan(session=session, project=ctx.project, plans=[plan])[0]
    bench: Bench = replace(ctx.bench, hidden_inputs=view)
    trial = run_trials(ctx, [trial.id], bench=bench)[0]
    if trial.state is not TrialState.DONE:
        raise SubmissionError(f"the trial on the hidden inputs failed: {trial.failure_class}", final=True)
    if not (folder_of(ctx, trial) / trial_folder.PREDICTIONS).exists():
        raise SubmissionError("the predictions on the hidden inputs are gone", final=True)
    return trial, view


def _receipt(answer: Answer) -> dict[str, Any]:
    """The board's receipt; 409 and other refusals are final, trouble that may pass is tried again."""
    try:
        body = json.loads(answer.content)
    except (ValueError, RecursionError):
        body = {}
    if answer.status in {200, 201} and isinstance(body, dict):
        return body
    detail = str(body.get("detail", "") if isinstance(body, dict) else "")[:300]
    raise SubmissionError(
        f"HTTP {answer.status} {detail}".strip(),
        final=answer.status not in PASSING and answer.status < 500,
        retry_after_s=asked_wait(answer) or None,
    )
