"""Compresses a log, and brings it back."""

import sys
import zlib

LEVEL = 1


def compress(text: bytes) -> bytes:
    return zlib.compress(text, LEVEL)


def decompress(packed: bytes) -> bytes:
    return zlib.decompress(packed)


if __name__ == "__main__":
    work = {"compress": compress, "decompress": decompress}[sys.argv[1]]
    sys.stdout.buffer.write(work(sys.stdin.buffer.read()))
