"""Changed archives imported beside a victim: refused in words or imported whole, nothing else changes (``make acceptance``).

PYTHONPATH=include:plugins:. .venv/bin/python perf/archive_fuzz.py [--archives 2000] [--first 0]
"""

from __future__ import annotations

import argparse
import json
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.security.archives.changed_archives import bring_in
from tests.security.archives.target import emptied
from tests.small_registry import small_registry

from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
from auto_benchmark.db.engine import engine, session_factory
from auto_benchmark.db.migrate import upgrade

ARCHIVES_IN_ACCEPTANCE = 2_000


def faults(seeds: Iterable[int]) -> dict[str, Any]:
    """How many archives were imported and refused, and every fault."""
    with tempfile.TemporaryDirectory(prefix="ab-archives-") as place:
        folder = Path(place)
        folder.chmod(0o755)
        with EmbeddedPostgres(folder / "postgres", settings=FAST_AND_UNSAFE) as server:
            url = server.create_database("archives")
            upgrade(url)
            bind = engine(url)
            try:
                inside = folder / "world"
                inside.mkdir()
                return bring_in(emptied(inside, session_factory(bind), small_registry()), seeds, inside)
            finally:
                bind.dispose()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--archives", type=int, default=ARCHIVES_IN_ACCEPTANCE)
    parser.add_argument("--first", type=int, default=0)
    given = parser.parse_args()
    told = faults(range(given.first, given.first + given.archives))
    print(json.dumps(told, indent=1))
    raise SystemExit(bool(told["faults"]))


if __name__ == "__main__":
    main()
