"""What a run comes to: fresh verifications of the chosen attempt, and how the agent took feedback."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from auto_benchmark.agents.brief import PastAttempt
from auto_benchmark.agents.chosen import chosen
from auto_benchmark.agents.workspace import editable_files
from auto_benchmark.lab import resilience
from auto_benchmark.lab.harness.reward import reward
from auto_benchmark.lab.plan import Feedback, Plan
from auto_benchmark.lab.run_folder import Finished, RunFolder
from auto_benchmark.lab.task import Task
from auto_benchmark.lab.verification import TaskVerdict
from auto_benchmark.stats.applicability import NotApplicableError
from auto_benchmark.stats.intervals import t_interval


def document(
    task: Task, plan: Plan, folder: RunFolder, seed: int, donor: RunFolder | None, verify: Callable[[Path], TaskVerdict]
) -> dict[str, Any]:  # fmt: skip
    """What ``lab run --json`` prints.

    Args:
        task: the task.
        plan: the arguments.
        folder: of the finished run.
        seed: of the run.
        donor: folder of the run whose feedback a sham run was given.
        verify: verifies a folder on inputs drawn anew.
    """
    rows = folder.attempts()
    number = _choice(plan, folder, rows)
    result = _result(task, [] if number is None else [verify(folder.state(number)) for _ in range(plan.seeds)])
    keys = ("attempt", "seconds", "valid", "score", "reward", "reason")
    return {
        "task": task.name,
        "agent": plan.agent,
        "feedback": str(plan.feedback),
        "attempts": [{key: getattr(row, key) for key in keys} for row in rows],
        "chosen": number,
        "result": result,
        "reward": result["reward"],
        "resilience": _resilience(task, plan, folder, rows, seed, donor),
        "measures": sum(row.measures for row in rows),
        "tokens": sum(row.tokens for row in rows),
        "money": sum(row.money for row in rows),
    }


def _choice(plan: Plan, folder: RunFolder, rows: Sequence[Finished]) -> int | None:
    """The agent's; of independent attempts, which know nothing of each other, the one with the largest reward."""
    if plan.feedback is Feedback.NONE:
        best = max((row for row in rows if row.valid), key=lambda row: (row.reward, -row.attempt), default=None)
        return None if best is None else best.attempt
    last = len(rows) + 1 if folder.state(len(rows) + 1).is_dir() else len(rows)  # one that only said that it is done
    past = [PastAttempt(row.attempt, row.valid, row.score, row.reward, "", "") for row in rows]
    return chosen(folder.state(last), past) if rows else None


def _result(task: Task, verdicts: Sequence[TaskVerdict]) -> dict[str, Any]:
    """Mean score over fresh verifications and its reward; one that is not valid makes the whole not valid.

    The reward is that of the mean: a mean of rewards, which never are negative, would find gains in noise.
    """
    valid = bool(verdicts) and all(verdict.valid for verdict in verdicts)
    scores = [verdict.score for verdict in verdicts if verdict.score is not None]
    return {
        "valid": valid,
        "score": fmean(scores) if valid else None,
        "reward": reward(fmean(scores), task.anchors.model_dump()) if valid else 0.0,
        "seeds": len(verdicts),
        "interval": interval(scores) if valid else [None, None],
        "reason": next((v.reason for v in verdicts if not v.valid), "" if verdicts else "no attempt was valid"),
        "verdicts": [
            {"seed": v.seed, "valid": v.valid, "score": v.score, "reward": v.reward, "ratio": v.ratio, "autolab": v.autolab}
            for v in verdicts
        ],
    }  # fmt: skip


def interval(scores: Sequence[float]) -> list[float | None]:
    """Student's 95 % interval of the mean score; the value itself where all are equal, nothing for a single one."""
    try:
        low, high = t_interval(scores)
    except NotApplicableError:
        return [scores[0], scores[0]] if len(scores) > 1 else [None, None]
    return [low, high]


def _resilience(
    task: Task, plan: Plan, folder: RunFolder, rows: Sequence[Finished], seed: int, donor: RunFolder | None
) -> dict[str, Any]:
    rewards = rewards_of(rows)
    texts = [_text(task, task.environment), *(_text(task, folder.state(row.attempt)) for row in rows)]
    gain = None
    if donor is not None:
        gain = resilience.closed_loop_gain(rewards_of(donor.attempts()), rewards, plan.attempts)
    return {
        "closed_loop_gain": gain,
        "recovery": resilience.recovery(rewards),
        "recovery_expected": resilience.recovery_expected(rewards, seed=seed),
        "pivots": [pivot.to_json() for pivot in resilience.pivots(rewards, texts)],
        "shock_attempts": None if plan.shock is None else resilience.shock_attempts(rewards, plan.shock),
    }


def rewards_of(rows: Sequence[Finished]) -> list[float | None]:
    """Reward of each attempt; None where it was not valid."""
    return [row.reward if row.valid else None for row in rows]


def _text(task: Task, folder: Path) -> str:
    files = editable_files(folder, task.anchors.editable).files
    return "\n".join(files[name].content.decode("utf-8", "replace") for name in sorted(files))
