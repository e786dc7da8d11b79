"""Schedules over clock changes, and cron as people write it."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from zoneinfo import ZoneInfo

import pytest
from croniter import croniter
from pydantic import ValidationError
from tests.airflow_home import HOME

from auto_benchmark.registry.schedule import ScheduleFile

assert HOME
TOY = Path(__file__).parents[1] / "toy"


@pytest.mark.airflow
@pytest.mark.parametrize(
    ("zone", "hour", "days"),
    [
        ("America/New_York", 19, (6, 7, 8, 9, 10)),
        ("America/New_York", 6, (6, 7, 8, 9, 10)),
        ("UTC", 19, (6, 7, 8, 9, 10)),
    ],
)  # fmt: skip
def test_each_daily_run_is_a_cycle_of_its_own(zone, hour, days):
    from auto_benchmark.flows.leaderboard_scrape import FLOW
    from auto_benchmark_airflow.dag_factories.compiler import compiled
    from auto_benchmark_airflow.dag_factories.projects import ScheduledProject

    declared = {"schedule": {"leaderboard_scrape": f"30 {hour} * * *"}, "timezone": zone}
    dag = compiled(FLOW, ScheduledProject("default", ScheduleFile.model_validate(declared)))
    (task,) = [t for t in dag.tasks if "cycle" in (getattr(t, "arguments", None) or {})]
    moments = [datetime(2026, 3, day, hour, 30, tzinfo=ZoneInfo(zone)).astimezone(UTC) for day in days]
    cycles = []
    for moment in moments:
        run = SimpleNamespace(run_after=moment, run_id=str(moment), run_type="scheduled", conf={})
        context = {"dag_run": run, "run_id": run.run_id, "logical_date": moment, "dag": dag}
        cycles.append(task.arguments["cycle"].resolve(context))
    assert len(set(cycles)) == len(days), cycles


def schedule(cron):
    return ScheduleFile.model_validate({"schedule": {"report_digest": cron}}).schedule.report_digest


@pytest.mark.parametrize("cron", ["0 9 * * MON", "0 9 * * mon-fri", "0 9 1 JAN,jul *"])
def test_names_of_days_and_months_are_cron(cron):
    assert schedule(cron) == cron


@pytest.mark.parametrize("cron", ["0 9 * * FUN", "0 25 * * *", "60 * * * *", "0 9 * *", "every day", ""])
def test_what_is_no_cron_is_refused(cron):
    with pytest.raises(ValidationError, match="cron"):
        schedule(cron)


@pytest.mark.parametrize("cron", ["30 2 * * *", "*/5 * * * *", "0 9 * * 7", "0 8-18/2 * * 1-5"])
def test_every_moment_of_an_accepted_schedule_can_be_found(cron):
    found = croniter(schedule(cron), datetime(2026, 3, 7, tzinfo=ZoneInfo("America/New_York"))).get_next(datetime)
    assert found.tzinfo is not None


def test_check_accepts_the_name_of_a_day(cli, tmp_path, monkeypatch):
    shutil.copytree(TOY, tmp_path / "toy")
    for part in ("config", "benchmarks", "solutions"):
        monkeypatch.setenv(f"AUTO_BENCHMARK_{part.upper()}", str(tmp_path / "toy" / part))
    (tmp_path / "toy/config/schedule.yaml").write_text("schedule: {report_digest: 0 9 * * MON}\n")
    assert "schedule.yaml:" not in cli("check").err
