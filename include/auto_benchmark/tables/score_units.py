"""Units of a score column: converted to one where that is plain, refused where the cells do not compare."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from auto_benchmark.tables.decimal_sign import to_number
from auto_benchmark.tables.refusal import ReadRefused, Reason
from auto_benchmark.tables.score_cell import ScoreCell

SECONDS = {
    "ns": 1e-9, "us": 1e-6, "µs": 1e-6, "μs": 1e-6, "ms": 1e-3, "millisecond": 1e-3, "milliseconds": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0, "h": 3600.0, "hr": 3600.0, "hrs": 3600.0,
    "hour": 3600.0, "hours": 3600.0, "day": 86400.0, "days": 86400.0,
}  # fmt: skip
_IN_HEADER = re.compile(r"[(\[]([^()\[\]]{1,12})[)\]][^()\[\]]{0,3}$")
"""``Latency (ms)``, ``Error [mm] ↓``."""
MAGNITUDES = {"": 1.0, "k": 1e3, "m": 1e6, "mio": 1e6, "b": 1e9, "bn": 1e9, "t": 1e12}


def settle_units(cells: Sequence[ScoreCell], name: str, unit: str | None) -> tuple[str, dict[str, float], str | None]:
    """The column's unit, the factor of each unit in it, and what a person should know.

    Raises:
        ReadRefused: units that do not mix.
    """
    found = Counter(c.unit for c in cells if c.parts or c.value is not None)
    named = {u for u in found if u}
    if "" in found and named - {"%"} and (implied := _implied(name, unit, named)):
        filled = [replace(c, unit=c.unit or implied) for c in cells]
        target, factors, note = settle_units(filled, name, unit)
        lack = f"column {name!r}: {found['']} of {found.total()} cells lack the unit; taken for {implied}"
        return target, {**factors, "": factors.get(implied, 1.0)}, f"{lack}; {note}" if note else lack
    if unit and unit.lower() in SECONDS and (not named or named <= SECONDS.keys()):
        target = unit.lower()
        return target, {u: SECONDS[u] / SECONDS[target] for u in named}, None
    if len(found) <= 1 or not named:
        return next(iter(named), ""), {}, None
    if named <= SECONDS.keys() and "" not in found:
        return _one_time_unit(name, found)
    if set(found) <= MAGNITUDES.keys():
        return "", {u: MAGNITUDES[u] for u in found}, f"column {name!r} mixes magnitudes; all converted to ones"
    if named == {"%"}:
        return _some_percent(cells, name, found)
    raise _mixed(name, found)


def _implied(name: str, unit: str | None, named: set[str]) -> str | None:
    """The unit of cells without one: the header's, else the declared one; None where neither belongs to the others."""
    header = _IN_HEADER.search(name)
    known = {u.lower(): u for u in named} | ({u: u for u in SECONDS} if named <= SECONDS.keys() else {})
    said = (header.group(1).strip() if header else "", unit or "")
    return next((known[word.lower()] for word in said if word.lower() in known), None)


def _one_time_unit(name: str, found: Counter[str]) -> tuple[str, dict[str, float], str | None]:
    by_length = Counter[float]()
    for unit, times in found.items():
        by_length[SECONDS[unit]] += times
    if len(by_length) == 1:
        return found.most_common(1)[0][0], {}, None
    (first, n), (_, m) = by_length.most_common(2)
    if n == m:
        raise _mixed(name, found)
    target = next(u for u, _ in found.most_common() if SECONDS[u] == first)
    factors = {u: SECONDS[u] / first for u in found}
    return target, factors, f"column {name!r} mixes time units {sorted(found)}; all converted to {target}"


def _some_percent(
    cells: Sequence[ScoreCell], name: str, found: Counter[str]
) -> tuple[str, dict[str, float], str | None]:
    """Cells with and without ``%`` are one unit unless the bare ones look like fractions."""
    bare = [to_number(c.parts[0], ".", True) if c.parts else c.value for c in cells if not c.unit]
    if any(value is not None and abs(value) <= 1 for value in bare):
        raise _mixed(name, found, "shares are to be written as the others are")
    return "%", {}, f"column {name!r}: {found['']} of {found.total()} cells lack the % of the others"


def _mixed(name: str, found: Counter[str], advice: str = "give `unit`") -> ReadRefused:
    shown = ", ".join(f"{u or 'none'} ({n})" for u, n in found.most_common(6))
    return ReadRefused(
        Reason.AMBIGUOUS_NUMBER, f"column {name!r} mixes units that cannot be compared: {shown}; {advice}"
    )
