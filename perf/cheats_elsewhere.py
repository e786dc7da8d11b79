"""The hundred cheats on other machines: an ordinary user, no Landlock, no namespaces, containers; none is promoted.

    python perf/acceptance.py cheats_elsewhere
    PYTHONPATH=include:plugins:. python perf/cheats_elsewhere.py PLACE     (in one place)

Each place is a process of its own, whose kernel refuses what that machine lacks (``tests/security/lesser_machine.py``).
Results are written to perf/results/cheats_elsewhere.json as each cheat ends; what has ended on the same code is not tried
again. What counts is that none is promoted and that the honest improvement of each class passes; a cheat may end in
another way than on a machine that offers everything, which is told.
"""

import argparse
import contextlib
import json
import os
import pwd
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acceptance
import cheats
from measured import RESULTS, keep
from tests.docker import engine as docker_engine
from tests.security import lesser_machine

ROOT = Path(__file__).resolve().parent.parent
NAME = "cheats_elsewhere"
ORDINARY = range(1000, 60000)
"""Numbers of people's users."""


@dataclass(frozen=True)
class Place:
    """A machine: what it lacks, whether an ordinary user runs the trials, or a Docker engine."""

    lacks: tuple[str, ...] = ()
    is_user: bool = False
    is_docker: bool = False


PLACES = {
    "user": Place(is_user=True),
    "user without Landlock": Place(("landlock",), is_user=True),
    "user without namespaces": Place(("namespaces", "cgroups"), is_user=True),
    "root without Landlock": Place(("landlock",)),
    "root without namespaces": Place(("namespaces", "cgroups")),
    "docker": Place(is_docker=True),
}
"""As a person on a machine of their own, in a container of somebody else's, and on the Docker runner."""
OTHERS = [case.name for case in cheats.CASES if case.name not in cheats.ONE_OF_EACH]
Told = Callable[[Iterable[Any]], Iterable[Any]]


def try_all(code: str, told: Told = lambda rows: rows, places: Collection[str] = PLACES) -> dict[str, Any]:
    """Try every cheat in these places where it has not been tried on this code.

    Returns:
        Facts by place: cheats, promoted, honest ones that passed, and how many ended otherwise than where all is offered.
    """
    file = RESULTS / f"{NAME}.json"
    kept = json.loads(file.read_text()) if file.exists() else {}
    codes: dict[str, str] = kept.get("codes", {})
    known: dict[str, dict[str, Any]] = kept.get("tried", {})
    for name in places:
        if codes.get(name) != code:
            codes[name], known[name] = code, {}
    skipped: dict[str, str] = {}
    for name, row in told(_tried_everywhere(known, skipped, places)):
        known[name].update(row)
        keep(NAME, {"codes": codes, **facts_of(known), "skipped": skipped, "tried": known})
    return {**facts_of({name: known[name] for name in places}), "skipped": skipped}


def _tried_everywhere(
    known: dict[str, Any], skipped: dict[str, str], places: Collection[str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """One cheat of each class in every place first, then all of them."""
    for later in (OTHERS, ()):
        for name in places:
            place, rows = PLACES[name], known[name]
            if len({*rows, *later}) == len(cheats.CASES) + len(cheats.Kind):
                continue
            if reason := _missing(place):
                skipped[name] = reason
                continue
            for cheat, row in _tried_in(name, place, [*rows, *later]):
                yield name, {cheat: row}


def _missing(place: Place) -> str | None:
    if place.is_docker:
        return docker_engine.available()
    if os.geteuid():
        return "needs root, to be another user or to hide control groups"
    return None if lesser_machine.kernel.KNOWN else "needs Linux on a machine whose system calls are known"


def _tried_in(name: str, place: Place, known: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The lines of a process that tries them there."""
    with contextlib.ExitStack() as open_things:
        home = Path(
            open_things.enter_context(tempfile.TemporaryDirectory(prefix="ab-place-", ignore_cleanup_errors=True))
        )
        home.chmod(0o755)
        (home / "known.json").write_text(json.dumps(known))
        words = [sys.executable, __file__, name, "--here", str(home / "known.json")]
        paths = os.pathsep.join(str(ROOT / part) for part in ("include", "plugins", ".", "perf"))
        environment = {**os.environ, "PYTHONPATH": paths, "HOME": str(home), "TMPDIR": str(home)}
        if place.is_docker:
            open_things.enter_context(docker_engine.running_engine())
            environment["DOCKER_HOST"] = os.environ["DOCKER_HOST"]
            environment["TMPDIR"] = tempfile.gettempdir()
        else:
            asked = {"lacks": place.lacks, "user": _ordinary_user() if place.is_user else None, "own": [str(home)]}
            words = [sys.executable, lesser_machine.__file__, json.dumps(asked), *words]
        process = subprocess.Popen(
            words, env=environment, cwd=ROOT, stdout=subprocess.PIPE, text=True, start_new_session=True
        )
        open_things.callback(_end, process)
        for line in process.stdout or ():
            cheat, row = json.loads(line)
            yield cheat, row
        if process.wait():
            raise AssertionError(f"{name}: the process that tries cheats there has ended with {process.returncode}")


def _end(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(60)


def _ordinary_user() -> int:
    """A person's user of this machine, else ``nobody``."""
    found = (user.pw_uid for user in pwd.getpwall() if user.pw_uid in ORDINARY)
    return next(found, pwd.getpwnam("nobody").pw_uid)


def facts_of(known: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """How it came out in each place."""
    return {"places": {name: _facts_of(rows) for name, rows in known.items() if rows}}


def _facts_of(rows: dict[str, Any]) -> dict[str, Any]:
    facts = cheats.facts_of(rows)
    wrong = facts.pop("wrong")
    promoted = [name for name, row in rows.items() if row.get("promoted") and not name.startswith(cheats.HONEST)]
    unsure = [
        name for name, row in rows.items() if name.startswith(cheats.HONEST) and row.get("outcome") != "promote"
    ]
    return {**facts, "promoted": promoted, "ended_otherwise": len(wrong), "honest_held_or_refused": unsure}


def main() -> None:
    """Try the cheats in one place, print a line for each and keep it."""
    parser = argparse.ArgumentParser(description="the hundred cheats in one place")
    parser.add_argument("place", choices=PLACES)
    parser.add_argument(
        "--here", type=Path, metavar="FILE", help="the place is this process; FILE names what is known"
    )
    given = parser.parse_args()
    place = PLACES[given.place]
    if given.here is None:
        if reason := _missing(place):
            raise SystemExit(reason)
        print(json.dumps(try_all(acceptance.fingerprint(), _shown, [given.place]), indent=1))
        return
    _assert_lesser(place)
    for name, row in cheats.tried_but(json.loads(given.here.read_text()), _base_image() if place.is_docker else ""):
        print(json.dumps([name, row]), flush=True)


def _shown(rows: Iterable[Any]) -> Iterator[Any]:
    for name, row in rows:
        print(json.dumps(row), flush=True)
        yield name, row


def _assert_lesser(place: Place) -> None:
    """Refuse to call this process a place that it is not."""
    from auto_benchmark.runners.isolation import offered

    here = offered()
    there = {
        "landlock": here.layers.landlock,
        "namespaces": here.layers.namespaces,
        "cgroups": here.groups.directories,
    }
    assert (os.geteuid() != 0) == place.is_user, f"this process runs as user {os.geteuid()}"
    assert not any(there[name] for name in place.lacks), f"this process has what it should lack: {there}"


def _base_image() -> str:
    """An image with the entrypoint in it, made of the running Python."""
    import docker
    from tests.docker.base_image import CONTRACT_DOCKERFILE, build_base_image, built

    with contextlib.closing(docker.from_env()) as client:
        return built(client, f"FROM {build_base_image(client)}\n{CONTRACT_DOCKERFILE}")


if __name__ == "__main__":
    main()
