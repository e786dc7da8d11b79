"""Airflow on drawn outcomes: its own DagRun, trigger rules and expansion, and the operators' own ``execute``.

The scheduler's decisions are Airflow's. This module takes the place of executor, task runner and Execution API: it runs
one task at a time, of those that Airflow would schedule the one that the flow declares first, and stores state, XCom and
the length of what is mapped. No time passes: a retry is due at once.
"""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import wraps
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

from tests.executors.outcomes import Script
from tests.executors.trace import Trace

from auto_benchmark.flows.flow import Flow
from auto_benchmark.flows.step import Step
from auto_benchmark.registry.schedule import ScheduleFile

BUNDLE = "two-executors"
_projects = itertools.count(1)


@dataclass(frozen=True)
class Bench:
    """As much of a bench as a task replaces."""

    runner: Any = None


@dataclass(frozen=True)
class World:
    """As much of a context as tasks, and the steps that are not replaced, need."""

    config: SimpleNamespace
    bench: Bench = Bench()


def world() -> World:
    """A project with one board."""
    board = SimpleNamespace(model_dump=lambda **_: {"name": "board", "higher_is_better": True})
    registry = SimpleNamespace(board=lambda _: board, our_solution=SimpleNamespace(name="Ours", aliases=[]))
    return World(SimpleNamespace(registry=registry, schedule=SimpleNamespace(timezone="UTC")))


@contextmanager
def no_project() -> Iterator[None]:
    """Steps get no database, Connection or metrics: what they give is drawn."""
    from airflow.sdk.bases.operator import ExecutorSafeguard

    hooks, metrics = "auto_benchmark_airflow.hooks.project_database", "auto_benchmark_airflow.metrics"

    @contextmanager
    def project_context(_: str) -> Iterator[Any]:
        yield world()

    with (
        patch(f"{hooks}.project_context", project_context),
        patch(f"{hooks}.database_url", lambda: ""),
        patch("auto_benchmark.db.migrate.upgrade", lambda _: None),
        patch(f"{metrics}.publish", lambda _: None),
        patch.object(ExecutorSafeguard, "test_mode", True),
    ):
        yield


def airflow_database() -> None:
    """An Airflow with a database of its own, for a script; tests have a fixture."""
    from tests.airflow_home import HOME

    assert HOME
    from airflow.utils.db import initdb

    initdb()


class AirflowSide:
    """One flow as Airflow has it.

    Args:
        flow: compiled as the DAG files do it, for a project of this object's own.
    """

    def __init__(self, flow: Flow) -> None:
        from auto_benchmark_airflow.dag_factories.compiler import compiled
        from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

        self.flow = flow
        self.project = ScheduledProject(f"p{next(_projects)}", ScheduleFile())
        self.script = Script(0)
        self.dag = compiled(self._played(), self.project, "A test.\n")
        self.stored = store(self.dag)

    def _played(self) -> Flow:
        """The flow whose functions ask the script at hand."""
        return replace(self.flow, steps=tuple(self._asking(step) for step in self.flow.steps))

    def _asking(self, step: Step) -> Step:
        @wraps(step.run)
        def run(ctx: Any, **arguments: Any) -> Any:
            return self.script.step(step).run(ctx, **arguments)

        return replace(step, run=run)

    def play(self, script: Script, *, run_id: str, conf: dict[str, Any], asks_about_all: bool = False) -> Trace:
        """Run the DAG, and again as often as it starts itself.

        Args:
            script: what its steps give.
            run_id: of the first run.
            conf: what the first run is started with.
            asks_about_all: ask Airflow about every unfinished task after each one, as its scheduler does.
        """
        self.script, trace = script, Trace()
        started: tuple[str, dict[str, Any]] | None = (run_id, conf)
        with no_project():
            while started is not None:
                script.run_id, trace.conf[started[0]] = started
                woken = script.is_woken and started[0] == run_id
                run = _Run(self, *started, woken=woken, asks_about_all=asks_about_all)
                run.to_its_end()
                trace.note_states(script.run_id, run.instances)
                trace.failed[script.run_id] = run.has_failed
                started = run.next
        trace.note(script.calls)
        return trace


class _Run:
    """One DAG run."""

    def __init__(
        self, side: AirflowSide, run_id: str, conf: dict[str, Any], *, woken: bool, asks_about_all: bool
    ) -> None:
        from airflow.settings import Session
        from airflow.utils.state import DagRunState
        from airflow.utils.types import DagRunTriggeredByType, DagRunType

        self.side, self.results = side, dict[str, Any]()
        self.next: tuple[str, dict[str, Any]] | None = None
        self.session = Session()
        self.order = {step.id: number for number, step in enumerate(side.flow.steps)}
        self.dag_run = side.stored.create_dagrun(
            run_id=run_id, run_after=side.script.moment, conf=conf,
            run_type=DagRunType.ASSET_TRIGGERED if woken else DagRunType.MANUAL,
            state=DagRunState.RUNNING, triggered_by=DagRunTriggeredByType.TEST, start_date=side.script.moment,
            session=self.session,
        )  # fmt: skip
        self.dag_run.dag = side.stored
        self.run_id = run_id
        self.instances = self.dag_run.get_task_instances(session=self.session)
        for instance in self.instances:
            instance.task = side.stored.get_task(instance.task_id)
        self.touched = {step.id for step in side.flow.steps if not step.upstream}
        self.ready: list[Any] = []
        self.asks_about_all = asks_about_all

    def to_its_end(self) -> None:
        """Let Airflow decide, run the first of what it would schedule, until nothing is left."""
        while (instance := self._decide()) is not None:
            self._run(instance)
            self._ended(instance)
        self.session.flush()
        self.dag_run.update_state(session=self.session, execute_callbacks=False)
        self.session.commit()

    def _ended(self, instance: Any) -> None:
        """What has to be asked about again after a task instance has changed."""
        if self.asks_about_all:
            self.touched = set(self.order)
        self.touched |= {instance.task_id} if is_schedulable(instance) else instance.task.downstream_task_ids

    @property
    def has_failed(self) -> bool:
        """Whether Airflow calls the run failed."""
        assert str(self.dag_run.state) in {"success", "failed"}, self.dag_run.state
        return str(self.dag_run.state) == "failed"

    def _decide(self) -> Any:
        """The task instance to run next, after everything that skipping and failing entail; None at the end.

        Airflow asks about every unfinished task each time. What it would say of a task whose predecessors have not
        changed since it was last asked is known, so that only the others are asked about here, by the same code;
        ``update_state`` asks about all of them at the end of the run and would leave it running if one was missed.
        """
        while self.touched:
            asked = [ti for ti in self.instances if ti.task_id in self.touched and is_schedulable(ti)]
            finished = [ti for ti in self.instances if is_finished(ti)]
            self.touched, before = set(), {id(ti): ti.state for ti in asked}
            self.session.flush()
            ready, _, _ = self.dag_run._get_ready_tis(asked, finished, session=self.session)
            for instance in ready:
                if all(instance is not known for known in self.instances):
                    instance.task = self.side.stored.get_task(instance.task_id)
                    self.instances.append(instance)
                if all(instance is not known for known in self.ready):
                    self.ready.append(instance)
            for instance in asked:
                if instance.state != before[id(instance)]:
                    self._ended(instance)
        self.ready.sort(key=lambda ti: (self.order[ti.task_id], ti.map_index))
        return self.ready.pop(0) if self.ready else None

    def _run(self, instance: Any) -> None:
        """What task runner and Execution API do, on the operator's own ``execute``."""
        from airflow.models.taskmap import TaskMap
        from airflow.sdk.exceptions import (
            AirflowFailException,
            AirflowSkipException,
            DagRunTriggerException,
            TaskDeferred,
        )
        from airflow.utils.state import TaskInstanceState

        instance.try_number += 1
        state = TaskInstanceState.SUCCESS
        try:
            result = self._execute(instance)
        except AirflowSkipException:
            state = TaskInstanceState.SKIPPED
        except AirflowFailException:
            state = TaskInstanceState.FAILED
        except TaskDeferred:
            pass  # the boards show it: what is waited for always comes
        except DagRunTriggerException as started:
            self.next = (started.dag_run_id, started.conf)
        except Exception:
            again = instance.is_eligible_to_retry()
            state = TaskInstanceState.UP_FOR_RETRY if again else TaskInstanceState.FAILED
        else:
            self.results[instance.task_id] = result
            if self.side.flow.over(instance.task_id) is not None:
                self.session.merge(TaskMap.from_task_instance_xcom(instance, result))
        instance.state = state
        instance.end_date = self.side.script.moment - timedelta(days=1)  # a retry is due

    def _execute(self, instance: Any) -> Any:
        task = self.side.dag.get_task(instance.task_id)
        pulled = SimpleNamespace(
            map_index=instance.map_index, task=task, task_id=instance.task_id, dag_id=instance.dag_id,
            run_id=self.dag_run.run_id, try_number=instance.try_number,
            xcom_pull=lambda task_ids, **_: self.results.get(task_ids),
        )  # fmt: skip
        context = {
            "ti": pulled, "task_instance": pulled, "task": task, "dag": self.side.dag, "dag_run": self.dag_run,
            "run_id": self.dag_run.run_id, "params": dict(self.side.dag.params), "outlet_events": _Events(),
        }  # fmt: skip
        task = task.prepare_for_execution()
        task.render_template_fields(context)
        return context["ti"].task.execute(context) if task.is_mapped else task.execute(context)


def is_schedulable(instance: Any) -> bool:
    """Whether Airflow asks about it."""
    from airflow.ti_deps.dependencies_states import SCHEDULEABLE_STATES

    return instance.state in SCHEDULEABLE_STATES


def is_finished(instance: Any) -> bool:
    """Whether it has ended."""
    from airflow.utils.state import State

    return instance.state is not None and instance.state in State.finished


class _Events(dict[Any, Any]):
    """Assets that a task would have updated."""

    def __missing__(self, _: Any) -> Any:
        return SimpleNamespace(add=lambda _: None)


def store(dag: Any) -> Any:
    """Write the DAG as the DAG processor does; returns it as the scheduler has it."""
    from airflow.models.dag import DagModel
    from airflow.models.dagbundle import DagBundleModel
    from airflow.models.serialized_dag import SerializedDagModel
    from airflow.serialization.definitions.dag import SerializedDAG
    from airflow.serialization.serialized_objects import DagSerialization, LazyDeserializedDAG
    from airflow.settings import Session

    session = Session()
    if session.get(DagBundleModel, BUNDLE) is None:
        session.add(DagBundleModel(name=BUNDLE))
        session.commit()
    lazy = LazyDeserializedDAG.from_dag(dag)
    SerializedDAG.bulk_write_to_db(BUNDLE, None, [lazy], session=session)
    SerializedDagModel.write_dag(lazy, bundle_name=BUNDLE, session=session)
    session.commit()
    assert session.get(DagModel, dag.dag_id) is not None
    return DagSerialization.deserialize_dag(DagSerialization.serialize_dag(dag))
