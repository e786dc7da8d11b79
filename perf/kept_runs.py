"""A runner that runs each trial once and keeps what came of it: the same code, configuration and data give it again.

What identifies a run is its content: the checksum of the code, the configuration with its seed as the trial is handed it,
and the checksum of every file that it sees. A second run of the same within one case, as the doctor asks for, is a run of
its own, so that code which answers otherwise the second time is still found. What is kept is everything that the runner
gives: the trial's raw output, how it ended, and what it cost. Doors, scorer and gate see no difference.
"""

from __future__ import annotations

import hashlib
import io
import json
import tarfile
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.contract.failure import FailureClass
from auto_benchmark.contract.trial import TrialState
from auto_benchmark.runners.runner import OnProgress, Runner, RunResult, TrialRequest

OF_THE_MACHINE = {FailureClass.KILLED, FailureClass.ENVIRONMENT_ERROR, FailureClass.TIMEOUT}
"""Ends that say nothing of the code; they are not kept."""


@cache
def _content(folder: Path) -> str:
    """Checksum of the names and contents of a folder's files."""
    summed = hashlib.sha256()
    for file in sorted(each for each in folder.rglob("*") if each.is_file()):
        summed.update(str(file.relative_to(folder)).encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return summed.hexdigest()


class KeptRuns:
    """Runs below a folder, by what identifies them.

    Args:
        inner: runs what is not there.
        folder: an archive and a JSON file a run.
    """

    def __init__(self, inner: Runner, folder: Path) -> None:
        self.inner, self.folder, self.name = inner, folder, inner.name
        self.ran = self.reused = 0
        self._asked: Counter[str] = Counter()
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def isolated_by(self) -> tuple[str, ...]:
        """The inner runner's."""
        return self.inner.isolated_by

    @property
    def not_isolated(self) -> tuple[str, ...]:
        """The inner runner's."""
        return self.inner.not_isolated

    def facts(self, image: str) -> Mapping[str, str]:
        """The inner runner's."""
        return self.inner.facts(image)

    def run(
        self,
        request: TrialRequest,
        *,
        on_progress: OnProgress | None = None,
        cancel: threading.Event | None = None,
    ) -> RunResult:
        """Give what is kept, or run it and keep that."""
        known = self.folder / self._key(request)
        if (told := known.with_suffix(".json")).exists():
            with tarfile.open(known.with_suffix(".tgz")) as archive:
                archive.extractall(request.output_dir, filter="data")
            self.reused += 1
            return _result(json.loads(told.read_text()))
        result = self.inner.run(request, on_progress=on_progress, cancel=cancel)
        self.ran += 1
        if result.failure not in OF_THE_MACHINE and result.state is not TrialState.CANCELLED:
            packed = io.BytesIO()
            with tarfile.open(fileobj=packed, mode="w:gz") as archive:
                for file in sorted(each for each in request.output_dir.iterdir() if each.is_file()):
                    archive.add(file, arcname=file.name)
            atomic.write_bytes(known.with_suffix(".tgz"), packed.getvalue())
            atomic.write_text(known.with_suffix(".json"), json.dumps(asdict(result)))
        return result

    def _key(self, request: TrialRequest) -> str:
        code = request.code_sha256 or _content(request.workdir)
        config = request.config.model_dump_json()
        told = json.dumps([code, request.command, config, _content(request.data_dir), request.lock_sha256])
        key = hashlib.sha256(told.encode()).hexdigest()[:24]
        self._asked[key] += 1
        return f"{key}-{self._asked[key]}"


def _result(told: dict[str, Any]) -> RunResult:
    failure = told["failure"] and FailureClass(told["failure"])
    return RunResult(**{**told, "state": TrialState(told["state"]), "failure": failure})
