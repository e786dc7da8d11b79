"""What the recorded sweep shows, from the archive that ``auto-benchmark export`` wrote.

PYTHONPATH=include python perf/gpu_sweep_summary.py ARCHIVE.tar.gz CARD DATE COMMAND OUT.json
"""

from __future__ import annotations

import json
import sys
import tarfile
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

from auto_benchmark.promotion.decision import Evidence
from auto_benchmark.promotion.gate import decide

ARCHIVE, CARD, DATE, COMMAND, OUT = sys.argv[1:6]


def table(name: str) -> list[dict[str, Any]]:
    with tarfile.open(ARCHIVE) as archive:
        file = archive.extractfile(f"tables/{name}.jsonl")
        return [json.loads(line) for line in file] if file else []


def without_latency(decision: dict[str, Any]) -> dict[str, Any]:
    """The same evidence, the latency left out of it: it was measured per process, not per model."""
    evidence = json.loads(decision["evidence"])["evidence"]
    for side in ("candidate", "control"):
        for trial in evidence[side]:
            trial["metrics"].pop("latency_ms")
    said = decide(Evidence.model_validate(evidence), guards=[], other_boards=(), offset=None)
    return {"look": decision["look"], "verdict": str(said.verdict), "reason": said.reason}


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
        "per_seed": scores, "changed": {k: v for k, v in group[0]["params"].items() if base[k] != v},
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
    "after_the_fact": {
        "what": "the recorded evidence of each last look, asked again without latency_ms; not a decision of the loop",
        "verdicts": [{"experiment_id": d["experiment_id"], **without_latency(d)} for d in decisions],
    },
    "configurations": rows,
}  # fmt: skip
Path(OUT).write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
