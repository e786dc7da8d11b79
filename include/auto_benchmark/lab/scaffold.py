"""Writes a new task that ``lab check`` accepts as it is: a small one in C, to be replaced part by part."""

from __future__ import annotations

import os
from pathlib import Path

from auto_benchmark import atomic
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.project.scaffold import Written
from auto_benchmark.registry.names import folder_name
from auto_benchmark.settings import Settings

TEMPLATE = Path(__file__).parent / "template"
SUFFIX = ".j2"


def new_task(settings: Settings, name: str) -> Written:
    """A task with a verifier, a reference and three cheats.

    Raises:
        InputError: the name cannot be one, or the folder cannot be written; RefusedError: it exists.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    folder = settings.lab / folder_name(name, "lab task")
    if os.path.lexists(folder):
        raise RefusedError(f"{folder} exists already; nothing was written")
    templates = Environment(  # noqa: S701 - not HTML; the only value is a checked name
        loader=FileSystemLoader(TEMPLATE), undefined=StrictUndefined, keep_trailing_newline=True
    )
    try:
        with atomic.new_directory(folder) as filled:
            for template in templates.list_templates():
                target = filled / template.removesuffix(SUFFIX)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(templates.get_template(template).render(name=name), encoding="utf-8")
                if target.suffix == ".sh":
                    target.chmod(0o755)
    except OSError as error:
        raise InputError(f"{folder} cannot be written: {error.strerror or error}") from None
    next_step = (
        f"next: auto-benchmark lab check {name}, then replace its parts (docs/how_to/contribute_a_lab_task.md)"
    )
    return Written([str(folder)], next_step)
