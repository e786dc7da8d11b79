"""The agents of a laboratory by what people type."""

from __future__ import annotations

from auto_benchmark.agents.agent import Agent
from auto_benchmark.agents.llm import Spending, llm_maker
from auto_benchmark.agents.registry import Maker, agent_from
from auto_benchmark.errors import InputError
from auto_benchmark.llm.cache import DirectoryCache
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections

CACHE = "agents"
LLM = "llm:"


def agent_of(
    settings: Settings, connections: Connections, text: str, spending: Spending, money: float | None = None
) -> Agent:
    """The agent that ``text`` names: ``llm:CONN``, ``command:PATH``, ``replay:DIR``, ``tune`` or ``evolve``.

    Raises:
        InputError: there is none, or ``money`` bounds a model without a price.
    """
    if money is not None and text.startswith(LLM) and not spending.price:
        raise InputError("money: says nothing without a price: give `price` (--price), money per million tokens")
    cache = DirectoryCache(settings.root / "cache" / CACHE)
    llm = llm_maker(connections, cache, spending=spending)
    return agent_from(text, {"llm": llm, **MAKERS})


def _tune(argument: str) -> Agent:
    from auto_benchmark.lab.offline.tune import TuneAgent

    return TuneAgent(_bare("tune", argument))


def _evolve(argument: str) -> Agent:
    from auto_benchmark.lab.offline.evolve import EvolveAgent

    return EvolveAgent(_bare("evolve", argument))


def _bare(name: str, argument: str) -> str:
    if argument:
        raise InputError(f"--agent {name}: takes no argument")
    return name


MAKERS: dict[str, Maker] = {"tune": _tune, "evolve": _evolve}
"""Those that need no endpoint."""
