"""``auto-benchmark propose --agent …``: a program works on the code; what is better comes back as a hypothesis."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.commands.project import opened

START = "Code to begin with: production, best (the best that was tried from it), a tree or H-042."
AGENT = "llm:CONN (or llm:CONN:MODEL), command:PATH or replay:DIR."


def propose(
    *,
    agent: Annotated[str, typer.Option(help=AGENT)],
    start: Annotated[str, typer.Option(help=START)] = "production",
    rounds: Annotated[int, typer.Option(min=1, max=100, help="Attempts.")] = 3,
    minutes: Annotated[float, typer.Option(min=0.01, max=10_000, help="Wall clock of the whole run.")] = 30.0,
    measures: Annotated[int, typer.Option(min=0, max=1000, help="Trials that the agent may ask for itself.")] = 6,
    money: Annotated[float | None, typer.Option(min=0, help="For a language model, with --price.")] = None,
    price: Annotated[float, typer.Option(min=0, help="Money per million tokens of a language model.")] = 0.0,
    tokens: Annotated[int, typer.Option(min=1, help="Of a language model, in all.")] = 1_000_000,
    calls: Annotated[int, typer.Option(min=1, help="Of a language model, in all.")] = 40,
    network: Annotated[bool, typer.Option("--network", help="Give the program this machine's network.")] = False,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Let an agent change the code, measured on the search split. What it finds waits in the queue like any other idea."""
    from auto_benchmark.agents.llm import Spending
    from auto_benchmark.proposals.declared import agent_of
    from auto_benchmark.proposals.limits import ProposalLimits
    from auto_benchmark.proposals.propose import isolation_of
    from auto_benchmark.proposals.propose import propose as implementation

    with opened(project, connected=True, say=note) as ctx:
        chosen = agent_of(ctx, agent, Spending(calls=calls, tokens=tokens, price=price), network=network)
        if isolation := isolation_of(chosen):
            note(isolation)
        proposed = implementation(ctx, chosen, ProposalLimits(rounds, minutes, measures, money), start=start)
    if json:
        emit_json(_document(proposed))
        return
    for past in proposed.run.history:
        score = "no score" if past.score is None else f"{past.score:.6g}"
        emit(f"attempt {past.attempt}: {score}" + (f", {past.feedback}" if past.feedback else ""))
    emit(proposed.reason)
    emit(f"written down in {proposed.run.folder}")


def _document(proposed: Any) -> dict[str, Any]:
    from auto_benchmark.proposals.propose import isolation_of

    run, queued = proposed.run, proposed.hypothesis
    return {
        "agent": run.agent.name,
        "start": proposed.start,
        "attempts": [
            {"attempt": past.attempt, "valid": past.valid, "score": past.score, "feedback": past.feedback}
            for past in run.history
        ],
        "chosen": proposed.choice.number if proposed.choice else None,
        "hypothesis": {"id": queued.id, "status": str(queued.status)} if queued else None,
        "reason": proposed.reason,
        "measures": run.measures,
        "tokens": run.tokens,
        "money": run.money,
        "isolation": isolation_of(run.agent),
        "folder": str(run.folder),
    }


COMMANDS = {"propose": propose}
