"""Builds ``experiment_sweep`` and ``experiment_sweep_urgent``: the same experiment behind two different heads.

This module alone knows that a sequential test is unrolled into rounds, and which trigger rules carry a skipped round
to the end: a plan that is skipped takes its round and all later ones along, ``finish`` runs all the same.
"""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.sdk import DAG, Asset, AssetWatcher, TaskGroup, WeightRule, chain

from auto_benchmark.hypotheses.search.rounds import LIMITS
from auto_benchmark.stats.looks import LOOKS
from auto_benchmark_airflow.dag_factories.defaults import WHATEVER_WAS_SKIPPED, project_dag, step, tell
from auto_benchmark_airflow.dag_factories.projects import Project
from auto_benchmark_airflow.dag_factories.trials import trials
from auto_benchmark_airflow.operators.pipeline import PipelineOperator
from auto_benchmark_airflow.sensors.board_score import BoardScoreSensor
from auto_benchmark_airflow.triggers.rank_drop import RankDropTrigger

NORMAL, URGENT = "experiment_sweep", "experiment_sweep_urgent"
POOLS = {NORMAL: "trial_slots", URGENT: "trial_slots_urgent"}
SEARCH_ROUNDS = len(LIMITS)
MOST_EXPERIMENTS = 3
"""Experiments that one sweep may start one after the other, while none of them wins."""
OWNER = "{{ dag_run.conf.get('owner') or run_id }}"
"""Who claims: the run, or the run that it goes on from."""
HYPOTHESIS = "{{ ti.xcom_pull(task_ids='claim') }}"
TRIAL_LIMIT = timedelta(hours=6)


def build(project: Project, doc: str) -> DAG:
    """The daily sweep of one project."""
    with project_dag(project, NORMAL, doc, limit=timedelta(hours=20)) as dag:
        sweep = Sweep(project, NORMAL)
        reconcile = step(project, f"{NORMAL}.reconcile", migrates=True)
        freshness = step(project, f"{NORMAL}.check_freshness")
        overdue = step(project, "overdue.check_overdue")
        reconcile >> [freshness, overdue]
        sweep.body(head=[freshness])
    return dag


def build_urgent(project: Project, doc: str) -> DAG:
    """The sweep that answers a rank drop: exactly two tasks before a training process runs."""
    watcher = AssetWatcher(name=f"rank_drop_{project.name}", trigger=RankDropTrigger(project=project.name))
    rank_drop = Asset(f"auto_benchmark_rank_drop_{project.name}", watchers=[watcher])
    with project_dag(project, URGENT, doc, schedule=[rank_drop], limit=timedelta(hours=20)) as dag:
        sweep = Sweep(project, URGENT)
        plan = step(
            project,
            f"{NORMAL}.claim_and_plan",
            arguments={"owner": OWNER, "asked_by": "{{ dag_run.conf.get('asked_by') or '' }}"},
            may_skip=True,
            each="trial_id",
            of="trial_ids",
            **sweep.first,
        )
        first = sweep.trials(plan, "run_trial")
        sweep.body(head=[plan, first])
    return dag


class Sweep:
    """Tasks of one sweep.

    Args:
        project: whose.
        name: which of the two sweeps; it decides the pool and the weight of the trials.
    """

    def __init__(self, project: Project, name: str) -> None:
        self.project, self.name = project, name
        self.is_urgent = name == URGENT
        weight = 100 if self.is_urgent else 1
        self.first: dict[str, Any] = {"weight_rule": WeightRule.ABSOLUTE, "priority_weight": weight}

    def step(self, function: str, **more: Any) -> PipelineOperator:
        """A function of the sweep as a task."""
        return step(self.project, f"{NORMAL}.{function}", **self.first, **more)

    def trials(self, plan: PipelineOperator, task_id: str = "trial") -> Any:
        """The planned trials, each in a slot of the sweep's own pool."""
        limits = {"execution_timeout": TRIAL_LIMIT, "pool": POOLS[self.name]}
        return trials(self.project, plan, task_id=task_id, **limits, **self.first)

    def body(self, *, head: list[Any]) -> None:
        """Search where nothing is queued, then one experiment, then what follows from it.

        Args:
            head: the tasks before; when all of them skip, so does everything.
        """
        proposed = self.search(head)
        claim = self.step("claim", arguments={"owner": OWNER}, may_skip=True, trigger_rule=WHATEVER_WAS_SKIPPED)
        chain([*head, proposed], claim)
        finish = self.experiment(claim)
        submit = self.step("submit", trigger_rule=WHATEVER_WAS_SKIPPED, retries=4, publishes=True)
        shown = BoardScoreSensor(
            task_id="board_shows_score",
            project=self.project.name,
            submitted_by="submit",
            poll_interval=10,
            timeout=timedelta(hours=12).total_seconds(),
            execution_timeout=None,
        )
        chain([*head, finish], submit, shown)
        chain(submit, tell(self.project))
        self.start_next(submit)

    def search(self, after: list[Any]) -> PipelineOperator:
        """Rounds of search trials and the hypotheses that follow from them; skipped while some are queued."""
        with TaskGroup("search"):
            needed = self.step("needs_search", may_skip=True, trigger_rule=WHATEVER_WAS_SKIPPED)
            chain(after, needed)
            before: list[Any] = [needed]
            first = 1 if self.is_urgent else 0  # the urgent sweep has run the first round before it came here
            for look in range(first, SEARCH_ROUNDS):
                queue = "urgent" if self.is_urgent else "normal"
                plan = self.step(
                    "plan_search",
                    task_id=f"plan_{look + 1}",
                    arguments={"look": look, "queue": queue},
                    each="trial_id",
                    trigger_rule=WHATEVER_WAS_SKIPPED,
                )
                chain(before, plan)
                before = [plan, self.trials(plan, f"trial_{look + 1}")]
            urgency = "urgent" if self.is_urgent else "normal"
            propose = self.step(
                "propose_hypotheses", arguments={"urgency": urgency}, trigger_rule=WHATEVER_WAS_SKIPPED
            )
            chain(before, propose)
        return propose

    def experiment(self, claim: PipelineOperator) -> PipelineOperator:
        """Fast validation, the rounds of the sequential test, fresh seeds for a winner, and the end."""
        with TaskGroup("validation"):
            plan = self.step(
                "plan_validation", task_id="plan", arguments={"hypothesis_id": HYPOTHESIS}, each="trial_id"
            )
            fast = self.trials(plan)
            valid = self.step(
                "validate", arguments={"hypothesis_id": HYPOTHESIS}, may_skip=True, trigger_rule=WHATEVER_WAS_SKIPPED
            )
        chain(claim, plan)
        chain([plan, fast], valid)
        decisions = self.rounds(valid)
        with TaskGroup("confirmation"):
            confirm = self.step(
                "plan_confirmation",
                task_id="plan",
                arguments={"hypothesis_id": HYPOTHESIS},
                each="trial_id",
                trigger_rule=WHATEVER_WAS_SKIPPED,
            )
            fresh = self.trials(confirm)
        finish = self.step("finish", arguments={"hypothesis_id": HYPOTHESIS}, trigger_rule=WHATEVER_WAS_SKIPPED)
        chain(decisions, confirm)
        chain([claim, confirm, fresh], finish)
        return finish

    def rounds(self, before: PipelineOperator) -> list[PipelineOperator]:
        """One group per look; each after the first is skipped once the one before has decided."""
        decisions: list[PipelineOperator] = []
        for look, size in enumerate(LOOKS):
            with TaskGroup(f"round_{look + 1}", tooltip=f"{size} seeds"):
                about = {"hypothesis_id": HYPOTHESIS, "look": look}
                decided = f"{{{{ (ti.xcom_pull(task_ids='round_{look}.decide') or {{}}).get('final', false) }}}}"
                plan = self.step(
                    "plan_round",
                    task_id="plan",
                    arguments=about,
                    each="trial_id",
                    skip_when=decided if look else None,
                )
                seeds = self.trials(plan)
                decide = self.step("decide", arguments=about, trigger_rule=WHATEVER_WAS_SKIPPED)
            chain(before, plan)
            chain([plan, seeds], decide)
            decisions.append(decide)
            before = decide
        return decisions

    def start_next(self, submit: PipelineOperator) -> None:
        """Start the sweep again while no experiment has won and the queue holds another."""
        with TaskGroup("next"):
            wanted = self.step(
                "next_experiment",
                arguments={
                    "outcome": "{{ (ti.xcom_pull(task_ids='finish') or {}).get('outcome') or '' }}",
                    "number": "{{ dag_run.conf.get('experiment', 1) }}",
                    "limit": MOST_EXPERIMENTS,
                },
                may_skip=True,
            )
            start = TriggerDagRunOperator(
                task_id="start",
                trigger_dag_id=self.project.dag_id(self.name),
                trigger_run_id="{{ run_id }}__next",
                logical_date=None,
                conf={"owner": OWNER, "experiment": "{{ dag_run.conf.get('experiment', 1) | int + 1 }}"},
                skip_when_already_exists=True,
            )
        submit >> wanted >> start
