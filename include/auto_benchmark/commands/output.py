"""How commands speak: one JSON document or text on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer
from pydantic import BaseModel

from auto_benchmark.terminal import printable, printable_json

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout and nothing else.")]


LARGEST_ID = 2**63 - 1
"""Of the database's bigint keys."""


def row_id(what: str) -> Any:
    """An argument that names a row of the database by its number; ``what`` describes it."""
    return typer.Argument(min=1, max=LARGEST_ID, help=what)


def emit_json(document: BaseModel | dict[str, Any] | list[Any]) -> None:
    """Print ``document`` as JSON. NaN and infinity are refused: no reader of JSON accepts them."""
    data = document.model_dump(mode="json", by_alias=True) if isinstance(document, BaseModel) else document
    sys.stdout.write(printable_json(json.dumps(data, ensure_ascii=False, allow_nan=False)) + "\n")


def emit(text: str) -> None:
    """Print a line for a person on stdout."""
    sys.stdout.write(printable(text) + "\n")


def emit_now(text: str) -> None:
    """Print a line on stdout at once, so that the reader of a pipe sees progress as it happens."""
    emit(text)
    sys.stdout.flush()


def note(text: str) -> None:
    """Print a line on stderr."""
    sys.stderr.write(printable(text) + "\n")
