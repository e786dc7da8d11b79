"""Papers from a file through the rules, without a database: ``research extract``."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auto_benchmark import documents
from auto_benchmark.errors import ConfigError, Fault, InputError
from auto_benchmark.project.configuration import shown
from auto_benchmark.research.assessment import Assessment
from auto_benchmark.research.paper import Paper
from auto_benchmark.research.reader import Reader
from auto_benchmark.research.text import storable

Why = Mapping[str, Sequence[tuple[str, float]]]
"""Of each technique, as the text words it, the cues that decided and their log-odds."""
LARGEST_LINE_BYTES = 8 * 2**20


@dataclass(slots=True)
class Extracted:
    """What was read, in the order of the input, and what could not be."""

    assessments: list[Assessment] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)


def extract(papers: Path, reader: Reader) -> Extracted:
    """Read a file of one JSON object a line. A bad line becomes a fault; the rest goes on.

    Raises:
        InputError: when the file itself cannot be read.
    """
    read = Extracted()
    for number, line in _lines(papers):
        try:
            read.assessments.append(reader.read(_paper(line, shown(papers), number)))
        except ConfigError as error:
            read.faults.extend(error.faults)
    return read


def _lines(papers: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with papers.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line
    except OSError as error:
        raise InputError(f"{shown(papers)}: cannot be read: {error.strerror or error}") from None


def _paper(line: bytes, file: str, number: int) -> Paper:
    def fault(where: str, message: str) -> ConfigError:
        return ConfigError([Fault(file, number, where, message)])

    if len(line) > LARGEST_LINE_BYTES:
        raise fault("", f"longer than {LARGEST_LINE_BYTES >> 20} MiB")
    try:
        data = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
    except UnicodeDecodeError as error:
        raise fault("", f"not UTF-8 (byte {error.start})") from None
    except (json.JSONDecodeError, RecursionError, ValueError) as error:
        reason = (
            f"{error.msg} at column {error.colno}" if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        )
        raise fault("", f"not valid JSON: {reason}") from None
    if not isinstance(data, dict):
        raise fault("", f"should be an object, is {documents.kind(data)}")
    if data.get("abstract", "") is None:
        data["abstract"] = ""  # some sources write null where they have no abstract
    for name in ("id", "title", "abstract"):
        if name not in data:
            raise fault(name, "is required")
        if not isinstance(data[name], str):
            raise fault(name, f"should be text, is {documents.kind(data[name])}")
    if not data["id"].strip():
        raise fault("id", "should not be empty")
    return Paper(storable(data["id"]), storable(data["title"]), storable(data["abstract"]))


def as_json(assessment: Assessment, why: Why | None = None) -> dict[str, Any]:
    """The public shape of one assessment; with ``why``, each technique shows which cues decided."""
    best = assessment.best
    return {
        "id": assessment.paper.id,
        "relevant": assessment.relevance.relevant,
        "reason": assessment.relevance.reason,
        "techniques": [
            {"name": t.words, "kind": t.kind.value, "sentence": t.sentence}
            | ({} if why is None else {"because": [{"cue": c, "weight": w} for c, w in why.get(t.words, ())]})
            for t in assessment.techniques
        ],
        "gains": [
            {"value": g.value, "unit": g.unit.value, "metric": g.metric, "benchmark": g.benchmark,
             "baseline": g.baseline, "sentence": g.sentence}
            for g in assessment.gains
        ],
        "applicability": best.applicability.value if best else "none",
        "effort": best.effort.value if best else None,
        "impact": best.impact.value if best else None,
        "priority": assessment.priority,
        "disposition": assessment.disposition.value,
    }  # fmt: skip


def as_text(assessment: Assessment, why: Why | None = None) -> str:
    """A few lines for a person; with ``why``, each technique shows which cues decided."""
    lines = [f"{assessment.paper.id}  {' '.join(assessment.paper.title.split())}"]
    lines.append(f"  {assessment.disposition.value}: {assessment.disposition_reason}")
    lines += [
        f"  gain {g.value:g} {g.unit.value}"
        + (f" {g.metric}" if g.metric else "")
        + (f" on {g.benchmark}" if g.benchmark else "")
        for g in assessment.gains
    ]
    for t in assessment.distinct:
        lines.append(f"  {t.name} ({t.kind.value}, effort {t.effort.value}, impact {t.impact.value})")
        if why and t.words in why:
            lines.append("    because " + ", ".join(f"{cue} {weight:+.2f}" for cue, weight in why[t.words]))
    return "\n".join(lines)
