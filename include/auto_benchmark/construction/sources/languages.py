"""Texts of known language: lists of names in one of twenty languages, easy or hard to tell apart."""

from __future__ import annotations

import json
import unicodedata
from collections import defaultdict
from functools import cache
from pathlib import Path
from random import Random

from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Parameter, Source

DATA = Path(__file__).with_name("data") / "language_names.json"
FAMILIES = {
    "any": (),
    "germanic": ("da", "de", "en", "nl", "sv"),
    "romance": ("ca", "es", "fr", "it", "pt", "ro"),
    "slavic": ("cs", "hr", "pl", "sk", "sl"),
}
CODES = tuple(sorted({*FAMILIES["germanic"], *FAMILIES["romance"], *FAMILIES["slavic"], "fi", "hu", "id", "tr"}))
LONGEST = 8
"""Names of the easiest item."""
QUESTION = "In which language are these names written? Answer with its two-letter code (ISO 639-1)."
ATTEMPTS = 200


@cache
def _names() -> dict[str, dict[str, list[str]]]:
    return dict(json.loads(DATA.read_text("utf-8"))["names"])


def bag(name: str) -> str:
    """The letters of a name in order of the alphabet, without case and marks: the same after all that an item does to it."""
    apart = unicodedata.normalize("NFKD", name.casefold().replace("ı", "i"))
    return "".join(sorted(c for c in apart if c.isalpha() and not unicodedata.combining(c)))


@cache
def _index() -> dict[str, frozenset[str]]:
    found = defaultdict[str, set[str]](set)
    for code, kinds in _names().items():
        for names in kinds.values():
            for name in names:
                found[bag(name)].add(code)
    return {letters: frozenset(codes) for letters, codes in found.items()}


def _spoken(names: list[str]) -> frozenset[str]:
    """The languages that hold every one of the names."""
    return frozenset(CODES).intersection(*(_index().get(bag(name), frozenset()) for name in names))


def _without_marks(name: str) -> str:
    apart = unicodedata.normalize("NFKD", name)
    return unicodedata.normalize("NFC", "".join(c for c in apart if not unicodedata.combining(c)))


def _swapped(random: Random, name: str) -> str:
    """Two neighbouring letters of the name exchanged."""
    at = random.randrange(len(name) - 1)
    return name[:at] + name[at + 1] + name[at] + name[at + 2 :]


def _dressed(random: Random, names: list[str], params: Params) -> list[str]:
    if params["marks"] == "dropped":
        names = [_without_marks(name) for name in names]
    for _ in range(int(params["typos"])):
        at = random.randrange(len(names))
        names = [*names[:at], _swapped(random, names[at]), *names[at + 1 :]]
    if params["case"] == "kept":
        return names
    return [name.upper() if params["case"] == "upper" else name.lower() for name in names]


def _draw(kind: str, random: Random, params: Params) -> Evidence:
    """Raises ValueError where no list of this length belongs to one language alone."""
    code = random.choice(FAMILIES[str(params["family"])] or CODES)
    known = _names()[code][kind]
    for _ in range(ATTEMPTS):
        names = random.sample(known, LONGEST + 1 - int(params["brevity"]))
        shown = _dressed(random, names, params)
        if _spoken(shown) == {code}:
            return {"language": code, "names": names, "shown": shown}
    raise ValueError(f"no names of {kind} that are of language {code} alone")


def _draw_countries(random: Random, params: Params) -> Evidence:
    return _draw("countries", random, params)


def _draw_languages(random: Random, params: Params) -> Evidence:
    return _draw("languages", random, params)


def _ask(e: Evidence) -> Asked:
    return Asked(QUESTION, "\n".join(e["shown"]), CODES)


def _again(_: Evidence, asked: Asked) -> Answer:
    """Raises ValueError where the names are of several languages, or of none."""
    found = _spoken(asked.context.split("\n"))
    if len(found) != 1:
        raise ValueError(f"{len(found)} languages hold these names")
    return next(iter(found))


_PARAMETERS: dict[str, Parameter] = {
    "brevity": Between(1, LONGEST),
    "typos": Between(0, 6),
    "marks": OneOf(("kept", "dropped")),
    "case": OneOf(("kept", "lower", "upper")),
    "family": OneOf(tuple(FAMILIES)),
}
SOURCE = Source(
    Card(
        name="languages",
        title="Names in twenty languages",
        modality="text",
        domains=("language", "languages", "multilingual", "linguistics", "translation"),
        data="names of countries and of languages in 20 languages of Latin script, about 300 to 750 in each",
        licence="Unicode License v3 (names from the Unicode CLDR)",
        key="the language whose list the names were drawn from",
        second_key="the one language that holds every name shown, by its letters in any order, case and marks",
    ),
    (
        Form("countries", "the language of names of countries", ("country", "countries", "place", "identification"),
             _PARAMETERS, _draw_countries, _ask, lambda e: str(e["language"]), _again),
        Form("tongues", "the language of names of languages", ("tongue", "language", "identification"),
             _PARAMETERS, _draw_languages, _ask, lambda e: str(e["language"]), _again),
    ),
)  # fmt: skip
