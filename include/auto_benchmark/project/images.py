"""Builds a solution's trial image with the engine's own builder; its label says which code lies inside."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from auto_benchmark.artifacts.code_tree import CodeChangedError, code_tree
from auto_benchmark.artifacts.fingerprint import file_sha256, folder_sha256
from auto_benchmark.artifacts.packages import LOCK
from auto_benchmark.errors import InputError
from auto_benchmark.project.configuration import SolutionFolder
from auto_benchmark.runners.container import LOCK_LABEL
from auto_benchmark.settings import INCLUDE


def build_image(solution: SolutionFolder, *, base_image: str | None = None, network: str | None = None) -> str:
    """Build ``solution.image`` from the solution's Dockerfile.

    The context is the folder that holds ``solutions/``; for a solution elsewhere, its own code and nothing else: what the
    fingerprint leaves out, such as compiled code in ``__pycache__``, would run without being known.

    Args:
        solution: with a ``Dockerfile`` beside its ``solution.yaml``.
        base_image: for ``ARG BASE_IMAGE``; the Dockerfile's own default otherwise.
        network: network mode of the build, e.g. ``none`` on a base that holds every dependency.

    Returns:
        The image's name.

    Raises:
        InputError: when there is no Dockerfile, or the build fails; the end of its log is in the message.
    """
    import docker
    from docker.errors import APIError, BuildError, DockerException

    dockerfile = solution.path / "Dockerfile"
    if not dockerfile.is_file():
        raise InputError(f"{dockerfile}: does not exist; a solution that runs in containers needs one")
    code, name = folder_sha256(solution.path), solution.solution.image
    arguments = {"CODE": code, **({"BASE_IMAGE": base_image} if base_image else {})}
    try:
        with _context(solution.path, code) as (context, folder):
            docker.from_env().images.build(
                path=str(context), dockerfile=str((folder / "Dockerfile").relative_to(context)), tag=name,
                buildargs=arguments, rm=True, forcerm=True, network_mode=network,
                labels={LOCK_LABEL: file_sha256(folder / LOCK)},
            )  # fmt: skip
    except CodeChangedError as error:
        raise InputError(f"{name} cannot be built: {error}") from error
    except BuildError as error:
        lines = "".join(str(line.get("stream", "")) for line in error.build_log)
        raise InputError(f"{name}: {error}\n{lines[-2000:]}") from error
    except (APIError, DockerException) as error:
        raise InputError(f"{name} cannot be built: {error}") from error
    return name


@contextmanager
def _context(solution: Path, code: str) -> Iterator[tuple[Path, Path]]:
    """The folder that the engine is given, and where the solution lies in it."""
    if solution.is_relative_to(INCLUDE):
        yield INCLUDE, solution
        return
    with tempfile.TemporaryDirectory(prefix="ab-image-") as place:
        copy = code_tree(solution, code, Path(place))
        yield copy, copy
