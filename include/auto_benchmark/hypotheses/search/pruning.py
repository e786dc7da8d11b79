"""Stop a search trial whose progress is behind: the median rule over past trials (Golovin et al. 2017), by Optuna.

What a trial says about its own progress only ever ends it early; no score, proposal or decision is made from it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from auto_benchmark.registry.solution import Pruning

LEAST_PAST = 5
"""Past trials that must have reported a step before anything is stopped at it."""


class MedianRule:
    """One trial under way.

    Args:
        declared: which progress metric counts, and from which step on.
        past: per finished trial of other configurations: step -> value.
    """

    def __init__(self, declared: Pruning, past: Sequence[Mapping[int, float]]) -> None:
        import optuna

        optuna.logging.set_verbosity(optuna.logging.ERROR)
        pruner = optuna.pruners.MedianPruner(
            n_startup_trials=LEAST_PAST, n_warmup_steps=declared.warmup, n_min_trials=LEAST_PAST
        )
        study = optuna.create_study(direction="maximize" if declared.higher_is_better else "minimize", pruner=pruner)
        study.add_trials(
            [
                optuna.trial.create_trial(value=curve[max(curve)], intermediate_values=dict(curve))
                for curve in past
                if curve
            ]
        )
        self.declared, self.past = declared, len(study.trials)
        self._trial = study.ask()

    def verdict(self, step: int, value: float) -> str | None:
        """Take one report; why the trial should stop now, None while it should not."""
        self._trial.report(value, step)
        if not self._trial.should_prune():
            return None
        return f"pruned: {self.declared.metric} {value:.4g} at step {step} is behind the median of {self.past} past trials"
