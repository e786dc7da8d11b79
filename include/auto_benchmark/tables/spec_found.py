"""The spec that would read the same board again, ready to paste into the registry."""

from __future__ import annotations

from typing import Any

from auto_benchmark.registry.leaderboard import Leaderboard, ScrapeMethod
from auto_benchmark.tables.table import Table


def spec_found(
    spec: Leaderboard, table: Table, method: ScrapeMethod, columns: dict[str, Any], settled: dict[str, Any]
) -> dict[str, Any]:
    """What was given plus what was found.

    Args:
        spec: what was given.
        table: the table that was read.
        method: how the document was read.
        columns: ``system`` and ``score`` as found.
        settled: part and decimal sign, where the column decided them.
    """
    given = spec.model_dump(mode="json", by_alias=True, exclude_unset=True)
    found = {**given, "scrape_method": method.value}
    if "locate" not in given and table.locate:
        found["locate"] = table.locate
    found["columns"] = {**columns, **{k: v for k, v in given.get("columns", {}).items() if v is not None}}
    for key in ("part", "decimal", "unit"):
        if settled.get(key) is not None:
            found[key] = settled[key]
    if any("transpose" in note for note in table.notes):
        found["derive"] = {"transpose": True}
    return {key: value for key, value in found.items() if value not in (None, {}, [])}
