"""Connections whose every step, and all of them together, stay within the bounds of the call."""

from __future__ import annotations

import ssl
from collections.abc import Iterable
from typing import Any

import httpcore

from auto_benchmark.http.address import resolve
from auto_benchmark.http.bounds import Bounds, Deadline
from auto_benchmark.http.errors import TooLargeError
from auto_benchmark.private_hosts import PrivateHosts

HEAD_BYTES = 2**18
"""What an answer may have on the wire beside its body: headers, interim answers, the framing of chunks."""
WRITTEN_AT_ONCE = 2**14


class Allowance:
    """What is left of the bounds of a call that runs."""

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self._deadline = Deadline(bounds.seconds)
        self._bytes = bounds.bytes + HEAD_BYTES

    def seconds(self) -> float:
        """How long the next step may take.

        Raises:
            httpcore.ReadTimeout: no time is left.
        """
        left = self._deadline.left()
        if left <= 0:
            raise httpcore.ReadTimeout(f"no complete answer within {self.bounds.seconds:.3g} s")
        return min(left, self.bounds.silence_s)

    def take(self, size: int) -> None:
        """Count bytes from the wire.

        Raises:
            TooLargeError: more than the body and its headers may have.
        """
        self._bytes -= size
        if self._bytes < 0:
            raise TooLargeError(f"the answer is more than {self.bounds.bytes} bytes")


class BoundedStream(httpcore.NetworkStream):
    """A connection of one call. httpcore's timeouts hold for one read; here the call's deadline holds as well."""

    def __init__(self, plain: httpcore.NetworkStream, allowance: Allowance) -> None:
        self._plain, self._allowance = plain, allowance

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """What came next."""
        data = self._plain.read(max_bytes, self._allowance.seconds())
        self._allowance.take(len(data))
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send everything, in pieces, so that the deadline is looked at in between."""
        for start in range(0, len(buffer), WRITTEN_AT_ONCE):
            self._plain.write(buffer[start : start + WRITTEN_AT_ONCE], self._allowance.seconds())

    def close(self) -> None:
        """Hang up."""
        self._plain.close()

    def start_tls(
        self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None
    ) -> httpcore.NetworkStream:
        """Shake hands; Python bounds the whole handshake by its timeout."""
        inner = self._plain.start_tls(ssl_context, server_hostname, self._allowance.seconds())
        return BoundedStream(inner, self._allowance)

    def get_extra_info(self, info: str) -> Any:
        """As the connection below has it."""
        return self._plain.get_extra_info(info)


class GuardedBackend(httpcore.NetworkBackend):
    """Connects to addresses that passed :func:`resolve`, never to a name."""

    def __init__(self, allowance: Allowance, *, private: PrivateHosts) -> None:
        self._allowance, self._private = allowance, private
        self._plain = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        """Try each address in turn."""
        seconds = self._allowance.seconds()
        error: Exception = httpcore.ConnectError(f"{host} has no address")
        for address in resolve(host, port, private=self._private, seconds=seconds):
            try:
                seconds = self._allowance.seconds()
                found = self._plain.connect_tcp(address, port, seconds, local_address, socket_options)
                return BoundedStream(found, self._allowance)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as failed:
                error = failed
        raise error

    def sleep(self, seconds: float) -> None:
        """Wait, as the protocol demands."""
        self._plain.sleep(seconds)
