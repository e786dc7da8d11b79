"""Keeps the home's Postgres running: ``python -m auto_benchmark.stack.postgres_service HOME PORT``.

The embedded server stops with its last user. This process is the stack's user of it: it starts the server, starts it
again when it was killed, and leaves when it is told to stop.
"""

from __future__ import annotations

import logging
import signal
import sys
import threading
from pathlib import Path

from auto_benchmark.db.embedded import EmbeddedPostgres, port_is_free
from auto_benchmark.errors import RefusedError

log = logging.getLogger(__name__)
LOOK_EVERY_S = 1.0
SETTINGS: dict[str, str | int] = {"max_connections": 200, "shared_buffers": "128MB", "jit": "off"}


def keep(home: Path, port: int, stop: threading.Event) -> None:
    """Run the server until ``stop`` is set."""
    server = EmbeddedPostgres(home, port=port, settings=SETTINGS)
    server.start()
    log.info("Postgres of %s listens on port %d", home, port)
    try:
        while not stop.wait(LOOK_EVERY_S):
            if port_is_free(port):
                log.warning("Postgres is gone; starting it again")
                try:
                    server.revive()
                except RefusedError as error:
                    log.warning("not yet: %s", error)
    finally:
        server.stop()
        log.info("Postgres of %s stopped", home)


def main() -> None:
    """Keep the server of the home named on the command line until SIGTERM."""
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    keep(Path(sys.argv[1]), int(sys.argv[2]), stop)


if __name__ == "__main__":
    main()
