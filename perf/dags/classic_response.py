"""What the classic sensor triggers: one empty task; the time until it starts flatters the classic way (dag)."""

from airflow.sdk import dag, task


@dag(schedule=None, catchup=False)
def classic_response():
    @task
    def respond():
        return "started"

    respond()


classic_response()
