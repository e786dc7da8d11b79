"""Fine search by a tree-structured Parzen estimator (Bergstra et al. 2011) that has seen every past trial.

Every configuration ever tried is given to the sampler first, so that it never starts cold; a failed one counts as
failed. Suggestions of one batch differ because those that wait are given to it as if they were mediocre (constant liar).
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, cast

from auto_benchmark.hypotheses.search.results import Tried, known_params
from auto_benchmark.registry.solution import Knob, Params, Scalar, is_active

if TYPE_CHECKING:
    import optuna

MOST_ASKS = 5
"""Suggestions drawn per configuration wanted, since some are known already."""


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Configurations that the estimator suggests; arguments as in the ablation. The same history gives the same."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {name: _distribution(knob) for name, knob in knobs.items()}
    with warnings.catch_warnings():  # multivariate and group are called experimental
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        sampler = optuna.samplers.TPESampler(
            seed=len(tried) + 1000 * look, multivariate=True, constant_liar=True, n_startup_trials=min(10, len(tried)),
            group=any(knob.when for knob in knobs.values()),  # knobs that occur together are estimated together
        )  # fmt: skip
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials([_told(each, space) for each in tried])
    known = known_params(tried)
    wanted = _at_most(limit, knobs, known)
    found: list[Params] = []
    for _ in range(MOST_ASKS * limit):
        if len(found) == wanted:
            break
        params = _rounded(_suggested(study, knobs, space), knobs)
        if params not in known and params not in found:
            found.append(params)
    return found


def _at_most(limit: int, knobs: dict[str, Knob], known: Sequence[Params]) -> int:
    """No more than there are configurations that are not known yet, where they can be counted."""
    if any(knob.type not in {"choice", "bool"} or knob.when for knob in knobs.values()):
        return limit
    choices = {name: _choices(knob) for name, knob in knobs.items()}
    seen = {tuple(params.get(name) for name in choices) for params in known}
    inside = sum(all(value in choices[name] for name, value in zip(choices, each, strict=True)) for each in seen)
    return min(limit, math.prod(map(len, choices.values())) - inside)


def _distribution(knob: Knob) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    low, high = knob.range or (0.0, 1.0)
    if knob.type == "float":
        return FloatDistribution(low, high, log=knob.log)
    if knob.type == "int":
        return IntDistribution(int(low), int(high), log=knob.log)
    return CategoricalDistribution(_choices(knob))


def _suggested(study: optuna.Study, knobs: dict[str, Knob], space: dict[str, Any]) -> Params:
    """One suggestion: at once where no knob depends on another, else knob by knob, those that are active by then."""
    if not any(knob.when for knob in knobs.values()):
        return study.ask(space).params
    trial = study.ask()
    found: Params = {}
    for name in _parents_first(knobs):
        if is_active(knobs, found, name):
            found[name] = _suggest(trial, name, knobs[name])
    return found


def _suggest(trial: optuna.Trial, name: str, knob: Knob) -> Scalar:
    low, high = knob.range or (0.0, 1.0)
    if knob.type == "float":
        return trial.suggest_float(name, low, high, log=knob.log)
    if knob.type == "int":
        return trial.suggest_int(name, int(low), int(high), log=knob.log)
    return cast("Scalar", trial.suggest_categorical(name, _choices(knob)))


def _choices(knob: Knob) -> list[Scalar]:
    return [False, True] if knob.type == "bool" else list(knob.choices or [knob.default])


def _parents_first(knobs: dict[str, Knob]) -> list[str]:
    order: list[str] = []
    while left := [name for name in knobs if name not in order]:
        order += [name for name in left if {*knobs[name].when} <= {*order}]
    return order


def _told(each: Tried, space: dict[str, Any]) -> optuna.trial.FrozenTrial:
    import optuna

    params = {name: value for name, value in each.params.items() if name in space}
    state = optuna.trial.TrialState.COMPLETE if each.scores else optuna.trial.TrialState.FAIL
    value = each.mean if each.scores else None
    return optuna.trial.create_trial(
        params=params, distributions={n: space[n] for n in params}, value=value, state=state
    )


def _rounded(params: dict[str, Any], knobs: dict[str, Knob]) -> Params:
    """Four significant digits, as the rest of the search writes floats, kept inside the range."""
    found: Params = {}
    for name, value in params.items():
        low, high = knobs[name].range or (0.0, 1.0)
        found[name] = min(high, max(low, float(f"{value:.4g}"))) if knobs[name].type == "float" else value
    return found
