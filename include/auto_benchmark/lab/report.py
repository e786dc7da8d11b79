"""``lab report``: finished runs to LAB_REPORT.md, lab_report.json and plots."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auto_benchmark import atomic
from auto_benchmark.errors import InputError, chosen_by_user
from auto_benchmark.lab import result_file
from auto_benchmark.lab.comparison import FinishedRun, cells, inferences, mean_curve
from auto_benchmark.lab.plan import Feedback
from auto_benchmark.lab.read_model import lab_runs, planned
from auto_benchmark.lab.resilience import best_so_far
from auto_benchmark.lab.run_folder import RESULT, RUN
from auto_benchmark.reporting.render import render

if TYPE_CHECKING:
    from matplotlib.axes import Axes

REPORT, DATA, CURVES = "LAB_REPORT.md", "lab_report.json", "curves.png"
COLUMNS = 3
STYLES = {Feedback.TRUE: "-", Feedback.NONE: ":", Feedback.SHAM: "--"}
COLOURS = ("tab:blue", "tab:orange", "tab:green", "tab:red", "tab:purple", "tab:brown", "tab:pink", "tab:gray")
COMMAND = "auto-benchmark lab run {task} --agent llm:CONN --attempts 15 --minutes 120 --out runs/{task}-llm"


def finished_runs(folders: Sequence[Path]) -> list[FinishedRun]:
    """Every finished run in or below folders; those that still go on are left out.

    Raises:
        InputError: a folder is not there, or none of them holds a finished run.
    """
    found = {}
    for folder in folders:
        if not folder.is_dir():
            raise InputError(f"{folder}: no such folder")
        for place in sorted(path.parent for path in folder.rglob(RESULT)):
            if (place / RUN).is_file():
                found[place.resolve()] = _read(place)
    if not found:
        raise InputError(f"{', '.join(map(str, folders))}: no finished run")
    return list(found.values())


def write_report(folders: Sequence[Path], out: Path) -> dict[str, Any]:
    """Write the report about finished runs.

    Returns:
        ``{"report", "runs", "tasks", "agents", "cells", "inference"}``.

    Raises:
        InputError: as :func:`finished_runs`; or the folder cannot be written.
    """
    runs = finished_runs(folders)
    table, tests = cells(runs), inferences(cells(runs))
    tasks, agents = sorted({run.task for run in runs}), sorted({run.agent for run in runs})
    models = [agent for agent in agents if agent.startswith("llm:")]
    by_key = {(cell.task, cell.agent, cell.arm): cell for cell in table}
    text = render(
        "lab_report.md.j2", runs=len(runs), tasks=tasks, agents=agents, models=models, cells=table, tests=tests,
        by_key=by_key, TRUE=Feedback.TRUE, NONE=Feedback.NONE, SHAM=Feedback.SHAM, curves=CURVES,
        command=[COMMAND.format(task=tasks[0])],
    )  # fmt: skip
    shapes = {
        "cells": [_shape(cell) | {"medal": cell.medal} for cell in table],
        "inference": [_shape(test) for test in tests],
    }
    shown = {str(folder): lab_runs(folder) for folder in folders}
    data = json.dumps({"folders": shown, **shapes}, ensure_ascii=False, indent=1, allow_nan=False)
    with chosen_by_user(out):
        atomic.write_text(out / DATA, data + "\n")
        atomic.write_bytes(out / CURVES, _curves(runs, tasks, agents))
        atomic.write_text(out / REPORT, text)
    return {
        "report": str(out / REPORT),
        "runs": len(runs),
        "tasks": len(tasks),
        "agents": len(agents),
        **shapes,
    }


def _read(place: Path) -> FinishedRun:
    result = result_file.read(place / RESULT)
    plan = planned(place / RUN)
    return FinishedRun(
        plan["task"], plan["agent"], plan["feedback"], plan["attempts"], plan["shock"], result, plan["minutes"],
        plan["measures"],
    )  # fmt: skip


def _shape(row: Any) -> dict[str, Any]:
    return {name: getattr(row, name) for name in row.__slots__}


def _curves(runs: Sequence[FinishedRun], tasks: Sequence[str], agents: Sequence[str]) -> bytes:
    """The mean best so far of each agent and arm, one panel a task."""
    from matplotlib.figure import Figure

    rows = -(-len(tasks) // COLUMNS)
    figure = Figure(figsize=(4 * COLUMNS, 2.6 * rows), layout="constrained")
    panels: list[Axes] = list(figure.subplots(rows, COLUMNS, squeeze=False).ravel())
    for panel, task in zip(panels, tasks, strict=False):
        for label, style, curve, colour in _lines([run for run in runs if run.task == task], agents):
            panel.plot(range(1, len(curve) + 1), curve, style, color=colour, label=label)
        panel.set_title(_plain(task), fontsize=9)
        panel.set_xlabel("attempt")
        panel.set_ylabel("best reward so far")
        panel.legend(fontsize=6)
        panel.grid(alpha=0.3)
    for panel in panels[len(tasks) :]:
        panel.set_axis_off()
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=100, metadata={"Software": None})
    return file.getvalue()


def _lines(runs: Sequence[FinishedRun], agents: Sequence[str]) -> Iterator[tuple[str, str, list[float], str]]:
    for number, agent in enumerate(agents):
        for arm, style in STYLES.items():
            mine = [run for run in runs if run.agent == agent and run.arm is arm and run.shock is None]
            if mine:
                attempts = max(run.attempts for run in mine)
                curve = mean_curve([best_so_far(run.rewards) for run in mine], attempts)
                yield _plain(f"{agent}, {arm}"), style, curve, COLOURS[number % len(COLOURS)]


def _plain(text: str) -> str:
    """A text without mathematics, which does not hide from a legend."""
    return text.replace("$", r"\$").lstrip("_")[:40]
