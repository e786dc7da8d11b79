"""``schedule.yaml``: when each DAG runs, what it may spend, what needs a person, and where messages go."""

from __future__ import annotations

import re
import zoneinfo
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, StrictBool, StrictStr, model_validator

from auto_benchmark.documents import FieldError, Strict
from auto_benchmark.registry.names import Count, NotNegative, Positive

_DRAWN = re.compile(r"(?i)(?<![a-z])[hr](?![a-z])")
"""croniter draws these by lot, anew each time that it is asked."""


def _cron(value: str) -> str:
    """Accept what croniter reads in five fields, as Airflow does, if it names moments that come."""
    from croniter import CroniterBadDateError, CroniterError, croniter

    fields = value.split()
    if len(fields) != 5:
        raise ValueError(f"a schedule has five cron fields, this has {len(fields)}: {value!r}")
    if drawn := next((field for field in fields if _DRAWN.search(field)), None):
        raise ValueError(f"{drawn!r} is random; a schedule has fixed times")
    try:
        croniter(value, datetime(2000, 1, 1, tzinfo=UTC)).get_next(datetime)
    except CroniterBadDateError:
        raise ValueError(f"{value!r} is a time that never comes") from None
    except (CroniterError, ValueError, OverflowError) as error:
        why = re.sub(r"^\[.*?\] (?:is )?", "", str(error))
        raise ValueError(f"{value!r} is not a cron expression: {why}") from None
    return value


def last_moment(cron: str, zone: str, before: datetime) -> datetime:
    """The newest moment of a cron expression, read in a timezone, that lies before another."""
    from croniter import croniter

    found: datetime = croniter(cron, before.astimezone(zoneinfo.ZoneInfo(zone))).get_prev(datetime)
    return found


def _zone(value: str) -> str:
    try:
        zoneinfo.ZoneInfo(value)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(f"there is no timezone {value!r}") from None
    return value


Cron = Annotated[str, AfterValidator(_cron)]


class Mode(StrEnum):
    """Whether the loop does a thing by itself, not at all, or after a person agreed."""

    ON = "on"
    OFF = "off"
    APPROVE = "approve"


class Schedule(Strict):
    """Cron expressions per DAG."""

    leaderboard_scrape: Cron = "0 6 * * *"
    research_ingest: Cron = "0 7 * * 1"
    experiment_sweep: Cron = "0 8 * * *"
    production_defense: Cron = "30 6 * * *"
    report_digest: Cron = "0 9 * * 1"


def _on_off(value: object) -> object:
    """YAML reads a bare ``on`` as true."""
    return {True: "on", False: "off"}.get(value, value) if isinstance(value, bool) else value


OnOffApprove = Annotated[Mode, BeforeValidator(_on_off)]


class Automation(Strict):
    """What runs without a person."""

    experiments: OnOffApprove = Mode.ON
    promotion: OnOffApprove = Mode.ON
    submission: OnOffApprove = Mode.ON
    code: OnOffApprove = Mode.APPROVE
    construction: OnOffApprove = Mode.APPROVE


class FolderMode(StrEnum):
    """What an edit of the solution's folder is: a candidate like any other, or live at once."""

    CANDIDATE = "candidate"
    FOLLOW = "follow"


class OnPromotion(StrEnum):
    """What a promotion of code leaves for people: a patch file; in a git checkout a branch or a commit, too."""

    PATCH = "patch"
    BRANCH = "branch"
    COMMIT = "commit"


class Code(Strict):
    """What becomes of changed code."""

    folder: FolderMode = FolderMode.CANDIDATE
    on_promotion: OnPromotion = OnPromotion.PATCH


NO_PROGRAM = "is for an agent command:PATH alone: a model is asked from outside, and a recording runs nothing"


def _agent(value: str) -> str:
    kind, _, argument = value.partition(":")
    if kind not in {"llm", "command", "replay"} or not argument:
        raise ValueError("should be llm:CONN, llm:CONN:MODEL, command:PATH or replay:DIR")
    return value


class Proposals(Strict):
    """An agent that works on the code at the beginning of each ``experiment_sweep``; without ``agent`` none does.

    Attributes:
        agent: ``llm:CONN:MODEL``, ``command:PATH`` or ``replay:DIR``; paths are relative to this file.
        start: code that it begins with: ``production``, or ``best``, the best that was tried from production's.
        rounds: attempts.
        minutes: wall clock, trials included.
        measures: trials that the agent may ask for itself.
        calls: questions to a language model.
        tokens: of a language model.
        price: money per million tokens.
        money: what may be spent on tokens; None where nothing bounds it.
        network: whether the agent, a program, may use the machine's network; no other kind runs anything that could.
    """

    agent: Annotated[StrictStr, AfterValidator(_agent)] | None = None
    start: Literal["production", "best"] = "production"
    rounds: Count = 3
    minutes: Positive = 30.0
    measures: Annotated[int, Field(ge=0, strict=True)] = 6
    calls: Count = 40
    tokens: Count = 1_000_000
    price: NotNegative = 0.0
    money: NotNegative | None = None
    network: StrictBool = False

    @model_validator(mode="after")
    def _network_of_a_program(self) -> Proposals:
        if self.network and not (self.agent or "").startswith("command:"):
            raise FieldError("network", NO_PROGRAM)
        return self


class GateShares(Strict):
    """What part of the level that the gate may spend on false promotions is whose; numbers relative to their sum.

    Attributes:
        agent: all agents without an entry of their own in ``agents``.
        competitor: what is read from competitors' reports.
        paper: what papers claim.
        person: people, and edits of the solution's folder.
        search: the loop's own.
        agents: an agent's name, as in ``proposals.agent`` or ``propose --agent`` -> its own part.
    """

    agent: Positive = 0.15
    competitor: Positive = 0.05
    paper: Positive = 0.2
    person: Positive = 0.2
    search: Positive = 0.4
    agents: dict[StrictStr, Positive] = {}

    def parts(self) -> dict[str, float]:
        """Origin -> its part of one."""
        named = {name: float(getattr(self, name)) for name in ("agent", "competitor", "paper", "person", "search")}
        every = named | {f"agent:{name}": float(part) for name, part in self.agents.items()}
        total = sum(every.values())
        return {name: part / total for name, part in every.items()}


class Gate(Strict):
    """How the gate's level is divided among sources."""

    shares: GateShares = GateShares()


class Budget(Strict):
    """What one day may cost."""

    trials: Count = 400
    hours: Positive = 24.0
    money: NotNegative = 50.0


class SubmissionPolicy(Strict):
    """How often entries may be handed in, and that a person has read the board's terms."""

    max_per_day: Count = 1
    terms_acknowledged: StrictBool = False


class RateCard(Strict):
    """Money per hour, in ``currency``."""

    currency: StrictStr = "USD"
    cpu_hour: NotNegative = 0.04
    gpu_hour: NotNegative = 2.5


class Notifications(Strict):
    """Where alerts go. ``routes`` maps a board to a channel; quiet hours hold all but rank drops back."""

    slack_conn_id: StrictStr | None = None
    channel: StrictStr | None = None
    routes: dict[str, str] = {}
    quiet_hours: tuple[Annotated[int, Field(ge=0, le=23)], Annotated[int, Field(ge=0, le=23)]] | None = None


class Retention(Strict):
    """Days that each class of data is kept; ``code`` counts from a copy's last trial."""

    raw_pages: Count = 365
    predictions: Count = 90
    checkpoints: Count = 30
    logs: Count = 90
    code: Count = 30


class Freshness(Strict):
    """How old a board's last good snapshot may be before it counts as stale."""

    max_age_hours: Positive = 36.0
    gap_widened: Positive = 0.01


class ScheduleFile(Strict):
    """The whole file. Every part has a default, so that an empty project still runs."""

    schedule: Schedule = Schedule()
    timezone: Annotated[str, AfterValidator(_zone)] = "UTC"
    automation: Automation = Automation()
    code: Code = Code()
    proposals: Proposals = Proposals()
    gate: Gate = Gate()
    budget: Budget = Budget()
    submission: SubmissionPolicy = SubmissionPolicy()
    rate_card: RateCard = RateCard()
    notifications: Notifications = Notifications()
    retention: Retention = Retention()
    freshness: Freshness = Freshness()
