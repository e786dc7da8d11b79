"""The queue as files: ``experiment_queue.yaml``, and one file per hypothesis in the folder of its state. A view.

Each file begins with a digest of what was written, so that one that a person has edited is told from one that is merely
old; it is never overwritten here.
"""

from __future__ import annotations

import hashlib
import stat
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
_MARK = "# written by auto-benchmark from its database, digest "
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


def is_view(text: str) -> bool:
    """Whether a file is as it was written here, by this version or by one that wrote no digest."""
    first, _, rest = text.partition("\n")
    if not first.startswith(_MARK):
        return text.startswith("hypothesis:\n  id: H-")
    return first == _marked(rest).partition("\n")[0]


def _marked(text: str) -> str:
    return f"{_MARK}{hashlib.sha256(text.encode()).hexdigest()[:16]}\n{text}"


def _place(root: Path, hypothesis: Hypothesis) -> None:
    file = f"{hypothesis.id}.yaml"
    here = root / FOLDERS[hypothesis.status] / file
    text = _marked(to_yaml({"hypothesis": _shape(hypothesis)}))
    if not _is_edited(here) and (not here.exists() or here.read_text(encoding="utf-8") != text):
        atomic.write_text(here, text)
    for folder in set(FOLDERS.values()) - {FOLDERS[hypothesis.status]}:
        there = root / folder / file
        if not _is_edited(there):
            there.unlink(missing_ok=True)


def _is_edited(file: Path) -> bool:
    """Whether a person has changed what was written there, or has put something else in its place."""
    try:
        if not stat.S_ISREG(file.lstat().st_mode):  # a pipe would be waited for; a link leads to a file of others
            return True
        return not is_view(file.read_text(encoding="utf-8", errors="replace"))
    except FileNotFoundError:
        return False
    except OSError:
        return True


def _shape(hypothesis: Hypothesis) -> dict[str, Any]:
    """The mission's hypothesis format; code stands there where there is some."""
    shape = hypothesis.model_dump(mode="json")
    if hypothesis.implementation.code is None:
        del shape["tree"], shape["implementation"]["code"]
    return shape
