"""Chess engines of others, each held to a number of positions that it may look at: skill in grades."""

from __future__ import annotations

from auto_benchmark.construction.candidates.program import panel

_ENGINES = {
    "stockfish": ("stockfish", "Debian 15.1", ("nodes=100", "nodes=1000", "nodes=10000")),
    "glaurung": ("glaurung", "Debian 2.2", ("nodes=1000", "nodes=10000")),
    "toga2": ("toga2", "Debian 3.0.0.1SE1", ("depth=2", "depth=5")),
    "ethereal": ("ethereal-chess", "Debian 12.00", ("depth=2", "depth=8")),
    "gnuchess": ("gnuchess", "Debian 6.2.7", ("depth=2", "depth=6")),
}
GRADED_SKILL = panel(
    "graded_skill",
    "chess_endings",
    [
        (f"{name}_{limit.replace('=', '_')}", f"{name}:{limit}", f"{version}, {limit.replace('=', ' ')}", program)
        for name, (program, version, limits) in _ENGINES.items()
        for limit in limits
    ],
)
"""Eleven systems, five programs. Engines that only play at a level drawn at random would answer differently each time."""
