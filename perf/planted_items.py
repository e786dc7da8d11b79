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
from auto_benchmark.construction.spoilt import echo, leaked, two_right, unanswerable
from auto_benchmark.construction.verification import Defect, Verifier
from auto_benchmark.stats.intervals import rate_interval

EACH = {"text": 8, "dialogue": 8, "picture": 3, "sound": 4}
"""Good items of a form, by modality: pictures take longer."""
BY_NAME = sources_by_name(SOURCES)
Spoil = Callable[[Item, Item], Item | None]


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


def _alone(spoil: Callable[[Item], Item | None]) -> Spoil:
    return lambda item, _: spoil(item)


CLASSES: dict[str, tuple[Spoil, set[Defect]]] = {
    "wrong key": (wrong_key, {Defect.WRONG_KEY}),
    "evidence of another item": (others_evidence, {Defect.WRONG_KEY, Defect.NOT_FROM_EVIDENCE, Defect.NO_RIGHT_OPTION,
                                                   Defect.UNANSWERABLE}),
    "echo": (_alone(echo), {Defect.ECHO}),
    "unanswerable": (_alone(unanswerable), {Defect.UNANSWERABLE, Defect.WRONG_KEY, Defect.NOT_FROM_EVIDENCE,
                                    Defect.NO_RIGHT_OPTION}),
    "two right options": (_alone(two_right), {Defect.TWO_RIGHT_OPTIONS}),
    "leaked instruction": (_alone(leaked), {Defect.LEAKED_INSTRUCTION, Defect.ECHO, Defect.NOT_FROM_EVIDENCE}),
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
