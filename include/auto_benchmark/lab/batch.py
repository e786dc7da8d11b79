"""A batch of runs in a project's home: tasks x independent repeats, each in a folder of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from auto_benchmark.agents.llm import Spending
from auto_benchmark.documents import Strict
from auto_benchmark.errors import InputError
from auto_benchmark.lab import tracked
from auto_benchmark.lab.catalog import chosen, load
from auto_benchmark.lab.choice_of_agent import agent_of
from auto_benchmark.lab.in_container import placed
from auto_benchmark.lab.plan import MEASURES_EACH, Feedback, Plan
from auto_benchmark.lab.run import run
from auto_benchmark.lab.run_folder import RunFolder
from auto_benchmark.lab.steps import LAB
from auto_benchmark.project import tracking
from auto_benchmark.project.context import Context


class Parameters(Strict):
    """What a person types at the start, as text."""

    agent: str = Field(min_length=1)
    attempts: int = Field(ge=1, le=1000)
    minutes: float = Field(gt=0, le=100_000)
    feedback: Feedback
    repeats: int = Field(ge=1, le=100)
    money: Annotated[float | None, BeforeValidator(lambda text: text or None)] = Field(ge=0)
    price: float = Field(ge=0)


def folder_of(ctx: Context, out: str) -> Path:
    """Folder of a batch. Raises InputError for a name that leads out of the project's home."""
    if not out or out.startswith(".") or any(mark in out for mark in "/\\\0"):
        raise InputError(f"out: {out[:80]!r} is not the name of a folder")
    return ctx.home / LAB / out


def planned(
    ctx: Context, tasks: Sequence[str], repeats: str, out: str, given: Mapping[str, str]
) -> list[dict[str, Any]]:
    """One element for each run.

    Raises:
        InputError: a parameter is wrong, there is no such task or agent. ConfigError: a task's files are faulty.
    """
    params = _checked({**given, "repeats": repeats})
    agent_of(ctx.settings, ctx.connections, params.agent, Spending(price=params.price), params.money)
    folder_of(ctx, out)
    names = [load(ctx.settings, name).name for name in chosen(ctx.settings, list(tasks))]
    wanted = params.model_dump(mode="json", exclude={"repeats"})
    return [{**wanted, "task": name, "repeat": n, "out": out} for name in names for n in range(1, params.repeats + 1)]


def run_element(ctx: Context, element: Mapping[str, Any]) -> dict[str, Any]:
    """Run or resume one run of a batch: ``{"task", "folder", "chosen", "valid", "reward"}``."""
    attempts = int(element["attempts"])
    plan = Plan(
        element["task"], element["agent"], attempts, float(element["minutes"]), MEASURES_EACH * attempts,
        feedback=Feedback(element["feedback"]), money=element["money"],
    )  # fmt: skip
    folder = folder_of(ctx, element["out"]) / f"{plan.task}-{element['repeat']}"
    task = load(ctx.settings, plan.task)
    spending = Spending(price=element["price"])
    agent = placed(ctx.settings, task, agent_of(ctx.settings, ctx.connections, plan.agent, spending, plan.money))
    told = run(
        task, agent, plan, folder, say=ctx.say,
        note=lambda attempt: tracked.note(ctx, plan, RunFolder(folder), attempt),
    )  # fmt: skip
    if ctx.settings.mlflow_url is not None:
        tracking.flush(ctx)
    return {
        "task": plan.task, "folder": str(folder), "chosen": told["chosen"], "valid": told["result"]["valid"],
        "reward": told["reward"],
    }  # fmt: skip


def _checked(given: Mapping[str, str]) -> Parameters:
    from pydantic import ValidationError

    try:
        return Parameters.model_validate(dict(given), strict=False)
    except ValidationError as error:
        words = "; ".join(f"{each['loc'][0]}: {each['msg']}" for each in error.errors())
        raise InputError(f"parameters of lab_run: {words}") from None
