"""What waits for a person: what a question is about, whether it can still be answered, and how."""

from __future__ import annotations

from sqlalchemy.orm import Session

from auto_benchmark.boards import doubts, our_entries, saturation
from auto_benchmark.contract.record import Experiment
from auto_benchmark.db.repositories import decisions, experiments, production, records
from auto_benchmark.experiments.hand_in import HAND_IN
from auto_benchmark.experiments.outcome.promotion import APPROVE_PROMOTION, promotion_keys
from auto_benchmark.experiments.submission import APPROVE_SUBMISSION, asked_about
from auto_benchmark.kinds import Outcome
from auto_benchmark.project.configuration import DEFAULT_PROJECT
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import production_config
from auto_benchmark.promotion.production import RecordedDecision
from auto_benchmark.reporting.words import shell_word

PROMOTION, SUBMISSION, HANDING_IN = "promotion", "submission", "hand_in"
OUR_NAME, DOUBT, CONSTRUCTION, OTHER = "our_name", "doubt", "construction", "other"
"""Kinds of questions; those of the last kind are closed with what was done, the others are approved or rejected."""
LONGEST_NUMBER = 18
"""Digits of a number that surely is none of Postgres' beyond its largest."""


def kind_of(key: str) -> str:
    """What a question is about.

    ``promotion``, ``submission``, ``hand_in``, ``our_name``, ``doubt`` and ``construction`` are approved or rejected,
    ``other`` is closed.
    """
    kinds = {
        APPROVE_PROMOTION: PROMOTION,
        APPROVE_SUBMISSION: SUBMISSION,
        HAND_IN: HANDING_IN,
        our_entries.OUR_NAME: OUR_NAME,
        doubts.DOUBT: DOUBT,
        saturation.CONSTRUCTION: CONSTRUCTION,
    }
    return next((kind for start, kind in kinds.items() if key.startswith(start)), OTHER)


def outdated(session: Session, key: str, project: str) -> str | None:
    """Why a question for approval can no longer be answered, and is closed instead; None when it can."""
    if kind_of(key) in {SUBMISSION, HANDING_IN}:
        current = production.current(session=session, project=project)
        asked = current is not None and asked_about(key) == str(current.id)
        return None if asked else "production has changed since this was asked; a newer question asks for it"
    if kind_of(key) != PROMOTION:
        return None
    experiment = _experiment(session, key, project)
    if experiment is None or experiment.outcome is not Outcome.WAITS_FOR_APPROVAL:
        return "the experiment no longer waits for an answer"
    if promotion_keys(session, experiment)[-1] != key:
        return "the experiment has been decided again since this was asked"
    current = production.current(session=session, project=project)
    same = current is not None and experiment.plan.is_against(current.candidate.params, current.candidate.tree)
    return None if same else "production has changed since the gate decided; the next sweep compares with the new one"


def subject_of(session: Session, key: str, project: str) -> str:
    """What a person names to answer a question: a hypothesis, a board, board and score, or the question's own key."""
    if kind_of(key) == OUR_NAME:
        return key.removeprefix(our_entries.OUR_NAME)
    if kind_of(key) in {CONSTRUCTION, DOUBT}:
        return key
    if kind_of(key) == SUBMISSION:
        return key.removeprefix(APPROVE_SUBMISSION).rpartition("/")[0]
    if kind_of(key) == HANDING_IN:
        return key.removeprefix(HAND_IN).rpartition("/")[0]
    experiment = _experiment(session, key, project) if kind_of(key) == PROMOTION else None
    return key if experiment is None else experiment.plan.key


def projects_where_it_waits(session: Session, what: str) -> list[str]:
    """Projects with an open question that is answered under this name, or has it as its key."""
    waiting = records.all_open_escalations(session=session)
    return sorted({project for project, key in waiting if what in {key, subject_of(session, key, project)}})


def commands(ctx: Context, session: Session, key: str) -> list[str]:
    """What a person types; the page has buttons for the same."""
    is_closed = kind_of(key) == OTHER or outdated(session, key, ctx.project) is not None
    project = "" if ctx.project == DEFAULT_PROJECT else f" --project {shell_word(ctx.project)}"
    subject = key if is_closed else subject_of(session, key, ctx.project)
    reason, word = " --reason '…'", shell_word(subject)
    rest = f"{project}{reason} -- {word}" if subject.startswith("-") else f" {word}{project}{reason}"
    return [f"auto-benchmark {verb}{rest}" for verb in (("close",) if is_closed else ("approve", "reject"))]


def decision_behind(ctx: Context, session: Session, key: str) -> RecordedDecision | None:
    """The gate's decision that a question rests on; None where it rests on something else."""
    if kind_of(key) == PROMOTION:
        return _asked_decision(session, key, ctx.project)
    if kind_of(key) != SUBMISSION:
        return None
    current = production_config(ctx, session)
    made = current.candidate.decision_id if asked_about(key) == str(current.id) else None
    return None if made is None else decisions.get(session=session, project=ctx.project, decision_id=made)


def _asked_decision(session: Session, key: str, project: str) -> RecordedDecision | None:
    """The decision of the project whose number stands in the key of a question for a promotion."""
    number = key.removeprefix(APPROVE_PROMOTION)
    if not number.isdecimal() or len(number) > LONGEST_NUMBER:
        return None
    return decisions.get(session=session, project=project, decision_id=int(number))


def _experiment(session: Session, key: str, project: str) -> Experiment | None:
    made = _asked_decision(session, key, project)
    if made is None:
        return None
    return experiments.get(session=session, project=project, experiment_id=made.experiment_id)
