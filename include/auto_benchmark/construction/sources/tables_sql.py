"""Questions on tables: SQLite executes the query that a question stands for."""

from __future__ import annotations

import csv
import io
import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import COLOURS, PLACES, THINGS, TRADES
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, Parameter, Source

COLUMNS = ("thing", "place", "colour", "price", "stock")


def _draw(random: Random, params: Params) -> dict[str, Any]:
    things = random.sample(THINGS, int(params["rows"]))
    places = random.sample(PLACES, min(4, 1 + len(things) // 3))
    colours = random.sample(COLOURS, 3)
    rows = [
        [thing, random.choice(places), random.choice(colours), random.randint(2, 90), random.randint(0, 400)]
        for thing in things
    ]
    return {"owner": random.choice(TRADES), "rows": rows}


def _shown(e: Evidence) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([COLUMNS, *e["rows"]])
    return text.getvalue().rstrip("\n")


def _executed(e: Evidence, query: str, *values: object) -> Answer:
    with sqlite3.connect(":memory:") as base:
        base.execute("create table stock (thing text, place text, colour text, price integer, stock integer)")
        base.executemany("insert into stock values (?, ?, ?, ?, ?)", e["rows"])
        rows = base.execute(query, values).fetchall()
    base.close()
    if len(rows) != 1 or rows[0][0] is None:
        raise ValueError("the query has no single answer")
    found = rows[0][0]
    return found if isinstance(found, str) else int(found)


def _read(asked: Asked) -> Iterator[dict[str, Any]]:
    for row in csv.DictReader(io.StringIO(asked.context)):
        yield {**row, "price": int(row["price"]), "stock": int(row["stock"])}


def _draw_count(random: Random, params: Params) -> Evidence:
    table = _draw(random, params)
    row = random.choice(table["rows"])
    return {**table, "place": row[1], "price": row[3] + random.choice((-1, 0, 1))}


def _ask_count(e: Evidence) -> Asked:
    question = f"In the {e['owner']}'s table, how many things in the {e['place']} cost more than {e['price']}?"
    return Asked(question, _shown(e))


def _count(e: Evidence) -> Answer:
    return _executed(e, "select count(*) from stock where place = ? and price > ?", e["place"], e["price"])


def _count_again(e: Evidence, asked: Asked) -> Answer:
    return sum(bool(row["place"] == e["place"] and row["price"] > e["price"]) for row in _read(asked))


def _draw_total(random: Random, params: Params) -> Evidence:
    table = _draw(random, params)
    row = random.choice(table["rows"])
    return {**table, "colour": row[2]}


def _ask_total(e: Evidence) -> Asked:
    return Asked(f"In the {e['owner']}'s table, what is the total stock of {e['colour']} things?", _shown(e))


def _total(e: Evidence) -> Answer:
    return _executed(e, "select sum(stock) from stock where colour = ?", e["colour"])


def _total_again(e: Evidence, asked: Asked) -> Answer:
    return int(sum(row["stock"] for row in _read(asked) if row["colour"] == e["colour"]))


def _draw_richest(random: Random, params: Params) -> Evidence:
    while True:
        table = _draw(random, params)
        worth = _worth({"place": r[1], "price": r[3], "stock": r[4]} for r in table["rows"])
        if len(worth) > 1 and sorted(worth.values())[-1] > sorted(worth.values())[-2]:
            return {**table, "places": sorted(worth)}


def _worth(rows: Any) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for row in rows:
        found[row["place"]] += row["price"] * row["stock"]
    return dict(found)


def _ask_richest(e: Evidence) -> Asked:
    question = (
        f"In the {e['owner']}'s table, which place holds the greatest worth, price times stock over its things?"
    )
    return Asked(question, _shown(e), options=tuple(e["places"]))


def _richest(e: Evidence) -> Answer:
    return _executed(e, "select place from stock group by place order by sum(price * stock) desc limit 1")


def _richest_again(_: Evidence, asked: Asked) -> Answer:
    worth = _worth(_read(asked))
    return max(worth, key=worth.__getitem__)


def _draw_nth(random: Random, params: Params) -> Evidence:
    table = _draw(random, params)
    prices = random.sample(range(2, 99), len(table["rows"]))
    for row, price in zip(table["rows"], prices, strict=True):
        row[3] = price
    return {**table, "rank": random.randint(2, min(5, len(prices)))}


def _ask_nth(e: Evidence) -> Asked:
    place = {2: "second", 3: "third", 4: "fourth", 5: "fifth"}[e["rank"]]
    return Asked(f"In the {e['owner']}'s table, which colour has the {place} cheapest thing?", _shown(e))


def _nth(e: Evidence) -> Answer:
    return _executed(e, "select colour from stock order by price limit 1 offset ?", e["rank"] - 1)


def _nth_again(e: Evidence, asked: Asked) -> Answer:
    return str(sorted(_read(asked), key=lambda row: row["price"])[e["rank"] - 1]["colour"])


_ROWS: dict[str, Parameter] = {"rows": Between(4, 24)}
SOURCE = Source(
    Card(
        name="tables",
        title="Queries on generated tables",
        modality="text",
        domains=("table", "tables", "sql", "database", "data", "spreadsheet", "query"),
        data="stock lists (thing, place, colour, price, stock) of 4 to 24 rows drawn at random; no end to them",
        licence="none needed: generated",
        key="a query that SQLite executes",
        second_key="the table read back from the question's text, and the question answered in Python",
    ),
    (
        Form("count", "how many rows fulfil two conditions", ("count", "filter", "where"),
             _ROWS, _draw_count, _ask_count, _count, _count_again),
        Form("total", "the sum over rows of one kind", ("sum", "total", "aggregate"),
             _ROWS, _draw_total, _ask_total, _total, _total_again),
        Form("richest", "the group with the greatest sum of products", ("group", "join", "aggregate", "multi-step"),
             _ROWS, _draw_richest, _ask_richest, _richest, _richest_again),
        Form("nth", "a property of the n-th row in order", ("sort", "order", "rank"),
             _ROWS, _draw_nth, _ask_nth, _nth, _nth_again),
    ),
)  # fmt: skip
