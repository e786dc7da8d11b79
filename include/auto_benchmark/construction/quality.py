"""``quality.json`` and ``card.yaml``: what the finished benchmark is worth, and what it is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from auto_benchmark.construction.build import Built
from auto_benchmark.construction.candidate import Kind
from auto_benchmark.construction.folder import slice_of
from auto_benchmark.construction.measure import PanelMeasurement, as_json
from auto_benchmark.construction.near_duplicates import fingerprint
from auto_benchmark.construction.panel import Panel
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.source import Source
from auto_benchmark.stats.intervals import rate_interval


def quality(
    built: Built, found: PanelMeasurement, panel: Panel, ablations: Mapping[str, Any], warnings: Sequence[str]
) -> dict[str, Any]:
    """What ``quality.json`` holds.

    Without a real panel the objectives stand under ``instrument``: they say how the instrument reads, not how hard the
    benchmark is for systems that exist.
    """
    refusal, counted = panel.refusal(found.sheet.right), panel.counted(found.sheet.right)
    objectives = {name: as_json(value) for name, value in found.objectives.items()}
    n = len(built.items)
    alike = n - len({fingerprint(item) for item in built.items})
    return {
        "objective": {} if refusal else objectives,
        **({"instrument": objectives} if refusal else {}),
        "panel": {
            "systems": panel.count(Kind.EXTERNAL, Kind.OWN), "external": panel.count(Kind.EXTERNAL),
            "counted": counted.count(Kind.EXTERNAL, Kind.OWN), "counted_external": counted.count(Kind.EXTERNAL),
            "planted": panel.count(Kind.PLANTED), "real": refusal is None, "note": refusal or "",
        },
        "items": n,
        "wrong_keys": 0,  # an item whose key is not found again is not kept
        "wrong_keys_upper": rate_interval(0, n)[1],
        "duplicates": {"exact": n - len({item.id for item in built.items}), "near": alike, "near_share": alike / n},
        "rejected": dict(built.rejected),
        "suspects": len(found.suspects),
        "negative_discrimination": len(found.negative),
        "suspect_items": sorted({*found.suspects, *found.negative}),
        "privileged": dict(ablations),
        "warnings": list(warnings),
        "short": dict(built.short),
    }  # fmt: skip


def card(
    request: ConstructionRequest, sources: Mapping[str, Source], plan: Mapping[str, int], built: Built, panel: Panel,
    version: str, chosen: Mapping[str, Sequence[Mapping[str, Any]]],
) -> dict[str, Any]:  # fmt: skip
    """The datasheet (Gebru et al. 2021): why, from what, how, for whom, with which limits."""
    used = sorted({key.split(".")[0] for key in plan})
    counts = Counter(slice_of(item) for item in built.items)
    return {
        "name": request.name,
        "version": version,
        "purpose": request.request,
        "domain": request.domain,
        "items": {split: len(items) for split, items in built.splits.items()},
        "subtasks": {
            key.replace(".", "_"): {
                "about": sources[key.split(".")[0]].form(key.split(".")[1]).about, "items": counts[key.replace(".", "_")],
                "descriptions": [dict(row) for row in chosen[key]],
            } for key in plan
        },
        "sources": [
            {field: getattr(sources[name].card, field)
             for field in ("name", "title", "modality", "data", "licence", "key", "second_key")} for name in used
        ],
        "candidates": [{"name": c.name, "version": c.version, "kind": c.kind.value} for c in panel.candidates],
        "collection": "generated; every key comes from privileged data and was computed again by a second, independent way",
        "limits": [
            "no language model and no vision-language model has answered these items",
            "splits: train to learn from, search to choose by, gate to report on; an answer key that is published is spent",
        ],
        "personal_data": "none but what the user's own documents hold" if "documents" in used else "none",
    }  # fmt: skip
