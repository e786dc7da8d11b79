"""What a person writes down to propose a change: the mission's form of a hypothesis, without what the system adds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from auto_benchmark.documents import Path, Strict
from auto_benchmark.hypotheses.hypothesis import Urgency
from auto_benchmark.ideas.code_form import CodeForm
from auto_benchmark.registry.names import Number
from auto_benchmark.registry.solution import Params
from auto_benchmark.registry.technique_catalog import Effort

LONGEST_TITLE, LONGEST_TEXT, MOST_BOARDS = 200, 4000, 100
STORABLE = r"^[^\x00]*$"
Title = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_TITLE, strip_whitespace=True, pattern=STORABLE)
]
Text = Annotated[str, StringConstraints(max_length=LONGEST_TEXT, strip_whitespace=True, pattern=STORABLE)]
AnyCase = BeforeValidator(lambda written: written.capitalize() if isinstance(written, str) else written)
ADDED_BY_US = ("id", "origin", "worth", "priority_score", "status", "config_hash", "tree", "reason")
"""Keys of the queue's own files, which a person may copy and edit; they say nothing about a new hypothesis."""


class ProposedChange(Strict):
    """What is to be changed.

    Attributes:
        change: in words.
        params: knob -> value, on top of production's configuration; ``base`` and ``patch`` are the older form.
        code: other code than production's.
        effort: what it costs to try.
        estimated_gain: expected improvement of the primary metric, in its unit; positive is better.
    """

    change: Text
    params: Params = {}
    base: Params = {}
    patch: Params = {}
    code: CodeForm | None = None
    effort: Annotated[Effort, AnyCase]
    estimated_gain: Annotated[Number, Field(ge=0)]

    @property
    def knobs(self) -> Params:
        """Everything that is set, whichever form it is written in."""
        return {**self.base, **self.patch, **self.params}


class Idea(Strict):
    """One hypothesis of a person.

    Attributes:
        claim: what will happen; made from the title where it is empty.
        source: who or what it comes from.
        target_leaderboards: boards that it is about; those that the benchmark measures where none is named.
    """

    title: Title
    claim: Text = ""
    source: Text = "person"
    target_leaderboards: list[str] = Field(default=[], max_length=MOST_BOARDS)
    urgency: Urgency = Urgency.NORMAL
    implementation: ProposedChange

    @model_validator(mode="before")
    @classmethod
    def _as_written(cls, written: Any) -> Any:
        if isinstance(written, dict):
            return {key: value for key, value in written.items() if key not in ADDED_BY_US}
        return written

    def problems(self) -> Iterator[tuple[Path, str]]:
        """A change that changes nothing."""
        if self.implementation.code is None and not self.implementation.knobs:
            yield ("implementation", "params"), "names no knob, and there is no code: nothing would change"
