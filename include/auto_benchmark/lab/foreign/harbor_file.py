"""What a task from elsewhere declares: Harbor's ``task.toml``, of which we read what a run needs and refuse what we lack.

https://www.harborframework.com/docs/tasks
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from auto_benchmark.documents import Path as Place
from auto_benchmark.documents import Strict, validate
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.lab import toml_file

TASK_FILE = "task.toml"
NEEDED = ("instruction.md", "environment/Dockerfile", "tests/test.sh")
NOT_RUN = ("environment/docker-compose.yaml", "steps")
"""Several containers, several steps: Harbor has them, we do not run them."""
Seconds = Annotated[float, Field(gt=0, le=86_400)]
_REFERENCE = re.compile(r"\$\{(\w+)(?::-([^}]*))?\}")


class _Lenient(Strict):
    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class HarborEnvironment(_Lenient):
    """``[environment]``: the container that the candidate's files live in.

    Attributes:
        os: of the container.
        build_timeout_sec: of its image.
        cpus, memory_mb: bounds.
        gpus: we give none.
        workdir: instead of the image's own.
        env: variables.
    """

    os: Literal["linux"] = "linux"
    build_timeout_sec: Seconds = 600.0
    cpus: Annotated[float, Field(gt=0, le=64)] | None = None
    memory_mb: Annotated[int, Field(ge=16, le=262_144)] | None = None
    gpus: Literal[0] | None = None
    workdir: Annotated[str, Field(pattern=r"^/[^\x00]+$")] | None = None
    env: dict[str, str] = Field(default={})


class HarborVerifier(_Lenient):
    """``[verifier]``: ``shared`` runs the tests in a container of the task's image, ``separate`` in one of ``tests/``."""

    timeout_sec: Seconds = 600.0
    env: dict[str, str] = Field(default={})
    environment_mode: Literal["shared", "separate"] = "shared"


class HarborFile(_Lenient):
    """``task.toml``."""

    environment: HarborEnvironment = HarborEnvironment()
    verifier: HarborVerifier = HarborVerifier()
    artifacts: list[Any] = Field(default=[])

    def problems(self) -> Iterator[tuple[Place, str]]:
        """Variables that would be taken from this machine."""
        for table, env in (("environment", self.environment.env), ("verifier", self.verifier.env)):
            for name, text in env.items():
                if any(default is None for _, default in _defaults(text)):
                    yield (table, "env", name), "asks for a variable of this machine; tasks are given none"

    @property
    def artifact_paths(self) -> list[str]:
        """Paths that a separate verifier is handed."""
        return [each if isinstance(each, str) else str(each.get("source", "")) for each in self.artifacts]

    def variables(self) -> Mapping[str, str]:
        """Of the verifier's container."""
        both = {**self.environment.env, **self.verifier.env}
        return {name: _REFERENCE.sub(lambda found: found[2] or "", text) for name, text in both.items()}


def _defaults(text: str) -> Iterator[tuple[str, str | None]]:
    for found in _REFERENCE.finditer(text):
        yield found[1], found[2]


def read(folder: Path) -> HarborFile:
    """Read a task's folder.

    Raises:
        ConfigError: files are missing or faulty, or it is of a kind that is not run here; each fault with its place.
    """
    shown = f"{folder.name}/{TASK_FILE}"
    declared = validate(HarborFile, toml_file.read(folder / TASK_FILE, shown_as=shown))
    faults = [
        Fault(f"{folder.name}/{file}", None, "", "is missing") for file in NEEDED if not (folder / file).is_file()
    ]
    faults += [
        Fault(f"{folder.name}/{name}", None, "", "tasks of several containers or steps are not run here")
        for name in NOT_RUN
        if (folder / name).exists()
    ]
    if declared.verifier.environment_mode == "separate" and not (folder / "tests" / "Dockerfile").is_file():
        faults.append(
            Fault(f"{folder.name}/tests/Dockerfile", None, "", "is missing; the verifier is a separate one")
        )
    if faults:
        raise ConfigError(faults)
    return declared
