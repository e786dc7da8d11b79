"""Keeps what a script measured, with date and command."""

import json
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

os.environ.setdefault("AUTO_BENCHMARK_SEEDS", "published")  # so that a number can be measured again
RESULTS = Path(__file__).resolve().parent / "results"


def keep(name: str, facts: dict[str, Any]) -> None:
    """Write ``results/<name>.json``."""
    command = " ".join(["python", f"perf/{Path(sys.argv[0]).name}", *sys.argv[1:]])
    dated = {"date": datetime.now(UTC).date().isoformat(), "command": command, **facts}
    (RESULTS / f"{name}.json").write_text(json.dumps(dated, indent=1) + "\n", encoding="utf-8")
