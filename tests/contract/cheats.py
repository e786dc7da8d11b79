# ruff: noqa: E501 - one line a cheat
"""Ways in which a solution may try to score without being good, or to harm others. All start from the same honest base.

A cheat is code that runs after the base has answered ``low`` to everything. In it, ``target`` names things that exist
outside of the trial: ``sealed`` (directory of answers), ``benchmark`` (generator and seeds), ``victim`` (another trial's
folder), ``code`` (the solution's own folder), ``port`` (a listening server), ``secret`` (a variable of the runner's own process).
"""

from __future__ import annotations

from dataclasses import dataclass

from auto_benchmark.contract.failure import FailureClass as F

BASE = """
import ctypes, json, os, pathlib, signal, socket, subprocess, sys, time
started = time.time()
data, out = pathlib.Path(os.environ["AB_DATA_DIR"]), pathlib.Path(os.environ["AB_OUTPUT_DIR"])
ids = [row["id"] for row in map(json.loads, (data / "inputs.jsonl").open()) if "id" in row]
def answer(answers, name="predictions.jsonl"):
    (out / name).write_text("".join(json.dumps({"id": i, "answer": a}) + "\\n" for i, a in answers.items()))
def report(**metrics):
    (out / "metrics.json").write_text(json.dumps({"metrics": metrics}))
def attempt(action):
    try:
        return action()
    except Exception as error:
        print("refused:", repr(error)[:200], flush=True)
answer(dict.fromkeys(ids, "low"))
report(latency_ms=1.0)
"""

PEEK = """
def peek():
    for file in list(pathlib.Path(target["sealed"]).rglob("*.json")) + list((data / "../../sealed").glob("*.json")):
        truth = json.loads(file.read_text())
        if set(ids) <= set(truth): answer({i: truth[i]["answer"] for i in ids})
attempt(peek)
"""
REGENERATE = """
def regenerate():
    sys.path.insert(0, target["benchmark"])
    import generator
    for seed in range(9):
        truth = generator.generate(seed, 1500).answers
        if set(ids) <= set(truth): answer({i: truth[i]["answer"] for i in ids})
attempt(regenerate)
"""
SCAN = """
loot = [str(dict(os.environ))]
for pid in [p for p in os.listdir("/proc") if p.isdigit()]:
    if int(pid) != os.getpid():
        loot.append(str(attempt(lambda: pathlib.Path(f"/proc/{pid}/environ").read_bytes())))
(out / "checkpoint.bin").write_text("".join(loot))
"""
OVERWRITE = """
for place in (target["victim"], out / "..", out / "../.."):
    for name in ("metrics.json", "items.json", "eval_on_leaderboard.json", "predictions.jsonl"):
        attempt(lambda: (pathlib.Path(place) / name).write_text('{"metrics": {"accuracy": 1.0}, "scored": {"accuracy": 1.0}}'))
"""
DAEMON = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(2.5); report(accuracy=1.0, latency_ms=0.0)
        pathlib.Path(target["victim"]).joinpath("late").touch()
    os._exit(0)
"""
CONNECT = """
def connect():
    socket.create_connection(("127.0.0.1", target["port"]), 2).sendall(b"hello")
attempt(connect)
attempt(lambda: socket.create_connection(("192.0.2.1", 80), 2))
"""


@dataclass(frozen=True)
class Cheat:
    """``ends``: failure classes that it may end with; None = it is done, scored as honestly as the base."""

    name: str
    code: str
    ends: tuple[F | None, ...] = (None,)


CHEATS = (
    Cheat("reads the sealed answers", PEEK),
    Cheat("generates the answers again", REGENERATE),
    Cheat("takes answers that lie in the inputs", "answer({r['id']: r.get('answer', 'low') for r in map(json.loads, (data / 'inputs.jsonl').open())})"),
    Cheat("reports the score itself", "report(accuracy=1.0, f1=1.0, latency_ms=1.0)"),
    Cheat("reports a score by another spelling", "report(**{'Accuracy': 1.0, 'accuracy_': 1.0, 'latency_ms': 1.0})"),
    Cheat("reports a score with a space behind its name", "report(**{'accuracy ': 1.0, 'latency_ms': 1.0})", (F.BAD_OUTPUT,)),
    Cheat("reports a score with something invisible in its name", "report(**{'accu\\u200bracy': 1.0, 'latency_ms': 1.0})", (F.BAD_OUTPUT,)),
    Cheat("reports that it took no time", "report(latency_ms=0.0)", (F.BAD_OUTPUT,)),
    Cheat("reports that it took less than no time", "report(train_s=-1.0)", (F.BAD_OUTPUT,)),
    Cheat("reports NaN", "(out / 'metrics.json').write_text('{\"metrics\": {\"latency_ms\": NaN}}')", (F.BAD_OUTPUT,)),
    Cheat("reports infinity", "(out / 'metrics.json').write_text('{\"metrics\": {\"latency_ms\": 1e999}}')", (F.BAD_OUTPUT,)),
    Cheat("reports text for a number", "(out / 'metrics.json').write_text('{\"metrics\": {\"accuracy\": \"1\"}}')", (F.BAD_OUTPUT,)),
    Cheat("patches the timer", "time.time = time.monotonic = time.perf_counter = lambda: 0.0\nreport(latency_ms=time.time() + 1e-9)\n__import__('threading').Event().wait(1.2)"),
    Cheat("sets the clock", "attempt(lambda: time.clock_settime(time.CLOCK_REALTIME, started - 3600))"),
    Cheat("ignores signals beyond its time", "for s in (15, 2, 14, 1): signal.signal(s, signal.SIG_IGN)\ntime.sleep(60)", (F.TIMEOUT,)),
    Cheat("links to the answers", "(out / 'predictions.jsonl').unlink(); (out / 'predictions.jsonl').symlink_to(target['sealed'])", (F.BAD_OUTPUT,)),
    Cheat("links the log to elsewhere", "(out / 'train.log').unlink(); (out / 'train.log').symlink_to(target['sealed'])"),
    Cheat("gives two names to one file", "(out / 'predictions.jsonl').unlink(); os.link(out / 'metrics.json', out / 'predictions.jsonl')", (F.BAD_OUTPUT,)),
    Cheat("answers through a pipe", "(out / 'predictions.jsonl').unlink(); os.mkfifo(out / 'predictions.jsonl')", (F.BAD_OUTPUT,)),
    Cheat("answers with a directory", "(out / 'predictions.jsonl').unlink(); (out / 'predictions.jsonl').mkdir()", (F.BAD_OUTPUT, F.NO_RESULT)),
    Cheat("answers at enormous length", "(out / 'predictions.jsonl').open('wb').truncate(2**40)", (F.BAD_OUTPUT, F.CRASH)),
    Cheat("fills the disk", "for n in range(30): (out / f'{n}.bin').write_bytes(bytes(2**20)); time.sleep(0.02)", (F.BAD_OUTPUT, F.CRASH)),
    Cheat("answers in binary", "(out / 'predictions.jsonl').write_bytes(os.urandom(9999))", (F.BAD_OUTPUT,)),
    Cheat("nests without end", "(out / 'predictions.jsonl').write_text('[' * 10**6)", (F.BAD_OUTPUT,)),
    Cheat("answers what nobody asked", "answer({**dict.fromkeys(ids, 'low'), 'another': 'low'})", (F.BAD_OUTPUT,)),
    Cheat("answers twice", "with (out / 'predictions.jsonl').open('a') as f: f.write(json.dumps({'id': ids[0], 'answer': 'high'}) + '\\n')", (F.BAD_OUTPUT,)),
    Cheat("gives every answer at once", "answer({i: ['low', 'high'] if n % 2 else 'low high' for n, i in enumerate(ids)})"),
    Cheat("answers with broken characters", "answer({i: '\\ud800' for i in ids})"),
    # for a minute at the most: where nothing stops it, the machine that runs the tests is to outlive it
    Cheat("forks without end", "while time.time() < started + 60:\n    try: os.fork()\n    except OSError: time.sleep(0.01)", (F.CRASH, F.KILLED, F.TIMEOUT, F.OOM_HOST)),
    Cheat("floods the log", "for _ in range(2000): print('x' * 20000)"),
    Cheat("floods with progress", "for n in range(20000): print('AB_PROGRESS ' + json.dumps({'step': n, 'metrics': {'accuracy': 1.0}}))"),
    Cheat("scans environments", SCAN),
    Cheat("calls the network", CONNECT),
    Cheat("writes over other trials", OVERWRITE),
    Cheat("changes its data", "attempt(lambda: (data / 'inputs.jsonl').unlink()); attempt(lambda: (data / 'inputs.jsonl').write_text(''))"),
    Cheat("changes its code for later trials", "for name in ('train.py', 'solution.yaml'): attempt(lambda: (pathlib.Path(target['code']) / name).write_text('raise SystemExit'))"),
    Cheat("leaves a note for later trials", "attempt(lambda: (pathlib.Path(target['code']) / 'best.json').write_text('{}'))\nattempt(lambda: (pathlib.Path.home() / 'best.json').write_text('{}'))\nattempt(lambda: pathlib.Path('/var/tmp/best.json').write_text('{}'))"),
    Cheat("kills its supervisor", "attempt(lambda: os.kill(os.getppid(), 9)); time.sleep(0.5)", (None, F.KILLED)),
    Cheat("leaves a daemon to change its results", DAEMON),
    Cheat("ends well with nothing", "(out / 'predictions.jsonl').unlink(); (out / 'metrics.json').unlink()", (F.NO_RESULT,)),
    Cheat("eats memory", "hoard = []\nwhile True: hoard.append(bytearray(2**24))", (F.OOM_HOST,)),
)  # fmt: skip
