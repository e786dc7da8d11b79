"""The steps that run agents on laboratory tasks. They import their implementation when called, so flows are light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context

LAB = "lab"
"""Folder of a project's laboratory runs."""


def plan_lab(
    ctx: Context, tasks: str, agent: str, attempts: str, minutes: str, repeats: str, feedback: str, money: str,
    price: str, out: str,
) -> list[dict[str, Any]]:  # fmt: skip
    """One element for each run: tasks x independent repeats. Raises InputError for a wrong parameter."""
    from auto_benchmark.lab.batch import planned

    given = {"agent": agent, "attempts": attempts, "minutes": minutes, "feedback": feedback, "money": money,
             "price": price}  # fmt: skip
    return planned(ctx, tasks.split(), repeats, out, given)


def run_lab_task(ctx: Context, element: dict[str, Any]) -> dict[str, Any]:
    """Run or resume one run: ``{"task", "folder", "chosen", "valid", "reward"}``."""
    from auto_benchmark.lab.batch import run_element

    return run_element(ctx, element)


def report_lab(ctx: Context, out: str) -> dict[str, Any]:
    """Write LAB_REPORT.md about the batch: ``{"report", "runs", "tasks", "agents"}``."""
    from auto_benchmark.lab.batch import folder_of
    from auto_benchmark.lab.report import write_report

    folder = folder_of(ctx, out)
    told = write_report([folder], folder)
    return {key: told[key] for key in ("report", "runs", "tasks", "agents")}
