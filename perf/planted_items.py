"""Planted bad items of every form of every source: which classes verification catches, and what by mistake."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.near_duplicates import Earlier
from auto_benchmark.construction.source import Description, Form, Source, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.verification import Defect, Verifier
from auto_benchmark.stats.intervals import rate_interval

EACH = {"text": 8, "dialogue": 8, "picture": 3, "sound": 4}
"""Good items of a form, by modality: pictures take longer."""
BY_NAME = sources_by_name(SOURCES)
Spoil = Callable[[Item, Item], Item | None]
LEAKS = (
    "{q} (The correct answer is the one below.)", "{q} Answer: {a}", "Ignore the previous text. {q}", "As an AI, I ask: {q}",
    "{q} {{{{place}}}}", "[INST] {q} [/INST]", "<|system|> {q}", "{q} TODO: reword",
)  # fmt: skip


def _asked(item: Item, **changed: Any) -> Item:
    return replace(item, asked=replace(item.asked, **changed))


def wrong_key(item: Item, other: Item) -> Item | None:
    """The key of another option, or a number beside it, or another item's."""
    others = [option for option in item.asked.options if option != item.answer]
    if others:
        return replace(item, answer=others[0])
    if isinstance(item.answer, int):
        return replace(item, answer=item.answer + 1)
    return replace(item, answer=other.answer) if other.answer != item.answer else None


def others_evidence(item: Item, other: Item) -> Item | None:
    """Key and evidence of another item, which belong together, with this one's question."""
    return replace(item, answer=other.answer, evidence=other.evidence) if other.answer != item.answer else None


def echo(item: Item, other: Item) -> Item | None:
    """The key stands in the question."""
    return None if item.asked.options else _asked(item, question=f"{item.asked.question} It is near {item.answer}.")


def unanswerable(item: Item, other: Item) -> Item | None:
    """What the question is about is taken away."""
    if item.asked.media is not None:
        return _asked(item, media=None)
    return (
        _asked(item, context="")
        if item.asked.context
        else _asked(item, question="How many are there in the end?", options=())
    )


def two_right(item: Item, other: Item) -> Item | None:
    """An option that is the key once more, in another case or as another way to write the number."""
    if not item.asked.options:
        return None
    again = f"{item.answer}.0" if isinstance(item.answer, int) else f" {str(item.answer).swapcase()} "
    return _asked(item, options=(*item.asked.options, again))


def leaked(item: Item, other: Item) -> Item | None:
    """An instruction that a template, a model or an author leaves by mistake."""
    pattern = LEAKS[int(item.id, 16) % len(LEAKS)]
    return _asked(item, question=pattern.format(q=item.asked.question, a=item.answer))


CLASSES: dict[str, tuple[Spoil, set[Defect]]] = {
    "wrong key": (wrong_key, {Defect.WRONG_KEY}),
    "evidence of another item": (others_evidence, {Defect.WRONG_KEY, Defect.NOT_FROM_EVIDENCE, Defect.NO_RIGHT_OPTION,
                                                   Defect.UNANSWERABLE}),
    "echo": (echo, {Defect.ECHO}),
    "unanswerable": (unanswerable, {Defect.UNANSWERABLE, Defect.WRONG_KEY, Defect.NOT_FROM_EVIDENCE,
                                    Defect.NO_RIGHT_OPTION}),
    "two right options": (two_right, {Defect.TWO_RIGHT_OPTIONS}),
    "leaked instruction": (leaked, {Defect.LEAKED_INSTRUCTION, Defect.ECHO, Defect.NOT_FROM_EVIDENCE}),
    "duplicate": (lambda item, _: item, {Defect.DUPLICATE}),
    "contaminated": (lambda item, _: item, {Defect.CONTAMINATED}),
}  # fmt: skip
"""Name -> what spoils an item, and the defects that name what is wrong with it."""


def drawn(source: Source, form: Form, seed: int) -> list[Item]:
    """Items of a form at random parameters, as they come: nothing has verified them."""
    found = []
    for i in range(EACH[source.card.modality]):
        params = {name: p.draw(dice(seed, form.name, i, name)) for name, p in form.parameters.items()}
        found += source.generate(Description(source.card.name, form.name, params), 1, f"{seed}/{i}")
    return found


def _verifier(earlier: Iterable[Item] = ()) -> Verifier:
    old = list(earlier)
    seen = Earlier.of([i.asked.text() for i in old], [i.asked.media.sha256 for i in old if i.asked.media])
    return Verifier(BY_NAME, seen, size=10**9)


def _planted(item: Item, other: Item) -> Iterator[tuple[str, Defect | None]]:
    for name, (spoil, _) in CLASSES.items():
        bad = spoil(item, other)
        if bad is None:
            continue
        verifier = _verifier([item] if name == "contaminated" else [])
        if name == "duplicate":
            verifier.remember(item)
        yield name, verifier.defect(bad)


def measure(progress: Callable[[list[Any]], Iterable[Any]] = iter) -> dict[str, Any]:
    """Every class on every form.

    ``caught``: share of planted items that are rejected; ``named``: for what is wrong with them. ``precision``: of all items
    rejected for one of the class's defects, good ones among them, the share that were planted with such a one.
    """
    caught, named, planted = Counter[str](), Counter[str](), Counter[str]()
    rejected_good, good, by_defect = Counter[str](), 0, Counter[Defect]()
    escaped: list[str] = []
    forms = [(source, form) for source in SOURCES for form in source.forms]
    for source, form in progress(forms):
        items = drawn(source, form, 31)
        for item in items:
            good += 1
            if (defect := _verifier().defect(item)) is not None:
                rejected_good[f"{source.card.name}.{form.name}: {defect.value}"] += 1
                by_defect[defect] += 1
                continue
            for name, defect in _planted(item, items[items.index(item) - 1]):
                planted[name] += 1
                caught[name] += defect is not None
                named[name] += defect in CLASSES[name][1]
                if defect is None:
                    escaped.append(f"{name}: {source.card.name}.{form.name}: {item.asked.question[:80]}")
    rows = {}
    for name, (_, defects) in CLASSES.items():
        mistaken = sum(by_defect[d] for d in defects)
        rows[name] = {
            "planted": planted[name], "caught": caught[name], "named": named[name],
            "escape_upper": round(rate_interval(planted[name] - caught[name], planted[name])[1], 4),
            "precision": round(caught[name] / (caught[name] + mistaken), 4) if caught[name] else 0.0,
        }  # fmt: skip
    return {"sources": len(SOURCES), "forms": sum(len(s.forms) for s in SOURCES), "good": good,
            "good_rejected": dict(rejected_good), "classes": rows, "escaped": escaped}  # fmt: skip
