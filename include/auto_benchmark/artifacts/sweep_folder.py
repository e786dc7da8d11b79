"""The directory of one benchmark sweep; one process works in it at a time.

sweep.json                     the sweep that this directory belongs to
sweep_spec.yaml                the file that it was started with
results/<run_id>/              one folder per run, complete once run.json says done or failed
BENCHMARK_REPORT.md, *.png, results.csv, summary.json, environment.txt
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from auto_benchmark import atomic, trees
from auto_benchmark.artifacts import trial_folder
from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.contract.measured import MEASURED
from auto_benchmark.errors import RefusedError
from auto_benchmark.grid.outcome import FailedAttempt, RunOutcome
from auto_benchmark.grid.plan import GridRun

IDENTITY, SPEC, RESULTS, RECORD = "sweep.json", "sweep_spec.yaml", "results", "run.json"


@dataclass(frozen=True, slots=True)
class Record:
    """What is known of a run: failed attempts so far, and when it ended."""

    failed_attempts: tuple[FailedAttempt, ...] = ()
    finished_at: datetime | None = None


class SweepFolder:
    """Files of one sweep under ``path``."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def locked(self) -> AbstractContextManager[None]:
        """Hold the directory, as :func:`~auto_benchmark.artifacts.folder_lock.locked` does."""
        return locked(self.path, taken=f"{self.path}: another sweep is running in this directory")

    def belongs_to(self, identity: Mapping[str, Any], spec: bytes) -> None:
        """Take the directory for this sweep, or make sure that it is this sweep's already.

        Raises:
            RefusedError: it belongs to another sweep; the message names the fields that differ.
        """
        file = self.path / IDENTITY
        try:
            known = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            atomic.write_bytes(self.path / SPEC, spec)
            atomic.write_text(file, _json(identity))
            return
        except ValueError:
            raise RefusedError(f"{file}: is not the description of a sweep") from None
        if known != dict(identity):
            changed = ", ".join(sorted(_differences(known, identity))) or "everything"
            raise RefusedError(
                f"{self.path}: holds the results of another sweep (changed: {changed}); results of "
                "two specs are never mixed: give another --out"
            )

    def run_folder(self, run: GridRun) -> Path:
        """Where a run's files lie."""
        return self.path / RESULTS / run.id

    def record(self, run: GridRun) -> Record:
        """What is known of a run."""
        try:
            data = json.loads((self.run_folder(run) / RECORD).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return Record()
        ended = data["finished_at"]
        attempts = tuple(FailedAttempt(**attempt) for attempt in data["failed_attempts"])
        return Record(attempts, None if ended is None else datetime.fromisoformat(ended))

    def write_record(self, run: GridRun, record: Record, *, state: str) -> None:
        """Write what is known of a run; ``state`` is ``open``, ``done`` or ``failed``."""
        content = {
            "run": run.id, "configuration": run.configuration.name, "seed": run.seed, "task": run.dataset.task,
            "state": state, "attempts": len(record.failed_attempts) + (state == "done"),
            "failed_attempts": [asdict(attempt) for attempt in record.failed_attempts],
            "finished_at": record.finished_at.isoformat() if record.finished_at else None,
        }  # fmt: skip
        atomic.write_text(self.run_folder(run) / RECORD, _json(content))

    def keep_failed_log(self, run: GridRun, attempt: int) -> str:
        """Set the log of a failed attempt aside; returns its name below the sweep's directory."""
        folder = self.run_folder(run)
        kept = folder / f"train.failed-{attempt}.log"
        log = folder / trial_folder.LOG
        if log.exists():
            kept.write_bytes(log.read_bytes())
        (folder / trial_folder.METRICS).unlink(missing_ok=True)
        trees.remove(folder / trial_folder.OUTPUT)
        return str(kept.relative_to(self.path)) if kept.exists() else ""

    def finished(self, run: GridRun) -> RunOutcome | None:
        """The outcome of a run that has a complete result, whatever environment it was made in."""
        folder, record = self.run_folder(run), self.record(run)
        stored = trial_folder.read_results(folder)
        if stored is None:
            return None
        metrics_file = folder / trial_folder.METRICS
        ended = record.finished_at or datetime.fromtimestamp(metrics_file.stat().st_mtime).astimezone()
        measured = stored["measured"]
        outside = {name: measured[name] for name in MEASURED if measured.get(name) is not None}
        return RunOutcome(
            run=run,
            finished_at=ended,
            wall_s=measured["wall_s"] + sum(a.wall_s for a in record.failed_attempts),
            failed_attempts=record.failed_attempts,
            metrics={**stored["metrics"], **outside},
            items=trial_folder.read_items(folder),
            slices=stored["slices"],
            fingerprint=stored["fingerprint"],
            scored_by=stored["scored_by"],
            scored=frozenset(stored["scored"]),
        )

    def write(self, name: str, content: str | bytes) -> Path:
        """Write one file of the report."""
        path = self.path / name
        atomic.write_bytes(path, content.encode() if isinstance(content, str) else content)
        return path


def _json(data: Any) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _differences(old: Any, new: Any, path: Sequence[str] = ()) -> set[str]:
    """Dotted fields in which two identities differ, two levels deep."""
    if len(path) < 3 and isinstance(old, dict) and isinstance(new, Mapping):
        keys = old.keys() | new.keys()
        return {d for key in keys for d in _differences(old.get(key), new.get(key), (*path, str(key)))}
    return set() if old == new else {".".join(path[1:]) or ".".join(path)}
