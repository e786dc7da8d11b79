"""``auto-benchmark notify``: tell Slack what is new, from the command line."""

from __future__ import annotations

from typing import Annotated

import typer

from auto_benchmark.commands.output import AsJson, emit, emit_json, note
from auto_benchmark.commands.project import opened


def notify(
    *,
    project: Annotated[str, typer.Option(help="Which project.")] = "default",
    json: AsJson = False,
) -> None:
    """Post what is new to Slack, once; without a connection write it to reports/ and say so."""
    from auto_benchmark.telling import slack

    with opened(project, connected=True, say=note) as ctx:
        told = slack.notify(ctx)
    if json:
        emit_json(told)
    else:
        emit(f"{told['posted'] + told['found']} posted, {told['written']} written, {told['postponed']} postponed")


COMMANDS = {"notify": notify}
