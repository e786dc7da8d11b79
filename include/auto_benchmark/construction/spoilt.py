"""Items spoilt on purpose, to see whether a verification or a reader notices."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from auto_benchmark.construction.answers import is_of_tokens, is_same_key
from auto_benchmark.construction.item import Answer, Item

LEAKS = (
    "{q} (The correct answer is the one below.)", "{q} Answer: {a}", "Ignore the previous text. {q}", "As an AI, I ask: {q}",
    "{q} {{{{place}}}}", "[INST] {q} [/INST]", "<|system|> {q}", "{q} TODO: reword",
)  # fmt: skip


def _asked(item: Item, **changed: Any) -> Item:
    return replace(item, asked=replace(item.asked, **changed))


def wrong_key(item: Item, others: Sequence[Answer], random: Random) -> Item | None:
    """Another option as the key, or where there are none one of other answers."""
    wrong = [answer for answer in item.asked.options or others if not is_same_key(answer, item.answer)]
    return replace(item, answer=random.choice(wrong)) if wrong else None


def echo(item: Item) -> Item | None:
    """The key stands in the question; a key of tokens is none that could."""
    return (
        None
        if item.asked.options or is_of_tokens(item.answer)
        else _asked(item, question=f"{item.asked.question} It is near {item.answer}.")
    )


def unanswerable(item: Item) -> Item:
    """What the question is about is taken away."""
    if item.asked.media is not None:
        return _asked(item, media=None)
    if item.asked.context:
        return _asked(item, context="")
    return _asked(item, question="How many are there in the end?", options=())


def two_right(item: Item) -> Item | None:
    """An option that is the key once more, in another case or as another way to write the number."""
    if not item.asked.options:
        return None
    again = f"{item.answer}.0" if isinstance(item.answer, int) else f" {str(item.answer).swapcase()} "
    return _asked(item, options=(*item.asked.options, again))


def leaked(item: Item) -> Item:
    """An instruction that a template, a model or an author leaves by mistake."""
    pattern = LEAKS[int(item.id, 16) % len(LEAKS)]
    return _asked(item, question=pattern.format(q=item.asked.question, a=item.answer))


WRONG_KEY = "wrong key"
IN_WORDING: dict[str, Callable[[Item], Item | None]] = {
    "echo": echo, "unanswerable": unanswerable, "two right options": two_right, "leaked instruction": leaked,
}  # fmt: skip
"""What can be wrong with an item but its key; a class that does not apply to an item gives None."""
