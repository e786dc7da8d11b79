"""What is said about a machine follows from its layers, and is the same everywhere."""

import json
import sys
from types import SimpleNamespace

import pytest
from tests.unit.runners import isolation_table

from auto_benchmark.runners import inherited, isolation
from auto_benchmark.runners.cgroup import MEMORY, PIDS, PROCESSOR, Places
from auto_benchmark.runners.confinement.plan import NAMESPACES, USER, Layers
from auto_benchmark.runners.isolation import Offered, isolation_report
from auto_benchmark.runners.runner import EnvironmentFaultError

GROUPS = Places(2, dict.fromkeys((MEMORY, PIDS, PROCESSOR), None))
ALWAYS = ("disk space of its scratch directory", "processors beyond its cpus")


def test_with_every_layer_only_disk_and_processors_are_unbounded():
    best = Offered(Layers(NAMESPACES, 7, True, True), GROUPS)
    assert best.not_isolated() == ALWAYS
    assert best.isolated_by()[0] == "namespaces (mount, pid, network, ipc, name)" and len(best.isolated_by()) == 5


def test_a_user_with_namespaces_lacks_control_groups_alone():
    user = Offered(Layers((USER, *NAMESPACES), 7, True, sockets=True, descriptors=True))
    assert user.not_isolated() == (
        *ALWAYS, "memory, in the kernel's own tables", "memory between two looks", "processor time between two looks"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("layers", "said"),
    [
        (Layers(landlock=7, seccomp=True), {"memory, in buffers of sockets", "memory, in pipes and for open files"}),
        (
            Layers(landlock=7, seccomp=True, sockets=True),
            {"memory, in buffers of sockets", "memory, in pipes and for open files"},
        ),
        (Layers(landlock=7, seccomp=True, own_user=True, sockets=True), {"memory, in pipes and for open files"}),
        (Layers(NAMESPACES, seccomp=True, sockets=True, descriptors=True), set()),
        (Layers(landlock=7, seccomp=True, sockets=True, descriptors=True), set()),
        (Layers(seccomp=True, sockets=True, descriptors=True), {"memory, in files without a name"}),
        (
            Layers(sockets=True, descriptors=True),
            {
                "memory, in files without a name",
                "memory, in buffers of sockets",
                "memory, in pipes and for open files",
            },
        ),
    ],
)
def test_memory_that_cannot_be_looked_at_is_named(layers, said):
    named = {words for words in Offered(layers).not_isolated() if words.startswith("memory, in")}
    assert named == said | {"memory, in the kernel's own tables"}


def test_without_any_layer_everything_is_named():
    said = "; ".join(Offered().not_isolated())
    for words in ("files of the user", "Unix sockets", "other processes", "UDP", "shared memory", "/dev/shm", "memory",
                  "process count", "fork faster"):  # fmt: skip
        assert words in said
    assert Offered().isolated_by() == ()


@pytest.mark.parametrize(
    ("better", "worse", "words"),
    [
        (Layers(landlock=7), Layers(), "files of the user"),
        (Layers(seccomp=True), Layers(landlock=7), "Unix sockets"),
        (Layers(landlock=7, seccomp=True), Layers(landlock=5, seccomp=True), "other processes of the user"),
        (Layers(seccomp=True), Layers(landlock=7), "UDP and other networks than TCP"),
        (Layers(seccomp=True), Layers(landlock=3), "TCP, UDP and all networks"),
        (Layers(own_user=True), Layers(landlock=7), "processes that fork faster than they are killed"),
    ],
)
def test_each_layer_takes_its_words_away(better, worse, words):
    assert words not in Offered(better).not_isolated() and words in Offered(worse).not_isolated()


def test_where_nothing_can_be_found_out_that_is_what_is_said(monkeypatch):
    def fails():
        raise EnvironmentFaultError("no process can be started")

    monkeypatch.setattr(isolation, "offered", fails)
    from auto_benchmark.runners.local import LocalRunner

    assert isolation_report(LocalRunner()).not_isolated == ("unknown: no process can be started",)


def test_a_sentence_and_a_document_say_the_same():
    runner = SimpleNamespace(name="docker", isolated_by=("a container",), not_isolated=("disk", "time"))
    assert str(isolation_report(runner)) == "runner docker isolates by a container; it does not isolate: disk, time"
    assert isolation_report(runner).document == {
        "runner": "docker", "isolated_by": ("a container",), "not_isolated": ("disk", "time"),
    }  # fmt: skip


def test_the_documents_tables_are_what_the_code_says():
    document = isolation_table.DOCUMENT.read_text(encoding="utf-8")
    assert isolation_table.TABLE in document and isolation_table.PLATFORM_TABLE in document


@pytest.fixture
def asked_anew(monkeypatch):
    """As in a new process, which can try nothing out itself."""
    found, handed_on = isolation.offered(), isolation.handed_on()
    isolation.offered.cache_clear()
    monkeypatch.setattr(isolation, "PROGRAM", ("/bin/false",))
    yield found, handed_on
    isolation.offered.cache_clear()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is tried out")
def test_a_task_knows_what_the_process_above_it_found(asked_anew, monkeypatch):
    found, handed_on = asked_anew
    monkeypatch.setenv(inherited.VARIABLE, handed_on[inherited.VARIABLE])
    assert isolation.offered() == found


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere nothing is tried out")
@pytest.mark.parametrize("damage", ["elsewhere", "other rights", "no JSON", "a list", "nothing"])
def test_what_was_found_elsewhere_is_not_believed(asked_anew, monkeypatch, damage):
    said = asked_anew[1][inherited.VARIABLE]
    if damage == "elsewhere":
        said = json.dumps(json.loads(said) | {"place": "0"})
    elif damage == "other rights":
        monkeypatch.setattr(inherited, "_text", lambda file: "CapEff:\t0" if file == "/proc/self/status" else "")
    else:
        said = {"no JSON": "{", "a list": "[]", "nothing": "null"}[damage]
    monkeypatch.setenv(inherited.VARIABLE, said)
    with pytest.raises(EnvironmentFaultError, match="cannot find out"):
        isolation.offered()
