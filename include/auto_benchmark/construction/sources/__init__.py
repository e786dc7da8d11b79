"""Every bundled source: one file and one line each."""

from __future__ import annotations

from auto_benchmark.construction.source import Source
from auto_benchmark.construction.sources import (
    algorithms,
    arithmetic,
    board_histories,
    charts,
    chess_endings,
    diagrams,
    elements,
    games,
    languages,
    memory_world,
    places,
    programs,
    safety_probes,
    scans,
    sheets,
    tables_sql,
    tones,
)

SOURCES: tuple[Source, ...] = (
    arithmetic.SOURCE,
    algorithms.SOURCE,
    tables_sql.SOURCE,
    memory_world.SOURCE,
    charts.SOURCE,
    tones.SOURCE,
    languages.SOURCE,
    scans.SOURCE,
    chess_endings.SOURCE,
    elements.SOURCE,
    places.SOURCE,
    programs.SOURCE,
    games.SOURCE,
    diagrams.SOURCE,
    sheets.SOURCE,
    board_histories.SOURCE,
    safety_probes.SOURCE,
)
