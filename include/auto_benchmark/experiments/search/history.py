"""What the search has to go on: the results of its trials, and what the gate made of its proposals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import Focus
from auto_benchmark.contract.measured import MEASURED
from auto_benchmark.db.repositories import decisions, hypotheses, search_results
from auto_benchmark.db.repositories.search_results import SearchResult
from auto_benchmark.experiments.search import twins
from auto_benchmark.experiments.search.twins import Seen
from auto_benchmark.hypotheses.hypothesis import HypothesisStatus
from auto_benchmark.hypotheses.search.finding import Refused
from auto_benchmark.hypotheses.search.results import Tried
from auto_benchmark.hypotheses.strategy import Strategy, strategy_for
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.promotion.schema import Decision
from auto_benchmark.registry.fitting import fit
from auto_benchmark.registry.solution import Knob, Params


def strategy_of(aim: Focus) -> Strategy:
    """Fine search while we lead; otherwise by the size of the gap."""
    return Strategy.FINE if aim.gap >= 0 else strategy_for(aim.gap_fraction)


def history(ctx: Context, session: Session, aim: Focus) -> list[Tried]:
    """Every configuration that the search has tried, its scores oriented so that higher is better.

    Those that predict the same are one.
    """
    return twins.merged(ctx, seen(ctx, session, aim), base_config(ctx, session).candidate.params)


def seen(ctx: Context, session: Session, aim: Focus) -> list[Seen]:
    """:func:`history` before those that predict the same are made one."""
    found = search_results.by_config(
        session=session,
        project=ctx.project,
        solution=ctx.bench.solution.solution.name,
        tree=base_config(ctx, session).candidate.tree,
        benchmark=ctx.bench.ref,
        metric=aim.metric,
        others=sorted({*MEASURED, *ctx.bench.solution.solution.metrics.guarded_names}),
    )
    sign = 1.0 if aim.higher_is_better else -1.0
    return [
        Seen(
            Tried(
                params,
                tuple(sign * score for score in each.scores),
                {part: sign * score for part, score in each.slices.items()},
                each.others,
            ),
            each,
        )
        for params, each in _of_today(ctx.bench.solution.solution.knobs, found)
    ]


def _of_today(knobs: Mapping[str, Knob], found: Sequence[SearchResult]) -> list[tuple[Params, SearchResult]]:
    """Results whose configuration still means the same, as it is written with today's knobs, each once.

    A result of exactly that configuration counts before one that was measured without a knob that is new.
    """
    fitted = [(fit(knobs, each.params), each) for each in found]
    exact = [(each.params, each) for today, each in fitted if not today.changes]
    known = [params for params, _ in exact]
    for today, each in fitted:
        if today.changes and today.is_same and today.params not in known:
            known.append(today.params)
            exact.append((today.params, each))
    return exact


def refused(ctx: Context, session: Session, aim: Focus, base: Params) -> list[Refused]:
    """Changes of ``base`` that the gate judged and did not take, on this board."""
    archived = hypotheses.listed(session=session, project=ctx.project, statuses=[HypothesisStatus.ARCHIVED])
    knobs, tree = ctx.bench.solution.solution.knobs, base_config(ctx, session).candidate.tree
    mine = {}
    for h in (h for h in archived if aim.board in h.target_leaderboards and h.starts_from(tree)):
        start, end = fit(knobs, h.implementation.base), fit(knobs, h.implementation.params)
        if start.is_same and end.is_same and start.params == base:
            mine[h.id] = end.params
    last = decisions.last_of(session=session, project=ctx.project, hypothesis_ids=mine)
    return [_refused(mine[key], Decision.model_validate_json(made.decision_json)) for key, made in last.items()]


def _refused(params: Params, decision: Decision) -> Refused:
    if decision.estimate is None or decision.interval is None:
        return Refused(params, decision.n)
    low, high = decision.interval
    return Refused(params, decision.n, decision.estimate, (high - low) / 2)
