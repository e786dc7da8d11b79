"""What a person reads before they approve a promotion."""

from __future__ import annotations

from collections.abc import Sequence

from auto_benchmark.promotion.schema import Criterion, Decision
from auto_benchmark.registry.solution import Params
from auto_benchmark.reporting import criteria_table


def approval_brief(
    key: str, *, change: str, decision: Decision, params: Params, base: Params, scores: str, diff: str = "",
    remarks: Sequence[str] = (),
) -> str:  # fmt: skip
    """The change, what it brings, and every criterion with its number, a line each.

    Args:
        key: the hypothesis.
        change: what it does, in its own words.
        decision: the gate's last one.
        params: the candidate's configuration.
        base: production's configuration, with which it was compared.
        scores: our own measurement of it on each board, in words.
        diff: the change of code, as lines of a patch that are safe to show; empty where there is none.
        remarks: what the changed code looks at besides its data.
    """
    what = changes(base, params)
    lines = [f"The gate would promote {key}: {change}"]
    lines += [] if diff and what == "nothing" else [f"It changes {what}."]
    if scores:
        lines.append(f"Measured with seeds that the gate did not use: {scores}.")
    lines.append(f"The verdict: {decision.reason}.")
    lines += [_criterion(each) for each in decision.criteria]
    if remarks:
        lines += ["Besides its data, the changed code (a list that helps to read it, and proves nothing):", *remarks]
    if diff:
        lines += [f"It changes code (`auto-benchmark hypothesis show {key} --patch` prints all of it):", diff]
    return "\n".join(lines)


def listed(params: Params) -> str:
    """``reads 6, flip 0.02``."""
    return ", ".join(f"{name} {value}" for name, value in params.items())


def changes(base: Params, params: Params) -> str:
    """``reads from 2 to 6, flip from 0.1 to 0.02``; ``nothing`` where both are the same."""
    names = [name for name in {**base, **params} if base.get(name) != params.get(name)]
    said = [f"{name} from {_value(base, name)} to {_value(params, name)}" for name in names]
    return ", ".join(said) or "nothing"


def _value(params: Params, name: str) -> str:
    return f"{params[name]}" if name in params else "unused"


def _criterion(each: Criterion) -> str:
    name = criteria_table.name(each).capitalize()
    mark = "passed" if each.passed else "not passed"
    if each.value is None or each.threshold is None:
        return f"{name}: {mark}. {each.reason}."
    return f"{name}: {mark}, {criteria_table.value(each)}, wanted {criteria_table.threshold(each)}. {each.reason}."
