"""What every source of items must do. A source's test inherits this and provides the ``source`` fixture."""

import itertools
import json

import pytest

from auto_benchmark.construction.answers import is_right, is_same_key
from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.item import Item, canonical
from auto_benchmark.construction.source import Between, Description, Source
from auto_benchmark.registry.names import folder_name

MODALITIES = {"text": None, "dialogue": None, "picture": "png", "sound": "wav"}
DRAWN: dict[tuple[str, str, int], list[Item]] = {}
"""Items are drawn once for all tests: pictures take time."""


def descriptions(source: Source, seed: int) -> list[Description]:
    """The corners of every form, each parameter at its first or last value, and one in between."""
    found = []
    for form in source.forms:
        ends = {
            name: (p.low, p.high) if isinstance(p, Between) else (p.options[0], p.options[-1])
            for name, p in form.parameters.items()
        }
        corners = [dict(zip(ends, values, strict=True)) for values in itertools.product(*ends.values())]
        drawn = {name: p.draw(dice(seed, form.name)) for name, p in form.parameters.items()}
        found += [Description(source.card.name, form.name, params) for params in [corners[0], corners[-1], drawn]]
    return found


class ConstructionSourceContract:
    """Inherit as ``TestX(ConstructionSourceContract)`` and define the fixture ``source``."""

    items_each = 4

    @pytest.fixture(params=range(3), ids=["easy", "hard", "between"])
    def items(self, source, request) -> list[Item]:
        return self.drawn(source, request.param)

    def drawn(self, source: Source, end: int) -> list[Item]:
        key = source.card.data, source.card.name, end
        if key not in DRAWN:
            wanted = descriptions(source, 1)[end::3]
            DRAWN[key] = [item for d in wanted for item in source.generate(d, self.items_each, seed=3)]
        return DRAWN[key]

    def test_the_card_says_what_it_is(self, source):
        card = source.card
        assert folder_name(card.name, "source") == card.name
        assert all((card.title, card.domains, card.data, card.licence, card.key, card.second_key))
        assert card.modality in MODALITIES
        names = [form.name for form in source.forms]
        assert names and len(set(names)) == len(names)
        assert all(folder_name(f"{card.name}_{name}", "slice") for name in names)
        assert all(word == word.lower() for form in source.forms for word in (*card.domains, *form.topics))

    def test_the_second_way_gives_the_same_key(self, source, items):
        assert len(items) >= self.items_each * len(source.forms) // 2
        wrong = [item.record() for item in items if not is_same_key(source.key_again(item), item.answer)]
        assert wrong == []

    def test_question_and_key_follow_from_the_evidence(self, source, items):
        for item in items:
            again = source.form(item.form).item(source.card.name, item.params, json.loads(canonical(item.evidence)))
            assert (again.id, again.answer, again.input()) == (item.id, item.answer, item.input())

    def test_the_same_seed_gives_the_same_items_and_another_seed_others(self, source):
        one = descriptions(source, 5)[-1]
        first, again, more, other = (source.generate(one, n, seed=s) for n, s in ((2, 1), (2, 1), (3, 1), (2, 2)))
        assert [i.id for i in first] == [i.id for i in again] == [i.id for i in more][:2]
        assert {i.id for i in first} != {i.id for i in other}

    def test_items_are_as_the_card_says(self, source, items):
        for item in items:
            assert (item.asked.media.kind if item.asked.media else None) == MODALITIES[source.card.modality]
            assert item.answer == item.answer and isinstance(item.answer, int | str) and str(item.answer).strip()
            options = item.asked.options
            assert not options or sum(is_right(option, item.answer) for option in options) == 1
            assert json.loads(canonical(item.record()))["answer"] == item.answer

    def test_answers_vary(self, source):
        for form in source.forms:
            params = {name: p.draw(dice(2, form.name)) for name, p in form.parameters.items()}
            answers = [str(form.key(form.draw(dice(9, form.name, i), params))) for i in range(60)]
            assert max(map(answers.count, answers)) <= 0.8 * len(answers), (form.name, params)
