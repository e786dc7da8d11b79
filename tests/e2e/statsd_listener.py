"""A StatsD server that remembers the newest value of every gauge."""

from __future__ import annotations

import contextlib
import socket


class StatsdListener:
    """Listens on a free UDP port of this machine."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        self._seen: dict[str, float] = {}

    def listen(self) -> None:
        """Read packets until the listener is closed."""
        with contextlib.suppress(OSError):
            while True:
                for line in self._socket.recv(65_535).decode().splitlines():
                    name, _, rest = line.partition(":")
                    value, _, kind = rest.partition("|")
                    if kind.split("|")[0] == "g":
                        self._seen[name] = float(value)

    def gauges(self) -> dict[str, float]:
        """Name -> newest value."""
        return dict(self._seen)

    def close(self) -> None:
        """Stop listening."""
        self._socket.close()
