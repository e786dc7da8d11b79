"""Candidates are judged by processes that they cannot reach. These tests build, confine and count for real."""

import fcntl
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from tests.command_line import runner
from tests.security.busy_machine import busy_processor
from tests.unit.lab.number_task import number_task

from auto_benchmark import scratch
from auto_benchmark.errors import InputError, RefusedError
from auto_benchmark.lab import check, verification
from auto_benchmark.lab.catalog import cheats, load, names
from auto_benchmark.lab.harness import Limits, c, confined
from auto_benchmark.lab.harness.candidate import opened
from auto_benchmark.lab.harness.waiting import Waiting
from auto_benchmark.lab.machine import machine
from auto_benchmark.lab.scaffold import new_task
from auto_benchmark.runners.isolation import offered
from auto_benchmark.settings import Settings

HARNESS = verification.HARNESS


def counts_here() -> bool:
    here = machine()
    return not here.missing({"c": "", "valgrind": ""}) and not here.unsealed and not here.uncounted


counted = pytest.mark.skipif(
    not counts_here(), reason="gcc or valgrind is not installed here, or nothing is confined"
)


@pytest.fixture(scope="module")
def settings(tmp_path_factory) -> Settings:
    """A laboratory with one task as `new lab` writes it."""
    folder = tmp_path_factory.mktemp("lab")
    own = Settings(lab=folder)
    new_task(own, "distinct")
    return own


@pytest.fixture(scope="module")
def task(settings):
    return load(settings, "distinct")


def program(folder: Path, text: str) -> Path:
    (folder / "distinct.c").write_text(text)
    return folder


@counted
def test_a_new_task_is_sound(settings, monkeypatch, capsys):
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(settings.lab))
    monkeypatch.setattr(check, "RECOUNTS", 4)  # twenty of every task: perf/lab_check.py
    [found] = runner(monkeypatch, capsys)("lab", "check", "distinct", "--json").json["tasks"]
    assert (found["name"], found["ok"], found["problems"], found["skipped"]) == ("distinct", True, [], None)
    assert found["cheats"] == {"refused": 3, "of": 3}
    assert found["baseline"] > 3 * found["reference"] > 0
    assert {name: (len(counts), len(set(counts))) for name, counts in found["counts"].items()} == {
        "baseline": (4, 1), "reference": (4, 1)}, "alone, and beside a busy core"  # fmt: skip


@counted
def test_a_declared_anchor_that_is_not_measured_is_a_problem(settings, task, tmp_path, monkeypatch):
    monkeypatch.setattr(check, "RECOUNTS", 2)
    own = Settings(lab=tmp_path)
    shutil.copytree(task.folder, tmp_path / "distinct")
    text = (task.folder / "task.toml").read_text()
    declared = f"reference = {task.anchors.reference:.0f}"
    assert declared in text
    text = text.replace(declared, "reference = 1500000").replace('valgrind = "', '# valgrind = "')
    (tmp_path / "distinct" / "task.toml").write_text(text)
    (tmp_path / "distinct" / "tests" / "cheats" / "prints_nothing" / "cheat.toml").write_text(
        'does = "nothing"\nrefused_by = "count"\n'
    )
    found = check.check(own, "distinct")
    assert len(found.problems) == 3
    assert found.problems[0] == "counts with valgrind, which [metadata.optimization.toolchain] does not name"
    assert found.problems[1].startswith("reference: declared 1500000, measured ")
    assert found.problems[2].startswith("the cheat prints_nothing is refused by 'correct' and not by 'count'")


@counted
def test_a_reference_that_does_not_count_the_same_twice_is_said_to(task, tmp_path, monkeypatch):
    monkeypatch.setattr(check, "RECOUNTS", 4)
    own = Settings(lab=tmp_path)
    shutil.copytree(task.folder, tmp_path / "distinct")
    reference = tmp_path / "distinct" / "solution" / "distinct.c"
    idle = "unsigned idle; getentropy(&idle, 4); for (volatile unsigned i = idle % 4000000 + 1000000; i; i--) ;"
    reference.write_text(
        "#include <unistd.h>\n" + reference.read_text().replace("long number,", f"{idle} long number,")
    )
    found = check.check(own, "distinct")
    assert len(found.problems) == 2
    assert found.problems[0].startswith(
        "reference: not the same number each time: 4 counts of one program on one input, "
    )
    assert "`spread` allows 0.00%" in found.problems[0]
    assert found.problems[1].startswith("reference: declared ")


def test_a_score_that_is_not_the_same_twice_is_said_to_where_nothing_is_counted(tmp_path):
    number_task(tmp_path)
    verifier = tmp_path / "number" / "tests" / "verify.py"
    verifier.write_text(verifier.read_text().replace("return float(number)", "return number * (1 + time.time() % 1)"))
    verifier.write_text("import time\n" + verifier.read_text())
    said = " ".join(check.check(Settings(lab=tmp_path), "number").problems)
    assert "baseline: not the same twice on seed 1: " in said


PLACES = {"another temporary directory": ("t" * 70, {}), "no namespaces": ("t", {"namespaces": []})}


@counted
@pytest.mark.parametrize("place", PLACES)
def test_where_a_program_is_counted_changes_no_count(task, tmp_path, monkeypatch, place):
    here = verification.verify(task, task.solution, seed=5).score
    name, layers = PLACES[place]
    (tmp_path / name).mkdir()
    for outer in (tmp_path / name, *(tmp_path / name).parents[:-2]):  # the program's user has to get there
        outer.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / name))
    monkeypatch.setattr(verification, "_layers", lambda: json.dumps({**offered().layers._asdict(), **layers}))
    there = verification.verify(task, task.solution, seed=5)
    assert (there.reason, there.score) == ("", here)


@counted
def test_what_else_is_installed_changes_no_count(task, monkeypatch):
    def count():
        with opened(task.solution, ["distinct.c"], task.environment) as candidate:
            candidate.build(c("distinct.c"))
            return candidate.count(c("distinct.c"), b"1 2 3\n", Limits(), caches=False)[1]

    first = count()
    monkeypatch.setattr(confined, "SETTINGS", tuple(p for p in confined.SETTINGS if not p.endswith("ld.so.cache")))
    assert count() == first, "the table of installed libraries was looked at"


@counted
def test_inputs_are_drawn_anew(task):
    first, second = (verification.verify(task, task.solution) for _ in range(2))
    assert first.valid
    assert second.valid
    assert first.seed != second.seed


HOSTILE = {
    "forks": ("#include <unistd.h>\nint main(void) { return fork() < 0 ? 9 : 0; }", "runs", "exit code 9"),
    "kills itself": ("#include <signal.h>\nint main(void) { raise(SIGKILL); }", "runs", "exit code 137"),
    "eats memory": (
        "#include <stdlib.h>\nint main(void) { for (;;) { volatile char *p = malloc(1 << 26); if (!p) return 5;"
        "for (long i = 0; i < 1 << 26; i += 1 << 20) p[i] = 1; } }",
        "runs", "exit code 5",
    ),
    "fills the disk": (
        "#include <stdio.h>\nint main(void) { return fopen(\"/tmp/x\", \"w\") || fopen(\"x\", \"w\") ? 0 : 8; }",
        "runs", "exit code 8",
    ),
    "fills its memory disk": (
        "#include <stdio.h>\nstatic char block[1 << 20];\nint main(void) { char name[40]; for (int i = 0; ; i++) {"
        "sprintf(name, \"/dev/shm/%d\", i); FILE *f = fopen(name, \"w\"); if (!f || fwrite(block, 1, 1 << 20, f) != 1 << 20"
        " || fclose(f)) return 7; } }",
        "runs", "exit code 7",
    ),
    "prints NaN": ("#include <stdio.h>\nint main(void) { puts(\"nan\"); }", "correct", "the output cannot be read"),
    "prints bytes": ("#include <stdio.h>\nint main(void) { puts(\"\\xff\\xfe\"); }", "correct", "the output cannot be read"),
    "calls out": (
        "#include <sys/socket.h>\n#include <netinet/in.h>\n#include <arpa/inet.h>\nint main(void) {"
        "struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(PORT), .sin_addr.s_addr = htonl(0x7f000001)};"
        "return connect(socket(AF_INET, SOCK_STREAM, 0), (void *)&to, sizeof to) ? 6 : 0; }",
        "runs", "exit code 6",
    ),
    "does not compile": ("int main(void) { return", "build", "does not compile"),
    "includes the verifier": ('#include "/tests/verify.py"\nint main(void) { return 0; }', "build", "No such file"),
}  # fmt: skip


@counted
@pytest.mark.parametrize("attack", HOSTILE)
def test_a_hostile_program_gets_nothing_and_a_reason(task, tmp_path, attack):
    text, refused_by, reason = HOSTILE[attack]
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.setblocking(False)
        folder = program(tmp_path, text.replace("PORT", str(server.getsockname()[1])))
        verdict = verification.verify(task, folder, seed=1)
        with pytest.raises(BlockingIOError):
            server.accept()
    assert (verdict.valid, verdict.score, verdict.reward) == (False, None, 0)
    assert verdict.refused_by == refused_by, verdict.reason
    assert reason in verdict.reason


def test_a_busy_machine_is_no_fault_of_a_program_and_sleeping_is(tmp_path):
    work = "import time\nend = time.process_time() + 0.8\nwhile time.process_time() < end: pass\nprint('done')\n"
    (tmp_path / "work.py").write_text(work)
    (tmp_path / "sleep.py").write_text("import time\ntime.sleep(60)\n")
    before = os.sched_getaffinity(0)
    with busy_processor() as processor:
        os.sched_setaffinity(0, {processor})  # inherited by what is run
        try:
            began = time.monotonic()
            worked = _ran(tmp_path, "work.py")
            assert time.monotonic() - began > 2
            slept = _ran(tmp_path, "sleep.py")
        finally:
            os.sched_setaffinity(0, before)
    assert (worked.stopped, worked.output) == (None, b"done\n"), worked
    assert "did not end within" in slept.stopped


def test_what_a_process_has_waited_is_known_when_it_has_ended():
    work = "import time\nend = time.process_time() + 0.4\nwhile time.process_time() < end: pass\n"
    with busy_processor() as processor:
        before = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {processor})
        try:
            process = subprocess.Popen([sys.executable, "-c", work])
        finally:
            os.sched_setaffinity(0, before)
        waiting, seen = Waiting(process.pid), 0.0
        while process.poll() is None:
            seen = waiting.seconds()
            time.sleep(0.05)
    assert waiting.seconds() == seen > 0.1


def _ran(folder: Path, name: str) -> confined.Ended:
    command = [confined.INTERPRETER, "-S", name]
    with confined.own_user() as user:
        folder.chmod(0o755)
        return confined.run(command, folder=folder, limits=Limits(seconds=1), user=user)


def test_what_the_confinement_tells_is_read_though_it_is_more_than_a_pipe_holds(tmp_path, monkeypatch):
    pipe = os.pipe

    def small_pipe() -> tuple[int, int]:
        ends = pipe()
        fcntl.fcntl(ends[1], fcntl.F_SETPIPE_SZ, 4096)
        return ends

    (tmp_path / "work.py").write_text("import time\ntime.sleep(6)\nsum(range(10**6))\nprint('done')\n")
    tmp_path.chmod(0o755)
    monkeypatch.setattr(os, "pipe", small_pipe)
    with confined.own_user() as user:
        command = [confined.INTERPRETER, "-S", "work.py"]
        ended = confined.run(command, folder=tmp_path, limits=Limits(seconds=6), user=user)
    assert (ended.stopped, ended.output) == (None, b"done\n"), ended
    assert ended.cpu_s > 0


def test_a_seed_is_no_part_of_a_command_line(tmp_path):
    """Where processes are not the candidate's own, it reads the command lines of all others."""
    found = number_task(tmp_path)
    file = found.tests / "verify.py"
    asked = "import sys\n        return 1000.0 if any('20251129' in word for word in sys.argv) else float(number)"
    file.write_text(file.read_text().replace("return float(number)", asked))
    (tmp_path / "number.py").write_text("print(20)\n")
    verdict = verification.verify(found, tmp_path, seed=20251129)
    assert (verdict.valid, verdict.score, verdict.seed) == (True, 20.0, 20251129)


@counted
def test_threads_are_counted(task, tmp_path):
    work = "static void *work(void *_) { volatile long n = 0; while (n < 3000000) n++; return _; }"
    solution = (task.solution / "distinct.c").read_text()
    started = "pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0);\n    long number,"
    assert "long number," in solution
    text = "#include <pthread.h>\n" + solution.replace("int main", work + "\nint main").replace(
        "long number,", started
    )
    alone = verification.verify(task, task.solution, seed=1)
    threaded = verification.verify(task, program(tmp_path, text), seed=1)
    assert threaded.valid, threaded.reason
    assert threaded.score > alone.score + 3_000_000


@counted
def test_a_full_disk_is_no_fault_of_a_candidate(task, monkeypatch):
    monkeypatch.setattr(confined, "LEAST_ROOM_MB", 1 << 40)
    told = pytest.raises(confined.ConfinementError, match="MiB are free; 1099511627776 are needed")
    with opened(task.solution, ["distinct.c"], task.environment) as candidate, told:
        candidate.build(c("distinct.c"))


def test_a_verification_that_does_not_end_is_a_verdict(tmp_path, monkeypatch):
    task = number_task(tmp_path)
    (task.tests / "verify.py").write_text((task.tests / "verify.py").read_text() + "\nwhile True: pass\n")
    monkeypatch.setattr(verification, "LONGEST_S", 1.0)
    found = verification.verify(task, task.environment)
    assert (found.valid, found.reward, found.refused_by) == (False, 0.0, "runs")
    assert found.reason == "the verification did not end within 1 s"


@counted
def test_a_link_in_place_of_a_file_is_not_followed(task, tmp_path):
    (tmp_path / "distinct.c").symlink_to(task.solution / "distinct.c")
    verdict = verification.verify(task, tmp_path)
    assert verdict.refused_by == "files"
    assert "symbolic link" in verdict.reason


@counted
def test_a_pipe_in_place_of_a_file_blocks_nothing(task, tmp_path):
    os.mkfifo(tmp_path / "distinct.c")
    assert verification.verify(task, tmp_path).refused_by == "files"


@counted
def test_a_folder_in_place_of_a_file_is_refused(task, tmp_path):
    (tmp_path / "distinct.c").mkdir()
    assert verification.verify(task, tmp_path).refused_by == "files"


@counted
@pytest.mark.parametrize("cheat", ["forges_the_report", "becomes_another_program", "stops_the_counter"])
def test_a_count_cannot_be_forged(cheat):
    task = load(Settings(), "top_words")
    folder, declared = cheats(task)[cheat]
    verdict = verification.verify(task, folder, seed=1)
    assert (verdict.valid, verdict.refused_by) == (False, declared.refused_by)
    assert verdict.refused_by == "count"


@counted
def test_the_reward_file_holds_flat_finite_numbers(task, tmp_path):
    command = [sys.executable, "-I", "-S", str(HARNESS), str(task.tests), "--candidate", str(task.solution), "--out"]
    subprocess.run([*command, str(tmp_path / "logs")], check=True)
    numbers = json.loads((tmp_path / "logs" / "reward.json").read_text())
    assert numbers["reward"] == pytest.approx(0.5, abs=0.05)
    assert all(isinstance(value, int | float) for value in numbers.values())
    assert sorted(path.name for path in (tmp_path / "logs").iterdir()) == ["checks.json", "reward.json"]


def test_a_missing_toolchain_is_named_and_the_task_skipped(settings, monkeypatch):
    here = machine()
    lacking = type(here)({**here.tools, "valgrind": None}, None, None)
    monkeypatch.setattr(check, "machine", lambda: lacking)
    found = check.check(settings, "distinct")
    assert (found.ok, found.skipped) == (True, "not installed here: valgrind")


def test_a_tool_that_is_missing_while_verifying_is_named_with_the_task(tmp_path):
    found = number_task(tmp_path)
    file = found.tests / "verify.py"
    absent = "\n\ndef absent():\n    from harness.wrong import MissingToolError\n    raise MissingToolError('zig')\n"
    text = file.read_text().replace('python("number.py")', 'python("number.py")._replace(tool=lambda: absent())')
    file.write_text(text + absent)
    with pytest.raises(RefusedError, match=r"^number: zig is not installed here$"):
        verification.verify(found, found.solution)
    assert check.check(Settings(lab=tmp_path), "number").skipped == "zig is not installed here"


def test_a_counter_that_can_be_switched_off_counts_nothing(settings, monkeypatch):
    here = machine()
    lacking = type(here)(dict.fromkeys(here.tools, "1"), None, "valgrind 99 obeys programs that switch it off")
    monkeypatch.setattr(check, "machine", lambda: lacking)
    assert check.check(settings, "distinct").skipped == "valgrind 99 obeys programs that switch it off"


def test_list_has_the_declared_shape(monkeypatch, capsys):
    tasks = runner(monkeypatch, capsys)("lab", "list", "--json").json["tasks"]
    assert [task["name"] for task in tasks] == names(Settings())
    assert len(tasks) >= 3
    for task in tasks:
        fields = ["axis", "baseline", "best_known", "direction", "language", "metric", "name", "reference", "stretch"]
        assert sorted(task) == fields


@counted
def test_verify_has_the_declared_shape(settings, task, monkeypatch, capsys):
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(settings.lab))
    run = runner(monkeypatch, capsys)
    verified = run("lab", "verify", "distinct", task.solution, "--json").json
    assert (verified["task"], verified["valid"], verified["metric"]) == ("distinct", True, "instructions")
    assert verified["score"] > 0
    assert {tuple(sorted(check)) for check in verified["checks"]} == {("name", "passed", "reason")}


FAULTY = {
    "no Python": ("class Verify(Verifier):", "class Verify(Verifier)", "number/tests/verify.py:4: expected ':'"),
    "no class": ("class Verify(", "class Other(", "number/tests/verify.py: holds no class `Verify`"),
    "not ours": ("Verify(Verifier):", "Verify:", "number/tests/verify.py: holds no class `Verify`"),
    "no such module": ("from harness", "import nothing\nfrom harness", "number/tests/verify.py:1: ModuleNotFoundError"),
    "no method": ("def score(", "def scores(", "number/tests/verify.py: `Verify` lacks the method `score`"),
    "no number": ("return float(number)", "return None", "number/tests/verify.py: `score` returned None"),
    "no such check": ('Wrong("too small")', 'Wrong("too small", "smell")', "number/tests/verify.py: `Wrong` names"),
    "ends the process": ("return float(number)", "import os; os._exit(0)", "number/tests/verify.py: ends without a verdict"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTY)
def test_a_faulty_verifier_is_named_with_its_line_and_no_candidate_is_blamed(tmp_path, fault):
    right, wrong, said = FAULTY[fault]
    found = number_task(tmp_path)
    file = found.tests / "verify.py"
    assert right in file.read_text()
    file.write_text(file.read_text().replace(right, wrong))
    (tmp_path / "number.py").write_text("print(1)\n" if fault == "no such check" else "print(20)\n")
    with pytest.raises(InputError) as told:
        verification.verify(found, tmp_path)
    assert str(told.value).startswith(said)


@pytest.mark.parametrize("raises", ["[][0]", "{}['sealed']", "1 / 0", "None.x", "int(1e999)", "raise SystemExit(0)"])
def test_what_a_verifier_stumbles_over_is_the_candidates_fault(tmp_path, raises):
    found = number_task(tmp_path)
    file = found.tests / "verify.py"
    stumble = f"if number == 13: {raises}\n        if number < 10:"
    file.write_text(file.read_text().replace("if number < 10:", stumble))
    (tmp_path / "number.py").write_text("print(13)\n")
    verdict = verification.verify(found, tmp_path)
    assert (verdict.valid, verdict.reward, verdict.refused_by) == (False, 0, "format")
    assert "(tests/verify.py:10: " in verdict.reason
    assert "sealed" not in verdict.reason
    assert verification.verify(found, found.solution).reward == 0.5


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("lab", "verify", "nothing", "."), "no task 'nothing'"),
        (("lab", "verify", "distinct", "/does/not/exist"), "no such folder"),
        (("lab", "check", "distnct"), "did you mean"),
        (("lab", "export", "distinct", "--out", "/dev/null"), "cannot be written"),
        (("new", "lab", "distinct"), "exists already"),
        (("new", "lab", "Not A Name"), "cannot be the name"),
    ],
)
def test_mistakes_are_told_in_a_line(settings, monkeypatch, capsys, words, said):
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(settings.lab))
    ended = runner(monkeypatch, capsys)(*words)
    assert ended.code == 2
    assert said in ended.err
    assert "Traceback" not in ended.said


@counted
def test_an_exported_task_verifies_without_the_project(settings, task, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AUTO_BENCHMARK_LAB", str(settings.lab))
    run = runner(monkeypatch, capsys)
    folder = Path(run("lab", "export", "distinct", "--out", tmp_path, "--json").json["folder"])
    command = [sys.executable, "-I", "-S", str(folder / "tests" / "harness"), str(folder / "tests"), "--candidate"]
    command += [str(task.solution), "--out", str(tmp_path / "logs"), "--seed", "1"]
    subprocess.run(command, check=True, cwd="/", env={})
    numbers = json.loads((tmp_path / "logs" / "reward.json").read_text())
    assert numbers["score"] == task.anchors.reference
    assert not (folder / "tests" / "cheats").exists()
    assert run("lab", "export", "distinct", "--out", tmp_path).code == 2


@counted
def test_an_unchanged_program_earns_nothing_whatever_is_drawn():
    task = load(Settings(), "top_words")
    verdicts = [verification.verify(task, task.environment, seed=seed) for seed in (2, 3)]
    assert [(v.valid, v.reward) for v in verdicts] == [(True, 0.0), (True, 0.0)]


@counted
def test_what_a_killed_harness_leaves_goes_with_the_next(task, tmp_path, monkeypatch):
    """The harness makes folders of its own, which nothing would ever clear in the machine's temporary directory."""
    program = f"from auto_benchmark.lab.verification import ask_harness; ask_harness([{str(task.tests)!r}, '--candidate', {str(task.tests.parent / 'solution')!r}, '--out', {str(tmp_path)!r}], 60)"  # noqa: E501
    asked = subprocess.Popen(
        [sys.executable, "-c", program], env={**os.environ, "TMPDIR": str(tmp_path)}, start_new_session=True
    )
    until = time.monotonic() + 30
    while not list(tmp_path.glob("ab-harness-*/ab-lab-*/*")) and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(asked.pid, signal.SIGKILL)
    asked.wait()
    assert list(tmp_path.glob("ab-harness-*/ab-lab-*"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    deadline = time.monotonic() + 30
    while not scratch.clear("harness", settled_s=0) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not list(tmp_path.glob("ab-harness-*"))
