"""The first reading of the boards: the schedule would come to it only the next morning."""

from __future__ import annotations

from typing import Any, Protocol

SCRAPE = "leaderboard_scrape"


class FirstReadingDags(Protocol):
    """What is needed of :class:`~auto_benchmark.stack.airflow_api.AirflowApi`."""

    def dags(self) -> dict[str, bool]:
        """dag_id -> whether it is paused."""

    def runs(self, dag_id: str) -> list[dict[str, Any]]:
        """The newest runs of a DAG."""

    def trigger(self, dag_id: str) -> str:
        """Start a run now; returns its id."""


def read_boards_once(api: FirstReadingDags) -> list[str]:
    """Start the scrape of every project whose boards were never read; the DAGs that were started."""
    scrapes = [dag for dag, paused in sorted(api.dags().items()) if dag.rpartition("__")[2] == SCRAPE and not paused]
    new = [dag for dag in scrapes if not api.runs(dag)]
    for dag in new:
        api.trigger(dag)
    return new
