"""A source: structured data or a simulator from which items with exact keys are made. One file under ``sources/`` each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.item import Answer, Asked, Evidence, Item, Params, Scalar, canonical

Modality = str
"""``text``, ``picture``, ``sound``, or ``dialogue``: text under rules, for systems that can refuse."""


@dataclass(frozen=True, slots=True)
class Between:
    """A whole number from ``low`` to ``high``, both included; by convention harder towards ``high``."""

    low: int
    high: int

    def draw(self, random: Random) -> Scalar:
        """Any of them, equally likely."""
        return random.randint(self.low, self.high)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is one of them."""
        return isinstance(value, int) and not isinstance(value, bool) and self.low <= value <= self.high


@dataclass(frozen=True, slots=True)
class OneOf:
    """One of some names."""

    options: tuple[str, ...]

    def draw(self, random: Random) -> Scalar:
        """Any of them, equally likely."""
        return random.choice(self.options)

    def allows(self, value: object) -> bool:
        """Whether ``value`` is one of them."""
        return value in self.options


Parameter = Between | OneOf


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of question that a source can ask: four pure functions around the evidence.

    Attributes:
        name: lower-case identifier.
        about: what is asked, one line for people.
        topics: words of a request that ask for it.
        parameters: what a description may set.
        draw: makes the evidence, plain JSON, from a random generator and the parameters.
        ask: what a candidate sees; follows from the evidence alone.
        key: the answer, from the evidence.
        key_again: the answer by a second, independent way; where it can, from what is asked instead of the evidence.
        salience: declared proxy of how much the subject matters, in [0, 1].
        opened: what an open-book candidate is given besides: the evidence in words; None where the item shows it all.
        twin: the harmless counterpart of an attack; None for forms that attack nothing.
        static: descriptions of attacks that everybody knows; what a search has to surpass.
    """

    name: str
    about: str
    topics: tuple[str, ...]
    parameters: Mapping[str, Parameter]
    draw: Callable[[Random, Params], Evidence]
    ask: Callable[[Evidence], Asked]
    key: Callable[[Evidence], Answer]
    key_again: Callable[[Evidence, Asked], Answer]
    salience: Callable[[Evidence], float] | None = None
    opened: Callable[[Evidence], str] | None = None
    twin: Callable[[Evidence], Evidence] | None = None
    static: tuple[Params, ...] = ()

    def item(self, source: str, params: Params, evidence: Evidence) -> Item:
        """The item that the evidence makes."""
        return Item(
            source=source, form=self.name, params=params, evidence=evidence, asked=self.ask(evidence),
            answer=self.key(evidence), salience=self.salience(evidence) if self.salience else None,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card:
    """What a source is.

    Attributes:
        name: lower-case identifier; requests name it.
        title: for people.
        modality: of its items.
        domains: words of a request that ask for it.
        data: what lies behind it: schema and size.
        licence: of the data.
        key: where keys come from.
        second_key: how they are computed again.
    """

    name: str
    title: str
    modality: Modality
    domains: tuple[str, ...]
    data: str
    licence: str
    key: str
    second_key: str


@dataclass(frozen=True, slots=True)
class Description:
    """What the search proposes: a source's form and a value for each of its parameters."""

    source: str
    form: str
    params: Params = field(default_factory=dict)

    @property
    def id(self) -> str:
        """Name of the description in files and seeds."""
        values = ",".join(f"{name}={self.params[name]}" for name in sorted(self.params))
        return f"{self.source}.{self.form}({values})"

    @classmethod
    def of(cls, key: str, params: Params) -> Description:
        """The description of a subtask, which is named ``source.form``."""
        source, form = key.split(".")
        return cls(source, form, params)


@dataclass(frozen=True, slots=True)
class Source:
    """A card and the forms of question that it can ask."""

    card: Card
    forms: tuple[Form, ...]

    def form(self, name: str) -> Form:
        """One form. Raises KeyError."""
        return {form.name: form for form in self.forms}[name]

    def generate(self, description: Description, n: int, seed: object) -> list[Item]:
        """``n`` different items of a description, fewer where the source has no more of them.

        Item *i* depends on description, seed and *i* alone, so a longer list begins with the shorter one.
        """
        found: dict[str, Item] = {}
        for item in self.stream(description, seed, most=20 * n + 20):
            found.setdefault(item.id, item)
            if len(found) == n:
                break
        return list(found.values())

    def stream(self, description: Description, seed: object, *, most: int) -> Iterator[Item]:
        """Items of a description whose evidence differs, from at most ``most`` draws."""
        form = self.form(description.form)
        seen = set[str]()
        for i in range(most):
            evidence = form.draw(dice(seed, description.id, i), description.params)
            pair = [evidence, *([form.twin(evidence)] if form.twin else [])]
            # every second pair begins with the twin, so that every second item is a fair half
            for one in pair if i % 2 == 0 else pair[::-1]:
                if (told := canonical(one)) not in seen:
                    seen.add(told)
                    yield form.item(self.card.name, description.params, one)

    def key_again(self, item: Item) -> Answer:
        """The key of an item by the second way."""
        return self.form(item.form).key_again(item.evidence, item.asked)


def sources_by_name(sources: Sequence[Source]) -> dict[str, Source]:
    """Name of the card -> source."""
    return {source.card.name: source for source in sources}
