"""The agent that ``schedule.yaml`` declares."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from auto_benchmark.agents.agent import Agent
from auto_benchmark.agents.command import CommandAgent
from auto_benchmark.agents.llm import Spending, llm_maker
from auto_benchmark.agents.registry import agent_from
from auto_benchmark.errors import AutoBenchmarkError, InputError
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.project.configuration import project_directory
from auto_benchmark.project.context import Context
from auto_benchmark.proposals.limits import ProposalLimits
from auto_benchmark.proposals.propose import propose
from auto_benchmark.registry.schedule import NO_PROGRAM, Proposals

CACHE = "agents"
WITH_PATH = ("command", "replay")


def agent_of(ctx: Context, text: str, spending: Spending, *, network: bool = False) -> Agent:
    """The agent that a person has named.

    Args:
        ctx: the project.
        text: its name.
        spending: a model's budget.
        network: whether the person gives it the machine's network.

    Raises:
        InputError: there is none, or it runs no program that could use a network.
    """
    cache = DirectoryCache(ctx.home / "cache" / CACHE)
    agent = agent_from(text, {"llm": llm_maker(ctx.connections, cache, spending=spending)})
    if not network:
        return agent
    if not isinstance(agent, CommandAgent):
        raise InputError(f"--network {NO_PROGRAM}")
    return replace(agent, network=True)


def propose_as_declared(ctx: Context) -> dict[str, Any] | None:
    """Let the declared agent work; None, with the reason told, where nothing came of it."""
    declared = ctx.config.schedule.proposals
    limits = ProposalLimits(declared.rounds, declared.minutes, declared.measures, declared.money)
    spending = Spending(declared.calls, declared.tokens, declared.price)
    try:
        agent = agent_of(ctx, _absolute(ctx, declared), spending, network=declared.network)
        proposed = propose(ctx, agent, limits, start=declared.start, called=declared.agent)
    except AutoBenchmarkError as error:
        ctx.say(f"no proposal: {error}")
        return None
    ctx.say(f"{declared.agent}: {proposed.reason}")
    found = proposed.hypothesis
    return None if found is None else {"hypothesis_id": found.id, "reason": proposed.reason}


def _absolute(ctx: Context, declared: Proposals) -> str:
    """The agent's name with its path, which starts from the project's own files."""
    kind, _, argument = (declared.agent or "").partition(":")
    return (
        f"{kind}:{project_directory(ctx.settings, ctx.project) / argument}"
        if kind in WITH_PATH
        else f"{kind}:{argument}"
    )
