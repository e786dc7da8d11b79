"""A server on the loopback whose answers are written byte by byte, however wrong they are."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator

Talk = Callable[[socket.socket, threading.Event], None]
"""What to say to a client that has asked; the event is set when the test has ended."""


@contextlib.contextmanager
def served(talk: Talk) -> Iterator[str]:
    """Address of a server that talks so with whoever asks."""
    ended = threading.Event()

    def answer(client: socket.socket) -> None:
        with client, contextlib.suppress(OSError):
            client.settimeout(5)
            asked = b""
            while b"\r\n\r\n" not in asked and (part := client.recv(4096)):
                asked += part
            talk(client, ended)

    def accept(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, args=(server,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            ended.set()
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)


def drip(start: bytes, piece: bytes, every_s: float = 0.1) -> Talk:
    """Begins an answer and then says a little from time to time, without end."""

    def talk(client: socket.socket, ended: threading.Event) -> None:
        client.sendall(start)
        while not ended.wait(every_s):
            client.sendall(piece)

    return talk


def at_once(answer: bytes) -> Talk:
    """Says everything and closes."""
    return lambda client, ended: client.sendall(answer)
