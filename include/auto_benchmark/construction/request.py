"""REQUEST.yaml: what a benchmark is asked for."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from auto_benchmark import documents
from auto_benchmark.documents import Document, Strict
from auto_benchmark.documents import Path as FieldPath
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.registry.names import Count, NotNegative, Positive, Share, Slug
from auto_benchmark.spelling import did_you_mean

SMALLEST, LARGEST = 20, 100_000
Endpoint = Annotated[
    str, StringConstraints(pattern=r"^llm:[A-Za-z0-9_]{1,64}(:[A-Za-z0-9][A-Za-z0-9._/@:-]{0,199})?$")
]
Weight = Annotated[float, Field(strict=True, ge=0, le=1e6, allow_inf_nan=False)]
"""Of an objective; a sum of some is a finite number."""
Text = Annotated[str, StringConstraints(min_length=1, max_length=4000, strip_whitespace=True)]


class Proposer(StrEnum):
    """Who proposes the descriptions that a search tries."""

    ESTIMATOR = "estimator"
    """Learns from what was tried; one of each round is random all the same."""
    RANDOM = "random"


class Target(Strict):
    """A share of items that the best candidate is to get wrong."""

    target: Share


class Least(Strict):
    """The smallest value that an item may have."""

    min: Share


class ChoiceObjective(Strict):
    """What descriptions are chosen by: difficulty, and weights of what counts beside it.

    Attributes:
        difficulty: as hard as possible, or as near as possible to a target.
        separability: weight of the mean distance between candidates.
        novelty: weight of an order of candidates that earlier boards do not foretell; needs ``compare_with``.
        salience: items whose subject matters less than this are left out.
        safety: weight of attacks that succeed; needs a source of attacks and harmless twins.
    """

    difficulty: Literal["max"] | Target = "max"
    separability: Weight = 0.0
    novelty: Weight = 0.0
    salience: Least | None = None
    safety: Weight = 0.0

    @property
    def target(self) -> float | None:
        """The difficulty aimed at; None for the highest."""
        return self.difficulty.target if isinstance(self.difficulty, Target) else None


class ConstructionBudget(Strict):
    """What a construction may use; rounds end early so that the rest fits.

    Attributes:
        calls: questions put to candidates, one per candidate and item.
        minutes: of the whole construction.
        money: programs cost none, and of models behind an endpoint no price is known, so that these need ``calls``.
    """

    calls: Count | None = None
    minutes: Positive | None = None
    money: NotNegative | None = None


class ConstructionRequest(Strict):
    """A benchmark as somebody asks for it.

    Attributes:
        name: of the benchmark and its folder.
        request: what it should measure, in words.
        domain: of what, in words.
        sources: cards to draw from; those that the words fit where neither these nor documents are named.
        documents: folder of the user's own texts, counted from the request's file.
        target_size: items of the finished benchmark, all splits together.
        candidates: systems, panels, or models behind an endpoint (``llm:CONN[:MODEL]``) that answer; every bundled one
            that is not planted where none is named.
        compare_with: earlier boards: folders of constructions or of benchmarks made by one.
        rounds: of the search for descriptions.
        per_round: descriptions tried in each.
        pilot_items: drawn for every description tried.
        proposer: of the descriptions.
        seed: fixes every draw.
    """

    name: Slug
    request: Text
    domain: str = ""
    sources: list[Slug] = []
    documents: str | None = None
    target_size: int = Field(default=500, strict=True, ge=SMALLEST, le=LARGEST)
    objective: ChoiceObjective = ChoiceObjective()
    candidates: list[Slug | Endpoint] = []
    compare_with: list[str] = []
    rounds: Count = 8
    per_round: Count = 5
    pilot_items: int = Field(default=50, strict=True, ge=8, le=1000)
    proposer: Proposer = Proposer.ESTIMATOR
    budget: ConstructionBudget = ConstructionBudget()
    seed: int = Field(default=0, strict=True)

    def problems(self) -> Iterator[tuple[FieldPath, str]]:
        """Names that nothing here has, and objectives that cannot be measured."""
        from auto_benchmark.construction.candidates import PANELS
        from auto_benchmark.construction.sources import SOURCES

        if self.sources and self.documents is not None:
            yield ("documents",), "stands beside sources; a request has one of them"
        cards = [source.card.name for source in SOURCES]
        for i, name in enumerate(self.sources):
            if name not in cards:
                yield ("sources", i), f"no source {name!r}{did_you_mean(name, cards)}; there are {', '.join(cards)}"
        systems = [candidate.name for panel in PANELS.values() for candidate in panel]
        for i, name in enumerate(self.candidates):
            if name not in PANELS and name not in systems and not name.startswith("llm:"):
                yield (
                    ("candidates", i),
                    (
                        f"no candidate {name!r}{did_you_mean(name, [*PANELS, *systems])}; panels are {', '.join(PANELS)}"
                    ),
                )
        models = [name for name in self.candidates if name.startswith("llm:")]
        if self.budget.money is not None and models:
            yield ("budget", "money"), f"what a question to {models[0]} costs is not known here; bound calls instead"
        if self.objective.novelty and not self.compare_with:
            yield ("objective", "novelty"), "needs earlier boards: compare_with names none"
        named = [source for source in SOURCES if source.card.name in self.sources]
        if self.objective.safety and named and not any(form.twin for source in named for form in source.forms):
            yield ("objective", "safety"), "none of these sources attacks anything; safety_probes does"


def read_request(path: Path) -> tuple[ConstructionRequest, Document]:
    """The request in a file, and where its fields stand.

    Raises:
        ConfigError: it cannot be read, or something in it is wrong; each fault with line and field.
    """
    document = documents.read(path)
    request = documents.validate(ConstructionRequest, document)
    if request.documents is not None and not (path.parent / request.documents).is_dir():
        text = f"{request.documents!r} is not a folder beside the request"
        raise ConfigError([Fault(str(path), document.line_of(("documents",)), "documents", text)])
    return request, document
