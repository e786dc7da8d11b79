"""The ports of one stack: chosen free once, written down, and the same at every later start."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields

from auto_benchmark.db.embedded import free_port, port_is_free
from auto_benchmark.errors import RefusedError
from auto_benchmark.stack import private_file
from auto_benchmark.stack.layout import Layout

HOST = "127.0.0.1"
PREFERRED = {"airflow": 8080, "arena": 8090, "mlflow": 5000}
"""Ports that people expect; another free one is taken where they are not free."""


@dataclass(frozen=True, slots=True)
class Ports:
    """TCP ports on the loopback interface."""

    postgres: int
    airflow: int
    arena: int
    mlflow: int


def load_or_choose(layout: Layout, *, anew: bool = False) -> Ports:
    """The stack's ports, chosen now where none are recorded or ``anew`` is set."""
    path = layout.root / "ports.json"
    stored = {} if anew else private_file.read(path)
    names = [field.name for field in fields(Ports)]
    if set(stored) != set(names):
        taken: set[int] = set()
        stored = {name: _choose(PREFERRED.get(name), taken) for name in names}
        private_file.write(path, stored)
    return Ports(**stored)


def recorded(layout: Layout) -> Ports | None:
    """The ports of an earlier start; None when there was none."""
    stored = private_file.read(layout.root / "ports.json")
    return Ports(**stored) if set(stored) == {field.name for field in fields(Ports)} else None


def refuse_taken(ports: Ports, names: set[str]) -> None:
    """Refuse ports that another program holds.

    Args:
        ports: the stack's ports.
        names: of the ports that are about to be used; those of running services are not asked about.

    Raises:
        RefusedError: names every port and the ways out.
    """
    taken = {name: port for name, port in asdict(ports).items() if name in names and not port_is_free(port)}
    if taken:
        listing = ", ".join(f"{port} ({name})" for name, port in taken.items())
        raise RefusedError(
            f"another program listens on port {listing}; stop it, or choose other ports with: "
            "auto-benchmark stack up --new-ports"
        )


def _choose(preferred: int | None, taken: set[int]) -> int:
    port = preferred
    while port is None or port in taken or not port_is_free(port):
        port = free_port()
    taken.add(port)
    return port
