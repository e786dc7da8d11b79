"""What people may have made of the stages that they are invited to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from auto_benchmark import documents
from auto_benchmark.construction.source import Source
from auto_benchmark.documents import Document, Strict
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.registry.names import Positive, Share


class _Loose(Strict):
    model_config = ConfigDict(extra="allow", frozen=True, allow_inf_nan=False)


class _Subtask(_Loose):
    source: str
    form: str
    importance: Positive


class _Part(_Loose):
    params: dict[str, Any]
    share: Share


class Subtasks(_Loose):
    """``subtasks.yaml``."""

    subtasks: list[_Subtask] = Field(min_length=1)


class Quotas(_Loose):
    """``quotas.yaml``: subtask -> items."""

    quotas: dict[str, int] = Field(min_length=1)


class Choice(_Loose):
    """``choice.yaml``: subtask -> descriptions with shares."""

    chosen: dict[str, list[_Part]]
    calls: int


class _Row(_Loose):
    round: int
    slot: int
    subtask: str
    params: dict[str, Any]
    random: bool
    utility: float
    difficulty: float | None
    separability: float | None
    novelty: float | None
    accuracies: dict[str, float]
    items: int = Field(ge=0)
    calls: int = Field(ge=0)
    seconds: float = Field(ge=0)


def checked_trajectory(path: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Raises ConfigError for a row of ``trajectory.jsonl`` that no round has written; the first is named."""
    for number, row in enumerate(rows, 1):
        documents.validate(_Row, documents.on_one_line(str(path), row, number))


def checked_quotas(document: Document, sources: Mapping[str, Source]) -> dict[str, int]:
    """The quotas of ``quotas.yaml``. Raises ConfigError for a subtask that no source has, or less than one item."""
    quotas = documents.validate(Quotas, document).quotas
    known = {f"{name}.{form.name}" for name, source in sources.items() for form in source.forms}
    faults = [_fault(document, ("quotas", key), "no source has such a form") for key in quotas if key not in known]
    faults += [_fault(document, ("quotas", key), "should be 1 or more") for key, n in quotas.items() if n < 1]
    if faults:
        raise ConfigError(faults)
    return quotas


def checked_choice(document: Document, quotas: Mapping[str, int], sources: Mapping[str, Source]) -> dict[str, Any]:
    """``choice.yaml`` as it is. Raises ConfigError where it does not describe every subtask within its parameters."""
    chosen = documents.validate(Choice, document).chosen
    faults = [_fault(document, ("chosen",), f"has no description for {key}") for key in quotas if not chosen.get(key)]
    for key in quotas:
        name, form = key.split(".")
        parameters = sources[name].form(form).parameters
        for i, part in enumerate(chosen.get(key, [])):
            if part.params.keys() != parameters.keys():
                text = f"should be {', '.join(parameters)}"
                faults.append(_fault(document, ("chosen", key, i, "params"), text))
                continue
            for parameter, value in part.params.items():
                if not parameters[parameter].allows(value):
                    text = f"{value!r} is not among its values"
                    faults.append(_fault(document, ("chosen", key, i, "params", parameter), text))
    if faults:
        raise ConfigError(faults)
    return dict(document.data)


def _fault(document: Document, path: documents.Path, message: str) -> Fault:
    return Fault(document.file, document.line_of(path), documents.dotted(path), message)
