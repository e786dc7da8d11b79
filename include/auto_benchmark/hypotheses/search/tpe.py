"""Fine search by a tree-structured Parzen estimator (Bergstra et al. 2011) that has seen every past trial.

Every configuration ever tried is told to the sampler first, so that it never starts cold; a failed one counts as
failed. Suggestions of one batch differ because those that wait are told as if they were mediocre (constant liar).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.registry.solution import Knob, Params

if TYPE_CHECKING:
    import optuna

MOST_ASKS = 5
"""Suggestions drawn per configuration wanted, since some are known already."""


def ask(knobs: dict[str, Knob], base: Params, tried: Sequence[Tried], *, look: int, limit: int) -> list[Params]:
    """Configurations that the estimator suggests; arguments as in the ablation. The same history gives the same."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    space = {name: _distribution(knob) for name, knob in knobs.items()}
    sampler = optuna.samplers.TPESampler(
        seed=len(tried) + 1000 * look, multivariate=True, constant_liar=True, n_startup_trials=min(10, len(tried)),
    )  # fmt: skip
    study = optuna.create_study(direction="maximize", sampler=sampler)
    study.add_trials([_told(each, base, space) for each in tried])
    known = [each.params for each in tried]
    found: list[Params] = []
    for _ in range(MOST_ASKS * limit):
        if len(found) == limit:
            break
        params = {**base, **_rounded(study.ask(space).params, knobs)}
        if params not in known and params not in found:
            found.append(params)
    return found


def _distribution(knob: Knob) -> optuna.distributions.BaseDistribution:
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    low, high = knob.range or (0.0, 1.0)
    if knob.type == "float":
        return FloatDistribution(low, high, log=knob.log)
    if knob.type == "int":
        return IntDistribution(int(low), int(high), log=knob.log)
    return CategoricalDistribution([False, True] if knob.type == "bool" else list(knob.choices or [knob.default]))


def _told(each: Tried, base: Params, space: dict[str, Any]) -> optuna.trial.FrozenTrial:
    import optuna

    params = {name: each.params.get(name, base[name]) for name in space}
    state = optuna.trial.TrialState.COMPLETE if each.scores else optuna.trial.TrialState.FAIL
    value = each.mean if each.scores else None
    return optuna.trial.create_trial(params=params, distributions=space, value=value, state=state)


def _rounded(params: dict[str, Any], knobs: dict[str, Knob]) -> Params:
    """Four significant digits, as the rest of the search writes floats, kept inside the range."""
    found: Params = {}
    for name, value in params.items():
        low, high = knobs[name].range or (0.0, 1.0)
        found[name] = min(high, max(low, float(f"{value:.4g}"))) if knobs[name].type == "float" else value
    return found
