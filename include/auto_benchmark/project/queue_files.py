"""The queue as files: ``experiment_queue.yaml``, and one file per hypothesis in the folder of its state. A view."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from auto_benchmark import atomic
from auto_benchmark.db.repositories import hypotheses
from auto_benchmark.documents import to_yaml
from auto_benchmark.hypotheses.hypothesis import Hypothesis, HypothesisStatus
from auto_benchmark.project.context import Context

FOLDERS = {
    HypothesisStatus.QUEUED: "queue",
    HypothesisStatus.ACTIVE: "active",
    HypothesisStatus.PAUSED: "queue",
    HypothesisStatus.PROMOTED: "promoted",
    HypothesisStatus.CHALLENGER: "promoted",
    HypothesisStatus.ARCHIVED: "archived",
    HypothesisStatus.SUPERSEDED: "archived",
    HypothesisStatus.ESCALATED: "waiting",
}
ALL_FOLDERS = ("queue", "active", "waiting", "results", "promoted", "archived")


def write(ctx: Context, session: Session) -> None:
    """Render every hypothesis into the one folder that fits its state, and the ranked queue."""
    root = ctx.home / "experiments"
    for name in ALL_FOLDERS:
        (root / name).mkdir(parents=True, exist_ok=True)
    listed = hypotheses.listed(session=session, project=ctx.project)
    for hypothesis in listed:
        _place(root, hypothesis)
    ranked = [_shape(h) for h in listed if h.status.is_open]
    text = to_yaml({"experiment_queue": ranked})
    atomic.write_text(ctx.home / "experiment_queue.yaml", text)


def _place(root: Path, hypothesis: Hypothesis) -> None:
    file = f"{hypothesis.id}.yaml"
    here = root / FOLDERS[hypothesis.status] / file
    text = to_yaml({"hypothesis": _shape(hypothesis)})
    if not here.exists() or here.read_text(encoding="utf-8") != text:
        atomic.write_text(here, text)
    for folder in set(FOLDERS.values()) - {FOLDERS[hypothesis.status]}:
        (root / folder / file).unlink(missing_ok=True)


def _shape(hypothesis: Hypothesis) -> dict[str, Any]:
    """The mission's hypothesis format."""
    return hypothesis.model_dump(mode="json")
