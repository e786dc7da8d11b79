"""Adds up the digits that it reads, guesses the rest, and sometimes flips its answer."""

import json
import os
import random
from pathlib import Path

config = json.loads(os.environ["AB_CONFIG_JSON"])
params, out = config["params"], Path(os.environ["AB_OUTPUT_DIR"])
rng = random.Random(f"{config['seed']} {params}")
with (out / "predictions.jsonl").open("w") as file:
    for line in (Path(os.environ["AB_DATA_DIR"]) / "inputs.jsonl").read_text().splitlines():
        item = json.loads(line)
        if "id" not in item:
            continue
        seen = item["digits"][: params["reads"]]
        total = sum(seen) + 4.5 * (6 - len(seen)) + params["offset"]
        answer = "high" if total >= 27 else "low"
        if rng.random() < params["flip"]:
            answer = "low" if answer == "high" else "high"
        file.write(json.dumps({"id": item["id"], "answer": answer}) + "\n")
(out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0 + rng.random() / 100, "accuracy": 1.0}}))
