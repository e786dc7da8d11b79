"""The kinds of things that the database records: decisions, experiments and their outcomes, purposes of trials.

Their values are what the rows hold, so a value never changes once a version has written it. Prose is made from a kind;
no kind is ever read out of prose.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class LogKind(StrEnum):
    """What a row of the decision log is about."""

    ADOPTION = "adoption"
    """A project follows the board of a benchmark that was built for it."""
    ALERT = "alert"
    ANSWER = "answer"
    """A run has taken a trigger on."""
    APPROVAL = "approval"
    BROKEN_PROMISE = "broken_promise"
    CHALLENGER = "challenger"
    COMPETITOR_DIFF = "competitor_diff"
    DECISION = "decision"
    ENTRANT = "entrant"
    ENVIRONMENT = "environment"
    ESCALATION = "escalation"
    EXAMINED = "examined"
    """The doctor has looked at changed code."""
    FALSE_ALARM = "false_alarm"
    GATE_DRAW = "gate_draw"
    IDEA = "idea"
    """A person's hypothesis was taken in."""
    IMPORT = "import"
    """Written behind everything that an import brought."""
    INVALIDATION = "invalidation"
    KNOBS = "knobs"
    """A stored configuration was fitted to the knobs as ``solution.yaml`` declares them now."""
    OUR_NAME = "our_name"
    NOTHING_FOUND = "nothing_found"
    PAPER_HYPOTHESIS = "paper_hypothesis"
    PERSON = "person"
    PROMOTION = "promotion"
    PROPOSAL = "proposal"
    """An agent has worked on the code; what it brought is a hypothesis, or nothing."""
    RANK_DROP = "rank_drop"
    REGRESSION = "regression"
    REJECTION = "rejection"
    RESCORE = "rescore"
    RESEARCH_INGEST = "research_ingest"
    ROLLBACK = "rollback"
    SATURATION = "saturation"
    """A board has nothing left to win."""
    SEARCH = "search"
    STANDING = "standing"
    SUBMISSION = "submission"
    TECHNIQUE_PROPOSAL = "technique_proposal"
    TRIGGER = "trigger"
    OTHER = "other"
    """Written by a version that knew more kinds than this one, or by another program."""

    @classmethod
    def _missing_(cls, value: object) -> Self:
        return cls("other")


class ExperimentKind(StrEnum):
    """Why an experiment was opened."""

    HYPOTHESIS = "hypothesis"
    AA = "aa"


class Outcome(StrEnum):
    """How an experiment ended. The first seven are the gate's own verdicts."""

    PROMOTE = "promote"
    CHALLENGER = "challenger"
    REJECT = "reject"
    FUTILE = "futile"
    INCONCLUSIVE = "inconclusive"
    INSUFFICIENT_DATA = "insufficient_data"
    NO_VARIANCE = "no_variance"
    FAILED_VALIDATION = "failed_validation"
    UNDECIDED = "undecided"
    REJECTED = "rejected"
    """By a person."""
    WAITS_FOR_APPROVAL = "waits_for_approval"
    PAUSED = "paused"
    """Not an end: the budget or a kill switch keeps its trials from running, and the next claim goes on from there."""

    @property
    def is_archived(self) -> bool:
        """Whether the loop gave the hypothesis up by itself."""
        return self in {
            Outcome.REJECT, Outcome.FUTILE, Outcome.UNDECIDED, Outcome.FAILED_VALIDATION, Outcome.NO_VARIANCE,
            Outcome.INSUFFICIENT_DATA,
        }  # fmt: skip


class Purpose(StrEnum):
    """What a trial's result is for. A winner's own trials never become its control, so one seed may serve two."""

    SEARCH = "search"
    VALIDATION = "validation"
    VALIDATION_BASE = "validation-base"
    CANDIDATE = "candidate"
    CONTROL = "control"
    ESTIMATE = "estimate"
    DEFENSE = "defense"
    SUBMISSION = "submit"

    @classmethod
    def of(cls, text: str) -> Purpose:
        """The purpose of a stored trial; that of a submission is followed by the inputs' digest."""
        return cls(text.partition(":")[0])


class Lane(StrEnum):
    """Which sweep a trial belongs to; each lane has its own pool of slots."""

    NORMAL = "normal"
    URGENT = "urgent"
