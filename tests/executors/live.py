"""A flow on drawn outcomes through ``DAG.test``: task runner, Execution API, XCom and rendering are all Airflow's own."""

from datetime import timedelta
from typing import Any
from unittest.mock import patch

from tests.executors.airflow_side import AirflowSide, no_project
from tests.executors.outcomes import Script
from tests.executors.trace import Trace

from auto_benchmark.flows.flow import Flow, next_run_id

MOST_RUNS = 5
BEST_SCORE = 1.0
"""What every board shows for us: whatever was handed in is there at once."""


def play(flow: Flow, script: Script, *, run_id: str) -> Trace:
    """Run the DAG, and again as often as it starts itself. The first run is told who claims, as Airflow names runs itself.

    Args:
        flow: compiled for a project of its own.
        script: what its steps give.
        run_id: name of the first run in the trace.
    """
    from airflow.models.dagrun import DagRun
    from airflow.settings import Session
    from sqlalchemy import select

    side, trace = AirflowSide(flow), Trace()
    side.script = script
    for task in side.dag.tasks:  # a retry is due at once
        (task.partial_kwargs if task.is_mapped else vars(task))["retry_delay"] = timedelta(0)
        (task.partial_kwargs if task.is_mapped else vars(task))["retry_exponential_backoff"] = 0
    conf: dict[str, Any] | None = {"owner": run_id}
    with no_project(), patch("auto_benchmark_airflow.triggers.board_score.score_on_board", lambda *_: BEST_SCORE):
        while conf is not None:
            assert len(trace.conf) < MOST_RUNS
            script.run_id, trace.conf[run_id] = run_id, conf
            dag_run = side.dag.test(run_after=script.moment, logical_date=None, run_conf=conf)
            trace.note_states(run_id, dag_run.get_task_instances())
            trace.failed[run_id] = str(dag_run.state) == "failed"
            query = select(DagRun).where(
                DagRun.dag_id == side.dag.dag_id, DagRun.run_id == next_run_id(dag_run.run_id)
            )
            with Session() as session:
                following = session.scalar(query)
                conf = None if following is None else dict(following.conf or {})
            run_id = next_run_id(run_id)
    trace.note(script.calls)
    return trace
