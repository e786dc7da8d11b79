"""``auto-benchmark images``: build the trial images of solutions."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import emit
from auto_benchmark.settings import Settings


def images(
    solutions: Annotated[list[str] | None, typer.Argument(help="Which solutions; all with a Dockerfile.")] = None,
    *,
    base_image: Annotated[str | None, typer.Option(help="Base instead of the Dockerfile's own default.")] = None,
    network: Annotated[str | None, typer.Option(help="Network mode of the build, e.g. none.")] = None,
) -> None:
    """Build the image of each solution with the engine that DOCKER_HOST names."""
    from auto_benchmark.project.configuration import load_solution
    from auto_benchmark.project.images import build_image

    settings = Settings()
    names = solutions or sorted(file.parent.name for file in settings.solutions.glob("*/Dockerfile"))
    for name in names:
        emit(build_image(load_solution(settings, name), base_image=base_image, network=network))


COMMANDS = {"images": images}
