"""What both sweeps have in common: search, one experiment, and what follows from it.

This module alone knows that a sequential test is unrolled into rounds, and which rules carry a skipped round to the
end: a plan that is skipped takes its round and all later ones along; ``finish`` runs anyway.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

from auto_benchmark.experiments import steps
from auto_benchmark.flows.reference import OWNER, Conf, Plus, Result
from auto_benchmark.flows.step import Over, Rule, Step, StepKind
from auto_benchmark.hypotheses.search.rounds import LIMITS, MOST_EXPERIMENTS
from auto_benchmark.kinds import Outcome
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark.telling.steps import notify

LIMIT = timedelta(hours=20)
TRIAL_LIMIT = timedelta(hours=6)
SHOWN_WITHIN = timedelta(hours=12)
SUBMIT_RETRIES = 4
SEARCH_ROUNDS = len(LIMITS)
ENDS = tuple(map(str, (Outcome.PROMOTE, Outcome.CHALLENGER, Outcome.WAITS_FOR_APPROVAL, Outcome.PAUSED)))
"""Outcomes that end a sweep: the next hypothesis would start from another base, or from one that is about to change,
or it could not run."""
NUMBER = Conf("experiment", 1)
HYPOTHESIS = {"hypothesis_id": Result("claim")}
ROUNDS = {f"round_{number}": f"{size} seeds" for number, size in enumerate(LOOKS, start=1)}
"""Group of each look -> what Airflow shows beside its name."""


def trials(step_id: str, plan: str, *, pool: str, of: str | None = None, weight: int | None = None) -> Step:
    """The trials that the step ``plan`` has planned, each in a slot of ``pool``."""
    return Step(
        id=step_id, run=steps.run_trial, together=steps.run_trials, over=Over(plan, "trial_id", of), kind=StepKind.TRIAL,
        limit=TRIAL_LIMIT, pool=pool, weight=weight,
    )  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class SweepSteps:
    """The steps of a sweep after its head.

    Attributes:
        pool: slots of its trials.
        weight: priority of its steps.
        queue: of its search trials, and urgency of what the search proposes.
        searched: search rounds that the head has run.
    """

    pool: str
    weight: int
    queue: str
    searched: int = 0

    @property
    def step(self) -> partial[Step]:
        """Makes a step with the sweep's weight."""
        return partial(Step, weight=self.weight)

    @property
    def trials(self) -> partial[Step]:
        """Makes the step that runs planned trials in the sweep's pool."""
        return partial(trials, pool=self.pool, weight=self.weight)

    def body(self, *head: str) -> Iterator[Step]:
        """Search where nothing is queued, then one experiment, then what follows from it.

        Args:
            head: ids of the steps before; when all of them skip, so does everything.
        """
        yield from self._search(head)
        yield self.step(
            id="claim", run=steps.claim, after=(*head, "search.propose_hypotheses"), arguments={"owner": OWNER},
            rule=Rule.NONE_FAILED, may_skip=True,
        )  # fmt: skip
        yield from self._validation()
        yield from self._rounds()
        yield from self._end()
        yield self.step(
            id="submit", run=steps.submit, after=(*head, "finish"), rule=Rule.NONE_FAILED, retries=SUBMIT_RETRIES,
            publishes=True,
        )  # fmt: skip
        yield from self._afterwards()

    def _search(self, head: Sequence[str]) -> Iterator[Step]:
        yield self.step(
            id="search.needs_search", run=steps.needs_search, after=head, rule=Rule.NONE_FAILED, may_skip=True
        )
        before = ["search.needs_search"]
        for look in range(self.searched, SEARCH_ROUNDS):
            plan, trial = f"search.plan_{look + 1}", f"search.trial_{look + 1}"
            yield self.step(
                id=plan, run=steps.plan_search, after=before, arguments={"look": look, "queue": self.queue},
                rule=Rule.NONE_FAILED,
            )  # fmt: skip
            yield self.trials(trial, plan)
            before = [plan, trial]
        yield self.step(
            id="search.propose_hypotheses", run=steps.propose_hypotheses, after=before,
            arguments={"urgency": self.queue}, rule=Rule.NONE_FAILED,
        )  # fmt: skip

    def _validation(self) -> Iterator[Step]:
        yield self.step(id="validation.plan", run=steps.plan_validation, after=["claim"], arguments=HYPOTHESIS)
        yield self.trials("validation.trial", "validation.plan")
        yield self.step(
            id="validation.validate", run=steps.validate, after=("validation.plan", "validation.trial"),
            arguments=HYPOTHESIS, rule=Rule.NONE_FAILED, may_skip=True,
        )  # fmt: skip

    def _rounds(self) -> Iterator[Step]:
        """One group per look; each after the first is skipped once the one before has decided."""
        before = "validation.validate"
        decided: Result | None = None
        for look, group in enumerate(ROUNDS):
            about = {**HYPOTHESIS, "look": look}
            plan, trial, decide = f"{group}.plan", f"{group}.trial", f"{group}.decide"
            yield self.step(id=plan, run=steps.plan_round, after=[before], arguments=about, skip_when=decided)
            yield self.trials(trial, plan)
            yield self.step(id=decide, run=steps.decide, after=(plan, trial), arguments=about, rule=Rule.NONE_FAILED)
            before, decided = decide, Result(decide, "final", default=False)

    def _end(self) -> Iterator[Step]:
        """Fresh seeds for a winner, and the end of the experiment, however it went."""
        yield self.step(
            id="confirmation.plan", run=steps.plan_confirmation, after=[f"{group}.decide" for group in ROUNDS],
            arguments=HYPOTHESIS, rule=Rule.NONE_FAILED,
        )  # fmt: skip
        yield self.trials("confirmation.trial", "confirmation.plan")
        yield self.step(
            id="finish", run=steps.finish, after=("claim", "confirmation.plan", "confirmation.trial"),
            arguments=HYPOTHESIS, rule=Rule.NONE_FAILED,
        )  # fmt: skip

    def _afterwards(self) -> Iterator[Step]:
        yield Step(
            id="board_shows_score", run=steps.handed_in, after=["submit"], arguments={"submitted": Result("submit")},
            kind=StepKind.AWAIT, may_skip=True, limit=SHOWN_WITHIN,
        )  # fmt: skip
        yield Step(id="notify", run=notify, after=["submit"], rule=Rule.TEARDOWN)
        yield self.step(
            id="next.next_experiment", run=steps.next_experiment, after=["submit"], may_skip=True,
            arguments={
                "outcome": Result("finish", "outcome", default=""), "ends": ENDS, "number": NUMBER,
                "limit": MOST_EXPERIMENTS,
            },
        )  # fmt: skip
        yield Step(
            id="next.start", run=steps.start_next, after=["next.next_experiment"], kind=StepKind.REPEAT,
            arguments={"owner": OWNER, "experiment": Plus(NUMBER, 1)},
        )  # fmt: skip
