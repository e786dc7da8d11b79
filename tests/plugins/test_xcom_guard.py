"""What may go into Airflow's database."""

import pytest

pytestmark = pytest.mark.airflow


@pytest.fixture
def guard():
    from auto_benchmark_airflow import xcom_guard

    return xcom_guard


def test_small_json_passes_unchanged(guard):
    value = {"trial_ids": list(range(500)), "hypothesis_id": "H-001"}
    assert guard.guarded(value, task="t") is value


def test_a_scraped_board_is_refused_with_its_size(guard):
    rows = [
        {"system": f"System {i}", "score": i / 7, **{f"metric_{k}": k * 1.5 for k in range(7)}} for i in range(1556)
    ]
    with pytest.raises(guard.XComTooLargeError, match=r"scrape returned \d{5,} bytes.*16384.*return its id"):
        guard.guarded(rows, task="scrape")


@pytest.mark.parametrize("value", [float("nan"), {"x": float("inf")}, {1, 2}, object()])
def test_what_is_not_json_is_refused(guard, value):
    with pytest.raises(guard.XComTooLargeError, match="not JSON"):
        guard.guarded(value, task="t")


def test_the_refusal_is_not_retried(guard):
    from airflow.sdk.exceptions import AirflowFailException

    assert issubclass(guard.XComTooLargeError, AirflowFailException)
