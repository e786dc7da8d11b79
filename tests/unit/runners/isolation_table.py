"""The table of ``docs/isolation.md``, from the code that tells it at run time. ``python -m`` this file prints it."""

from pathlib import Path

from auto_benchmark.runners.cgroup import MEMORY, PIDS, PROCESSOR, Places
from auto_benchmark.runners.confinement.plan import NAMESPACES, USER, Layers
from auto_benchmark.runners.docker import DockerRunner
from auto_benchmark.runners.isolation import Offered
from auto_benchmark.runners.kubernetes import KubernetesRunner

DOCUMENT = Path(__file__).resolve().parents[3] / "docs" / "isolation.md"
GROUPS = dict.fromkeys((MEMORY, PIDS, PROCESSOR), Path())
NO_GROUPS = Places(0, {})
CONTAINERS = (DockerRunner, KubernetesRunner)


def _layers(
    namespaces: tuple[str, ...] = (), landlock: int = 0, seccomp: bool = False, own_user: bool = False
) -> Layers:
    """Of a kernel that lists sockets, where open files can be seen, and processor time be counted."""
    return Layers(namespaces, landlock, seccomp, own_user, sockets=True, descriptors=True, counter=True)


IN_A_CONTAINER = _layers((), 7, True, True)._replace(descriptors=False, counter=False)
KINDS = [
    ("root", "v1 or v2", "yes", "yes", Offered(_layers(NAMESPACES, 7, True, True), Places(2, GROUPS))),
    ("root", "v1 or v2", "yes", "no", Offered(_layers(NAMESPACES, 0, True, True), Places(2, GROUPS))),
    ("root", "none", "yes", "yes", Offered(_layers(NAMESPACES, 7, True, True), NO_GROUPS)),
    ("root", "v1 or v2", "no", "yes", Offered(_layers((), 7, True, True), Places(2, GROUPS))),
    ("root", "none", "no", "yes", Offered(_layers((), 7, True, True), NO_GROUPS)),
    ("root, in Docker's defaults", "none", "no", "yes", Offered(IN_A_CONTAINER, NO_GROUPS)),
    ("root", "v1 or v2", "no", "no", Offered(_layers((), 0, True, True), Places(2, GROUPS))),
    ("root", "none", "no", "no", Offered(_layers((), 0, True, True), NO_GROUPS)),
    ("root, no seccomp", "none", "no", "yes", Offered(_layers((), 7, False, True), NO_GROUPS)),
    ("root, no seccomp", "none", "no", "no", Offered(_layers((), 0, False, True), NO_GROUPS)),
    ("user", "v2, delegated", "yes", "yes", Offered(_layers((USER, *NAMESPACES), 7, True), Places(2, GROUPS))),
    ("user", "none", "yes", "yes", Offered(_layers((USER, *NAMESPACES), 7, True), NO_GROUPS)),
    ("user", "none", "yes", "no", Offered(_layers((USER, *NAMESPACES), 0, True), NO_GROUPS)),
    ("user", "v2, delegated", "no", "yes", Offered(_layers((), 7, True), Places(2, GROUPS))),
    ("user", "none", "no", "yes", Offered(_layers((), 7, True), NO_GROUPS)),
    ("user", "none", "no", "no", Offered(_layers((), 0, True), NO_GROUPS)),
    ("user, no seccomp", "none", "no", "yes", Offered(_layers((), 7, False), NO_GROUPS)),
    ("user, no seccomp", "none", "no", "no", Offered(_layers(), NO_GROUPS)),
]
HEAD = ("the runner is", "control groups", "namespaces", "Landlock", "not isolated")
ROWS = [HEAD, ("---",) * len(HEAD), *((*kind, "; ".join(offered.not_isolated())) for *kind, offered in KINDS)]
PLATFORMS = [
    ("runner", "isolated by", "not isolated"),
    ("---",) * 3,
    *((runner.name, "; ".join(runner.isolated_by), "; ".join(runner.not_isolated)) for runner in CONTAINERS),
]
TABLE, PLATFORM_TABLE = ("\n".join(f"| {' | '.join(row)} |" for row in rows) for rows in (ROWS, PLATFORMS))

if __name__ == "__main__":
    print(TABLE, PLATFORM_TABLE, sep="\n\n")
