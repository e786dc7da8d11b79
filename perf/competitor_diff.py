"""Details of competitors' reports: found and missed, and what of them is not ours.

    PYTHONPATH=include:plugins .venv/bin/python perf/competitor_diff.py

Reports and labels: tests/competitor_reports.yaml. A detail counts when its name and value (case aside) are found; what is
found beyond the labels is listed, since a report states more than a reader cares to write down.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from auto_benchmark.documents import load
from auto_benchmark.registry.solution import Solution
from auto_benchmark.registry.technique_catalog import TechniqueCatalog
from auto_benchmark.research.competitor_diff import details_of, differences
from auto_benchmark.research.techniques import TechniqueMatcher
from auto_benchmark.settings import INCLUDE

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT.parent / "shared" / "corpus"
MATCHER = TechniqueMatcher(load(TechniqueCatalog, INCLUDE / "config" / "technique_catalog.yaml"))
OURS = load(Solution, INCLUDE / "solutions" / "memory_retrieval" / "solution.yaml")


def main() -> None:
    """Print every report."""
    told = yaml.safe_load((ROOT / "tests" / "competitor_reports.yaml").read_text(encoding="utf-8"))
    for report in told["reports"]:
        show(report, report["text"])
    for recording in told["recordings"]:
        file = CORPUS / recording["file"]
        if file.is_file():
            show(recording, file.read_text(encoding="utf-8"))
        else:
            print(f"--- {recording['name']}: ../shared/corpus/{recording['file']} is not here")


def show(report: dict[str, Any], text: str) -> None:
    """Found, missed and further details of one report, and its difference from our architecture."""
    details = details_of(report["name"], text, MATCHER)
    found = {(d.name, d.value.casefold()): d for d in details}
    wanted = [(name, value.casefold()) for name, value in report["details"]]
    hits = [detail for detail in wanted if detail in found]
    print(f"--- {report['name']}: {len(hits)} of {len(wanted)} labelled details found")
    for name, value in wanted:
        if (name, value) not in found:
            print(f"    missed   {name}: {value}")
    further = [d for key, d in found.items() if key not in wanted]
    print(f"    further  {len(further)}: {', '.join(f'{d.name} {d.value}' for d in further[:12])}")
    not_ours = differences(details, OURS.architecture, OURS.techniques)
    tried = [f"{d.detail.value} -> {d.patch}" for d in not_ours if d.patch]
    print(f"    not ours {len(not_ours)}, of which we can try {len(tried)}: {'; '.join(tried)}")


if __name__ == "__main__":
    main()
