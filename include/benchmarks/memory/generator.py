"""Generates long multi-session conversations about people, and questions about what was said in them.

Every world is one conversation of twelve monthly sessions between a user and an assistant. People, values and names
are made-up words, new in every world, so nothing can be known beforehand. Only ``random.Random.random`` is drawn
from, whose sequence Python guarantees for a given seed: the same seed gives the same bytes on every platform.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from . import vocabulary as words

T = TypeVar("T")

PEOPLE = 8
QUESTIONS = {"single_hop": 16, "paraphrased": 10, "updated": 8, "multi_hop": 5, "temporal": 4, "unanswerable": 5}
ITEMS_PER_WORLD = sum(QUESTIONS.values())
PRONOUN_SHARE = 0.45
UPDATE_SHARE = 0.45
UNSAID_SHARE = 0.2
SESSIONS = len(words.MONTHS)


class Data(NamedTuple):
    """What ``generate`` returns; every row is plain JSON.

    Attributes:
        contexts: conversations, ``{"context", "sessions": [{"month", "turns": [{"speaker", "text"}]}]}``.
        items: questions without their answers, ``{"id", "context", "question"}``.
        answers: item id -> ``{"answer", "slices"}``.
    """

    contexts: list[dict[str, Any]]
    items: list[dict[str, Any]]
    answers: dict[str, dict[str, Any]]


class Fact(NamedTuple):
    """``person`` has ``value`` for ``relation`` from ``session`` on."""

    person: str
    relation: Any
    value: str
    session: int


Histories = dict[tuple[str, str], list[Fact]]
"""(person, relation) -> facts, oldest first."""


class Dice:
    """Random choices made of ``random()`` alone."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311

    def chance(self, share: float) -> bool:
        """True in ``share`` of the cases."""
        return self._random.random() < share

    def below(self, n: int) -> int:
        """A whole number in [0, n)."""
        return int(self._random.random() * n)

    def one(self, options: Sequence[T]) -> T:
        """One of ``options``."""
        return options[self.below(len(options))]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """``options`` in random order (Fisher-Yates)."""
        order = list(options)
        for i in range(len(order) - 1, 0, -1):
            j = self.below(i + 1)
            order[i], order[j] = order[j], order[i]
        return order


def _made_up(dice: Dice, taken: set[str]) -> str:
    while True:
        word = "".join(dice.one("bdfgklmnprstvz") + dice.one("aeiou") for _ in range(2 + dice.below(2)))
        word = (word + dice.one("lmnrst")).capitalize()
        if word not in taken:
            taken.add(word)
            return word


@dataclass
class World:
    """One conversation while it is being written."""

    dice: Dice
    taken: set[str] = field(default_factory=set)
    facts: list[Fact] = field(default_factory=list)
    ties: dict[tuple[str, str], str] = field(default_factory=dict)
    sessions: list[list[list[tuple[str, str]]]] = field(default_factory=lambda: [[] for _ in range(SESSIONS)])

    def value(self) -> str:
        """A new value of one or two made-up words."""
        first = _made_up(self.dice, self.taken)
        return f"{first} {_made_up(self.dice, self.taken)}" if self.dice.chance(0.35) else first

    def say(self, session: int, sentence: str, person: str) -> None:
        """Put a sentence into a session: at once, or after the person was named, by a pronoun."""
        if self.dice.chance(PRONOUN_SHARE):
            scene = [
                ("user", self.dice.one(words.OPENERS).format(p=person) + "."),
                ("assistant", self.dice.one(words.PROMPTS)),
                ("user", sentence.format(p="She" if self.dice.chance(0.5) else "He", v="{v}") + "."),
            ]
        else:
            scene = [("user", sentence.format(p=person, v="{v}") + ".")]
        if self.dice.chance(0.4):
            scene.append(("assistant", self.dice.one(words.REPLIES)))
        self.sessions[session].append(scene)


def _say(world: World, session: int, template: str, person: str, value: str) -> None:
    world.say(session, template, person)
    scene = world.sessions[session][-1]
    world.sessions[session][-1] = [(who, text.replace("{v}", value)) for who, text in scene]


def _plant(world: World, people: list[str]) -> Histories:
    """State, change and leave unsaid; returns the history of every (person, relation), oldest first."""
    dice = world.dice
    histories: Histories = {}
    for person in people:
        for relation in words.RELATIONS:
            if dice.chance(UNSAID_SHARE):
                histories[person, relation.name] = []
            else:
                first = dice.below(SESSIONS)
                starts = [first]
                if dice.chance(UPDATE_SHARE):
                    second = dice.below(SESSIONS)
                    if second != first:
                        starts = sorted((first, second))
                histories[person, relation.name] = [Fact(person, relation, world.value(), s) for s in starts]
            for fact in histories[person, relation.name]:
                _say(world, fact.session, dice.one(relation.statements), person, fact.value)
            if dice.chance(0.35):
                _say(world, dice.below(SESSIONS), dice.one(relation.rumours), person, world.value())
    return histories


def _bind(world: World, people: list[str]) -> None:
    """Tie people to each other, so that questions can go by way of one."""
    for person in people:
        for tie in world.dice.shuffled(words.TIES)[:2]:
            other = world.dice.one([p for p in people if p != person])
            world.ties[person, tie] = other
            template = world.dice.one(words.TIE_STATEMENTS).replace("{t}", tie)
            text = template.format(p=person, v=other)
            world.sessions[world.dice.below(SESSIONS)].append([("user", text[0].upper() + text[1:] + ".")])


class Question(NamedTuple):
    """A question with its answer; ``session`` is that of the evidence."""

    kind: str
    text: str
    answer: str
    session: int


def _questions(world: World, histories: Histories) -> list[Question]:
    """Ask :data:`QUESTIONS` of each kind, on facts drawn without repetition while there are enough."""
    dice = world.dice
    steady = dice.shuffled([k for k, h in histories.items() if len(h) == 1])
    changed = dice.shuffled([k for k, h in histories.items() if len(h) == 2])
    unsaid = dice.shuffled([k for k, h in histories.items() if not h])
    ties = [(person, tie, other) for (person, tie), other in world.ties.items()]
    bridged = dice.shuffled(
        [(*t, r.name) for t in ties for r in words.RELATIONS if len(histories[t[2], r.name]) == 1]
    )
    return [
        *_direct(dice, histories, steady),
        *_on_changes(dice, histories, changed),
        *_by_way_of_another(dice, histories, bridged),
        *_without_answer(dice, unsaid),
    ]


def _direct(dice: Dice, histories: Histories, steady: list[tuple[str, str]]) -> Iterator[Question]:
    for i in range(QUESTIONS["single_hop"] + QUESTIONS["paraphrased"]):
        kind, wording = ("single_hop", "plain") if i < QUESTIONS["single_hop"] else ("paraphrased", "reworded")
        fact = histories[steady[i % len(steady)]][0]
        yield Question(
            kind, dice.one(getattr(fact.relation, wording)).format(p=fact.person), fact.value, fact.session
        )


def _on_changes(dice: Dice, histories: Histories, changed: list[tuple[str, str]]) -> Iterator[Question]:
    for i in range(QUESTIONS["updated"] + QUESTIONS["temporal"]):
        old, new = histories[changed[i % len(changed)]]
        if i < QUESTIONS["updated"]:
            yield Question("updated", dice.one(new.relation.plain).format(p=new.person), new.value, new.session)
        else:
            month = words.MONTHS[old.session + dice.below(new.session - old.session)]
            question = dice.one(old.relation.plain).format(p=old.person)
            yield Question("temporal", f"Back in {month}: {question}", old.value, old.session)


def _by_way_of_another(
    dice: Dice, histories: Histories, bridged: list[tuple[str, str, str, str]]
) -> Iterator[Question]:
    for i in range(QUESTIONS["multi_hop"]):
        person, tie, other, relation = bridged[i % len(bridged)]
        fact = histories[other, relation][0]
        question = dice.one(fact.relation.plain).format(p=f"the {tie} of {person}")
        yield Question("multi_hop", question, fact.value, fact.session)


def _without_answer(dice: Dice, unsaid: list[tuple[str, str]]) -> Iterator[Question]:
    relations = {r.name: r for r in words.RELATIONS}
    for i in range(QUESTIONS["unanswerable"]):
        person, name = unsaid[i % len(unsaid)]
        yield Question("unanswerable", dice.one(relations[name].plain).format(p=person), words.UNKNOWN, 0)


def _conversation(world: World) -> list[dict[str, Any]]:
    sessions = []
    for month, scenes in zip(words.MONTHS, world.sessions, strict=True):
        chatter = [
            [("user", world.dice.one(words.SMALL_TALK).format(v=world.value()) + ".")]
            for _ in range(1 + len(scenes) // 5)
        ]
        turns = [turn for scene in world.dice.shuffled(scenes + chatter) for turn in scene]
        sessions.append({"month": month, "turns": [{"speaker": who, "text": text} for who, text in turns]})
    return sessions


def generate(seed: int, worlds: int) -> Data:
    """Write ``worlds`` conversations and :data:`ITEMS_PER_WORLD` questions on each.

    Args:
        seed: fixes every byte of the result.
        worlds: how many conversations.

    Returns:
        Contexts in order; items of all worlds mixed by a fixed shuffle, so that every prefix is representative.
    """
    contexts, pool = [], []
    for w in range(worlds):
        world = World(Dice(f"{seed}/{w}"))
        people = [_made_up(world.dice, world.taken) for _ in range(PEOPLE)]
        histories = _plant(world, people)
        _bind(world, people)
        context = f"c{w:04d}"
        pool += [(context, question) for question in _questions(world, histories)]
        contexts.append({"context": context, "sessions": _conversation(world)})
    items, answers = [], {}
    for i, (context, question) in enumerate(Dice(f"{seed}/order").shuffled(pool)):
        item = f"q{i:05d}"
        items.append({"id": item, "context": context, "question": question.text})
        slices = [question.kind]
        if question.kind != "unanswerable" and question.session < SESSIONS // 2:
            slices.append("long_context")
        answers[item] = {"answer": question.answer, "slices": slices}
    return Data(contexts, items, answers)
