"""What agents reached on laboratory tasks: the project's runs, as they stand in its folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI, HTTPException

from auto_benchmark.lab.read_model import lab_run, read_runs, run_names
from auto_benchmark.lab.steps import LAB
from auto_benchmark_airflow.web.parameters import Limit, Offset
from auto_benchmark_airflow.web.world import World

SHOWN = ("folder", "task", "agent", "feedback", "shock", "attempts", "state", "curve", "chosen", "result", "medal")


def add_laboratory(app: FastAPI, world: World) -> None:
    """Runs of agents, and the attempts of one of them."""

    @app.get("/api/{project}/lab")
    def runs(project: str, limit: Limit = 25, offset: Offset = 0) -> dict[str, Any]:
        """Runs of agents on laboratory tasks, the one begun last first; those that cannot be read are named."""
        folder = _folder(world, project)
        names = run_names(folder)
        page = read_runs(folder, names[offset : offset + limit])
        shown = [
            {name: run[name] for name in SHOWN} | {"made": len(run["made"]), "valid": _valid(run)}
            for run in page["runs"]
        ]
        return {"found": len(names), "runs": shown, "faults": page["faults"]}

    @app.get("/api/{project}/lab/run")
    def run(project: str, folder: str) -> dict[str, Any]:
        """One run: its attempts with their verdicts, the best so far, what was chosen and what that is worth."""
        home = _folder(world, project)
        if folder not in run_names(home):  # a name is looked up, never followed
            raise HTTPException(404, "no such run of an agent")
        return lab_run(home, folder)


def _folder(world: World, project: str) -> Path:
    return world.settings.project_home(project) / LAB


def _valid(run: dict[str, Any]) -> int:
    return sum(row["valid"] for row in run["made"])
