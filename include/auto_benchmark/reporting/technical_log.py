"""The technical log: what the system did and why, from the same rows as everything else."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.promotion.schema import Decision
from auto_benchmark.registry.solution import Params
from auto_benchmark.reporting import doubts
from auto_benchmark.reporting.position import Position
from auto_benchmark.reporting.render import render
from auto_benchmark.reporting.words import precision, verdict, without_outcome


@dataclass(frozen=True, slots=True)
class TrialLine:
    """One run: seed, outcome (``done``, else the class of its failure) and what it measured."""

    id: int
    purpose: str
    stage: str
    seed: int
    outcome: str
    metrics: Mapping[str, float]
    wall_s: float | None = None

    @property
    def measured(self) -> str:
        """The metrics in a line."""
        return ", ".join(f"{name} {value:.4g}" for name, value in sorted(self.metrics.items()))


@dataclass(frozen=True, slots=True)
class ExperimentEntry:
    """One experiment: its hypothesis, outcome and last decision.

    ``plot`` is the path of the picture of its decisions, relative to the log; ``is_perfect`` says whether the candidate
    scored 1 of 1 with every seed.
    """

    hypothesis: Hypothesis
    outcome: str
    reason: str
    decision: Decision | None
    trials: Sequence[TrialLine]
    decision_id: int | None = None
    plot: str | None = None
    is_perfect: bool = False

    @property
    def verdict(self) -> str:
        """How it ended, in the log's one word for it."""
        return verdict(self.outcome)

    @property
    def why(self) -> str:
        """The reason without the outcome, which stands before it."""
        return without_outcome(self.reason, self.outcome)

    @property
    def doubts(self) -> list[str]:
        """What is odd about its outcome."""
        is_rejected = self.verdict.startswith("rejection")
        return doubts.about(self.hypothesis.id, self.decision, is_rejected=is_rejected, is_perfect=self.is_perfect)

    @property
    def anchor(self) -> str:
        """Where links lead; the same in every log."""
        return self.hypothesis.id.lower()

    @property
    def config(self) -> str:
        """The whole configuration as JSON in a line."""
        return one_line(self.hypothesis.implementation.params)

    @property
    def patch(self) -> str:
        """What is changed, as JSON in a line."""
        return one_line(self.hypothesis.implementation.patch)


@dataclass(frozen=True, slots=True)
class LogLine:
    """One automatic decision."""

    at: datetime
    kind: str
    subject: str
    reason: str


@dataclass(frozen=True, slots=True)
class VerdictLine:
    """One promotion or rejection: how sure it is, and the criteria that did not hold, with their numbers."""

    line: LogLine
    title: str
    evidence: str
    failed: Sequence[str] = ()
    outcome: str = ""

    @property
    def verdict(self) -> str:
        """The word for what happened; a rejection says of which kind."""
        return verdict(self.outcome) if self.line.kind == "rejection" and self.outcome else self.line.kind

    @property
    def why(self) -> str:
        """The reason without the outcome, which stands before it."""
        return without_outcome(self.line.reason, self.outcome)


@dataclass(frozen=True, slots=True)
class PaperLine:
    """One paper, what was found in it and what came of it."""

    title: str
    source: str
    techniques: Sequence[str]
    disposition: str


@dataclass(frozen=True, slots=True)
class FailedTrial:
    """A trial that failed for good, and why."""

    id: int
    about: str
    failure: str
    message: str
    attempts: int


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What waits for a person, and the commands that answer it, each ready to be pasted.

    Where it rests on a decision of the gate, ``decision`` holds the numbers, ``about`` the hypothesis and ``patch`` its
    change as JSON in a line.
    """

    at: datetime
    title: str
    brief: str
    answers: Sequence[str]
    decision: Decision | None = None
    about: str = ""
    patch: str = ""


@dataclass(frozen=True, slots=True)
class SpendingLine:
    """What a period has cost, and what it may."""

    period: str
    trials: str
    hours: str
    money: str


@dataclass(frozen=True, slots=True)
class RankLine:
    """One reading of a board that differs from the one before it."""

    at: datetime
    rank: int | None
    score: float | None
    leader: str | None
    leader_score: float | None

    @property
    def place(self) -> str:
        """``#2``, or that we are not listed."""
        return "not listed" if self.rank is None else f"#{self.rank}"


@dataclass(frozen=True, slots=True)
class Holder:
    """The configuration in production: what made it, as JSON in a line, and board -> our own measurement of it."""

    since: datetime
    name: str
    config: str
    scores: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Statistics:
    """What the gate's statistics say about themselves.

    Attributes:
        aa: the share of A/A comparisons that were promoted by mistake, in words.
        alpha_wealth: the level that is left to spend on false promotions; None before the first decision.
        split_queries: ``benchmark@version/split`` -> purpose -> uses.
    """

    aa: str = "no comparison yet"
    alpha_wealth: float | None = None
    split_queries: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TechnicalLog:
    """Everything that the log says.

    Attributes:
        summary: the last seven days, one fact a line.
        cases: what waits for a person, oldest first.
        ranks: board -> its newest readings, newest first.
        verdicts: promotions and rejections, newest first.
        others: trials of the week that belong to none of the experiments shown, each with its parameters that are not
            the solution's own.
        screening: what became of the papers that were read, in words.
        papers: those that concern us; ``other_papers`` those that do not, with why.
        plots: board -> path of the picture of its history, relative to the log.
        isolations: how the week's trials were isolated, in words, with the number of trials of each.
        agents: the same of the week's runs of agents that are programs.
    """

    written_at: datetime
    positions: Sequence[Position]
    experiments: Sequence[ExperimentEntry]
    queue: Sequence[Hypothesis]
    lines: Sequence[LogLine]
    statistics: Statistics = field(default_factory=Statistics)
    summary: Sequence[str] = ()
    cases: Sequence[OpenQuestion] = ()
    ranks: Mapping[str, Sequence[RankLine]] = field(default_factory=dict)
    verdicts: Sequence[VerdictLine] = ()
    spending: Sequence[SpendingLine] = ()
    failed: Sequence[FailedTrial] = ()
    others: Sequence[tuple[TrialLine, str]] = ()
    screening: str = "No paper has been read yet."
    papers: Sequence[PaperLine] = ()
    other_papers: Sequence[PaperLine] = ()
    plots: Mapping[str, str] = field(default_factory=dict)
    production: Holder | None = None
    isolations: Sequence[tuple[str, int]] = ()
    agents: Sequence[tuple[str, int]] = ()

    @property
    def doubts(self) -> list[str]:
        """What a reader should know before the numbers."""
        return doubts.shown([*doubts.stale(self.positions), *(line for e in self.experiments for line in e.doubts)])

    def movement(self, board: str) -> str:
        """Since when we have the present rank of a board, and which we had before."""
        readings = self.ranks.get(board, ())
        if not readings:
            return "never read"
        form = precision(r.at for r in readings)
        before = next((i for i, r in enumerate(readings) if r.rank != readings[0].rank), None)
        if before is None:
            return f"no movement since {readings[-1].at.strftime(form)}, the oldest reading shown"
        return f"since {readings[before - 1].at.strftime(form)}, {readings[before].place} before"


@dataclass(frozen=True, slots=True)
class Promotion:
    """One line of the changelog; ``changes`` against the configuration that held the role before, in words."""

    at: datetime
    role: str
    hypothesis_id: str | None
    scores: Mapping[str, float]
    reason: str
    changes: str = ""


def one_line(params: Params) -> str:
    """Parameters as JSON that cannot end the code span it stands in."""
    return json.dumps(params, sort_keys=True, ensure_ascii=False).replace("`", "'")


def render_technical_log(log: TechnicalLog) -> str:
    """``TECHNICAL_LOG.md``."""
    return render("technical_log.md.j2", log=log)


def render_changelog(promotions: Sequence[Promotion]) -> str:
    """``CHANGELOG.md``: every configuration that took a role, newest first."""
    return render("changelog.md.j2", promotions=promotions)
