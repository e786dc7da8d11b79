"""Conversations in the words of the memory benchmark: the simulator knows what was said of whom, and when."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from random import Random
from typing import Any

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Parameter, Source

UNKNOWN = "unknown"
WORDS = (
    "The conversation and the question may put one and the same thing in different words, and a detail such as weekends or "
    "mornings makes no other thing of it."
)
RULES = f"What was told last counts; the answer is {UNKNOWN} where nothing was told. {WORDS}"
RULES_THEN = f"Of what was told by then, only what was told last counts. {WORDS}"


@cache
def _words() -> Any:
    """The vocabulary of the memory benchmark."""
    from auto_benchmark.artifacts.benchmark_module import load_module
    from auto_benchmark.settings import INCLUDE

    return load_module(INCLUDE / "benchmarks" / "memory", "vocabulary.py")


def _made_up(random: Random, taken: set[str]) -> str:
    while True:
        syllables = [random.choice("bdfgklmnprstvz") + random.choice("aeiou") for _ in range(random.choice((2, 3)))]
        word = ("".join(syllables) + random.choice("lmnrst")).capitalize()
        if word not in taken:
            taken.add(word)
            return word


def _draw_world(random: Random, params: Params) -> dict[str, Any]:
    """People, what is said of them month by month, rumours and small talk; events stand in the order of telling."""
    words, taken = _words(), set[str]()
    people = [_made_up(random, taken) for _ in range(int(params["people"]))]
    months = int(params["months"])
    relations = random.sample(range(len(words.RELATIONS)), 4)
    events = []
    for person in people:
        for relation in relations:
            if random.random() < 0.2:
                continue
            for _ in range(1 + random.randint(0, int(params.get("changes", 0)))):
                events.append(_event(random, months, "fact", person, relation, _made_up(random, taken)))
            if random.random() < 0.3:
                events.append(_event(random, months, "rumour", person, relation, _made_up(random, taken)))
    pronouns = params.get("pronouns", "some")
    for event in events:
        if pronouns == "none" or random.random() < 0.5:
            event["opener"] = None
    events.sort(key=lambda event: event["month"])
    one_each: dict[tuple[int, str, int], dict[str, Any]] = {}
    for event in events:  # within a month nothing changes twice
        if event["kind"] == "fact":
            one_each[event["month"], event["person"], event["relation"]] = event
    told = [e for e in events if e["kind"] == "rumour" or one_each[e["month"], e["person"], e["relation"]] is e]
    return {"people": people, "relations": relations, "months": months, "events": told}


def _event(random: Random, months: int, kind: str, person: str, relation: int, value: str) -> dict[str, Any]:
    relations = _words().RELATIONS[relation]
    wordings = relations.statements if kind == "fact" else relations.rumours
    return {
        "month": random.randrange(months), "kind": kind, "person": person, "relation": relation, "value": value,
        "wording": random.randrange(len(wordings)), "opener": random.randrange(len(_words().OPENERS)),
    }  # fmt: skip


def _conversation(e: Evidence) -> str:
    words, lines, month = _words(), list[str](), -1
    for event in e["events"]:
        if event["month"] != month:
            month = event["month"]
            lines.append(f"[{words.MONTHS[month]}]")
        relation = words.RELATIONS[event["relation"]]
        wordings = relation.statements if event["kind"] == "fact" else relation.rumours
        who = event["person"]
        if event["opener"] is not None:
            lines += [f"user: {words.OPENERS[event['opener']].format(p=who)}.", f"assistant: {words.PROMPTS[0]}"]
            who = "She"
        lines.append(f"user: {wordings[event['wording']].format(p=who, v=event['value'])}.")
    return "\n".join(lines)


def _facts(e: Evidence) -> Iterator[tuple[int, str, int, str]]:
    for event in e["events"]:
        if event["kind"] == "fact":
            yield event["month"], event["person"], event["relation"], event["value"]


@cache
def _patterns() -> list[tuple[re.Pattern[str], int]]:
    found = []
    for i, relation in enumerate(_words().RELATIONS):
        for statement in relation.statements:
            pattern = re.escape(statement).replace(r"\{p\}", "([A-Z][a-z]+)").replace(r"\{v\}", "([A-Z][a-z]+)")
            found.append((re.compile(pattern), i))
    return found


@cache
def _openers() -> list[re.Pattern[str]]:
    return [re.compile(re.escape(o).replace(r"\{p\}", "([A-Z][a-z]+)")) for o in _words().OPENERS]


def _facts_read(text: str) -> Iterator[tuple[int, str, int, str]]:
    """Facts as the conversation tells them: statements by their wording, pronouns by who was named before."""
    month, named = -1, ""
    for line in text.splitlines():
        if line.startswith("["):
            month = _words().MONTHS.index(line.strip("[]"))
            continue
        said = line.removeprefix("user: ").removesuffix(".")
        for opener in _openers():
            if match := opener.fullmatch(said):
                named = match.group(1)
        for pattern, relation in _patterns():
            if match := pattern.fullmatch(said):
                who = named if match.group(1) == "She" else match.group(1)
                yield month, who, relation, match.group(2)


def _latest(facts: Iterator[tuple[int, str, int, str]], person: str, relation: int, until: int) -> Answer:
    known = [
        (month, value) for month, who, what, value in facts if (who, what) == (person, relation) and month <= until
    ]
    return max(known)[1] if known else UNKNOWN


def _draw_latest(random: Random, params: Params) -> Evidence:
    while True:
        world = _draw_world(random, params)
        person, relation = random.choice(world["people"]), random.choice(world["relations"])
        known = _latest(_facts(world), person, relation, world["months"]) != UNKNOWN
        if world["events"] and (known or random.random() < 0.15):
            break
    wording = "plain" if params["wording"] == "plain" else "reworded"
    return {**world, "person": person, "relation": relation, "wording": wording, "asked": random.randrange(2)}


def _ask_latest(e: Evidence) -> Asked:
    question = getattr(_words().RELATIONS[e["relation"]], e["wording"])[e["asked"]].format(p=e["person"])
    return Asked(question, f"{RULES}\n{_conversation(e)}")


def _latest_again(e: Evidence, asked: Asked) -> Answer:
    return _latest(_facts_read(asked.context), e["person"], e["relation"], 12)


def _draw_then(random: Random, params: Params) -> Evidence:
    while True:
        world = _draw_world(random, params)
        told = list(_facts(world))
        if told:
            month, person, relation, _ = random.choice(told)
            until = random.randrange(month, world["months"])
            return {**world, "person": person, "relation": relation, "until": until, "asked": random.randrange(2)}


def _ask_then(e: Evidence) -> Asked:
    question = _words().RELATIONS[e["relation"]].plain[e["asked"]].format(p=e["person"])
    return Asked(
        f"As told by the end of {_words().MONTHS[e['until']]}: {question}", f"{RULES_THEN}\n{_conversation(e)}"
    )


def _then_again(e: Evidence, asked: Asked) -> Answer:
    month = asked.question.partition("end of ")[2].partition(":")[0]
    return _latest(_facts_read(asked.context), e["person"], e["relation"], _words().MONTHS.index(month))


def _draw_number(random: Random, params: Params) -> Evidence:
    while True:
        world = _draw_world(random, params)
        if world["events"]:
            return {**world, "relation": random.choice(world["relations"])}


def _ask_number(e: Evidence) -> Asked:
    question = _words().RELATIONS[e["relation"]].plain[0].format(p="somebody")
    return Asked(f"Of how many people was it told: {question}", f"{WORDS}\n{_conversation(e)}")


_WORLD: dict[str, Parameter] = {
    "people": Between(1, 7), "months": Between(1, 10), "changes": Between(0, 4), "pronouns": OneOf(("none", "some"))
}  # fmt: skip
SOURCE = Source(
    Card(
        name="memory_world",
        title="Conversations about made-up people",
        modality="text",
        domains=("memory", "conversation", "dialogue", "chat", "recall", "assistant"),
        data="a simulator: people, ten relations of the memory benchmark, months, changes and rumours; no end to them",
        licence="as this project",
        key="the simulator's state",
        second_key="the conversation read back: statements by their wording, pronouns by who was named before",
    ),
    (
        Form("latest", "what was told last of somebody", ("recall", "update", "fact", "latest"),
             {**_WORLD, "wording": OneOf(("plain", "reworded"))}, _draw_latest, _ask_latest,
             lambda e: _latest(_facts(e), e["person"], e["relation"], e["months"]), _latest_again),
        Form("back_then", "what held at an earlier time", ("temporal", "time", "history"),
             _WORLD, _draw_then, _ask_then,
             lambda e: _latest(_facts(e), e["person"], e["relation"], e["until"]), _then_again),
        Form("how_many", "of how many people something was told", ("count", "aggregate", "multi-step"),
             _WORLD, _draw_number, _ask_number,
             lambda e: len({who for _, who, what, _ in _facts(e) if what == e["relation"]}),
             lambda e, a: len({who for _, who, what, _ in _facts_read(a.context) if what == e["relation"]})),
    ),
)  # fmt: skip
