"""The usual way in Airflow, for comparison: a sensor that pokes every minute, then a DAG that is triggered (dag)."""

from datetime import timedelta

from airflow.providers.standard.operators.trigger_dagrun import TriggerDagRunOperator
from airflow.providers.standard.sensors.python import PythonSensor
from airflow.sdk import DAG


def passed(**context):
    import psycopg

    from auto_benchmark_airflow.hooks.project_database import database_url

    url = "postgresql://" + database_url().partition("://")[2]
    with psycopg.connect(url) as connection:
        query = (
            "SELECT 1 FROM auto_benchmark.competitive_deltas WHERE event_key IS NOT NULL AND recorded_at > %s LIMIT 1"
        )
        return connection.execute(query, [context["dag_run"].run_after]).fetchone() is not None


with DAG(
    "classic_watch", schedule=None, catchup=False, max_active_runs=1, dagrun_timeout=timedelta(minutes=30)
) as dag:
    sensor = PythonSensor(task_id="poke", python_callable=passed, poke_interval=60, mode="reschedule")
    sensor >> TriggerDagRunOperator(task_id="trigger", trigger_dag_id="classic_response", logical_date=None)
