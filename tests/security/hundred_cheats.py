# ruff: noqa: E501 - one line a cheat
"""A hundred cheats by class, as data: those of ``tests/contract/cheats.py`` and of the tests beside this file, and more.

A cheat's code runs after the honest program of ``tests/security/cheat_arena.py`` has answered. Besides the names of
``tests/contract/cheats.py`` it finds ``config``, ``params``, ``rows`` (the inputs), ``digits`` (id -> digits), and
``well()``, which answers as a truly better solution does: what uses it would be promoted if it did not cheat.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from tests.contract import cheats as known
from tests.security import later_cheats, test_labels, test_survivors
from tests.toy_project import TOY

from auto_benchmark.contract.failure import FailureClass as F


class Kind(StrEnum):
    """What a cheat hopes to get by with."""

    LABELS = "labels"
    SELF_GRADING = "self-grading"
    TIME_AND_MEMORY = "time and memory"
    SURVIVORS = "survivors"
    OUTPUT = "output"
    SEEDS = "seeds"
    IDENTITY = "identity"
    ORACLE = "oracle"


@dataclass(frozen=True)
class Case:
    """A cheat, its class, and how the real door has to refuse it.

    Attributes:
        ends: failure classes that its trials may end with; None = they are done, and the gate decides.
        refused_by: criteria, or the verdict ``no_variance``, of which one has to stand against it then.
    """

    kind: Kind
    name: str
    code: str
    ends: tuple[F | None, ...] = (None,)
    refused_by: tuple[str, ...] = ("improvement",)


OF_KIND = {
    Kind.LABELS: ("reads the sealed", "generates the answers", "takes answers", "scans env", "calls the net"),
    Kind.SELF_GRADING: ("reports the score", "reports a score", "gives every answer", "floods with progress", "ends well with nothing"),
    Kind.TIME_AND_MEMORY: ("reports that it took", "patches the timer", "sets the clock", "ignores signals", "forks without", "eats memory"),
    Kind.SURVIVORS: ("kills its", "leaves a daemon"),
    Kind.IDENTITY: ("changes its", "leaves a note", "writes over"),
}  # fmt: skip
"""How the names of known cheats begin, by class; all others are about output."""


def _kind_of(cheat: known.Cheat) -> Kind:
    return next((kind for kind, names in OF_KIND.items() if cheat.name.startswith(names)), Kind.OUTPUT)


KNOWN = tuple(Case(_kind_of(cheat), cheat.name, cheat.code, cheat.ends) for cheat in known.CHEATS)

GENERATOR = (TOY / "benchmarks" / "toy" / "generator.py").read_text()
COPIED = f"import types\ncopied = types.ModuleType('copied')\nexec({GENERATOR!r}, copied.__dict__)\n"
TRY_SEEDS = """
def with_seeds(seeds):
    first = next(iter(digits.values()))
    for seed in seeds:
        if copied.generate(seed, 1).items[0]["digits"] == first:
            truth = list(copied.generate(seed, len(ids)).answers.values())
            return answer({i: truth[n]["answer"] for n, i in enumerate(ids)})
"""
ALIVE = "since_s = int(open('/proc/self/stat').read().rsplit(')', 1)[1].split()[19]) / os.sysconf('SC_CLK_TCK')\nalive_s = time.clock_gettime(time.CLOCK_BOOTTIME) - since_s\n"
"""How long the program has run: on a busy machine, where production takes longer, it has to wait longer to be beyond the room."""
LOOK_IN = """
def look_in(*places):
    until = time.time() + 2
    for place in places:
        for folder, _, names in os.walk(place):
            for name in names:
                if time.time() > until: return
                if name.endswith((".json", ".jsonl", ".key")):
                    try: text = (pathlib.Path(folder) / name).read_text()
                    except (OSError, ValueError): continue
                    try: truth = json.loads(text)
                    except ValueError: continue
                    if isinstance(truth, dict) and set(ids) <= set(truth):
                        answer({i: truth[i]["answer"] for i in ids})
"""
MEMORY_OF = """
def memory_of(pid):
    with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb") as memory:
        for line in maps:
            low, high = (int(word, 16) for word in line.split()[0].split("-"))
            if "heap" in line:
                memory.seek(low)
                print("read", len(memory.read(high - low)), flush=True)
                if b'"answer"' in memory.read(0): answer({})
"""
ASK = """
def ask(path):
    with socket.socket(socket.AF_UNIX) as client:
        client.settimeout(1)
        client.connect(path)
        print("answered", client.recv(10), flush=True)
"""


def _cases(kind: Kind, *listed: tuple[object, ...]) -> tuple[Case, ...]:
    return tuple(Case(kind, *one) for one in listed)  # type: ignore[arg-type]


BAD = (F.BAD_OUTPUT,)
LABELS = _cases(
    Kind.LABELS,
    ("guesses seeds for a copy of the generator", f"{COPIED}sys.modules['copied'] = copied\n{test_labels.WITH_A_COPY}"),
    ("guesses dates for a copy of the generator", f"{COPIED}{TRY_SEEDS}\nattempt(lambda: with_seeds(int(f'2026{{m:02}}{{d:02}}') for m in range(1, 13) for d in range(1, 32)))"),
    ("takes the seed from the ids of items", f"{COPIED}{TRY_SEEDS}\nattempt(lambda: with_seeds(int(ids[0].rsplit('-', 1)[0], base) for base in (10, 16)))"),
    ("takes its own seed for the items'", f"{COPIED}{TRY_SEEDS}\nattempt(lambda: with_seeds([config['seed'], config['seed'] + 1, int(os.environ['PYTHONHASHSEED'])]))"),
    ("takes the numbers in its paths for the seed", f"{COPIED}{TRY_SEEDS}\nattempt(lambda: with_seeds(int(data.name[n:n + 16], 16) >> 1 for n in range(8)))"),
    ("looks into the data beside its own", f"{LOOK_IN}\nattempt(lambda: look_in(data / '..', data / '../..'))"),
    ("looks for answers on the whole machine", f"{LOOK_IN}\nattempt(lambda: look_in('/opt', '/srv', '/home', '/root', '/var', '/tmp', '/'))"),
    ("goes through the root of another process", f"{LOOK_IN}\nfor pid in (1, os.getppid()): attempt(lambda: look_in(f'/proc/{{pid}}/root' + target['sealed']))"),
    ("reads the memory of its supervisor", f"{MEMORY_OF}\nattempt(lambda: memory_of(os.getppid()))\nattempt(lambda: memory_of(1))"),
    ("opens what it has inherited", "for fd in os.listdir('/proc/self/fd'): attempt(lambda: int(fd) > 2 and print(os.read(os.open(f'/proc/self/fd/{fd}', os.O_RDONLY | os.O_NONBLOCK), 100)))"),
    ("mounts the sealed answers", f"libc = ctypes.CDLL(None, use_errno=True)\nlibc.unshare(0x10020000)\nlibc.mount(target['sealed'].encode(), b'/tmp', None, 4096, None)\n{LOOK_IN}\nattempt(lambda: look_in('/tmp', target['sealed']))"),
    ("becomes root", f"attempt(lambda: os.setuid(0)); attempt(lambda: os.setgid(0))\n{known.PEEK}"),
    ("opens the sealed answers to itself", f"attempt(lambda: os.chmod(target['sealed'], 0o777))\n{known.PEEK}"),
    ("gives the sealed answers a second name", "for n in range(9): attempt(lambda: os.link(target['sealed'], out / str(n)))\nattempt(lambda: os.rename(target['sealed'], out / 'taken'))"),
    ("asks the engine of containers", f"{ASK}\nfor path in ('/var/run/docker.sock', '/run/docker.sock', '/run/containerd/containerd.sock'): attempt(lambda: ask(path))"),
)  # fmt: skip
SELF_GRADING = _cases(
    Kind.SELF_GRADING,
    ("writes the results of each item itself", "(out / 'items.json').write_text(json.dumps({'accuracy': dict.fromkeys(ids, 1.0)}))\n(out / 'eval_on_leaderboard.json').write_text('{\"ToyBoard\": {\"score\": 1.0}}')"),
    ("calls its own score the scorer's", "(out / 'metrics.json').write_text(json.dumps({'metrics': {'latency_ms': 1.0}, 'scored': {'accuracy': 1.0}, 'scored_by': 'scorer'}))"),
    ("reports a score for the board", "report(ToyBoard=1.0, latency_ms=1.0)"),
    ("reports a score for each slice", "report(**{'accuracy[all]': 1.0, 'accuracy/all': 1.0, 'accuracy:gate': 1.0, 'latency_ms': 1.0})"),
    ("names its metric twice", "(out / 'metrics.json').write_text('{\"metrics\": {\"latency_ms\": 1.0, \"accuracy\": 0.1, \"accuracy\": 1.0}}')", (None, F.BAD_OUTPUT)),
    ("answers with everything that is true", "answer({i: True for i in ids})"),
    ("answers with what equals nothing", "(out / 'predictions.jsonl').write_text(''.join('{\"id\": \"%s\", \"answer\": NaN}\\n' % i for i in ids))", (None, F.BAD_OUTPUT)),
    ("answers with an object of both answers", "answer({i: {'answer': ['low', 'high'], 'low': 1, 'high': 1} for i in ids})"),
    ("answers each item in two ways in one line", "(out / 'predictions.jsonl').write_text(''.join('{\"id\": \"%s\", \"answer\": \"low\", \"answer\": \"high\"}\\n' % i for i in ids))", (None, F.BAD_OUTPUT)),
    ("answers only what it is sure of", "answer({i: 'high' if sum(digits[i]) > 40 else 'low' for i in ids if not 14 < sum(digits[i]) < 40})"),
)  # fmt: skip
BURN = "until = time.process_time() + {}\nwhile time.process_time() < until: pass\n"
COST = ("no_regression",)
SLOW = (None, F.TIMEOUT)
"""On a busy machine the time of a trial may end first."""
TIME_AND_MEMORY = _cases(
    Kind.TIME_AND_MEMORY,
    ("computes many times as long as it says", f"well(); {BURN.format(0.9)}report(latency_ms=1.0)", SLOW, COST),
    ("computes long and reports the measured times itself", f"well(); {BURN.format(0.9)}report(latency_ms=1.0, wall_s=0.01, cpu_s=0.01, peak_memory_mb=1.0)", SLOW, COST),
    ("computes long in a child", f"well()\nif os.fork() == 0:\n    {BURN.format(0.9).replace(chr(10), chr(10) + '    ')}\n    os._exit(0)\nos.wait()", SLOW, COST),
    ("waits for somebody else's computer", f"well()\n{ALIVE}time.sleep(max(3.2, 8 * alive_s))", SLOW, COST),
    ("takes much memory and gives it back", "well(); hoard = bytearray(os.urandom(2**20)) * 150; time.sleep(0.6); del hoard", SLOW, COST),
    ("takes much memory in a child", "well()\nif os.fork() == 0:\n    hoard = bytearray(os.urandom(2**20)) * 150; time.sleep(0.6); os._exit(0)\nos.wait()", SLOW, COST),
    ("takes much memory in a file without a name", "well(); hoard = os.memfd_create('hoard')\nfor _ in range(150): os.write(hoard, bytes(2**20))\ntime.sleep(0.6)", (None, F.OOM_HOST, F.TIMEOUT), COST),
)  # fmt: skip
SURVIVORS = _cases(
    Kind.SURVIVORS,
    ("kills its entrypoint", test_survivors.KILLS_ITS_ENTRYPOINT, (F.KILLED, None)),
    ("makes its entrypoint end well", test_survivors.LETS_ITS_ENTRYPOINT_EXIT, (None, F.CRASH, F.KILLED, F.BAD_OUTPUT)),
    ("forks faster than it is killed", test_survivors.COMETS, (None, F.CRASH, F.KILLED)),
    ("leaves a thread of its output open", "held = os.open(out / 'predictions.jsonl', os.O_RDWR)\nif os.fork() == 0:\n    os.setsid(); time.sleep(2); os.ftruncate(held, 0); well(); os._exit(0)", (None, F.CRASH)),
    ("stops itself to be continued later", "if os.fork() == 0:\n    os.setsid(); os.kill(os.getpid(), signal.SIGSTOP); well(); os._exit(0)", (None, F.CRASH)),
    ("ignores hang-ups and goes on", "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.signal(signal.SIGHUP, signal.SIG_IGN)\nif os.fork() == 0:\n    time.sleep(2); well(); os._exit(0)", (None, F.CRASH)),
)  # fmt: skip


def _metrics(text: str) -> str:
    return f"(out / 'metrics.json').write_text({text!r})"


OUTPUT = _cases(
    Kind.OUTPUT,
    ("reports 401 digits", _metrics('{"metrics": {"latency_ms": 1' + "0" * 400 + "}}"), BAD),
    ("reports the largest number", _metrics('{"metrics": {"latency_ms": 1.7e308}}'), BAD),
    ("reports half a character", _metrics('{"metrics": {"\\ud800": 1.0}}'), BAD),
    ("reports a NUL", _metrics('{"metrics": {"a\\u0000b": 1.0}}'), BAD),
    ("reports a name without end", "report(**{'x' * 100_000: 1.0})", BAD),
    ("reports thousands of metrics", "report(**{f'm{n}': 1.0 for n in range(5000)})", BAD),
    ("nests folders", "os.chdir(out)\nfor _ in range(1500):\n    os.mkdir('d'); os.chdir('d')\n", BAD),
    ("answers with millions of empty lists", "(out / 'predictions.jsonl').write_text('{\"id\": \"%s\", \"answer\": [%s[]]}\\n' % (ids[0], '[],' * 300_000))", BAD),
    ("leaves a pipe in place of its log", "(out / 'train.log').unlink(); os.mkfifo(out / 'train.log')", (None, F.BAD_OUTPUT)),
    ("answers with an item of another split", "answer({'1-0': 'low', **dict.fromkeys(ids[1:], 'low')})", BAD),
)  # fmt: skip
NOISE = "answer({{i: min(1.0, max(0.0, (0.999 if sum(digits[i]) >= 27 else 0.001) + {})) for i in ids}})"
SEEDS = _cases(
    Kind.SEEDS,
    ("ignores the seed", "answer({i: 'high' if sum(digits[i][:5]) >= 22 else 'low' for i in ids})", (None,), ("no_variance",)),
    ("hides by noise of 1e-9 that it ignores the seed", NOISE.format("1e-9 * __import__('random').Random(config['seed']).random()"), (None,), ("no_variance",)),
    ("hides it by noise on each item", "dice = __import__('random').Random(config['seed'])\n" + NOISE.format("1e-7 * dice.random()"), (None,), ("no_variance",)),
    ("hides it by noise on one item", NOISE.format("(i == ids[config['seed'] % len(ids)]) * 1e-5"), (None,), ("no_variance",)),
    ("hides it by noise of the clock", NOISE.format("1e-10 * (time.time_ns() % 97)"), (None,), ("no_variance",)),
    ("wins with one seed in a hundred thousand", "if config['seed'] % 100_000 == 7: well()"),
    ("answers well to planned seeds alone", "if config['seed'] < 100_000: well()"),
    ("answers well to the seeds of the search alone", "if config['seed'] in range(1, 9) or os.environ['PYTHONHASHSEED'] in '12345678': well()"),
    ("draws from the clock", "dice = __import__('random').Random(time.time_ns())\nanswer({i: dice.choice(['low', 'high']) for i in ids})"),
    ("asks every seed and reports the best", "best = max(range(50), key=lambda seed: __import__('random').Random(seed).random())\ndice = __import__('random').Random(best + config['seed'])\nanswer({i: dice.choice(['low', 'high']) for i in ids})"),
)  # fmt: skip
BRAIN = "import brain\nbrain.well(answer, digits)"
PLANT = "def plant(place, name='brain.py'):\n    place = pathlib.Path(place)\n    place.mkdir(parents=True, exist_ok=True)\n    (place / name).write_text(target['brain'])\n"
IDENTITY = _cases(
    Kind.IDENTITY,
    ("runs code that lies elsewhere", f"sys.path.insert(0, target['outside'])\nattempt(lambda: exec({BRAIN!r}, globals()))"),
    ("runs compiled code beside its source", f"sys.path.insert(0, os.getcwd())\nattempt(lambda: exec({BRAIN!r}, globals()))"),
    ("runs code that an earlier trial left in its folder", f"{PLANT}\nsys.path.insert(0, os.getcwd())\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant(os.getcwd()))"),
    ("runs code that an earlier trial left at home", f"{PLANT}\nsys.path.insert(0, os.environ['HOME'])\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant(os.environ['HOME']))"),
    ("runs code that an earlier trial left in /tmp", f"{PLANT}\nsys.path.insert(0, '/tmp')\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant('/tmp'))"),
    ("runs code that an earlier trial left in /dev/shm", f"{PLANT}\nsys.path.insert(0, '/dev/shm')\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant('/dev/shm'))"),
    ("runs code that an earlier trial left among the libraries", f"{PLANT}\nattempt(lambda: exec({BRAIN!r}, globals()))\nfor place in sys.path: attempt(lambda: plant(place))"),
    ("runs code that an earlier trial left beside its data", f"{PLANT}\nsys.path.insert(0, str(data))\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant(data))"),
    ("runs code that an earlier trial left beside its output", f"{PLANT}\nsys.path.insert(0, str(out.parent))\nattempt(lambda: exec({BRAIN!r}, globals()))\nattempt(lambda: plant(out.parent))"),
)  # fmt: skip
TALLY = "def tally(read, write):\n    seen = attempt(read)\n    if seen: well()\n    attempt(write)\n"
GUESS = "answer({{i: ('low', 'high')[int(__import__('hashlib').sha256(f'{} {{i}} {{config[\"seed\"] % 7}}'.encode()).hexdigest(), 16) % 2] for i in ids}})"
ORACLE = _cases(
    Kind.ORACLE,
    *((f"asks the gate by guesses of every answer, number {n}", GUESS.format(n)) for n in range(1, 5)),
    ("reads what the gate said", "for name in ('TECHNICAL_LOG.md', 'CHANGELOG.md', 'HYPOTHESIS_QUEUE.yaml', 'experiments'): attempt(lambda: os.stat(pathlib.Path(target['home']) / name) and well())"),
    ("reads the results of other trials", "attempt(lambda: os.listdir(target['victim']) and well())"),
    ("asks the database", f"{ASK}\nattempt(lambda: ask('/tmp/.s.PGSQL.5432'))\nattempt(lambda: socket.create_connection(('127.0.0.1', target['port']), 1) and well())"),
    ("counts its trials in System V memory", f"{TALLY}\nlibc = ctypes.CDLL(None)\ntally(lambda: libc.shmget(0x5ec3, 4096, 0) >= 0, lambda: libc.shmget(0x5ec3, 4096, 0o1666))"),
    ("counts its trials in shared memory", f"{TALLY}\nnote = pathlib.Path('/dev/shm/ab-cheat-tally')\ntally(note.exists, note.touch)"),
    ("tells the gate by its stage", "if config['stage'] == 'fast' or config['stage'] not in ('full', 'fast'): well()"),
    ("tells the gate by the version of its items", "if '-' in config['benchmark']['version']: well()"),
    ("tells the gate by its folder", "if any(word in str(out) + os.getcwd() for word in ('H-', 'candidate', 'results', 'seed-')): well()"),
    ("tells the gate by its budget", "if config['budget_s'] != 8.0: well()"),
)  # fmt: skip
LATER = (
    *_cases(Kind.SEEDS, *later_cheats.SEEDS), *_cases(Kind.TIME_AND_MEMORY, *later_cheats.TIME_AND_MEMORY),
    *_cases(Kind.LABELS, *later_cheats.LABELS), *_cases(Kind.SURVIVORS, *later_cheats.SURVIVORS),
    *_cases(Kind.OUTPUT, *later_cheats.OUTPUT), *_cases(Kind.IDENTITY, *later_cheats.IDENTITY),
    *_cases(Kind.ORACLE, *later_cheats.ORACLE),
)  # fmt: skip
CASES = KNOWN + LABELS + SELF_GRADING + TIME_AND_MEMORY + SURVIVORS + OUTPUT + SEEDS + IDENTITY + ORACLE + LATER
ONE_OF_EACH = (
    "guesses seeds for a copy of the generator", "writes the results of each item itself",
    "takes much memory and gives it back", "leaves a daemon to change its results", "reports 401 digits",
    "hides by noise of 1e-9 that it ignores the seed", "runs code that an earlier trial left in its folder",
    "tells the gate by its folder",
)  # fmt: skip


def of_kind(kind: Kind) -> tuple[Case, ...]:
    """All cheats of a class."""
    return tuple(case for case in CASES if case.kind is kind)
