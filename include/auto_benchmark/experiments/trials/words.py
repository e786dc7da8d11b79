"""How a trial is named to people: by what its configuration changes, and by its score."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from auto_benchmark.contract.record import Trial
from auto_benchmark.db.repositories import observations, production
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.registry.solution import Params

MOST_KNOBS = 4


@dataclass(frozen=True, slots=True)
class TrialWords:
    """Words for the trials of one run, against the configuration that experiments start from.

    Attributes:
        base: it; its trials are called ``base``.
        tree: its code.
    """

    ctx: Context
    base: Params
    tree: str = ""

    @classmethod
    def of(cls, ctx: Context) -> TrialWords:
        """Against the present base; the solution's defaults before there is one."""
        with ctx.sessions() as session:
            known = production.current(session=session, project=ctx.project) is not None
            held = base_config(ctx, session).candidate if known else None
        return cls(ctx, held.params, held.tree) if held else cls(ctx, ctx.bench.solution.solution.defaults)

    def configuration(self, params: Mapping[str, object], tree: str) -> str:
        """``flip=0.1, colour=green, code 3fa94c21``: what differs from the base."""
        parts = [f"{name}={_plain(value)}" for name, value in params.items() if self.base.get(name) != value]
        code = [f"code {tree[:8]}"] if tree != self.tree else []
        more = [f"and {len(parts) - MOST_KNOBS} more"] if len(parts) > MOST_KNOBS else []
        return ", ".join(parts[:MOST_KNOBS] + more + code) or "base"

    def result(self, trial: Trial) -> str:
        """``done, accuracy 0.8125``, or how it failed."""
        with self.ctx.sessions() as session:
            metrics = observations.metrics_of(session=session, trial_ids=[trial.id]).get(trial.id, {})
        scores = [f"{name} {metrics[name]:.4g}" for name in sorted(self.ctx.bench.ranked_metrics & metrics.keys())]
        return ", ".join([str(trial.failure_class or trial.state), *scores])


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else f"{value:g}" if isinstance(value, float) else str(value)
