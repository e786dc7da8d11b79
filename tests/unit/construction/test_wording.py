"""What readers of a review found unclear stays said, for every item of the kind."""

import pytest

from auto_benchmark.construction.dice import dice
from auto_benchmark.construction.source import Description, sources_by_name
from auto_benchmark.construction.sources import SOURCES

BY_NAME = sources_by_name(SOURCES)


def drawn(key: str, **fixed):
    """Thirty items of a form, at drawn parameters but those that are given."""
    name, form = key.split(".")
    drawn = {n: p.draw(dice(key, n)) for n, p in BY_NAME[name].form(form).parameters.items()}
    return BY_NAME[name].generate(Description(name, form, {**drawn, **fixed}), 30, "wording")


@pytest.mark.parametrize("form", ["latest", "back_then"])
def test_of_several_things_told_the_items_say_which_counts(form):
    for item in drawn(f"memory_world.{form}"):
        rule = item.asked.context.splitlines()[0]
        assert "told last counts" in rule and "a detail such as weekends" in rule


@pytest.mark.parametrize("form", ["mate", "defence"])
def test_a_chess_board_says_how_it_stands_and_how_both_sides_play(form):
    for item in drawn(f"chess_endings.{form}", piece="rook"):
        assert "Both sides play their best" in item.asked.question and "a1 at the lower left" in item.asked.question


def test_water_is_spoken_of_where_there_is_some():
    items = drawn("elements.salt", water=2)
    spoken = ["water" in item.asked.question for item in items]
    assert spoken == ["hydrate" in item.asked.question for item in items] and 0 < sum(spoken) < len(items)


def test_borders_of_exclaves_are_said_to_count_and_numbers_of_charts_to_be_whole():
    assert all("exclaves included" in item.asked.question for item in drawn("places.way"))
    assert all("numbers are whole" in item.asked.question for item in drawn("charts.above")[:3])
