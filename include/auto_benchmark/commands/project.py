"""How a command opens a project."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from auto_benchmark.settings import Settings

if TYPE_CHECKING:
    from auto_benchmark.project.context import Context


@contextlib.contextmanager
def opened(
    project: str, *, reconciled: bool = True, connected: bool = False, say: Callable[[str], None] = lambda _: None
) -> Iterator[Context]:
    """A project at work on its database, until the block ends.

    Args:
        project: its name.
        reconciled: whether what its files declare is recorded first.
        connected: whether the endpoints of the environment are within reach.
        say: reports what happens, one line at a time.

    Raises:
        InputError: there is no such project, or its files are faulty.
        AutoBenchmarkError: the database cannot be used.
    """
    from auto_benchmark.ideas.steps import reconcile
    from auto_benchmark.project.context import make_context
    from auto_benchmark.sources.connection import NamedConnections
    from auto_benchmark.stack.session import database, declared_connections

    settings = Settings()
    with database(settings) as sessions:
        connections = NamedConnections(declared_connections(settings) if connected else {})
        ctx = make_context(settings, sessions, connections, project=project, say=say)
        if reconciled:
            reconcile(ctx)
        yield ctx
