# ruff: noqa: E501 - one line a way
"""Ways to keep memory where no process's own account shows it, as data: name -> code that keeps about ``MB`` MiB.

Each prints what it holds and keeps it for a second. What is refused to it ends the attempt, and it holds what it has.
``python hoards.py FOLDER [WAY ...]`` tries them on the machine that it finds, a line of JSON each.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from auto_benchmark.contract.trial import BenchmarkRef, TrialConfig
from auto_benchmark.registry.solution import Resources
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.local import LocalRunner
from auto_benchmark.runners.runner import TrialRequest

LIMIT_MB, SIDE_BY_SIDE = 128, 3
UNCOUNTED_BY_GROUPS = (
    "TCP", "UDP", "netlink", "answers of the kernel about its network", "TCP of several paths", "terminals",
    "locks on parts of files", "locks of no process",
)  # fmt: skip
"""Ways that a control group of version 1 does not count."""
HEAD = """
import ctypes, mmap, os, pathlib, select, socket, struct, time
out = pathlib.Path(os.environ["AB_OUTPUT_DIR"])
held, kept, libc = 0, [], ctypes.CDLL(None, use_errno=True)
MB = 180 * 2**20
def number(x86, arm): return {"x86_64": x86, "aarch64": arm}[os.uname().machine]
def fill(end, message=bytes(65536)):
    end.setblocking(False); sent = 0
    try:
        while sent < 2**23: sent += end.send(message) or 768
    except OSError: pass
    return sent
def keep():
    print("holds", int(held / 2**20), flush=True)
    time.sleep(1.2)
def hoard(way):
    global held
    try:
        while held < MB: held += way()
    except Exception as error: print("refused:", repr(error)[:200], flush=True)
def pair(kind=socket.SOCK_STREAM): return socket.socketpair(socket.AF_UNIX, kind)
"""
WAYS = {
    "open Unix sockets": "def way():\n    a, b = pair(); kept.extend((a, b)); return fill(a)",
    "Unix sockets whose sender is closed": "def way():\n    a, b = pair(); kept.append(b); sent = fill(a); a.close(); return sent",
    "short messages whose sender is closed": "def way():\n    a, b = pair(); kept.append(b); sent = fill(a, b'x'); a.close(); return 700 * sent",
    "empty messages": "def way():\n    a, b = pair(socket.SOCK_SEQPACKET); kept.append(b); sent = fill(a, b''); a.close(); return sent",
    "datagrams": "def way():\n    a, b = pair(socket.SOCK_DGRAM); kept.append(b); sent = fill(a, bytes(2**17)); a.close(); return sent",
    "sockets that a message carries": "import array\nroad = pair()\nfor end in road: end.setblocking(False)\ndef way():\n    a, b = pair(); sent = fill(a); a.close()\n    road[0].sendmsg([b'x'], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array('i', [b.fileno()]))]); b.close(); return sent",
    "connections that are not accepted": "server = socket.socket(socket.AF_UNIX); server.bind('\\0' + mark); server.listen(4000)\ndef way():\n    a = socket.socket(socket.AF_UNIX); a.connect('\\0' + mark); sent = fill(a); a.close(); return sent",
    "larger buffers": "def way():\n    a, b = pair(); a.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**22); kept.append(b); sent = fill(a); a.close(); return sent",
    "TCP": "server = socket.socket(); server.bind(('127.0.0.1', 0)); server.listen()\ndef way():\n    a = socket.create_connection(server.getsockname()); kept.extend((a, server.accept()[0])); return fill(a)",
    "UDP": "def way():\n    a, b = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in '12'); b.bind(('127.0.0.1', 0)); a.connect(b.getsockname()); kept.append(b)\n    a.setblocking(False)\n    for _ in range(6): a.send(bytes(30000))\n    return 200_000",
    "netlink": "def way():\n    a, b = (socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 2) for _ in '12'); a.bind((0, 0)); b.bind((0, 0)); kept.append(b); a.setblocking(False); sent = 0\n    try:\n        for _ in range(20): sent += a.sendto(bytes(30000), b.getsockname())\n    except OSError: pass\n    if not sent: raise OSError('nothing sent')\n    return sent",
    "pages of which one byte is sent": "reading, writing = os.pipe2(os.O_DIRECT)\ndef way():\n    a, b = pair(); a.setblocking(False); kept.extend((a, b)); sent = 0\n    for _ in range(4000):\n        os.write(writing, b'x')\n        try: os.splice(reading, a.fileno(), 1)\n        except BlockingIOError: os.read(reading, 1); break\n        sent += 4096\n    return sent",
    "pages of a file of which one byte is sent": "size = 2**21\ndef way():\n    a, b = pair(); a.setblocking(False); kept.extend((a, b)); sent = 0\n    with open('/dev/shm/x' if os.access('/dev/shm', 2) else out / 'x', 'wb+') as file:\n        file.truncate(size); file.write(bytes(size)); file.flush()\n        for at in range(0, size, 4096): sent += 4096 * os.sendfile(a.fileno(), file.fileno(), at, 1)\n        file.truncate(0)\n    return sent",
    "pages given to a pipe": "class Vector(ctypes.Structure): _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]\ndef way():\n    reading, writing = os.pipe(); kept.append((reading, writing)); sent = 0\n    for _ in range(14):\n        page = mmap.mmap(-1, 2**21); page.madvise(14); page.write(bytes(2**21))\n        place = ctypes.addressof(ctypes.c_char.from_buffer(page))\n        if libc.vmsplice(writing, ctypes.byref(Vector(place, 4096)), 1, 2) < 0: raise OSError(ctypes.get_errno(), 'vmsplice')\n        sent += 4096\n    return sent",
    "pipes": "def way():\n    reading, writing = os.pipe(); os.set_blocking(writing, False); kept.append((reading, writing)); sent = 0\n    try:\n        while True: sent += os.write(writing, bytes(4096))\n    except BlockingIOError: return sent",
    "pipes of several processes": "def way():\n    begun = os.pipe()\n    if os.fork() == 0:\n        sent = 0\n        try:\n            for _ in range(2000):\n                reading, writing = os.pipe(); os.set_blocking(writing, False)\n                try:\n                    while True: sent += os.write(writing, bytes(4096))\n                except BlockingIOError: pass\n        except OSError: pass\n        os.write(begun[1], struct.pack('q', sent)); time.sleep(1.5); os._exit(0)\n    return struct.unpack('q', os.read(begun[0], 8))[0]",
    "System V messages": "def way():\n    queue = libc.msgget(0, 0o1600)\n    if queue < 0: raise OSError(ctypes.get_errno(), 'msgget')\n    for _ in range(2):\n        if libc.msgsnd(queue, ctypes.create_string_buffer(struct.pack('q', 1) + bytes(8000), 8008), 8000, 0o4000) < 0: raise OSError(ctypes.get_errno(), 'msgsnd')\n    return 16000",
    "System V semaphores": "def way():\n    if libc.semget(0, 32000, 0o1600) < 0: raise OSError(ctypes.get_errno(), 'semget')\n    return 64 * 32000",
    "events that are not read": "names = [out / (c * 200) for c in 'ab']\nfor name in names: name.touch()\ndef way():\n    for _ in range(100):\n        watch = libc.inotify_init1(0)\n        if watch < 0: raise OSError(ctypes.get_errno(), 'inotify')\n        libc.inotify_add_watch(watch, os.fsencode(out), 0x20)\n    for _ in range(4000):\n        for name in names: os.close(os.open(name, os.O_RDONLY))\n    return 100 * 8000 * 250",
    "tables of pages": "libc.mmap.restype = ctypes.c_void_p; libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]\ndef way():\n    place = libc.mmap(None, 2**31, 1, 0x4022, -1, 0); libc.madvise(ctypes.c_void_p(place), ctypes.c_size_t(2**31), 15)\n    for at in range(place, place + 2**31, 2**21): ctypes.string_at(at, 1)\n    return 4096 * 1024",
    "processes whose first thread has ended": "import threading\ndef way():\n    begun = os.pipe()\n    if os.fork() == 0:\n        def stay():\n            time.sleep(0.05); page = b'x' * (18 * 2**20); os.write(begun[1], b'x'); time.sleep(1.5); os._exit(0)\n        threading.Thread(target=stay).start()\n        libc.syscall(number(60, 93), 0)\n    os.read(begun[0], 1)\n    return 18 * 2**20",
    "empty files in memory": "def way():\n    for n in range(1000): open(f'/dev/shm/{held}-{n}', 'w').close()\n    return 1000 * 1000",
    "shared pages that are given back": "def way():\n    page = mmap.mmap(-1, 2**21); page.write(bytes(2**21)); page.madvise(4); kept.append(page); return 2**21",
    "shared pages of a process that has ended": "def way():\n    page = mmap.mmap(-1, 2**24); kept.append(page)\n    if os.fork() == 0: page.write(bytes(2**24)); os._exit(0)\n    os.wait(); return 2**24",
    "one shared page of many": "libc.mremap.restype = ctypes.c_void_p\ndef way():\n    page = mmap.mmap(-1, 2**21); page.write(bytes(2**21)); place = ctypes.addressof(ctypes.c_char.from_buffer(page)); libc.munmap(ctypes.c_void_p(place + 4096), ctypes.c_size_t(2**21 - 4096)); kept.append(page); return 2**21",
    "shared pages of a device": "def way():\n    zero = os.open('/dev/zero', os.O_RDWR); page = mmap.mmap(zero, 2**21); page.write(bytes(2**21)); page.madvise(4); kept.append(page); return 2**21",
    "locks on parts of files": "import fcntl\ndef way():\n    file = open(out / str(held), 'w'); kept.append(file)\n    for at in range(1000): fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * at)\n    return 192000",
    "locks of no process": "import fcntl\ndef way():\n    file = open(out / str(held), 'w'); kept.append(file)\n    for at in range(1000): fcntl.fcntl(file, 37, struct.pack('hhqqi4x', 1, 0, 2 * at, 1, 0))\n    return 192000",
    "watched files": "many = [os.eventfd(0) for _ in range(450)]\ndef way():\n    watch = select.epoll(); kept.append(watch)\n    for file in many: watch.register(file)\n    return 450 * 200",
    "watched files of several processes": "def way():\n    begun = os.pipe()\n    if os.fork() == 0:\n        many = [os.eventfd(0) for _ in range(450)]\n        for _ in range(450):\n            watch = select.epoll(); kept.append(watch)\n            for file in many: watch.register(file)\n        os.write(begun[1], b'x'); time.sleep(1.5); os._exit(0)\n    os.read(begun[0], 1)\n    return 450 * 450 * 200",
    "answers of the kernel about its network": "def way():\n    a = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0); a.bind((0, 0)); kept.append(a); a.setblocking(False)\n    for n in range(400): a.send(struct.pack('=IHHIIHH', 20, 9999, 5, n, 0, 0, 0))\n    return 150_000",
    "TCP of several paths": "server = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); server.bind(('127.0.0.1', 0)); server.listen()\ndef way():\n    a = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262); a.connect(server.getsockname()); kept.extend((a, server.accept()[0])); return fill(a)",
    "terminals": "import tty\ndef way():\n    ends = os.openpty(); kept.append(ends); tty.setraw(ends[1])\n    for end in ends:\n        os.set_blocking(end, False)\n        try:\n            while True: os.write(end, bytes(4096))\n        except BlockingIOError: pass\n    return 58_000",
    "filters of sockets": "steps = ctypes.create_string_buffer(struct.pack('=HBBI', 0, 0, 0, 0) * 4094 + struct.pack('=HBBI', 6, 0, 0, 0)); attached = struct.pack('=Hxxxxxxq', 4095, ctypes.addressof(steps))\ndef way():\n    ends = pair(); kept.append(ends)\n    for end in ends: end.setsockopt(1, 26, attached)\n    return 65_000",
    "rings of calls": "def way():\n    ring = libc.syscall(425, 4096, ctypes.create_string_buffer(120))\n    if ring < 0: raise OSError(ctypes.get_errno(), 'io_uring_setup')\n    kept.append(ring); return 4096 * 64 + 8192 * 16",
    "POSIX messages": "n = 0\ndef way():\n    global n; n += 1\n    queue = libc.mq_open(b'/%d-%d' % (os.getpid(), n), 0o4102, 0o600, None)\n    if queue < 0: raise OSError(ctypes.get_errno(), 'mq_open')\n    kept.append(queue); sent = 0\n    while libc.mq_send(queue, bytes(8192), ctypes.c_size_t(8192), 0) == 0: sent += 8192\n    return sent",
}


def tried(folder: Path, way: str, number: int, image: str = "") -> dict[str, object]:
    """One trial that keeps memory in this way, in a container where an image is named: how it ended, and what it holds, MiB."""
    places = {name: folder / f"{number}-{name}" for name in ("code", "data", "out")}
    for place in places.values():
        place.mkdir()
    places["data"].chmod(0o755)
    code = f"{HEAD}\nmark = 'hoard-{number}'\n{WAYS[way]}\nhoard(way)\nkeep()\n"
    (places["code"] / "train.py").write_text(code)
    config = TrialConfig(params={}, seed=1, benchmark=BenchmarkRef(name="b", version="1"))
    request = TrialRequest(
        f"hoard-{os.getpid()}-{number}", ["python", "-c", code] if image else ["python", "train.py"], image,
        places["code"], config, places["data"], places["out"], resources=Resources(memory_mb=LIMIT_MB, pids=64),
    )  # fmt: skip
    result = (DockerRunner() if image else LocalRunner()).run(request)
    log = (places["out"] / "train.log").read_text(errors="replace")
    holds = re.search(r"holds (\d+)", log)
    return {
        "way": way, "failure": str(result.failure) if result.failure else None, "peak_mb": result.peak_memory_mb,
        "holds_mb": int(holds[1]) if holds else None, "log": log[-300:], "message": result.message,
    }  # fmt: skip


def all_tried(folder: Path, ways: Sequence[str], image: str = "") -> Iterator[dict[str, object]]:
    """Several side by side, in their order."""
    with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
        yield from pool.map(lambda number: tried(folder, ways[number], number, image), range(len(ways)))


if __name__ == "__main__":
    for row in all_tried(Path(sys.argv[1]), sys.argv[2:] or list(WAYS)):
        print(json.dumps(row), flush=True)
