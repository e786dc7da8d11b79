"""Agents by what people type: ``llm:CONN``, ``command:PATH``, ``replay:DIR``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from auto_benchmark.agents.agent import Agent
from auto_benchmark.errors import InputError
from auto_benchmark.spelling import did_you_mean

Maker = Callable[[str], Agent]
"""Makes an agent from what stands behind the colon; raises InputError."""


def _command(argument: str) -> Agent:
    from auto_benchmark.agents.command import CommandAgent

    return CommandAgent.at(argument)


def _replay(argument: str) -> Agent:
    from auto_benchmark.agents.replay import ReplayAgent

    return ReplayAgent.at(argument)


BUILT_IN: Mapping[str, Maker] = {"command": _command, "replay": _replay}
"""Those that need nothing but their argument; ``llm`` needs endpoints (:func:`auto_benchmark.agents.llm.llm_maker`)."""


def agent_from(text: str, more: Mapping[str, Maker] | None = None) -> Agent:
    """The agent that ``text`` names.

    Args:
        text: ``KIND`` or ``KIND:ARGUMENT``.
        more: further kinds: ``llm``, and those of a laboratory.

    Raises:
        InputError: no such kind, or its argument is missing or wrong.
    """
    makers = {**BUILT_IN, **(more or {})}
    kind, _, argument = text.partition(":")
    if kind not in makers:
        forms = ", ".join(sorted(makers))
        raise InputError(f"--agent: no kind of agent {kind!r}{did_you_mean(kind, makers)}; there are {forms}")
    return makers[kind](argument)
