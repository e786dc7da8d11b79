"""Verifies a candidate as the task's own tests do: in a fresh container without a network, by the reward that they write.

A verification begins from the image, not from the container that an agent has worked in: of the agent's work the files
in the working directory count, and nothing that it has installed, started or left elsewhere.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from auto_benchmark.agents.workspace import Files, all_files, read_small
from auto_benchmark.errors import AutoBenchmarkError, InputError
from auto_benchmark.lab.foreign.harbor_file import HarborFile
from auto_benchmark.lab.judge import hash_of
from auto_benchmark.lab.verification import Check, TaskVerdict
from auto_benchmark.runners import container_job
from auto_benchmark.runners.runner import EnvironmentFaultError
from auto_benchmark.scratch import scratch_folder

TESTS, REWARDS = "/tests", "/logs/verifier"
TEXT, DOCUMENT = "reward.txt", "reward.json"
LARGEST_REWARD = 1 << 16
LIMIT_MB = 64
SCRIPT = f'mkdir -p {REWARDS} /logs/agent && if [ $# -gt 0 ]; then rm -f -- "$@"; fi && exec {TESTS}/test.sh'
"""Arguments are files that the image holds and the candidate has removed."""
PLACED = (0o644, 0o755)


@dataclass(frozen=True, slots=True)
class ContainerJudge:
    """A task's tests.

    Attributes:
        folder: of the task.
        declared: its ``task.toml``.
        image: id of the image of ``environment/``.
        tests_image: of ``tests/`` where the verifier is a separate one; '' where it is shared.
        workdir: in which the candidate's files lie.
        given: folder with the files of that directory as the image holds them.
    """

    folder: Path
    declared: HarborFile
    image: str
    tests_image: str
    workdir: str
    given: Path

    def refusal(self) -> str | None:
        """Nothing: the engine has built the images."""
        return None

    def digest(self) -> str:
        """See :class:`~auto_benchmark.lab.judge.Judge`."""
        return hash_of(self.folder, self.folder / "environment", self.folder / "tests", self.folder / "task.toml")

    def verify(self, candidate: Path) -> TaskVerdict:
        """See the protocol; one try, for what such a verifier draws is its own affair. Raises AutoBenchmarkError."""
        files = all_files(candidate).files
        with scratch_folder("verdict") as out:
            try:
                ended = container_job.run(self._job(files), collect=REWARDS, target=out, limit_mb=LIMIT_MB)
            except InputError as error:
                return _refused("format", f"what the tests left cannot be read: {error}")
            except EnvironmentFaultError as error:
                raise AutoBenchmarkError(f"{self.folder.name}: {error}") from None
            if ended.code is None:
                return _refused("runs", f"the tests did not end within {self.declared.verifier.timeout_sec:g} s")
            return _verdict(out, ended)

    def _job(self, files: Files) -> container_job.Job:
        placed = {f"{self.workdir}/{name}": (file.content, PLACED[file.executable]) for name, file in files.items()}
        gone = [f"{self.workdir}/{name}" for name in all_files(self.given).files if name not in files]
        workdir = self.workdir
        if self.tests_image:
            placed = {path: file for path, file in placed.items() if self._is_handed_over(path)}
            gone, workdir = [], container_job.workdir_of(self.tests_image)
        else:
            placed |= dict(_tests_of(self.folder / "tests"))
        wanted = self.declared.environment
        return container_job.Job(
            self.tests_image or self.image, ("sh", "-c", SCRIPT, "sh", *gone), workdir,
            self.declared.verifier.timeout_sec, self.declared.variables(), placed,
            memory_mb=wanted.memory_mb or 2048, cpus=wanted.cpus or 1.0,
        )  # fmt: skip

    def _is_handed_over(self, path: str) -> bool:
        handed = [PurePosixPath(each).parts for each in self.declared.artifact_paths]
        return any(PurePosixPath(path).parts[: len(each)] == each for each in handed)


def _tests_of(folder: Path) -> Iterator[tuple[str, tuple[bytes, int]]]:
    for name, file in all_files(folder).files.items():
        yield f"{TESTS}/{name}", (file.content, PLACED[file.executable or name == "test.sh"])


def _verdict(out: Path, ended: container_job.JobEnd) -> TaskVerdict:
    try:
        reward = _reward(out)
    except ValueError as error:
        return _refused("format", str(error))
    if reward is None:
        last = ended.log.strip().rpartition("\n")[2][:300]
        return _refused("runs", f"the tests wrote no reward (exit code {ended.code}){': ' + last if last else ''}")
    checks = (Check("runs", passed=True, reason=""), Check("score", passed=True, reason=""))
    return TaskVerdict(True, reward, max(0.0, reward), 0.0, 0.0, 0, checks)


def _reward(out: Path) -> float | None:
    """The reward that was written. Raises ValueError when it is no finite number."""
    text = read_small(out, TEXT, most=LARGEST_REWARD)
    if text is not None:
        return _finite(text.strip(), TEXT)
    document = read_small(out, DOCUMENT, most=LARGEST_REWARD)
    if document is None:
        return None
    try:
        told = json.loads(document)
    except (ValueError, RecursionError):
        raise ValueError(f"{DOCUMENT} is not JSON") from None
    if isinstance(told, dict):
        if "reward" not in told and len(told) != 1:
            raise ValueError(f"{DOCUMENT} holds no 'reward' and {len(told)} other numbers")
        told = told["reward"] if "reward" in told else next(iter(told.values()))
    return _finite(told, DOCUMENT)


def _finite(value: object, file: str) -> float:
    try:
        number = float(value) if isinstance(value, (int, float, str)) and not isinstance(value, bool) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{file} holds no finite number")
    return number


def _refused(check: str, reason: str) -> TaskVerdict:
    return TaskVerdict(False, None, 0.0, 0.0, 0.0, 0, (Check(check, passed=False, reason=reason),))
