"""What people may do by hand. Each action is written to the decision log with the name of the person who did it.

Starting a DAG (an urgent sweep, a new scrape) is not here: the page asks Airflow's own API for that.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from fastapi import Depends, FastAPI, HTTPException

from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.errors import ConfigError, InputError
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.kinds import LogKind
from auto_benchmark_airflow.web.access import Access
from auto_benchmark_airflow.web.parameters import Key, Patch, Reason, TrialId, Written
from auto_benchmark_airflow.web.world import World

SWEEP = "experiment_sweep"


def add_actions(app: FastAPI, access: Access, world: World) -> None:
    """Add every route that changes something; each asks for the right to start the sweep."""
    signed_in = Depends(access.user)

    def actor(project: str, user: Any = signed_in) -> str:
        """The user's name. Raises HTTPException 403 without the right."""
        if not access.may_act(project, SWEEP, user):
            raise HTTPException(403, f"this needs the right to start {SWEEP}")
        return access.name(user)

    by_actor = Depends(actor)

    @app.post("/api/{project}/hypotheses")
    def propose(project: str, idea: Written, patch: Patch = "", by: str = by_actor) -> dict[str, Any]:
        """Queue a change of knobs, of code, or of both; one that was asked before is answered with its result."""
        from auto_benchmark.ideas.posted import take_in_posted

        with _refusals():
            taken = take_in_posted(world.context(project), idea, patch, by=by)
        found = taken.hypothesis
        return {
            "id": found.id, "status": str(found.status), "priority_score": found.priority_score,
            "reason": taken.reason, "is_new": taken.is_new,
        }  # fmt: skip

    @app.post("/api/{project}/hypotheses/{hypothesis_id}/pause")
    def pause(project: str, hypothesis_id: str, reason: Reason, by: str = by_actor) -> dict[str, Any]:
        """Take a queued hypothesis out of the queue until it is resumed."""
        return _moved(
            world, project, hypothesis_id, reason, by, HypothesisStatus.QUEUED, HypothesisStatus.PAUSED, "paused"
        )

    @app.post("/api/{project}/hypotheses/{hypothesis_id}/resume")
    def resume(project: str, hypothesis_id: str, reason: Reason, by: str = by_actor) -> dict[str, Any]:
        """Put a paused hypothesis back into the queue."""
        return _moved(
            world, project, hypothesis_id, reason, by, HypothesisStatus.PAUSED, HypothesisStatus.QUEUED, "resumed"
        )

    @app.post("/api/{project}/trials/{trial_id}/invalidate")
    def invalidate(project: str, trial_id: TrialId, reason: Reason, by: str = by_actor) -> dict[str, Any]:
        """Take a trial out of every future decision."""
        from auto_benchmark.experiments.outcome.invalidation import invalidate_trial

        with _refusals():
            again = invalidate_trial(world.context(project), trial_id, by=by, reason=reason)
        return {"trial": trial_id, "state": "cancelled", "decided_again": again}

    @app.post("/api/{project}/escalations/{answer}")
    def answer_escalation(
        project: str, answer: Literal["approve", "reject", "close"], key: Key, reason: Reason, by: str = by_actor
    ) -> dict[str, Any]:
        """Approve or reject what waits for a person (a promotion, a submission, an entry), or close another question."""
        from auto_benchmark.telling import approvals

        act = {"approve": approvals.approve_question, "reject": approvals.reject_question, "close": approvals.close}[
            answer
        ]
        with _refusals():
            return act(world.context(project), key, by=by, reason=reason)


@contextmanager
def _refusals() -> Iterator[None]:
    """What the library refuses is a conflict with the state of things, in its words; a faulty idea is none."""
    try:
        yield
    except ConfigError as error:
        raise HTTPException(422, str(error)) from None
    except InputError as error:
        raise HTTPException(409, str(error)) from None


def _moved(
    world: World, project: str, hypothesis_id: str, reason: str, by: str, old: HypothesisStatus,
    new: HypothesisStatus, verb: str,
) -> dict[str, Any]:  # fmt: skip
    text = f"{verb} by {by}: {reason}"
    with world.sessions.begin() as session:
        moved = hypotheses.set_status(
            session=session, project=project, hypothesis_id=hypothesis_id, status=new, reason=text, only_from=[old]
        )
        if not moved:
            raise HTTPException(409, f"{hypothesis_id} is not {old}, so it cannot be {verb}")
        _note(session, project, hypothesis_id, text, {"by": by})
    return {"hypothesis": hypothesis_id, "status": str(new)}


def _note(session: Any, project: str, subject: str, text: str, inputs: dict[str, Any]) -> None:
    from uuid import uuid4

    records.log(
        session=session, project=project, key=f"person/{uuid4()}", kind=LogKind.PERSON, subject=subject, reason=text,
        inputs=inputs,
    )  # fmt: skip
