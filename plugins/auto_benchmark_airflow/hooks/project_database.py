"""The project database and the context of a project, from Airflow's Connections."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from airflow.sdk import BaseHook

from auto_benchmark.project.context import Context
from auto_benchmark_airflow.hooks.http_endpoint import AirflowConnections

log = logging.getLogger(__name__)
CONN_ID = "auto_benchmark_db"


def database_url(conn_id: str = CONN_ID) -> str:
    """URL of the project database. Raises AirflowNotFoundException when the Connection is missing."""
    return str(BaseHook.get_connection(conn_id).get_uri())


@contextmanager
def project_context(project: str, *, conn_id: str = CONN_ID) -> Iterator[Context]:
    """The context that every step is given; what it says goes to the task's log.

    Raises:
        InputError: the project does not exist or its files are faulty.
    """
    from auto_benchmark.db.engine import engine, session_factory
    from auto_benchmark.project.context import make_context
    from auto_benchmark.settings import Settings

    bind = engine(database_url(conn_id))
    try:
        yield make_context(Settings(), session_factory(bind), AirflowConnections(), project=project, say=log.info)
    finally:
        bind.dispose()
