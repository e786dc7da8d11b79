"""Rights by Airflow's auth manager. The only module that knows these unstable parts of Airflow.

The right to read a project's ``leaderboard_scrape`` is the right to see the project; the right to start one of its DAGs
is the right to do by hand what that DAG does. So teams and roles hold here as they do for the DAGs themselves.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from airflow.api_fastapi.app import get_auth_manager
from airflow.api_fastapi.auth.managers.models.resource_details import AccessView, DagAccessEntity, DagDetails
from airflow.api_fastapi.core_api.security import GetUserDep
from airflow.configuration import conf

from auto_benchmark_airflow.web.access import Access

READ_BY = "leaderboard_scrape"


async def signed_in(user: GetUserDep) -> Any:
    """The user of the session or the token; Airflow answers 401 otherwise."""
    return user


def airflow_access() -> Access:
    """Rights as the configured auth manager grants them."""
    parts = urlsplit(conf.get("api", "base_url", fallback=""))
    origins = frozenset({f"{parts.scheme}://{parts.netloc}"} if parts.netloc else ())
    return Access(signed_in, _may_read, _may_act, lambda user: str(user.get_name()), origins)


def dag_id(project: str, name: str) -> str:
    """The DAG of a project."""
    return name if project == "default" else f"{project}__{name}"


def _may_read(project: str, user: Any) -> bool:
    manager = get_auth_manager()
    details = _details(project, READ_BY)
    return manager.is_authorized_view(access_view=AccessView.PLUGINS, user=user) and manager.is_authorized_dag(
        method="GET", details=details, user=user
    )


def _may_act(project: str, name: str, user: Any) -> bool:
    return get_auth_manager().is_authorized_dag(
        method="POST", access_entity=DagAccessEntity.RUN, details=_details(project, name), user=user
    )


def _details(project: str, name: str) -> DagDetails:
    from airflow.models.dag import DagModel

    dag = dag_id(project, name)
    return DagDetails(id=dag, team_name=DagModel.get_team_name(dag))
