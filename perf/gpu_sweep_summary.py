"""What the recorded sweep shows, from the archive that ``auto-benchmark export`` wrote.

python perf/gpu_sweep_summary.py ARCHIVE.tar.gz CARD DATE COMMAND OUT.json
"""

from __future__ import annotations

import json
import sys
import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

ARCHIVE, CARD, DATE, COMMAND, OUT = sys.argv[1:6]


def table(name: str) -> list[dict[str, Any]]:
    with tarfile.open(ARCHIVE) as archive:
        file = archive.extractfile(f"tables/{name}.jsonl")
        return [json.loads(line) for line in file] if file else []


def changed(params: dict[str, Any]) -> dict[str, Any]:
    """What differs from the default."""
    return {name: value for name, value in params.items() if base[name] != value}


trials, metrics = (
    table("trials"),
    {(m["trial_id"], m["name"]): m["value"] for m in table("metric_values") if not m["slice"]},
)
base = trials[0]["params"]
groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
for trial in trials:
    groups[trial["purpose"], trial["config_hash"]].append(trial)
rows = []
for (purpose, config), group in groups.items():
    scores = [metrics[t["id"], "recall"] for t in group if (t["id"], "recall") in metrics]
    rows.append({
        "purpose": purpose, "config_hash": config, "seeds": len(group), "recall": fmean(scores) if scores else None,
        "per_seed": scores, "changed": changed(group[0]["params"]),
        "wall_s_per_seed": fmean(walls) if (walls := [t["wall_s"] for t in group if t["wall_s"]]) else None,
    })  # fmt: skip
decisions = table("promotion_decisions")
searched = [r for r in rows if r["purpose"] == "search"]
shown = ("id", "experiment_id", "look", "verdict", "reason")
result = {
    "card": CARD, "date": DATE, "command": COMMAND,
    "configurations_searched": len(searched), "seeds_each": sorted({r["seeds"] for r in searched}),
    "trials": len(trials), "failed": sum(t["state"] == "failed" for t in trials), "default": base,
    "promoted": any(d["verdict"] == "promote" for d in decisions),
    "decisions": [{k: d[k] for k in shown} for d in decisions],
    "production": [{**row, "changed": changed(row["params"])} for row in table("production_configs")],
    "log": [{k: row[k] for k in ("kind", "subject", "reason")} for row in table("decision_log")],
    "configurations": rows,
}  # fmt: skip
Path(OUT).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
