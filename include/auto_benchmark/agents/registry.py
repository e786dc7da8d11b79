"""Agents by what people type: ``llm:CONN``, ``command:PATH``, ``replay:DIR``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from auto_benchmark.agents.agent import Agent
from auto_benchmark.errors import InputError
from auto_benchmark.spelling import did_you_mean

Maker = Callable[[str], Agent]
"""Makes an agent from what stands behind the colon."""


def agent_from(text: str, makers: Mapping[str, Maker]) -> Agent:
    """The agent that ``text`` names.

    Args:
        text: ``KIND`` or ``KIND:ARGUMENT``.
        makers: by kind.

    Raises:
        InputError: no such kind, or its argument is missing or wrong.
    """
    kind, _, argument = text.partition(":")
    if kind not in makers:
        forms = ", ".join(sorted(makers))
        raise InputError(f"--agent: no kind of agent {kind!r}{did_you_mean(kind, makers)}; there are {forms}")
    return makers[kind](argument)
