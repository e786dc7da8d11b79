"""Conversations in which nothing was said: no item is made of one, and one in somebody's data stops nobody."""

from random import Random

import pytest

from auto_benchmark.construction.candidates.bundled_solution import BundledSolution
from auto_benchmark.construction.item import Asked
from auto_benchmark.construction.source import Description
from auto_benchmark.construction.sources.memory_world import SOURCE

SHORTEST = {"people": 1, "months": 1, "changes": 0, "pronouns": "none"}


@pytest.mark.parametrize("name", [form.name for form in SOURCE.forms])
def test_no_item_is_about_a_conversation_without_words(name):
    params = {**SHORTEST, **({"wording": "plain"} if name == "latest" else {})}
    items = list(SOURCE.generate(Description("memory_world", name, params), 300, "1"))
    assert len(items) > 20
    assert all("user: " in item.asked.context for item in items)


def test_the_bundled_solution_learns_beside_silent_conversations_and_answers_one():
    form = SOURCE.form("latest")
    drawn = [form.draw(Random(seed), {**SHORTEST, "people": 2, "wording": "plain"}) for seed in range(12)]
    examples = [(form.ask(evidence), form.key(evidence)) for evidence in drawn]
    silent = Asked("Where does Balun live?", "Nothing was said.")
    answers = BundledSolution("default").answer([examples[0][0], silent], [*examples, (silent, "unknown")])
    assert len(answers) == 2 and isinstance(answers[0], str)


def test_a_failure_says_what_the_program_said_last():
    form = SOURCE.form("latest")
    evidence = form.draw(Random(1), {**SHORTEST, "wording": "plain"})
    solved = [(form.ask(evidence), form.key(evidence))]
    with pytest.raises(RuntimeError, match=r"train\.py ended with 2: .*top_k"):
        BundledSolution("odd", {"top_k": "many"}).answer([solved[0][0]], solved)
