"""Search on the ``search`` split: plan rounds of trials, then propose hypotheses from what they showed."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from auto_benchmark.boards.standing import Focus, search_focus, usual_urgency
from auto_benchmark.contract.record import TrialPlan
from auto_benchmark.contract.trial import Stage, config_hash
from auto_benchmark.db.repositories import hypotheses, records, trials
from auto_benchmark.experiments.allowance import why_not
from auto_benchmark.experiments.search.conclusion import conclude, escalate_gap
from auto_benchmark.experiments.search.history import history, refused, seen, strategy_of
from auto_benchmark.experiments.search.twins import doubtful
from auto_benchmark.hypotheses import queue as queue_rules
from auto_benchmark.hypotheses.hypothesis import Hypothesis, Implementation, Urgency
from auto_benchmark.hypotheses.origin import Origin
from auto_benchmark.hypotheses.queue import priority_score
from auto_benchmark.hypotheses.search import choose
from auto_benchmark.hypotheses.search.proposals import Proposal, change_of, propose, source_of, title_of
from auto_benchmark.hypotheses.search.results import Tried, changed, known_params, results_of
from auto_benchmark.hypotheses.search.rounds import LIMITS
from auto_benchmark.hypotheses.search.sensitivity import by_potential, weakest
from auto_benchmark.kinds import Lane, LogKind, Purpose
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.promotion.guarding import COST_LIMITS
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.registry.solution import Params

MOST_NAMED = 3
BASE_SEEDS = 3
"""Seeds of the base on the search split: they tell the search its noise."""


def plan_search(ctx: Context, look: int, *, queue: Lane = Lane.NORMAL) -> list[int]:
    """Plan one round of search trials; returns their ids, those already finished left out.

    Args:
        ctx: the project.
        look: number of the search round, 0 to ``len(LIMITS) - 1``.
        queue: ``normal`` or ``urgent``.
    """
    with ctx.sessions.begin() as session:
        return plan_search_in(ctx, session, look, queue=queue)


def plan_search_in(ctx: Context, session: Session, look: int, *, queue: Lane = Lane.NORMAL) -> list[int]:
    """:func:`plan_search` inside the caller's transaction."""
    if reason := why_not(ctx, session):
        if look == 0:  # the rounds after it have the same reason
            ctx.say(f"no search: {reason}")
        return []
    aim, held = search_focus(ctx, session), base_config(ctx, session).candidate
    base = held.params
    solution = ctx.bench.solution.solution
    judged = refused(ctx, session, aim, base)
    asked = choose.ask(
        strategy_of(aim),
        solution.knobs,
        base,
        history(ctx, session, aim),
        known_techniques=solution.techniques,
        look=look,
        limit=LIMITS[look],
        refused=[each.params for each in judged],
    )
    together = ctx.bench.solution.solution.seeds_per_process  # further seeds of a process cost next to nothing
    plans = [_plan(ctx, held.tree, base, seed, queue) for seed in range(1, max(BASE_SEEDS, together) + 1)]
    plans += [
        _plan(ctx, held.tree, params, seed, queue) for params in asked.params for seed in range(1, together + 1)
    ]
    plans += [_plan(ctx, held.tree, params, 2, queue) for params in doubtful(ctx, seen(ctx, session, aim))]
    planned = trials.plan(session=session, project=ctx.project, plans=plans)
    return [trial.id for trial in planned if not trial.state.is_finished]


def propose_hypotheses(ctx: Context, *, urgency: Urgency | str | None = None) -> list[str]:
    """Turn search results into queued hypotheses and keep the queue within its limit.

    Args:
        ctx: the project.
        urgency: of the hypotheses if urgent; otherwise where we stand decides between normal and low.

    Returns:
        Ids of the new hypotheses.
    """
    with ctx.sessions.begin() as session:
        aim, held = search_focus(ctx, session), base_config(ctx, session).candidate
        base = held.params
        urgency = urgency if urgency == Urgency.URGENT else usual_urgency(ctx, session)
        tried = history(ctx, session, aim)
        guards = [*COST_LIMITS.values(), *ctx.bench.guards]
        proposals = propose(base, tried, limit=queue_rules.LARGEST_QUEUE, guards=guards)
        added = [
            hypothesis.id
            for hypothesis in (_hypothesis(ctx, aim, held, tried, p, Urgency(urgency)) for p in proposals)
            for hypothesis, new in [hypotheses.add(session=session, project=ctx.project, hypothesis=hypothesis)]
            if new
        ]
        hypotheses.trim(session=session, project=ctx.project)
        reason = _log_search(ctx, session, aim, base, tried, proposals)
        escalate_gap(ctx, session, aim, tried=len(tried), known=reason)
        if not hypotheses.queue(session=session, project=ctx.project, limit=1):
            conclude(ctx, session)
    return added


def _plan(ctx: Context, tree: str, params: Params, seed: int, queue: Lane) -> TrialPlan:
    solution = ctx.bench.solution.solution
    return TrialPlan(
        solution=solution.name,
        params=params,
        benchmark=ctx.bench.ref,
        stage=Stage.FAST,
        seed=seed,
        purpose=Purpose.SEARCH,
        budget_s=solution.resources.fast_budget_s,
        queue=queue,
        tree=tree,
    )


def _hypothesis(
    ctx: Context, aim: Focus, held: ProductionCandidate, tried: Sequence[Tried], proposal: Proposal, urgency: Urgency
) -> Hypothesis:
    base = held.params
    home, solution = results_of(tried, base), ctx.bench.solution.solution
    sign = 1.0 if aim.higher_is_better else -1.0
    start = sign * home.mean if home else 0.0
    goal = start + sign * proposal.estimated_gain
    title = title_of(proposal.patch)
    return Hypothesis(
        id="H-000",
        title=title,
        claim=(
            f"{title} will improve {aim.board} {aim.metric} from {start:.3f} to "
            f"{'≥' if aim.higher_is_better else '≤'}{goal:.3f} (as measured on the search split)"
        ),
        source=source_of(strategy_of(aim), aim.gap),
        origin=Origin.SEARCH,
        target_leaderboards=[aim.board],
        implementation=Implementation(
            change=change_of(proposal.patch),
            effort=proposal.effort,
            estimated_gain=round(proposal.estimated_gain, 6),
            base=base,
            patch=proposal.patch,
        ),
        priority_score=priority_score(proposal.estimated_gain, proposal.effort, urgency),
        urgency=urgency,
        config_hash=config_hash(solution.name, solution.configured({**base, **proposal.patch}), ctx.bench.ref),
        tree=held.tree,
    )


def _same_predictions(base: Params, tried: Sequence[Tried]) -> str:
    """Which configurations count as one, in words; empty where every one predicts something of its own."""
    groups = [
        f"{_settings(changed(one, each.params))} like {_settings(changed(each.params, base))}"
        for each in tried
        for one in each.alike
    ]
    if not groups:
        return ""
    more = f" and {len(groups) - MOST_NAMED} more" if len(groups) > MOST_NAMED else ""
    text = "; ".join(groups[:MOST_NAMED])
    return f"the same predictions on the whole search split at the same cost, so counted as one: {text}{more}"


def _settings(patch: Params) -> str:
    return ", ".join(f"{name}={value}" for name, value in patch.items()) or "the base"


def _log_search(
    ctx: Context, session: Session, aim: Focus, base: Params, tried: Sequence[Tried], proposals: Sequence[Proposal]
) -> str:
    best = f"best projected gain {proposals[0].estimated_gain:+.4f}" if proposals else "nothing better was found"
    flat = choose.has_plateaued(base, tried, [each.params for each in refused(ctx, session, aim, base)])
    reason = f"{strategy_of(aim)} search over {len(tried)} configurations: {best}"
    if flat:
        reason += "; it has plateaued: nothing beats the base by more than noise, structural changes come next"
    if weak := weakest(base, tried):
        moved = list(by_potential(ctx.bench.solution.solution.knobs, base, tried))[:3]
        reason += f"; weakest on {', '.join(f'{part} {score:.3f}' for part, score in weak)}"
        reason += f", which {', '.join(moved)} have moved most"
    if same := _same_predictions(base, tried):
        reason += f"; {same}"
    new = records.log(
        session=session,
        project=ctx.project,
        key=f"search/{aim.board}/{len(known_params(tried))}",
        kind=LogKind.SEARCH,
        subject=aim.board,
        reason=reason,
        inputs={"board": aim.board, "tried": len(tried), "proposals": len(proposals), "plateau": flat},
    )
    if new and same:
        ctx.say(same)
    if new and flat:
        ctx.say(f"the search on {aim.board} has plateaued after {len(tried)} configurations")
    return reason
