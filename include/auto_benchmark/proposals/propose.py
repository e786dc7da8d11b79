"""Lets an agent work on production's code and queues what it chose, where the search split says that it is better."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.agents.agent import Agent
from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.patch import unified
from auto_benchmark.agents.workspace import Files, all_files, write_files
from auto_benchmark.boards.standing import Focus, focus
from auto_benchmark.db.repositories import hypotheses, records
from auto_benchmark.documents import to_yaml
from auto_benchmark.errors import RefusedError
from auto_benchmark.experiments.allowance import why_not
from auto_benchmark.hypotheses.hypothesis import Hypothesis
from auto_benchmark.hypotheses.origin import of_agent
from auto_benchmark.ideas.code import why_no_code
from auto_benchmark.ideas.file import read_idea
from auto_benchmark.ideas.idea import LONGEST_TITLE
from auto_benchmark.ideas.intake import take_in
from auto_benchmark.kinds import LogKind
from auto_benchmark.project.context import Context
from auto_benchmark.project.current_config import base_config
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.project.solution_code import bench_on
from auto_benchmark.promotion.production import ProductionCandidate
from auto_benchmark.proposals.facts import brief_of, context_of, editable_of
from auto_benchmark.proposals.limits import ProposalLimits
from auto_benchmark.proposals.run import Attempt, ProposalRun
from auto_benchmark.proposals.search_measure import SearchMeasure, SearchScore
from auto_benchmark.proposals.tried_code import AttemptedCode, start_of, tried_code
from auto_benchmark.registry.solution import NEVER_EDITED
from auto_benchmark.registry.technique_catalog import Effort

PRODUCTION = "production"
DIFF, IDEA, WHOLE = "change.diff", "hypothesis.yaml", "code"


@dataclass(frozen=True, slots=True)
class Proposed:
    """What came of a run.

    Attributes:
        run: what was tried.
        start: production's code on the search split.
        choice: what the agent chose; None where nothing could be scored.
        hypothesis: what was queued, or was asked before; None where nothing was.
        reason: for people.
    """

    run: ProposalRun
    start: float
    choice: Attempt | None
    hypothesis: Hypothesis | None
    reason: str


def propose(
    ctx: Context, agent: Agent, limits: ProposalLimits, *, start: str = PRODUCTION, called: str | None = None
) -> Proposed:
    """Run an agent on the code that experiments start from.

    Args:
        ctx: the project.
        agent: who works.
        limits: its budget.
        start: code that the workspace begins with: production's, the best or any other that was tried from it.
        called: the agent's name, where it is not the one that it was started by.

    Raises:
        InputError: nothing of the name ``start`` was tried from the present code.
        RefusedError: no change of code is taken in, no trial may run, or the present code cannot be measured.
    """
    with ctx.sessions() as session:
        if reason := why_no_code(ctx) or why_not(ctx, session):
            raise RefusedError(reason)
        aim, base = focus(ctx, session), base_config(ctx, session).candidate
    files = all_files(bench_on(ctx.bench, base.tree).solution.path).files
    fixed = {name: file for name, file in files.items() if name in NEVER_EDITED}
    measure = SearchMeasure(ctx, base, fixed, aim.metric, aim.higher_is_better)
    begins = files if start == PRODUCTION else _start(ctx, start, aim, base)
    at_home = measure.score(base.tree)
    if at_home.score is None:
        raise RefusedError(f"the code that is to be changed has no score on the search split: {at_home.reason}")
    editable = editable_of(ctx.bench.solution.solution, sorted(files))
    folder = ctx.home / "proposals" / f"{ctx.now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    run = ProposalRun(agent, folder, files, editable, measure, limits, begins=begins)
    run.to_the_end(_briefs(ctx, aim, base, at_home, files, editable))
    return _hand_in(ctx, run, aim, at_home.score, of_agent(called or agent.name)[:200])


def isolation_of(agent: Agent) -> str | None:
    """What keeps an agent from others here, and what does not; None for one that runs no program."""
    return str(agent.isolation) if isinstance(agent, CommandAgent) else None


def name_in_reports(agent: Agent) -> str:
    """Its name for reports, with the network where it has one."""
    has_network = isinstance(agent, CommandAgent) and agent.network
    return f"{agent.name} (with the network)" if has_network else agent.name


def _briefs(
    ctx: Context, aim: Focus, base: ProductionCandidate, at_home: SearchScore, files: Files, editable: tuple[str, ...]
) -> Callable[[ProposalRun], Brief]:
    with ctx.sessions() as session:
        context = context_of(ctx, session, aim, base, at_home, files)

    def brief(run: ProposalRun) -> Brief:
        return brief_of(ctx, aim, editable, run.budget, run.history, context)

    return brief


def _start(ctx: Context, wanted: str, aim: Focus, base: ProductionCandidate) -> Files:
    with ctx.sessions() as session:
        tried = tried_code(ctx, session, aim, base)
        ids = {each.id: each.tree for each in hypotheses.listed(session=session, project=ctx.project)}
    return start_of(ctx, wanted, tried, ids)


def _hand_in(ctx: Context, run: ProposalRun, aim: Focus, start: float, origin: str) -> Proposed:
    choice = run.choice()
    gain = 0.0 if choice is None else (choice.score - start) * (1.0 if aim.higher_is_better else -1.0)
    if choice is None:
        proposed = Proposed(run, start, None, None, _why_no_choice(run))
    elif dict(choice.files) == dict(run.base):
        proposed = Proposed(run, start, choice, None, f"attempt {choice.number} changes nothing")
    elif gain <= 0:
        told = f"attempt {choice.number} has {_compared(aim, choice, start)}: nothing is proposed"
        proposed = Proposed(run, start, choice, None, told)
    else:
        proposed = _queue(ctx, run, aim, choice, start, gain, origin)
    with ctx.sessions.begin() as session:
        records.log(
            session=session, project=ctx.project, key=f"proposal/{run.folder.name}", kind=LogKind.PROPOSAL,
            subject=proposed.hypothesis.id if proposed.hypothesis else run.agent.name,
            reason=f"{name_in_reports(run.agent)}: {proposed.reason}",
            inputs={
                "attempts": len(run.history), "measures": run.measures, "tokens": run.tokens, "money": run.money,
                "isolation": isolation_of(run.agent), "metric": aim.metric, "base": run.measure.base.tree,
                "tried": [_kept(one, run.agent.name) for one in run.attempts.values()],
            },
        )  # fmt: skip
    return proposed


def _kept(attempt: Attempt, name: str) -> dict[str, Any]:
    """An attempt as later runs may build on it."""
    found = AttemptedCode(tree=attempt.tree, title=attempt.title or name, score=round(attempt.score, 6))
    return found.model_dump()


def _queue(
    ctx: Context, run: ProposalRun, aim: Focus, choice: Attempt, start: float, gain: float, origin: str
) -> Proposed:
    file = run.folder / IDEA
    changed = sorted(n for n in {*run.base, *choice.files} if run.base.get(n) != choice.files.get(n))
    title = (choice.title or f"{run.agent.name} changes {', '.join(changed[:3])}")[:LONGEST_TITLE]
    idea = {
        "title": title,
        "claim": f"{aim.metric} {choice.score:.4g} instead of {start:.4g}, as measured on the search split",
        "source": f"agent {run.agent.name}"[:200],
        "target_leaderboards": [aim.board],
        "implementation": {
            "change": f"{title} ({', '.join(changed[:20])})"[:1000],
            "code": _code(run.folder, run.base, choice.files),
            "effort": str(Effort.MEDIUM),
            "estimated_gain": round(gain, 6),
        },
    }
    atomic.write_text(file, to_yaml(idea))
    idea_read, document = read_idea(file)
    with ctx.sessions.begin() as session:
        taken = take_in(ctx, session, idea_read, document, file.parent, origin=origin)
    render_views(ctx)
    reason = f"{taken.hypothesis.id} has {_compared(aim, choice, start)}: {taken.reason}"
    return Proposed(run, start, choice, taken.hypothesis, reason)


def _why_no_choice(run: ProposalRun) -> str:
    if run.attempts:
        return "the agent chose an attempt that could not be scored"
    last = run.history[-1].feedback if run.history else "the agent made no attempt"
    return f"nothing could be scored: {last}"


def _compared(aim: Focus, choice: Attempt, start: float) -> str:
    return f"{aim.metric} {choice.score:.4g} on the search split, the present code {start:.4g}"


def _code(folder: Path, base: Files, files: Files) -> dict[str, str]:
    """The change as a patch; as whole files where one of them is not text."""
    patch = unified(base, files)
    if "\nBinary files " in f"\n{patch}":
        write_files(folder / WHOLE, files)
        return {"folder": WHOLE}
    atomic.write_text(folder / DIFF, patch)
    return {"diff": DIFF}
