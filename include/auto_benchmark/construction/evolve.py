"""``construct evolve``: the next generation of a benchmark from the same blueprint, linked to it by common items."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, documents
from auto_benchmark.construction.belonging import REQUEST_FILE, STAGES, claim, working_in
from auto_benchmark.construction.build import read_media
from auto_benchmark.construction.edited import checked_choice, checked_quotas, checked_trajectory
from auto_benchmark.construction.folder import BENCHMARK, PRIVILEGED
from auto_benchmark.construction.item import Item
from auto_benchmark.construction.progress import Progress, Say
from auto_benchmark.construction.request import read_request
from auto_benchmark.construction.request_inputs import earlier_of, models_of, sources_of
from auto_benchmark.construction.run import Before, Blueprint, Construction
from auto_benchmark.construction.source import Source
from auto_benchmark.construction.stages import read_rows
from auto_benchmark.construction.stored import PrivilegedRow, read_checked, read_sheet
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.settings import Settings
from auto_benchmark.sources.connection import Connections

ANCHORS = 0.2
"""Share of ``gate`` that stands in the next generation again."""


def evolve(
    settings: Settings, folder: Path, out: Path, *, say: Say, connections: Connections | None = None
) -> dict[str, Any]:
    """Make the next generation: the same descriptions and quotas, new items, no item that was used but the anchors.

    Args:
        settings: where benchmarks lie that the request compares with.
        folder: of a finished construction.
        out: of the new one; a killed run goes on there.
        say: reports progress.
        connections: finds the endpoints that candidates name.

    Returns:
        As ``construct run --json``, and ``link``: how both generations compare on one scale.

    Raises:
        InputError: the folder holds no finished construction.
        RefusedError: ``out`` is taken.
    """
    if not (folder / PRIVILEGED).is_file() or not (folder / "card.yaml").is_file():
        raise InputError(f"{folder}: no finished construction (there is no {PRIVILEGED})")
    if os.path.realpath(folder) == os.path.realpath(out):
        raise RefusedError(f"{out} is the generation before; choose another --out")
    request, document = read_request(folder / REQUEST_FILE)
    base = folder.resolve()
    version = str(int(read_sheet(folder).version) + 1)
    before = _before(folder)
    following = request.model_copy(update={"seed": request.seed + 1, "target_size": len(before.items)})
    sources, earlier = sources_of(request, base, document), earlier_of(request, base, document, settings)
    models = models_of(request, document, settings, connections)
    blueprint = _blueprint(folder, sources, Progress(say, 0))
    claim(out, following)
    with working_in(out):
        for stage in ("quotas.yaml", "choice.yaml"):
            atomic.write_bytes(out / STAGES / stage, (folder / STAGES / stage).read_bytes())
        made = Construction(following, out, sources, earlier, say, version, before, models).make(blueprint)
    return {**made, "link": documents.read(out / "quality.json").data["link"]}


def _blueprint(folder: Path, sources: Mapping[str, Source], progress: Progress) -> Blueprint:
    """What a finished construction was made of. Raises ConfigError where its files were edited wrongly."""
    plan = checked_quotas(documents.read(folder / STAGES / "quotas.yaml"), sources)
    trajectory = read_rows(folder / "trajectory.jsonl")
    checked_trajectory(folder / "trajectory.jsonl", trajectory)
    chosen = checked_choice(documents.read(folder / STAGES / "choice.yaml"), plan, sources)
    return Blueprint(plan, trajectory, chosen, progress)


def _before(folder: Path) -> Before:
    records = read_checked(folder / PRIVILEGED, PrivilegedRow)
    items = {row["id"]: Item.of(row, read_media(folder / BENCHMARK, row)) for row in records}
    gate: dict[str, list[str]] = defaultdict(list)
    for row in records:
        if row["split"] == "gate":
            gate[f"{row['source']}.{row['form']}"].append(row["id"])
    anchors = [items[name] for ids in gate.values() for name in sorted(ids)[: max(1, round(ANCHORS * len(ids)))]]
    return Before(list(items.values()), anchors)
