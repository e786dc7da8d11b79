"""The shape of ``status --json``: where every board stands, and what the loop is doing."""

from __future__ import annotations

from typing import Literal

from auto_benchmark.documents import Strict
from auto_benchmark.registry.names import Number


class BoardStatus(Strict):
    """One board, everything in its unit.

    ``measured`` is our own score of production, ``gap`` is positive when we lead, ``victory`` says whether the victory
    condition holds, ``notes`` what cannot work as it is declared.
    """

    board: str
    our_rank: int | None
    our_score: Number | None
    measured: Number | None
    leader: str | None
    leader_score: Number | None
    gap: Number | None
    mode: Literal["attack", "defense"]
    victory: bool
    stale: bool
    notes: list[str] = []


class QueuedStatus(Strict):
    """One open hypothesis."""

    id: str
    title: str
    priority_score: Number
    urgency: str
    status: str


class QuestionStatus(Strict):
    """Something that waits for a person: what about, how it is answered, and why it may be too late for that.

    ``brief`` is what a person reads before the answer.
    """

    key: str
    kind: str
    subject: str
    title: str
    brief: str = ""
    outdated: str | None
    answers: list[str]


class DecisionStatus(Strict):
    """One decision of the gate."""

    id: int
    hypothesis_id: str | None
    verdict: str
    reason: str
    decided_at: str


class IsolationStatus(Strict):
    """What keeps trials that run here from their machine and from each other, and what nothing keeps them from."""

    runner: str
    isolated_by: tuple[str, ...]
    not_isolated: tuple[str, ...]


class GateStatus(Strict):
    """How far the gate's items are used up: hypotheses judged on draw number ``draw``, by where they come from."""

    draw: int
    questions: dict[str, int]
    limit: int
    published: bool


class SourceStatus(Strict):
    """What a claimed gain of one source was worth: ``worth`` is the share of it that is to be expected of the next."""

    source: str
    judged: int
    promoted: int
    claimed: Number
    measured: Number
    worth: Number


class LevelStatus(Strict):
    """What one source may spend of the level: its ``share`` of the whole, and the level of its next hypothesis."""

    source: str
    share: Number
    judged: int
    promoted: int
    next_level: Number
    remaining: Number


class CodeStatus(Strict):
    """Production's code: the stored ``tree``, or the folder itself; ``edited`` files of the folder are not live."""

    tree: str | None
    folder: Literal["candidate", "follow"]
    edited: list[str]


class Status(Strict):
    """Everything at once. ``aa_rate``: share of A/A comparisons that the gate promoted, with its 95 % interval.

    ``search``: what a search without a winner has to say; None while something is found.
    ``questions``: what waits for a person, oldest first.
    ``challenger``: the hypothesis that is better than production, and not projected to reach #1 yet.
    ``agent``: who works on the code before each sweep, and whether it may use the network.
    ``waiting``: topic -> messages of the outbox that are not sent yet.
    """

    boards: list[BoardStatus]
    queue: list[QueuedStatus]
    decisions: list[DecisionStatus]
    alpha_wealth: Number | None
    aa_rate: Number | None
    aa_interval: tuple[Number, Number] | None = None
    split_queries: dict[str, dict[str, int]]
    search: str | None = None
    challenger: str | None = None
    questions: list[QuestionStatus] = []
    waiting: dict[str, int] = {}
    isolation: IsolationStatus | None = None
    gate: GateStatus | None = None
    code: CodeStatus | None = None
    agent: str | None = None
    sources: list[SourceStatus] = []
    levels: list[LevelStatus] = []
