"""How well ``check`` predicts: the probability of every past night beside what the night promoted."""

from __future__ import annotations

import zoneinfo
from dataclasses import dataclass
from datetime import date

from sqlalchemy.orm import Session

from auto_benchmark.db.repositories import decisions
from auto_benchmark.errors import InputError
from auto_benchmark.project.context import Context
from auto_benchmark.project.prospects import usual_night
from auto_benchmark.promotion.gate import thaw
from auto_benchmark.promotion.level import DISCOVERIES
from auto_benchmark.promotion.past_nights import predicted
from auto_benchmark.stats.calibration import Calibration, calibration
from auto_benchmark.stats.simulation.night import Night

MOST_NIGHTS = 366


@dataclass(frozen=True, slots=True)
class TrackRecord:
    """Of a project's nights.

    Attributes:
        nights: days on which the gate decided about a hypothesis; the newest 366 at most.
        unpredicted: nights among them of which no noise was known.
        calibration: None without a predicted night.
    """

    nights: int
    unpredicted: int
    calibration: Calibration | None


def track_record(ctx: Context, session: Session) -> TrackRecord:
    """Compare what would have been predicted for each past night with what it promoted.

    A prediction knows what the last decision before the night knew, and the day's number of trials as ``schedule.yaml``
    has it today; a project's first night is predicted from its own first decision. A night promoted something where a
    decision says ``promote`` or ``challenger``: both are better with confidence, and whether it suffices for #1 is not
    predicted.
    """
    plan = usual_night(ctx.config.schedule.budget)
    nights = _nights(ctx, session)[-MOST_NIGHTS:]
    made = []
    for night in nights:
        decision = decisions.get(session=session, project=ctx.project, decision_id=night.known)
        chance = _predicted(decision.evidence_json, plan) if decision else None
        if chance is not None:
            made.append((chance, night.promoted))
    return TrackRecord(len(nights), len(nights) - len(made), calibration(made) if made else None)


@dataclass(slots=True)
class _PastNight:
    """``known``: the decision whose evidence a prediction rests on."""

    day: date
    known: int
    promoted: bool = False


def _nights(ctx: Context, session: Session) -> list[_PastNight]:
    """Days with decisions about hypotheses. Evidence of a later look is preferred: one seed overrates item noise."""
    zone = zoneinfo.ZoneInfo(ctx.config.schedule.timezone)
    found: list[_PastNight] = []
    latest: int | None = None
    for key, look, verdict, moment in decisions.by_hypotheses(session=session, project=ctx.project):
        day = moment.astimezone(zone).date()
        if not found or found[-1].day != day:
            found.append(_PastNight(day, key if latest is None else latest))
        found[-1].promoted |= verdict in DISCOVERIES
        if look > 1 or latest is None:
            latest = key
    return found


def _predicted(evidence_json: str, plan: Night) -> float | None:
    try:
        return predicted(thaw(evidence_json), plan)
    except InputError:  # of a version that kept something else
        return None
