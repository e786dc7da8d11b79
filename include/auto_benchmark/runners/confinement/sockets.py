"""What the kernel holds in buffers of sockets, which it counts to no process: asked by ``sock_diag(7)``.

Every socket of the caller's network namespace is listed, whether a process holds it or a message carries it; of Unix
connections that a listener has not accepted yet, their number alone.
"""

from __future__ import annotations

import _socket
import struct
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

UNIX, INTERNET, INTERNET_6, NETLINK = 1, 2, 10, 16
TCP, UDP = 6, 17
SOCKET_BYTES = 2048
"""A socket itself with its file, whatever it holds."""
LEAST_MESSAGE_BYTES = 1024
"""What a message takes at most besides its data."""
_DIAGNOSIS, _BY_FAMILY = 4, 20
_REQUEST, _DUMP = 0x1, 0x300
_ERROR, _DONE = 2, 3
_HEADER, _ATTRIBUTE = struct.Struct("=IHHII"), struct.Struct("=HH")
_MEMORY = struct.Struct("=9I")
_STREAM, _SEQUENCE, _LISTENS = 1, 5, 10
_ANSWER_BYTES = 1 << 17
_UNIX_FACTS = 0x4 | 0x10 | 0x20 | 0x40
_PEER, _QUEUE, _UNIX_MEMORY, _USER = 2, 4, 5, 7
_INTERNET_MEMORY, _NETLINK_MEMORY = 7, 0
_UNIX_BYTES, _INTERNET_BYTES, _NETLINK_BYTES = 16, 72, 28


class Unix(NamedTuple):
    """A Unix socket.

    Attributes:
        peer: inode of the other end, 0 without.
        user: who made it.
        sent: bytes of memory of what it has sent and nothing has read.
        bound: bytes of memory that it may send.
        unread: bytes that wait to be read; of a listener the connections that wait.
    """

    inode: int
    kind: int
    state: int
    peer: int
    user: int
    sent: int
    bound: int
    unread: int

    def memory(self, open_ones: set[int]) -> int:
        """Bytes that it has to answer for.

        What waits to be read is counted to its sender, until that is closed. Then nothing tells how much memory its
        messages take, as of connections that wait: as much is assumed as they can.
        """
        used = SOCKET_BYTES + self.sent
        if self.state == _LISTENS:
            return used + 2 * self.bound * self.unread
        if self.peer in open_ones:
            return used
        if self.kind == _STREAM:
            return used + min(2 * self.bound, LEAST_MESSAGE_BYTES * self.unread)
        return used + (2 * self.bound if self.kind == _SEQUENCE else self.unread)


def unix_memory(is_wanted: Callable[[Unix], bool]) -> int:
    """Bytes held by the Unix sockets that are wanted. Raises OSError."""
    found = list(_unix())
    open_ones = {socket.inode for socket in found}
    return sum(socket.memory(open_ones) for socket in found if is_wanted(socket))


def all_memory() -> int:
    """Bytes held by all sockets of this network namespace. Raises OSError."""
    return unix_memory(lambda socket: True) + _internet_memory() + netlink_memory()


def _unix() -> Iterator[Unix]:
    request = struct.pack("=BBHIIII", UNIX, 0, 0, 0xFFFFFFFF, 0, _UNIX_FACTS, 0) + bytes(4)
    for answer in _dump(request):
        _, kind, state, _, inode = struct.unpack_from("=BBBBI", answer)
        told = _attributes(answer, _UNIX_BYTES)
        memory = _MEMORY.unpack_from(told[_UNIX_MEMORY])
        yield Unix(
            inode, kind, state, _number(told.get(_PEER)), _number(told.get(_USER)), memory[2], memory[3],
            _number(told.get(_QUEUE)),
        )  # fmt: skip


def _internet_memory() -> int:
    used = 0
    for family in (INTERNET, INTERNET_6):
        for protocol in (TCP, UDP):
            request = struct.pack("=BBBBI", family, protocol, 1 << (_INTERNET_MEMORY - 1), 0, 0xFFFFFFFF) + bytes(48)
            for answer in _dump(request):
                used += _held(_attributes(answer, _INTERNET_BYTES).get(_INTERNET_MEMORY))
    return used


def netlink_memory() -> int:
    """Bytes held by the netlink sockets of this network namespace, which no control group counts. Raises OSError."""
    request = struct.pack("=BBHII", NETLINK, 0xFF, 0, 0, 1) + bytes(8)
    return sum(_held(_attributes(answer, _NETLINK_BYTES).get(_NETLINK_MEMORY)) for answer in _dump(request))


def _held(memory: bytes | None) -> int:
    """Received, to be sent, and on the way between them."""
    if memory is None:
        return SOCKET_BYTES
    received, _, sent, _, _, queued, optional, backlog, _ = map(int, _MEMORY.unpack_from(memory))
    return SOCKET_BYTES + received + max(sent, queued) + optional + backlog


def _dump(request: bytes) -> Iterator[bytes]:
    """Each answer of the kernel. Raises OSError."""
    asking = _socket.socket(NETLINK, 3 | _socket.SOCK_CLOEXEC, _DIAGNOSIS)
    try:
        asking.send(_HEADER.pack(_HEADER.size + len(request), _BY_FAMILY, _REQUEST | _DUMP, 1, 0) + request)
        while True:
            answers, at = asking.recv(_ANSWER_BYTES), 0
            while at < len(answers):
                length, kind, *_ = _HEADER.unpack_from(answers, at)
                if kind == _DONE:
                    return
                if kind == _ERROR:
                    code = -struct.unpack_from("=i", answers, at + _HEADER.size)[0]
                    raise OSError(code, "the kernel lists no sockets of this kind")
                yield answers[at + _HEADER.size : at + length]
                at += -(-length // 4) * 4
    finally:
        asking.close()


def _attributes(answer: bytes, begin: int) -> dict[int, bytes]:
    found, at = dict[int, bytes](), begin
    while at + _ATTRIBUTE.size <= len(answer):
        length, kind = _ATTRIBUTE.unpack_from(answer, at)
        found[kind] = answer[at + _ATTRIBUTE.size : at + length]
        at += max(-(-length // 4) * 4, _ATTRIBUTE.size)
    return found


def _number(attribute: bytes | None) -> int:
    return int.from_bytes(attribute[:4], sys.byteorder) if attribute else 0
