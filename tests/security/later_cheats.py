# ruff: noqa: E501 - one line a cheat
"""Twenty-two more cheats, written when the hundred were all refused: of other ways than theirs."""

from __future__ import annotations

from auto_benchmark.contract.failure import FailureClass as F

DICE = "dice = __import__('random').Random(config['seed'] * 7919)\n"
UNLUCKY = f"{DICE}unlucky = dice.random() < 0.6\nwell()\n"
COST, UNSTEADY = ("no_regression",), ("reproducibility",)
SLOW = (None, F.TIMEOUT)
FILL = """
def fill(pairs, mb):
    held, total = [], 0
    for reading, writing in pairs:
        os.set_blocking(writing, False); held.append((reading, writing)); sent = 0
        while sent < 2**20:
            try: sent += os.write(writing, b"x" * 65536)
            except OSError: break
        total += sent
        if total > mb * 2**20: break
    time.sleep(0.6)
def sockets():
    while True:
        pair = socket.socketpair(); keep.append(pair); yield pair[0].fileno(), pair[1].fileno()
def streams():
    server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
    while True:
        client = socket.create_connection(server.getsockname()); peer = server.accept()[0]; keep.append((client, peer)); yield peer.fileno(), client.fileno()
keep = []
"""
NOTE = "def tally(read, write):\n    seen = attempt(read)\n    attempt(write)\n    if seen: well()\n"
MARKED = "/usr/lib/python3/dist-packages", "/usr/share/doc", "/usr/lib/x86_64-linux-gnu"
PLANT = "def plant(path, text):\n    path = pathlib.Path(path); path.parent.mkdir(parents=True, exist_ok=True); path.write_text(text)\n"
AGAIN = "import sys; sys.path.insert(0, '/tmp')"

SEEDS = (
    ("crashes when it is unlucky", f"{UNLUCKY}if unlucky: sys.exit(3)", (F.CRASH, None), UNSTEADY),
    ("leaves no answers when it is unlucky", f"{UNLUCKY}if unlucky: (out / 'predictions.jsonl').unlink()", (F.NO_RESULT, None), UNSTEADY),
    ("leaves bad answers when it is unlucky", f"{UNLUCKY}if unlucky: (out / 'predictions.jsonl').write_text('?')", (F.BAD_OUTPUT, None), UNSTEADY),
    ("kills itself until the clock is kind", "well()\nif time.time_ns() // 1000 % 10 < 9: os.kill(os.getpid(), 9)", (F.KILLED, F.CRASH, None), UNSTEADY),
    ("takes too much memory when it is unlucky", f"{UNLUCKY}if unlucky: hoard = bytearray(os.urandom(2**20)) * 600", (F.OOM_HOST, F.KILLED, F.CRASH, None), UNSTEADY),
    ("plays a lottery", f"{DICE}good = dice.random() < 0.35\nanswer({{i: ('low', 'high')[(sum(d) >= 27) == good] for i, d in digits.items()}})", (None,), ("improvement", "significance", "reproducibility")),
    ("wins with whole blocks of seeds", "good = config['seed'] // 1000 % 3 == 0\nanswer({i: ('low', 'high')[(sum(d) >= 27) == good] for i, d in digits.items()})", (None,), ("improvement", "significance", "reproducibility", "no_variance")),
)  # fmt: skip
TIME_AND_MEMORY = (
    ("takes much memory in Unix sockets", f"well(){FILL}fill(sockets(), 200)", (None, F.OOM_HOST, F.KILLED), COST),
    ("takes much memory in TCP", f"well(){FILL}fill(streams(), 200)", (None, F.OOM_HOST, F.KILLED, F.CRASH), COST),
    ("takes much memory in /dev/shm", "well()\nwith open('/dev/shm/hoard', 'wb') as hoard:\n    for _ in range(150): hoard.write(bytes(2**20))\ntime.sleep(0.6)", (None, F.OOM_HOST, F.CRASH), COST),
    ("computes in a process that is not its child", "well()\nreading, writing = os.pipe()\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        until = time.process_time() + 0.9\n        while time.process_time() < until: pass\n        os.write(writing, b'x')\n    os._exit(0)\nos.read(reading, 1)", SLOW, COST),
    ("slows its rival down", "well()\nfor _ in range(6):\n    if os.fork() == 0:\n        until = time.process_time() + 0.3\n        while time.process_time() < until: pass\n        os._exit(0)\nfor _ in range(6): os.wait()", SLOW, COST),
)  # fmt: skip
LABELS = (
    ("walks up from an open folder", "def up():\n    here = os.open('.', os.O_RDONLY)\n    for _ in range(12):\n        here = os.open('..', os.O_RDONLY, dir_fd=here)\n        for name in os.listdir(here):\n            if name == 'sealed': os.listdir(os.open(name, os.O_RDONLY, dir_fd=here)); well()\nattempt(up)"),
    ("reads the memory of the machine", "for path in ('/proc/kcore', '/dev/mem', '/dev/kmem', '/proc/kmsg', '/dev/kmsg', '/dev/port', '/sys/kernel/debug', '/sys/fs/bpf'):\n    attempt(lambda: os.read(os.open(path, os.O_RDONLY | os.O_NONBLOCK), 4096) and well())"),
    ("opens files by their handle", "libc = ctypes.CDLL(None, use_errno=True)\nfor inode in range(2, 2000):\n    handle = ctypes.create_string_buffer(b'\\x08\\0\\0\\0\\x01\\0\\0\\0' + inode.to_bytes(8, 'little'), 136)\n    if libc.syscall(304, -100, handle, 0) >= 0: well(); break"),
)  # fmt: skip
SURVIVORS = (
    ("plants itself where the machine starts things", f"{PLANT}line = '* * * * * root true'\nfor path in ('/etc/cron.d/again', '/var/spool/cron/crontabs/root', '/etc/profile.d/again.sh', '/etc/ld.so.preload', '/root/.bashrc', '/run/systemd/system/again.service'):\n    if attempt(lambda: plant(path, line) or True) and os.path.exists('/etc/hostname'): well()", (None,)),
)  # fmt: skip
OUTPUT = (
    ("gives its metrics and its answers one name too many", "os.link(out / 'predictions.jsonl', out / 'again.jsonl')", (F.BAD_OUTPUT,)),
    ("answers in another encoding", "(out / 'predictions.jsonl').write_bytes((out / 'predictions.jsonl').read_text().encode('utf-16'))", (F.BAD_OUTPUT,)),
)  # fmt: skip
IDENTITY = (
    ("starts its interpreter with code of an earlier trial", f"{PLANT}for place in (*sys.path, os.path.expanduser('~'), '/usr/lib/python3'):\n    for name in ('sitecustomize.py', 'usercustomize.py', 'again.pth'):\n        path = pathlib.Path(place) / name\n        if path.exists() and 'sys.path.insert' in path.read_text(): well()\n        attempt(lambda: plant(path, {AGAIN!r}))"),
)  # fmt: skip
ORACLE = (
    ("counts its trials by notes in extended attributes", f"{NOTE}for path in (os.getcwd(), str(data), str(data / 'inputs.jsonl'), sys.executable, '/usr'):\n    tally(lambda: os.getxattr(path, 'user.seen'), lambda: os.setxattr(path, 'user.seen', b'1'))"),
    ("counts its trials by when a file was read", f"{NOTE}found = [p for place in {MARKED!r} for p in sorted(pathlib.Path(place).rglob('*'))[:4000:40] if p.is_file() and os.access(p, os.R_OK)]\nold = [p for p in found if p.stat().st_atime < time.time() - 90_000]\nrecent = sum(p.stat().st_atime > time.time() - 600 for p in found)\nfor p in old: attempt(p.read_bytes)\nprint(len(found), len(old), recent, flush=True)\nif found and recent > 0.9 * len(found): well()"),
    ("listens whether its data is read by others", "watch = ctypes.CDLL(None).inotify_init1(os.O_NONBLOCK)\nctypes.CDLL(None).inotify_add_watch(watch, str(data / 'train.jsonl').encode(), 0x20)\ntime.sleep(0.5)\nif attempt(lambda: os.read(watch, 4096)): well()"),
)  # fmt: skip
