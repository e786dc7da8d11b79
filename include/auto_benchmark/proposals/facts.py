"""What an agent is told about the project: public standings and the search split, never a gate result, never labels.

Whatever comes from outside (names on boards, sentences of papers) stands here as values of JSON.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark.agents.brief import Brief, BudgetLeft, PastAttempt
from auto_benchmark.agents.workspace import Files
from auto_benchmark.boards.standing import Focus
from auto_benchmark.db.repositories import board_history, papers
from auto_benchmark.documents import storable
from auto_benchmark.experiments.search.history import history
from auto_benchmark.hypotheses.search.results import changed
from auto_benchmark.project.context import Context
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.proposals.search_measure import SearchScore
from auto_benchmark.proposals.tried_code import as_history, tried_code
from auto_benchmark.registry.solution import NEVER_EDITED, Solution

MOST_TRIED, MOST_PAPERS, MOST_QUOTES, LONGEST_QUOTE = 20, 200, 12, 300
INSTRUCTION = """Change the code of the solution so that {metric} becomes {better} on new questions of the same kinds.
The program is started as `{command}` with its parameters in AB_CONFIG_JSON, its data in AB_DATA_DIR and its output in
AB_OUTPUT_DIR (predictions.jsonl, metrics.json); it must keep to that, stay deterministic for a seed, use no network and
need no other packages than it has. It may take at most {seconds:g} s and {memory} MB. What scores better here is tried
again on other questions and other seeds before it is used, so what fits these questions alone brings nothing."""


def editable_of(solution: Solution, files: Sequence[str]) -> tuple[str, ...]:
    """What of a solution an agent may edit: as declared, or everything but what is the operator's."""
    if solution.editable is not None:
        return tuple(solution.editable)
    tops = sorted({name.split("/")[0] for name in files} - {*NEVER_EDITED})
    return (*tops, "*.py")


def context_of(
    ctx: Context,
    session: Session,
    aim: Focus,
    base: ProductionCandidate,
    at_home: SearchScore,
    files: Files | None = None,
) -> dict[str, Any]:
    """The brief's ``context``.

    Args:
        ctx: the project.
        session: to read with.
        aim: the board that the loop works on.
        base: the configuration that the agent starts from.
        at_home: its score on the search split.
        files: its code, which patches of tried code are made against.
    """
    solution = ctx.bench.solution.solution
    order = sorted(at_home.slices.items(), key=lambda part: (part[1] if aim.higher_is_better else -part[1], part[0]))
    return {
        "board": _standing(ctx, session, aim),
        "start": {"score": at_home.score, "params": base.params},
        "slices": [{"kind": name, "score": value} for name, value in order],
        "tried_parameters": _tried(ctx, session, aim, base),
        "tried_code": as_history(tried_code(ctx, session, aim, base), ctx, files or {}),
        "knobs": sorted(solution.knobs),
        "briefs": [asdict(each) for each in papers.briefs(session=session, project=ctx.project)],
        "papers": _quotes(ctx, session),
    }


def brief_of(
    ctx: Context, aim: Focus, editable: tuple[str, ...], budget: BudgetLeft, history: Sequence[PastAttempt],
    context: dict[str, Any],
) -> Brief:  # fmt: skip
    """The brief of one attempt."""
    solution = ctx.bench.solution.solution
    instruction = INSTRUCTION.format(
        metric=aim.metric, better="higher" if aim.higher_is_better else "lower", command=" ".join(solution.command),
        seconds=solution.resources.fast_budget_s, memory=solution.resources.memory_mb,
    )  # fmt: skip
    task = f"{solution.name} on {ctx.bench.benchmark.benchmark.name}"
    return Brief(task, instruction, aim.metric, aim.higher_is_better, editable, budget, tuple(history), context)


def _standing(ctx: Context, session: Session, aim: Focus) -> dict[str, Any]:
    """What everybody can read on the board; not what we expect of ourselves, which the gate has measured."""
    seen = board_history.history(session=session, project=ctx.project, board=aim.board, limit=1)
    ours = seen[-1].standing if seen else None
    score = ours.our_score if ours else None
    known = score is not None and aim.rival_score is not None
    return {
        "name": aim.board,
        "our_rank": ours.our_rank if ours else None,
        "our_score": score,
        "best_rival_score": aim.rival_score,
        "gap": aim.gap if known else None,
    }


def _tried(ctx: Context, session: Session, aim: Focus, base: ProductionCandidate) -> list[dict[str, Any]]:
    """Parameters that the search tried with this code, the best first."""
    sign = 1.0 if aim.higher_is_better else -1.0
    found = [each for each in history(ctx, session, aim) if each.scores and each.params != base.params]
    found.sort(key=lambda each: -each.mean)
    return [
        {"change": changed(each.params, base.params), "score": round(sign * each.mean, 6)}
        for each in found[:MOST_TRIED]
    ]


def _quotes(ctx: Context, session: Session) -> list[dict[str, str]]:
    """Techniques that relevant papers name, with the sentence."""
    found = papers.listed(session=session, project=ctx.project, relevant=True, limit=MOST_PAPERS)
    quotes = [
        {
            "technique": storable(name)[:LONGEST_QUOTE],
            "sentence": storable(sentence)[:LONGEST_QUOTE],
            "paper": paper.id,
        }
        for paper in found
        for name, (_, sentence) in sorted(paper.techniques.items())
    ]
    return quotes[:MOST_QUOTES]
