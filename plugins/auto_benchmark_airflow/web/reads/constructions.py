"""Benchmarks that the project builds: its constructions, as they stand in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException

from auto_benchmark.construction.in_project import FOLDER
from auto_benchmark.construction.read_model import construction, construction_names, read_constructions
from auto_benchmark_airflow.web.parameters import Limit, Offset
from auto_benchmark_airflow.web.world import World


def add_constructions(app: FastAPI, world: World) -> None:
    """Constructions, and one of them."""

    @app.get("/api/{project}/constructions")
    def constructions(project: str, limit: Limit = 25, offset: Offset = 0) -> dict[str, Any]:
        """Benchmarks under construction and finished ones, the one begun last first; those that cannot be read are named."""
        folder = _folder(world, project)
        names = construction_names(folder)
        return {"found": len(names), **read_constructions(folder, names[offset : offset + limit])}

    @app.get("/api/{project}/constructions/one")
    def one(project: str, folder: str) -> dict[str, Any]:
        """One construction: request, progress, objective by round, quality, candidates, warnings and its report."""
        home = _folder(world, project)
        if folder not in construction_names(home):  # a name is looked up, never followed
            raise HTTPException(404, "no such construction")
        return construction(home, folder)


def _folder(world: World, project: str) -> Path:
    return world.settings.project_home(project) / FOLDER
