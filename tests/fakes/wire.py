"""A server on the loopback that says its bytes as a test wants them, however wrong they are."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

Talk = Callable[[socket.socket, threading.Event], None]
"""What to say to a client that has asked; the event is set when the test has ended."""


@dataclass
class Wire:
    """The server.

    Attributes:
        talk: to one client.
        hears: whether the request is read before anything is said.
        sent: bytes that clients took, as far as the talk counts them.
        heads: of the requests.
    """

    talk: Talk
    hears: bool = True
    sent: int = 0
    heads: list[bytes] = field(default_factory=list)
    url: str = ""
    ended: threading.Event = field(default_factory=threading.Event)

    def answer(self, client: socket.socket) -> None:
        """Hear one request and talk."""
        with client, contextlib.suppress(OSError):
            client.settimeout(10)
            head = b""
            while self.hears and b"\r\n\r\n" not in head and (part := client.recv(4096)):
                head += part
            self.heads.append(head)
            self.talk(client, self.ended)


@contextlib.contextmanager
def served(talk: Talk, *, hears: bool = True) -> Iterator[Wire]:
    """Serve on a free port until the block ends."""
    wire = Wire(talk, hears)

    def accept(server: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=wire.answer, args=(server.accept()[0],), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        thread = threading.Thread(target=accept, args=(server,), daemon=True)
        thread.start()
        wire.url = f"http://127.0.0.1:{server.getsockname()[1]}"
        try:
            yield wire
        finally:
            wire.ended.set()
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)


def drip(start: bytes, piece: bytes, every_s: float = 0.05) -> Talk:
    """Begins an answer and then says a little from time to time, without end."""

    def talk(client: socket.socket, ended: threading.Event) -> None:
        client.sendall(start)
        while not ended.wait(every_s):
            client.sendall(piece)

    return talk


def at_once(answer: bytes) -> Talk:
    """Says everything and hangs up."""
    return lambda client, ended: client.sendall(answer)


def whole(body: bytes, *headers: str, status: str = "200 OK") -> Talk:
    """A complete answer with a length."""
    lines = [f"HTTP/1.1 {status}", *headers, f"Content-Length: {len(body)}", "", ""]
    return at_once("\r\n".join(lines).encode() + body)
