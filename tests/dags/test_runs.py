"""Whole DAG runs on the toy project: real tasks, Postgres and trial processes; only the scheduler is absent."""

import pytest
from sqlalchemy import select

from auto_benchmark.db.models import CompetitiveDelta, Trial
from auto_benchmark.db.repositories import board_history, decisions, production, rank_drops, records
from auto_benchmark.flows import (
    experiment_sweep,
    experiment_sweep_urgent,
    leaderboard_scrape,
    production_defense,
    report_digest,
)

pytestmark = [pytest.mark.airflow, pytest.mark.usefixtures("airflow_database")]
DOC = "A test.\n"


def run(flow, **conf):
    """Compile the flow for the default project as the DAG files do, and run it once; task_id -> states."""
    from auto_benchmark.registry.schedule import ScheduleFile
    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    dag_run = compiled(flow, ScheduledProject("default", ScheduleFile()), DOC).test(run_conf=conf or None)
    states: dict[str, set[str]] = {}
    for instance in dag_run.get_task_instances():
        states.setdefault(instance.task_id, set()).add(str(instance.state))
    return str(dag_run.state), states


def test_scrape_records_each_board_once(toy_home, toy_context):
    for _ in range(2):
        state, tasks = run(leaderboard_scrape.FLOW)
        assert state == "success"
        assert set(tasks) == {
            "reconcile",
            "board_names",
            "scrape_board",
            "update_landscape",
            "check_overdue",
            "notify",
        }
    with toy_context.sessions() as session:
        history = board_history.history(session=session, project="default", board="ToyBoard")
        assert len(history) == 1
        assert (history[0].standing.our_rank, history[0].standing.our_score) == (2, 0.61)
    assert (toy_home.home / "default" / "competitive_registry.yaml").is_file()


def test_a_sweep_searches_decides_and_leaves_the_reason(toy_home, toy_context):
    run(leaderboard_scrape.FLOW)
    state, tasks = run(experiment_sweep.FLOW)
    assert state == "success", tasks
    assert tasks["search.trial_1"] == {"success"}
    assert tasks["finish"] == {"success"}
    with toy_context.sessions() as session:
        made = decisions.latest(session=session, project="default")
        assert made
        assert made[0].reason
        decided_rounds = [n for n in range(1, 6) if "success" in tasks[f"round_{n}.decide"]]
        assert len(made) == len(decided_rounds)
    for n in range(max(decided_rounds) + 1, 6):
        assert tasks[f"round_{n}.plan"] == {"skipped"}
    assert tasks["board_shows_score"] == {"skipped"}


def test_the_urgent_sweep_answers_two_rank_drops_once(toy_home, toy_context):
    board = toy_home.board
    run(leaderboard_scrape.FLOW)
    board.write_text("system,accuracy\nLeader,0.90\nNew,0.70\nNewer,0.65\nOurs,0.61\nLast,0.50\n")
    run(leaderboard_scrape.FLOW)
    with toy_context.sessions() as session:
        assert len(rank_drops.unclaimed(session=session, project="default")) == 2
    state, tasks = run(experiment_sweep_urgent.FLOW)
    assert state == "success", tasks
    assert tasks["run_trial"] == {"success"}
    with toy_context.sessions() as session:
        owners = session.scalars(
            select(CompetitiveDelta.claimed_by).where(CompetitiveDelta.event_key.is_not(None))
        ).all()
        assert len(owners) == 2
        assert len(set(owners)) == 1
        assert None not in owners
        told = records.logged(session=session, project="default", kind="rank_drop")
        assert {entry.subject for entry in told} == {"ToyBoard"}
        assert len(told) == 2
        assert "urgent" in session.scalars(select(Trial.queue)).all()
        assert production.current(session=session, project="default") is not None
    state, tasks = run(experiment_sweep_urgent.FLOW)
    assert state == "success"
    assert tasks.pop("notify") == {"success"}, "people are told what is new even when nothing had to be done"
    assert {state for states in tasks.values() for state in states} == {"skipped"}


def test_the_digest_is_written_for_the_present_week(toy_home, toy_context):
    from auto_benchmark.telling.digest import week_of

    assert run(report_digest.FLOW)[0] == "success"
    week = week_of(toy_context.now())
    with toy_context.sessions() as session:
        assert records.digest(session=session, project="default", week=week) is not None
    assert (toy_home.home / "default" / "reports" / f"digest-{week}.md").is_file()
    assert (toy_home.home / "default" / "TECHNICAL_LOG.md").is_file()


def test_falling_further_behind_updates_the_asset_that_starts_research(toy_home, toy_context):
    from airflow.models.asset import AssetEvent, AssetModel
    from airflow.utils.session import create_session

    run(leaderboard_scrape.FLOW)
    board = toy_home.board
    board.write_text("system,accuracy\nLeader,0.99\nOurs,0.61\nLast,0.50\n")
    assert run(leaderboard_scrape.FLOW)[0] == "success"
    with toy_context.sessions() as session:
        told = records.logged(session=session, project="default", kind="trigger")
    assert "research_ingest" in {entry.inputs["action"] for entry in told}
    with create_session() as session:
        query = select(AssetModel.name).join(AssetEvent, AssetEvent.asset_id == AssetModel.id)
        assert "auto_benchmark_gap_widened_default" in session.scalars(query).all()


def test_defense_leaves_production_alone_while_we_are_behind(toy_home, toy_context):
    run(leaderboard_scrape.FLOW)
    state, tasks = run(production_defense.FLOW)
    assert state == "success"
    ran = {task for task, states in tasks.items() if states == {"success"}}
    assert ran == {"reconcile", "check_promises", "notify"}
    with toy_context.sessions() as session:
        assert session.scalars(select(Trial.id)).all() == []


def test_defense_measures_production_while_we_lead(toy_home, toy_context):
    board = toy_home.board
    board.write_text("system,accuracy\nOurs,0.61\nNear,0.60\nLast,0.50\n")
    run(leaderboard_scrape.FLOW)
    state, tasks = run(production_defense.FLOW)
    assert state == "success"
    assert tasks["measure.trial"] == {"success"}
    assert tasks["detect"] == tasks["respond"] == {"skipped"}
    assert tasks["watch_entrants"] == {"success"}
    with toy_context.sessions() as session:
        assert set(session.scalars(select(Trial.purpose)).all()) == {"defense"}
        told = records.logged(session=session, project="default", kind="entrant")
    assert [entry.inputs["system"] for entry in told] == ["Near"]


def test_a_faulty_registry_fails_at_once_and_says_where(toy_home):
    registry = toy_home.config / "competitive_registry.yaml"
    registry.write_text(registry.read_text().replace("higher_is_better: true", "higher_is_better: yes please"))
    state, tasks = run(leaderboard_scrape.FLOW)
    assert state == "failed"
    assert tasks["reconcile"] == {"failed"}


def test_a_close_entrant_starts_one_sweep(toy_home, toy_context):
    """Airflow itself says which DAGs need a run after the scrape."""
    from airflow.models.asset import AssetDagRunQueue
    from airflow.models.dag import DagModel
    from airflow.utils.session import create_session
    from sqlalchemy import update
    from tests.executors.airflow_side import store

    from auto_benchmark.registry.schedule import ScheduleFile
    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    for flow in (leaderboard_scrape.FLOW, experiment_sweep.FLOW, production_defense.FLOW):
        store(compiled(flow, ScheduledProject("default", ScheduleFile()), DOC))
    with create_session() as session:
        session.execute(update(DagModel).values(is_paused=False))

    def needed():
        with create_session() as session:
            return set(session.scalars(select(AssetDagRunQueue.target_dag_id)))

    run(leaderboard_scrape.FLOW)
    before = needed()
    toy_home.board.write_text("system,accuracy\nLeader,0.90\nOurs,0.61\nFresh,0.60\nLast,0.50\n")
    run(leaderboard_scrape.FLOW)
    assert needed() - before == {"experiment_sweep"}
    with create_session() as session:
        _, triggered = DagModel.dags_needing_dagruns(session)
        assert "experiment_sweep" in triggered
