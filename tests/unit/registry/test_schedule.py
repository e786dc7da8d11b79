"""Which cron expressions a schedule takes: those of Airflow in five fields, if they name moments that come."""

import pytest

from auto_benchmark.documents import parse_yaml, validate
from auto_benchmark.errors import ConfigError
from auto_benchmark.registry.schedule import ScheduleFile

TAKEN = [
    "0 9 * * MON", "0 9 * * mon-fri", "0 9 * JAN,JUL *", "*/15 * * * *", "5-55/10 8-18 * * 1-5", "0 9 * * 7",
    "0 9 L * *", "0 9 * * MON#1", "0 9 * * L5", "0 9 ? * *", "0 0 29 2 *", "0  9 * *  1", "30 6 1,15 * *",
    "0 9 * * SUN-TUE", "0 9 1W * *", "0 9 * MAR THU",
]  # fmt: skip
REFUSED = [
    ("0 25 * * *", "'0 25 * * *' is not a cron expression: not acceptable, out of range"),
    ("60 * * * *", "out of range"),
    ("0 9 * * 8", "out of range"),
    ("0 9 * * FOO", "'0 9 * * FOO' is not a cron expression"),
    ("0 9 * * MON,,TUE", "is not a cron expression"),
    ("*/0 * * * *", "step '0' in field 0"),
    ("٣ * * * *", "is not a cron expression"),
    ("0 0 30 2 *", "'0 0 30 2 *' is a time that never comes"),
    ("0 0 31 4,6 *", "is a time that never comes"),
    ("R R * * *", "'R' is random"),
    ("0 h * * *", "'h' is random"),
    ("0 R(8-10) * * *", "is random"),
    ("30 0 9 * * MON", "a schedule has five cron fields, this has 6"),
    ("0 9 * *", "a schedule has five cron fields, this has 4"),
    ("0 9 * * 1 30 2030", "this has 7"),
    ("@daily", "this has 1"),
    ("", "this has 0"),
]


def loaded(cron: str) -> ScheduleFile:
    text = f"timezone: UTC\nschedule:\n  research_ingest: {cron!r}\n"
    return validate(ScheduleFile, parse_yaml(text, "schedule.yaml"))


@pytest.mark.parametrize("cron", TAKEN)
def test_taken(cron: str) -> None:
    assert loaded(cron).schedule.research_ingest == cron


@pytest.mark.parametrize(("cron", "why"), REFUSED)
def test_refused_with_file_line_field_and_reason(cron: str, why: str) -> None:
    with pytest.raises(ConfigError) as caught:
        loaded(cron)
    [fault] = str(caught.value).splitlines()
    assert fault.startswith("schedule.yaml:3: schedule.research_ingest: ")
    assert why in fault
