"""Bodies, unpacked a little at a time: what is too large is refused before it is in memory.

httpx unpacks a whole chunk at once, which turns 64 KiB into 64 MiB, and twice packed into 64 GiB.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator

from auto_benchmark.http.errors import TooLargeError, UnreachableError

PIECE = 2**16
"""Largest piece that is unpacked at once, bytes."""
MOST_LAYERS = 3
_GZIP, _ZLIB, _RAW = 31, 15, -15
_GZIP_MAGIC = 0x1F
_PACKED = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


def unpacked(chunks: Iterable[bytes], content_encoding: str, limit: int) -> bytes:
    """The body behind its codings. A coding that was not asked for (``br``) is left as it is.

    Args:
        chunks: as they come from the wire.
        content_encoding: the header: codings in the order in which they were applied.
        limit: most bytes, on the wire, between two codings, and in the end.

    Raises:
        TooLargeError: more than ``limit``, or packed more than ``MOST_LAYERS`` times.
        UnreachableError: damaged or broken off.
    """
    codings = [name for part in content_encoding.split(",") if (name := part.strip().lower()) in _PACKED]
    if len(codings) > MOST_LAYERS:
        raise TooLargeError(f"the answer is compressed {len(codings)} times")
    pieces = _limited(chunks, limit)
    for coding in reversed(codings):
        pieces = _limited(_unpacked(pieces, _PACKED[coding]), limit)
    body = bytearray()  # a list of pieces would take eight bytes for each byte that comes alone
    for piece in pieces:
        body += piece
    return bytes(body)


def _limited(pieces: Iterable[bytes], limit: int) -> Iterator[bytes]:
    size = 0
    for piece in pieces:
        size += len(piece)
        if size > limit:
            raise TooLargeError(f"the answer is more than {limit} bytes")
        yield piece


def _unpacked(pieces: Iterable[bytes], form: int) -> Iterator[bytes]:
    """One layer. Several gzip members after each other are one body; anything else behind the end is left out."""
    stream, is_first = None, True
    for piece in pieces:
        data = piece
        while data:
            if stream is None:
                if not is_first and (form != _GZIP or data[0] != _GZIP_MAGIC):
                    return
                # some servers send "deflate" without the header that it should have
                bare = form == _ZLIB and data[0] & 0x0F != zlib.DEFLATED
                stream, is_first = zlib.decompressobj(_RAW if bare else form), False
            out = _piece(stream, data)
            if out:
                yield out
            data = stream.unconsumed_tail
            if stream.eof:
                data, stream = stream.unused_data, None
    if stream is not None:
        yield from _rest(stream)


def _piece(stream: zlib._Decompress, data: bytes) -> bytes:
    try:
        return stream.decompress(data, PIECE)
    except zlib.error as error:
        raise UnreachableError(f"the answer cannot be decompressed: {error}") from None


def _rest(stream: zlib._Decompress) -> Iterator[bytes]:
    """What zlib still holds when its input has ended."""
    while out := _piece(stream, b""):
        yield out
    if not stream.eof:
        raise UnreachableError("the compressed answer ends too early")
