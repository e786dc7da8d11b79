"""The application: an API that asks for rights on every route, and public scripts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import Depends, FastAPI, HTTPException, Request, Response
from fastapi.staticfiles import StaticFiles

from auto_benchmark_airflow.web.access import Access, require_same_origin
from auto_benchmark_airflow.web.actions import add_actions
from auto_benchmark_airflow.web.error_answers import NO_STORE, ErrorHeaders, add_error_answers
from auto_benchmark_airflow.web.reads import add_reads
from auto_benchmark_airflow.web.request_limits import RequestLimits
from auto_benchmark_airflow.web.world import World

STATIC = Path(__file__).parent / "static"


def create_app(access: Access, world: World) -> FastAPI:
    """Put the application together; documentation pages are off, because they would not ask for a login."""
    signed_in = Depends(access.user)

    async def guard(request: Request, response: Response, user: Any = signed_in) -> None:
        """Every route: signed in, the project may be seen and is there, and nothing is kept by caches."""
        response.headers.update(NO_STORE)
        if request.method not in {"GET", "HEAD"}:
            require_same_origin(request, access.origins)
        project = request.path_params.get("project")
        if project is not None and not access.may_read(project, user):
            raise HTTPException(403, "you may not see this project")
        if project is not None and project not in world.projects():
            raise HTTPException(404, "no such project")

    app = FastAPI(
        title="Auto Benchmark", docs_url=None, redoc_url=None, openapi_url=None, dependencies=[Depends(guard)]
    )
    add_reads(app, access, world)
    add_actions(app, access, world)
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    add_error_answers(app)
    app.add_middleware(RequestLimits)
    app.add_middleware(ErrorHeaders)  # around everything else
    return app


def airflow_app() -> FastAPI:
    """The application inside of Airflow's API server."""
    from auto_benchmark_airflow.web.airflow_access import airflow_access
    from auto_benchmark_airflow.web.world import airflow_world

    return create_app(airflow_access(), airflow_world())
