"""Chemistry: elements compared, salts named by their ions, reactions balanced, masses computed from both."""

from __future__ import annotations

import itertools
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from auto_benchmark.construction.dressing import scene
from auto_benchmark.construction.item import Answer, Asked, Evidence, Params
from auto_benchmark.construction.source import Between, Card, Form, OneOf, Source
from auto_benchmark.construction.sources.tabulated import Row, apart, by_magnitude, table

CATIONS = {
    "lithium": ("Li", 1), "sodium": ("Na", 1), "potassium": ("K", 1), "silver": ("Ag", 1), "ammonium": ("NH4", 1),
    "magnesium": ("Mg", 2), "calcium": ("Ca", 2), "strontium": ("Sr", 2), "barium": ("Ba", 2), "zinc": ("Zn", 2),
    "cadmium": ("Cd", 2), "iron(II)": ("Fe", 2), "copper(II)": ("Cu", 2), "nickel(II)": ("Ni", 2), "lead(II)": ("Pb", 2),
    "cobalt(II)": ("Co", 2), "manganese(II)": ("Mn", 2), "iron(III)": ("Fe", 3), "chromium(III)": ("Cr", 3),
    "aluminium": ("Al", 3), "gallium": ("Ga", 3),
}  # fmt: skip
ANIONS = {
    "fluoride": ("F", 1), "chloride": ("Cl", 1), "bromide": ("Br", 1), "iodide": ("I", 1), "nitrate": ("NO3", 1),
    "chlorate": ("ClO3", 1), "perchlorate": ("ClO4", 1), "permanganate": ("MnO4", 1), "sulfate": ("SO4", 2),
    "sulfite": ("SO3", 2), "carbonate": ("CO3", 2), "chromate": ("CrO4", 2), "dichromate": ("Cr2O7", 2),
    "oxalate": ("C2O4", 2), "phosphate": ("PO4", 3), "arsenate": ("AsO4", 3),
}  # fmt: skip
"""Name -> formula and charge."""
MASSES = {"H": 1, "C": 12, "O": 16}
"""Whole-number masses that the question about burning gives itself, in grams per mole."""
HYDRATES = ("", "mono", "di", "tri", "tetra", "penta", "hexa", "hepta", "octa", "nona", "deca")
UNLIKELY = 0.001
"""Milligrams per kilogram of the earth's crust below which an element has no salience; oxygen, the most, has one."""
MOST = 461_000.0


def _known() -> tuple[Row, ...]:
    return table("elements", "elements")


def _by_symbol(again: bool = False) -> dict[str, int]:
    return {row["symbol"]: int(row["again"]["number"] if again else row["number"]) for row in _known()}


def _crust(symbol: str) -> float:
    found = next(row["crust"] for row in _known() if row["symbol"] == symbol)
    return by_magnitude(found or UNLIKELY, UNLIKELY, MOST)


# which element has the most of a property


def _draw_most(random: Random, params: Params) -> Evidence:
    measure = str(params["measure"])
    rows = [row for row in _known() if row[measure] is not None]
    found = apart(random, rows, lambda row: float(row[measure]), int(params["elements"]), int(params["closeness"]))
    return {"measure": measure, "rows": [[row["symbol"], row["name"], row[measure]] for row in found]}


def _ask_most(e: Evidence) -> Asked:
    what = {"weight": "standard atomic weight", "density": "density near room temperature and one atmosphere"}
    question = f"Which of these chemical elements has the greatest {what[e['measure']]}?"
    return Asked(question, options=tuple(name for _, name, _ in e["rows"]))


def _most_again(e: Evidence, asked: Asked) -> Answer:
    value = {row["again"]["name"]: row["again"][e["measure"]] for row in _known()}
    return max(asked.options, key=lambda name: float(value[name]))


# what a salt is made of, from its name


def _neutral(charges: tuple[int, int]) -> tuple[int, int]:
    whole = math.lcm(*charges)
    return whole // charges[0], whole // charges[1]


def _draw_salt(random: Random, params: Params) -> Evidence:
    cation, anion = random.choice(list(CATIONS)), random.choice(list(ANIONS))
    counted = random.choice(("protons", "atoms", "oxygen atoms") if "O" in ANIONS[anion][0] else ("protons", "atoms"))
    return {
        **scene(random), "cation": cation, "anion": anion, "counted": counted,
        "water": random.randint(0, int(params["water"])),
    }  # fmt: skip


def _ask_salt(e: Evidence) -> Asked:
    water = f" {HYDRATES[e['water']]}hydrate" if e["water"] else ""
    return Asked(
        f"Between {e['thing']} in the {e['place']} the {e['trade']} finds a jar of {e['cation']} {e['anion']}{water}. "
        f"How many {e['counted']} does one formula unit of it hold{', water included' if water else ''}?"
    )


def _atoms(formula: str) -> Counter[str]:
    """Atoms of a formula without brackets."""
    found = Counter[str]()
    for symbol, n in re.findall(r"([A-Z][a-z]?)(\d*)", formula):
        found[symbol] += int(n or 1)
    return found


def _times(atoms: Mapping[str, int], n: int) -> Counter[str]:
    return Counter({symbol: n * k for symbol, k in atoms.items()})


def _counted(atoms: Mapping[str, int], what: str, numbers: Mapping[str, int]) -> int:
    if what == "protons":
        return sum(numbers[symbol] * n for symbol, n in atoms.items())
    return atoms["O"] if what == "oxygen atoms" else sum(atoms.values())


def _salt(e: Evidence) -> Answer:
    (cation, plus), (anion, minus) = CATIONS[e["cation"]], ANIONS[e["anion"]]
    n, m = _neutral((plus, minus))
    atoms = _times(_atoms(cation), n) + _times(_atoms(anion), m) + _times({"H": 2, "O": 1}, e["water"])
    return _counted(atoms, e["counted"], _by_symbol())


def _salt_again(_: Evidence, asked: Asked) -> Answer:
    """The name read from the question, the smallest neutral unit found by trying, its atoms written out one by one."""
    name, what = re.findall(r"jar of (.+?)\. How many (.+?) does", asked.question)[0]
    first, second, *water = name.split(" ")
    (cation, plus), (anion, minus) = CATIONS[first], ANIONS[second]
    n, m = next(pair for pair in itertools.product((1, 2, 3), repeat=2) if pair[0] * plus == pair[1] * minus)
    drops = HYDRATES.index(water[0].removesuffix("hydrate")) if water else 0
    numbers = _by_symbol(again=True)
    units = [cation] * n + [anion] * m + ["H2O"] * drops
    atoms = [s for unit in units for s, k in re.findall(r"([A-Z][a-z]?)(\d*)", unit) for _ in range(int(k or 1))]
    if what == "protons":
        return sum(numbers[symbol] for symbol in atoms)
    return atoms.count("O") if what == "oxygen atoms" else len(atoms)


# burning: balanced by a formula, and again by linear equations


def _draw_fuel(random: Random, params: Params) -> dict[str, Any]:
    """Carbon, hydrogen and oxygen as in a molecule whose valences are filled: hydrogen is even."""
    carbon = random.randint(1, int(params["carbon"]))
    oxygen = random.randint(0, min(carbon, 6))
    return {**scene(random), "C": carbon, "H": 2 * random.randint(1, carbon + 1), "O": oxygen}


def _formula(e: Mapping[str, Any]) -> str:
    return "".join(f"{s}{e[s] if e[s] > 1 else ''}" for s in "CHO" if e[s])


def _coefficients(e: Evidence) -> tuple[int, ...]:
    """Of fuel, oxygen, carbon dioxide and water: x, x + y/4 - z/2, x and y/2 of a mole, as the smallest whole numbers."""
    x, y, z = e["C"], e["H"], e["O"]
    each = [Fraction(1), x + Fraction(y, 4) - Fraction(z, 2), Fraction(x), Fraction(y, 2)]
    whole = math.lcm(*(f.denominator for f in each))
    return tuple(int(f * whole) for f in each)


def _balanced(left: Sequence[str], right: Sequence[str]) -> tuple[int, ...]:
    """The smallest whole coefficients of a reaction that has one solution, by elimination (Gauss-Jordan)."""
    columns = [*map(_atoms, left), *(_times(_atoms(f), -1) for f in right)]
    symbols = sorted({s for column in columns for s in column})
    rows = [[Fraction(column[s]) for column in columns] for s in symbols]
    pivots: list[int] = []
    for at in range(len(columns)):
        row = next((r for r in range(len(pivots), len(rows)) if rows[r][at]), None)
        if row is None:
            continue
        top = len(pivots)
        rows[top], rows[row] = rows[row], rows[top]
        rows[top] = [value / rows[top][at] for value in rows[top]]
        for r in range(len(rows)):
            if r != top:
                rows[r] = [a - rows[r][at] * b for a, b in zip(rows[r], rows[top], strict=True)]
        pivots.append(at)
    free = [at for at in range(len(columns)) if at not in pivots]
    if len(free) != 1:
        raise ValueError("has not one solution")
    solution = [Fraction(1)] * len(columns)
    for row, at in enumerate(pivots):
        solution[at] = -rows[row][free[0]]
    whole = math.lcm(*(f.denominator for f in solution))
    counts = [int(f * whole) for f in solution]
    if min(counts) <= 0:
        raise ValueError("has a coefficient that is not positive")
    return tuple(n // math.gcd(*counts) for n in counts)


def _burns(e: Evidence) -> bool:
    return _coefficients(e)[1] > 0


def _draw_balance(random: Random, params: Params) -> Evidence:
    while True:
        fuel = _draw_fuel(random, params)
        if _burns(fuel):
            return {**fuel, "of": random.choice(("all", "O2"))}


def _ask_balance(e: Evidence) -> Asked:
    what = "the sum of its four coefficients" if e["of"] == "all" else "the coefficient of O2"
    return Asked(
        f"In the {e['place']}, beside some {e['thing']}, a {e['trade']} notes {_formula(e)} + O2 -> CO2 + H2O. Balanced "
        f"with the smallest whole coefficients, what is {what}?"
    )


def _balance(e: Evidence) -> Answer:
    counts = _coefficients(e)
    return sum(counts) if e["of"] == "all" else counts[1]


def _balance_again(_: Evidence, asked: Asked) -> Answer:
    sides = re.findall(r"notes (.+?)\. Balanced", asked.question)[0].split(" -> ")
    counts = _balanced(*(side.split(" + ") for side in sides))
    return counts[1] if "coefficient of O2" in asked.question else sum(counts)


def _draw_burnt(random: Random, params: Params) -> Evidence:
    while True:
        fuel = _draw_fuel(random, params)
        if _burns(fuel):
            return {**fuel, "moles": random.randint(2, 40), "made": random.choice(("carbon dioxide", "water"))}


def _grams(e: Evidence) -> int:
    return int(e["moles"] * sum(MASSES[s] * e[s] for s in MASSES))


def _ask_burnt(e: Evidence) -> Asked:
    masses = ", ".join(f"{symbol} = {mass}" for symbol, mass in MASSES.items())
    return Asked(
        f"For the {e['thing']} of the {e['place']} a {e['trade']} burns {2 * _grams(e)} grams of {_formula(e)} and enough "
        f"oxygen completely to carbon dioxide and water. With {masses} grams per mole, "
        f"how many grams of {e['made']} form?"
    )


def _burnt(e: Evidence) -> Answer:
    moles = 2 * e["moles"]
    return int(moles * e["C"] * 44 if e["made"] == "carbon dioxide" else moles * e["H"] * 9)


def _burnt_again(_: Evidence, asked: Asked) -> Answer:
    """The fuel read from the question, its reaction balanced by elimination, and the mass carried over in proportion."""
    grams, fuel = re.findall(r"burns (\d+) grams of (\w+) and", asked.question)[0]
    one, _oxygen, dioxide, water = _balanced((fuel, "O2"), ("CO2", "H2O"))
    made, n = ("CO2", dioxide) if "grams of carbon dioxide form" in asked.question else ("H2O", water)
    weight = {f: sum(MASSES[s] * k for s, k in _atoms(f).items()) for f in (fuel, made)}
    found = Fraction(int(grams) * n * weight[made], one * weight[fuel])
    if found.denominator != 1:
        raise ValueError("is no whole number")
    return int(found)


SOURCE = Source(
    Card(
        name="elements",
        title="Chemical elements and reactions",
        modality="text",
        domains=("chemistry", "chemical", "element", "elements", "molecule", "science"),
        data="92 elements (weight, density, abundance), 21 cations, 16 anions, fuels of C, H and O",
        licence="MIT (mendeleev), public domain (periodictable)",
        key="mendeleev's table, charges that cancel, the closed form of complete combustion",
        second_key="periodictable's table, the name read from the question and its unit found by trying, elimination",
    ),
    (
        Form("most", "the element with the greatest weight or density", ("element", "density", "weight", "compare"),
             {"elements": Between(3, 6), "closeness": Between(0, 5), "measure": OneOf(("weight", "density"))},
             _draw_most, _ask_most, lambda e: str(max(e["rows"], key=lambda row: float(row[2]))[1]), _most_again,
             salience=lambda e: round(sum(_crust(s) for s, _, _ in e["rows"]) / len(e["rows"]), 3),
             opened=lambda e: ", ".join(f"{name}: {value}" for _, name, value in e["rows"])),
        Form("salt", "what a salt is made of, from its name", ("salt", "formula", "ion", "compound", "multi-step"),
             {"water": Between(0, 10)}, _draw_salt, _ask_salt, _salt, _salt_again,
             opened=lambda e: f"{CATIONS[e['cation']]} {ANIONS[e['anion']]} {_by_symbol()}"),
        Form("balance", "the coefficients of a combustion", ("reaction", "balance", "stoichiometry", "multi-step"),
             {"carbon": Between(12, 30)}, _draw_balance, _ask_balance, _balance, _balance_again),
        Form("burnt", "the mass that a combustion makes", ("mass", "reaction", "stoichiometry", "multi-step"),
             {"carbon": Between(12, 30)}, _draw_burnt, _ask_burnt, _burnt, _burnt_again),
    ),
)  # fmt: skip
