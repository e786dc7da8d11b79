"""Takes in an idea that a person sends to the page: the form of a file, with its patch as text beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from auto_benchmark.documents import Path, dotted, on_one_line, storable, validate
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.ideas.idea import Idea
from auto_benchmark.ideas.intake import Taken, take_in
from auto_benchmark.project.context import Context
from auto_benchmark.project.reconcile import render_views
from auto_benchmark.scratch import scratch_folder

SHOWN_AS, PATCH = "idea", "change.diff"
CODE: Path = ("implementation", "code")


def take_in_posted(ctx: Context, written: Mapping[str, Any], patch: str, *, by: str) -> Taken:
    """Queue an idea, once.

    Args:
        ctx: the project.
        written: what a file would hold. It names no code, since a path would be one of the server's.
        patch: of production's code, as ``git diff`` writes it; empty where no code changes.
        by: the person, who is its source.

    Raises:
        ConfigError: as :func:`take_in` does; each fault names its field.
    """
    try:
        taken = _take_in(ctx, written, patch, by)
    except ConfigError as error:
        told = [replace(f, line=None, field=storable(f.field), message=storable(f.message)) for f in error.faults]
        raise ConfigError(told) from None
    render_views(ctx)
    return taken


def _take_in(ctx: Context, written: Mapping[str, Any], patch: str, by: str) -> Taken:
    change = written.get("implementation")
    if isinstance(change, dict) and "code" in change:
        raise ConfigError([Fault(SHOWN_AS, None, dotted(CODE), "is sent as text, in the field patch")])
    data = {**written, "source": by}
    if patch and isinstance(change, dict):
        data["implementation"] = {**change, "code": {"diff": PATCH}}
    document = on_one_line(SHOWN_AS, data)
    idea = validate(Idea, document)
    with scratch_folder("idea") as beside:
        (beside / PATCH).write_bytes(patch.encode("utf-8"))
        with ctx.sessions.begin() as session:
            return take_in(ctx, session, idea, document, beside)
