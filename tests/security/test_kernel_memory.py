"""Data that the kernel holds for a trial, in sockets and pipes, counts as its memory, or it is said that it does not."""

from __future__ import annotations

import pytest

from auto_benchmark.runners import isolation
from auto_benchmark.runners.cgroup import KERNELS_SHARE_MB

pytestmark = pytest.mark.timeout(60)
HOARD_MB = 180
OPEN = {
    "unix sockets": "socket.socketpair()",
    "tcp": "connected()",
    "pipes": "piped()",
}
HOARD = """
import fcntl, itertools
server = socket.socket() if {kind!r} == "tcp" else None
if server:
    server.bind(("127.0.0.1", 0)); server.listen()
def connected():
    client = socket.socket(); client.connect(server.getsockname())
    return client, server.accept()[0]
def piped():
    reading, writing = os.pipe()
    try: fcntl.fcntl(writing, 1031, 2**20)
    except OSError: pass
    return open(writing, "wb", buffering=0), open(reading, "rb", buffering=0)
held, total = [], 0
try:
    while total < {mb} * 2**20:
        pair = {pair}
        held.append(pair); os.set_blocking(pair[0].fileno(), False)
        sent = 0
        while sent < 2**21:
            try: sent += os.write(pair[0].fileno(), b"x" * 65536)
            except BlockingIOError: break
        total += sent
except OSError as error:
    print("ended", error, flush=True)
print("holds", total >> 20, flush=True)
answer(dict.fromkeys(ids, "low")); report(latency_ms=1.0)
time.sleep(0.5)
"""


@pytest.mark.parametrize("kind", OPEN)
def test_a_hoard_in_the_kernel_is_the_trials(hostile, kind):
    ended = hostile.run(HOARD.format(kind=kind, pair=OPEN[kind], mb=HOARD_MB), memory_mb=1000)
    offered = isolation.offered()
    where = "memory, in pipes and for open files" if kind == "pipes" else "memory, in buffers of sockets"
    if where in offered.not_isolated():
        pytest.skip(f"this machine says that it does not count {where}")
    held = int(ended.log.rsplit("holds ", 1)[1].split()[0])
    assert held > 100 or not offered.counts_files_in_memory, ended.log
    assert ended.stored["measured"]["peak_memory_mb"] > held - KERNELS_SHARE_MB
    small = hostile.run(HOARD.format(kind=kind, pair=OPEN[kind], mb=HOARD_MB), memory_mb=40, seed=2)
    assert small.failure == "oom_host", small.log
