"""An agent that is a language model behind an OpenAI-compatible endpoint.

The model is asked from outside of any confinement and runs nothing: what it says becomes edits of editable files, or a
reason why not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass, field
from pathlib import Path

from auto_benchmark.agents.agent import LONGEST_LOG, LONGEST_REASON, Agent, AttemptOutcome, Turn
from auto_benchmark.agents.brief import Brief
from auto_benchmark.agents.chosen import LONGEST_TITLE, TITLE
from auto_benchmark.agents.edits import EditError, edited, read_answer
from auto_benchmark.agents.measure import Measure
from auto_benchmark.agents.meter import Meter
from auto_benchmark.agents.prompt import REPAIR, first_messages
from auto_benchmark.agents.workspace import OURS, File, Files, all_files, is_editable, with_notes, write_files
from auto_benchmark.documents import storable
from auto_benchmark.errors import InputError
from auto_benchmark.llm.chat import Chat, ChatFailed, Message
from auto_benchmark.sources.connection import Connections

LONGEST_CALL_S = 300.0
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@-]{0,199}")


@dataclass(frozen=True, slots=True)
class Spending:
    """The most that a model may use up, over all attempts.

    Attributes:
        calls: of the endpoint.
        tokens: as it reports them, but no fewer than the text is long.
        price: money per million tokens, in the currency of the rate card; what a brief's ``money_left`` is spent in.
        repairs: answers of one attempt that may put right what the one before got wrong.
    """

    calls: int = 40
    tokens: int = 1_000_000
    price: float = 0.0
    repairs: int = 2


@dataclass(frozen=True, slots=True)
class LlmAgent:
    """Asks a model for edits; a block that does not apply, or files that cannot be scored, are reported back to it.

    Attributes:
        name: as a person wrote it.
        chat: counts over all attempts.
        spending: the budget.
    """

    name: str
    chat: Chat
    spending: Spending = field(default_factory=Spending)

    def attempt(self, workspace: Path, brief: Brief, measure: Measure | None) -> Turn:
        """See :class:`~auto_benchmark.agents.agent.Agent`."""
        whole = with_notes(workspace)
        meter = Meter(measure, brief, all_files(workspace).files)
        return _Conversation(self, brief, meter, whole, lambda files: write_files(workspace, files)).turn()


class _Conversation:
    """One attempt."""

    def __init__(
        self, agent: LlmAgent, brief: Brief, meter: Meter, files: Files, write: Callable[[Files], None]
    ) -> None:
        self.agent, self.brief, self.meter, self.files, self.write = agent, brief, meter, files, write
        self.tokens_before = agent.chat.tokens
        self.said = ""

    def turn(self) -> Turn:
        """Ask, apply, measure where that is possible; ask again with what is wrong."""
        messages = first_messages(self.brief, {n: f for n, f in self.files.items() if not n.startswith(f"{OURS}/")})
        problem = ""
        for _ in range(1 + self.agent.spending.repairs):
            try:
                self.said = self._ask(messages)
            except ChatFailed as error:
                return self._ended(AttemptOutcome.FAILED, "; ".join(filter(None, [problem, str(error)])))
            outcome, problem = self._take(self.said)
            if outcome is not AttemptOutcome.FAILED:
                return self._ended(outcome, "")
            messages = [*messages, {"role": "assistant", "content": self.said},
                        {"role": "user", "content": REPAIR.format(problem=problem)}]  # fmt: skip
        return self._ended(AttemptOutcome.FAILED, problem)

    def _ask(self, messages: list[Message]) -> str:
        left = self.meter.left
        if left.seconds_left <= 0:
            raise ChatFailed("the time is up")
        if left.money_left is not None and left.money_left <= 0:
            raise ChatFailed(f"the money is spent: {self.meter.money:g} in this attempt")
        try:
            return self.agent.chat.converse(messages, within_s=min(LONGEST_CALL_S, left.seconds_left))
        finally:
            tokens = self.agent.chat.tokens - self.tokens_before
            self.meter.money = tokens * self.agent.spending.price / 1e6

    def _take(self, said: str) -> tuple[AttemptOutcome, str]:
        """What becomes of an answer, and what is wrong with it."""
        try:
            answer = read_answer(said)
            if not answer.edits:
                if answer.is_done:
                    return AttemptOutcome.DONE, ""
                raise EditError("the answer holds no edit in one of the forms")
            files = edited(self.files, answer.edits, self.brief.editable)
        except EditError as error:
            return AttemptOutcome.FAILED, str(error)
        measured = self.meter.measure(lambda: files)
        if measured is not None and not measured.valid:
            return AttemptOutcome.FAILED, f"the edited program cannot be scored: {measured.feedback}"
        kept = {name: file for name, file in self.files.items() if not is_editable(name, self.brief.editable)}
        title = next((line.strip() for line in said.splitlines() if line.strip()), "")[:LONGEST_TITLE]
        self.write({**kept, **files, TITLE: File(title.encode("utf-8", "replace"))})
        return AttemptOutcome.EVALUATE, ""

    def _ended(self, outcome: AttemptOutcome, reason: str) -> Turn:
        tokens = self.agent.chat.tokens - self.tokens_before
        return Turn(
            outcome=outcome,
            reason=storable(reason)[:LONGEST_REASON],
            measures=tuple(self.meter.calls),
            tokens=tokens,
            money=self.meter.money,
            seconds=self.meter.seconds,
            log=self.said[:LONGEST_LOG],
        )


def llm_maker(
    connections: Connections, cache: MutableMapping[str, str], *, model: str | None = None,
    spending: Spending | None = None,
) -> Callable[[str], Agent]:  # fmt: skip
    """Makes agents of ``llm:CONN`` and ``llm:CONN:MODEL``.

    Args:
        connections: finds the endpoint.
        cache: digest of a question -> answer; a question that was answered before costs nothing.
        model: where the text names none; without either the endpoint's own, named ``default``.
        spending: the budget.
    """

    def make(argument: str) -> Agent:
        conn_id, _, named = argument.partition(":")
        wanted = named or model or "default"
        if not conn_id:
            raise InputError("--agent llm: names no connection: llm:CONN or llm:CONN:MODEL")
        if not _MODEL.fullmatch(wanted):
            raise InputError(f"--agent llm: {wanted[:80]!r} is not the name of a model")
        limits = spending or Spending()
        chat = Chat(connections.get(conn_id), wanted, limits.calls, limits.tokens, cache)
        return LlmAgent(f"llm:{argument}", chat, limits)

    return make
