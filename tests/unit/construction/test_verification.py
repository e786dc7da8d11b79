"""Every class of planted bad item is caught, under its own name, and no good one is."""

from dataclasses import replace

import pytest

from auto_benchmark.construction.item import Item
from auto_benchmark.construction.near_duplicates import Earlier, masked
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.verification import Defect, Verifier

SOURCES_BY_NAME = sources_by_name(SOURCES)
GOOD = {
    "open": Description("algorithms", "shortest_way", {"stops": 6, "extra_roads": 4}),
    "options": Description("algorithms", "brackets", {"pairs": 9}),
    "table": Description("tables", "count", {"rows": 9}),
    "picture": Description("charts", "value", {"bars": 4, "kind": "bars", "numbers": "hidden"}),
}


def items_of(name: str, n: int = 25, seed: int = 1) -> list[Item]:
    description = GOOD[name]
    drawn = SOURCES_BY_NAME[description.source].generate(description, n, seed)
    return [item for item in drawn if verifier().defect(item) is None]


def verifier(**more) -> Verifier:
    return Verifier(SOURCES_BY_NAME, **{"size": 1000, **more})


def asked(item: Item, **changed) -> Item:
    return replace(item, asked=replace(item.asked, **changed))


def wrong_key(item: Item) -> Item:
    others = [o for o in item.asked.options if o != item.answer]
    return replace(item, answer=others[0] if others else int(item.answer) + 1)


def echo(item: Item) -> Item:
    return asked(item, question=f"{item.asked.question} It is not far from {item.answer} steps.")


def unanswerable(item: Item) -> Item:
    return asked(item, context="")


def two_right(item: Item) -> Item:
    return asked(item, options=(*item.asked.options, f"{item.answer.upper()} "))


def no_right(item: Item) -> Item:
    return asked(item, options=(*(o for o in item.asked.options if o != item.answer), "maybe"))


def leaked(item: Item) -> Item:
    return asked(item, question=f"{item.asked.question} (The correct answer is the one below.)")


def another_question(item: Item) -> Item:
    return asked(item, question=item.asked.question.replace("What is", "Tell me"))


PLANTED = [
    ("open", wrong_key, Defect.WRONG_KEY), ("options", wrong_key, Defect.WRONG_KEY), ("table", wrong_key, Defect.WRONG_KEY),
    ("picture", wrong_key, Defect.WRONG_KEY), ("open", echo, Defect.ECHO), ("open", unanswerable, Defect.UNANSWERABLE),
    ("options", two_right, Defect.TWO_RIGHT_OPTIONS), ("options", no_right, Defect.NO_RIGHT_OPTION),
    ("open", leaked, Defect.LEAKED_INSTRUCTION), ("open", another_question, Defect.NOT_FROM_EVIDENCE),
]  # fmt: skip


@pytest.mark.parametrize(("name", "spoil", "defect"), PLANTED, ids=lambda v: getattr(v, "__name__", str(v)))
def test_a_spoilt_item_is_rejected_for_what_is_wrong_with_it(name, spoil, defect):
    good = items_of(name, 4 if name == "picture" else 25)
    assert len(good) >= 3
    assert [verifier().defect(spoil(item)) for item in good] == [defect] * len(good)


@pytest.mark.parametrize("name", [name for name in GOOD if name != "picture"])
def test_good_items_of_one_stream_are_kept(name):
    one = verifier()
    kept = [item for item in items_of(name, 60) if one.defect(item) is None]
    assert len(kept) >= 55


def test_a_duplicate_and_a_near_duplicate_are_rejected():
    one, (first, *_) = verifier(size=10), items_of("open")
    assert one.defect(first) is None
    assert one.defect(first) is Defect.DUPLICATE
    numbers = [[a, b, steps + 1] for a, b, steps in first.evidence["roads"]]
    form = SOURCES_BY_NAME["algorithms"].form("shortest_way")
    alike = form.item("algorithms", first.params, {**first.evidence, "roads": numbers})
    assert alike.id != first.id
    assert one.defect(alike) is Defect.NEAR_DUPLICATE


def test_an_item_in_another_dress_is_a_near_duplicate():
    one, (first, *_) = verifier(size=10), items_of("open")
    form = SOURCES_BY_NAME["algorithms"].form("shortest_way")
    dressed = form.item(
        "algorithms", first.params, {**first.evidence, "where": "A smith keeps a list of bells at the pond."}
    )
    assert one.defect(first) is None and masked(dressed.asked.text()) != masked(first.asked.text())
    assert one.defect(dressed) is Defect.NEAR_DUPLICATE


def test_two_of_a_hundred_may_be_near_duplicates():
    one, (first, *_) = verifier(size=100), items_of("open")
    form = SOURCES_BY_NAME["algorithms"].form("shortest_way")
    roads = first.evidence["roads"]
    alike = [
        form.item("algorithms", first.params, {**first.evidence, "roads": [[a, b, s + k] for a, b, s in roads]})
        for k in range(5)
    ]
    assert [one.defect(item) for item in alike] == [None, None, None, Defect.NEAR_DUPLICATE, Defect.NEAR_DUPLICATE]


def test_an_item_of_an_earlier_benchmark_is_contaminated_and_another_is_not():
    old, new = items_of("open", 10, seed=1), items_of("open", 10, seed=2)
    one = verifier(earlier=Earlier.of(item.asked.text() for item in old))
    assert [one.defect(item) for item in old] == [Defect.CONTAMINATED] * len(old)
    assert [one.defect(item) for item in new] == [None] * len(new)


def test_a_picture_is_contaminated_by_its_content_not_by_its_question():
    old, new = items_of("picture", 2, seed=1), items_of("picture", 2, seed=2)
    one = verifier(earlier=Earlier.of([i.asked.text() for i in old], [i.asked.media.sha256 for i in old]))
    assert {one.defect(item) for item in old} == {Defect.CONTAMINATED}
    assert Defect.CONTAMINATED not in {one.defect(item) for item in new}


def test_masking_takes_names_and_numbers_and_keeps_the_words():
    assert masked("Where did Peters sell 1,200 sacks? Ask Stone.") == "where did @ sell # sacks? ask @."
