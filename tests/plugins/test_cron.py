"""A schedule that is taken is one that Airflow's own timetable takes."""

import pytest
from airflow.exceptions import AirflowTimetableInvalid
from airflow.timetables.trigger import CronTriggerTimetable
from tests.unit.registry.test_schedule import REFUSED, TAKEN, loaded

from auto_benchmark.errors import ConfigError

pytestmark = pytest.mark.airflow
EXPRESSIONS = [*TAKEN, *(cron for cron, _ in REFUSED)]


@pytest.mark.parametrize("cron", EXPRESSIONS)
def test_what_airflow_refuses_is_refused_before(cron):
    try:
        CronTriggerTimetable(cron, timezone="UTC").validate()
    except AirflowTimetableInvalid:
        with pytest.raises(ConfigError):
            loaded(cron)


@pytest.mark.parametrize("cron", TAKEN)
def test_airflow_finds_the_next_moment_of_what_is_taken(cron):
    import pendulum

    timetable = CronTriggerTimetable(cron, timezone="Europe/Berlin")
    timetable.validate()
    assert timetable._get_next(pendulum.datetime(2026, 1, 1)) > pendulum.datetime(2026, 1, 1)


def test_the_table_has_some_that_airflow_refuses():
    def refuses(cron):
        try:
            CronTriggerTimetable(cron, timezone="UTC").validate()
        except AirflowTimetableInvalid:
            return True
        return False

    assert sum(map(refuses, EXPRESSIONS)) >= 5
