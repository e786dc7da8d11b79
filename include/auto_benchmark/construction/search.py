"""Search for descriptions: a tree-structured Parzen estimator per subtask, that has seen every description tried so far.

The estimator is Optuna's (Bergstra et al. 2011). One proposal of each round is random, so that a search which has settled
too early shows in the trajectory.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.source import Between, Description, Form, Parameter, Source

if TYPE_CHECKING:
    from optuna.distributions import BaseDistribution

RANDOM_PER_ROUND = 1
STARTUP = 4
"""Random descriptions of a subtask before the estimator proposes."""
MOST_ASKS = 20


def propose(
    source: Source, form: Form, tried: Sequence[Mapping[str, Any]], *, round_number: int, slot: int, seed: int,
    at_random: bool,
) -> Description:  # fmt: skip
    """The next description of a subtask. The same history gives the same.

    Args:
        source: of the subtask.
        form: of the subtask.
        tried: rows of the trajectory for this subtask, each with ``params`` and ``utility``.
        round_number: counts from 1.
        slot: place within the round.
        seed: of the request.
        at_random: whether to ask no estimator.
    """
    known = [dict(row["params"]) for row in tried]
    parts = (seed, "propose", source.card.name, form.name, round_number, slot)
    found: dict[str, Any] = {}
    for attempt in range(MOST_ASKS):
        if at_random or len(tried) < STARTUP or attempt > MOST_ASKS // 2:
            random = dice(*parts, attempt)
            found = {name: parameter.draw(random) for name, parameter in form.parameters.items()}
        else:
            found = _suggested(form, tried, zlib.crc32("/".join(map(str, (*parts, attempt))).encode()))
        if found not in known:
            break
    return Description(source.card.name, form.name, found)


def _suggested(form: Form, tried: Sequence[Mapping[str, Any]], seed: int) -> dict[str, Any]:
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {name: _distribution(parameter) for name, parameter in form.parameters.items()}
    study = optuna.create_study(
        direction="maximize", sampler=optuna.samplers.TPESampler(seed=seed, n_startup_trials=STARTUP)
    )
    study.add_trials([
        optuna.trial.create_trial(params=dict(row["params"]), distributions=space, value=row["utility"])
        for row in tried if all(p.allows(row["params"].get(name)) for name, p in form.parameters.items())
    ])  # fmt: skip
    return dict(study.ask(space).params)


def _distribution(parameter: Parameter) -> BaseDistribution:
    from optuna.distributions import CategoricalDistribution, IntDistribution

    if isinstance(parameter, Between):
        return IntDistribution(parameter.low, parameter.high)
    return CategoricalDistribution(parameter.options)


def utility(
    difficulty: float, separability: float, novelty: float | None, weights: Any, attacks: float | None = None
) -> float:
    """The declared sum: difficulty, or nearness to its target; separability, novelty and attacks by their weights."""
    target = weights.target
    aim = difficulty if target is None else -abs(difficulty - target)
    return float(aim + weights.separability * separability + weights.novelty * (novelty or 0.0)
                 + weights.safety * (attacks or 0.0))  # fmt: skip
