"""Writes archives as an attacker would: any member, any header, any row."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from pathlib import Path

NOW = "2025-01-01T00:00:00+00:00"
HEX = "a" * 64


def project_row(name, **changed):
    row = {"name": name, "domain": "d", "our_name": "Ours", "solution": None, "last_hypothesis": 0, "created_at": NOW}
    return {**row, **changed}


def log_row(project, **changed):
    row = {"id": 1, "project": project, "key": "k", "kind": "note", "subject": "s", "reason": "r", "inputs": {}}
    return {**row, "created_at": NOW, **changed}


def board_row(project, **changed):
    row = {
        "id": 5,
        "project": project,
        "name": "Board",
        "metric": "accuracy",
        "higher_is_better": True,
        "position": 0,
    }
    row |= {"active": True, "spec": {}, "etag": None, "last_modified": None, "created_at": NOW}
    return {**row, **changed}


def outbox_row(project, **changed):
    row = {"id": 3, "project": project, "topic": "slack", "idempotency_key": "k", "payload": {}, "state": "pending"}
    row |= {"attempts": 0, "due_at": NOW, "last_error": None, "response": None, "created_at": NOW, "sent_at": None}
    return {**row, "lease_owner": "o", "lease_expires_at": NOW, "heartbeat_at": NOW, **changed}


def experiment_row(project, **changed):
    row = {"id": 1, "project": project, "kind": "hypothesis", "key": "H-001", "hypothesis_id": "H-001"}
    row |= {"solution": "s", "benchmark": "b", "benchmark_version": "1", "params": {}, "config_hash": "c"}
    row |= {"control_params": None, "control_config_hash": None, "outcome": None, "reason": "", "started_at": NOW}
    return {**row, "finished_at": None, **changed}


def trial_row(project, **changed):
    row = {"id": 7, "project": project, "experiment_id": None, "solution": "s", "params": {}, "config_hash": "c"}
    row |= {"benchmark": "b", "benchmark_version": "1", "stage": "full", "split": "gate", "subset": 1.0, "seed": 1}
    row |= {"purpose": "control", "budget_s": 1.0, "queue": "normal", "priority": 0.0, "state": "done", "attempts": 1}
    row |= {"failures": [], "failure_class": None, "message": None, "fingerprint": {}, "fingerprint_hash": "f"}
    row |= {"artifact_uri": "experiments/results/control/c/seed-1", "wall_s": 1.0, "gpu_seconds": None, "cost": None}
    row |= {"created_at": NOW, "started_at": NOW, "finished_at": NOW, "lease_owner": None, "lease_expires_at": None}
    return {**row, "heartbeat_at": None, **changed}


def hypothesis_row(project, **changed):
    row = {"project": project, "id": "H-001", "number": 1, "config_hash": "c", "question": "", "title": "t"}
    row |= {"claim": "c", "source": "s", "target_leaderboards": ["Board"], "implementation": {}, "reason": ""}
    row |= {"priority_score": 1.0, "urgency": "normal", "status": "queued", "attempts": 0, "created_at": NOW}
    return {**row, "updated_at": NOW, "lease_owner": None, "lease_expires_at": None, "heartbeat_at": None, **changed}


def header(name, size=0, **changed):
    info = tarfile.TarInfo(name)
    info.size = size
    for key, value in changed.items():
        setattr(info, key, value)
    return info


def write(path: Path, project="guest", tables=None, files=None, members=(), manifest=None) -> Path:
    """An archive; ``tables`` is name -> rows (dicts, or lines as they are), ``members`` are (header, content)."""
    tables = {"projects": [project_row(project)], **(tables or {})}
    with tarfile.open(path, "w:gz") as tar:
        for name, rows in tables.items():
            lines = [row if isinstance(row, bytes) else json.dumps(row).encode() for row in rows]
            content = b"".join(line + b"\n" for line in lines)
            tar.addfile(header(f"tables/{name}.jsonl", len(content)), io.BytesIO(content))
        for name, content in (files or {}).items():
            tar.addfile(header(f"files/{name}", len(content)), io.BytesIO(content))
        for info, content in members:
            tar.addfile(info, io.BytesIO(content))
        if manifest is None:
            manifest = json.dumps({"format": 1, "project": project}).encode()
        tar.addfile(header("manifest.json", len(manifest)), io.BytesIO(manifest))
    return path


def raw(path: Path, blocks: bytes) -> Path:
    """An archive of these bytes of tar."""
    path.write_bytes(gzip.compress(blocks))
    return path
