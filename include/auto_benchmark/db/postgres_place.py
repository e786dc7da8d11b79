"""Where the server's files lie when root's own directories are closed to the user that the server runs as.

As root, Postgres runs as another user, who cannot pass through private directories (``mktemp -d``, ``/root``).
Opening those to everyone would be worse than moving: the cluster of such a home lies in a shelter below ``/var/tmp``,
under an id that the home remembers; a cluster whose home has gone is removed when the next one is made.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import stat
import tempfile
from pathlib import Path

from auto_benchmark.errors import RefusedError

SHELTER = Path("/var/tmp/auto-benchmark-postgres")  # noqa: S108 - made and checked below: root's own, closed to writers
REMEMBERED, RECORDED = "shelter", "home.json"


def is_reachable(place: Path) -> bool:
    """Whether everybody may pass through ``place`` and its parents."""
    return all(directory.stat().st_mode & stat.S_IXOTH for directory in (place, *place.parents))


def cluster_of(root: Path) -> Path:
    """The directory that holds the cluster of a home whose ``root`` (``<home>/postgres``) is not reachable.

    Raises:
        RefusedError: the home holds a cluster itself, from a time when it was reachable.
    """
    if (root / "data" / "PG_VERSION").exists():
        raise RefusedError(
            f"{root} holds a cluster, but a directory above it has become private; open it (chmod o+x)"
        )
    remembered = root / REMEMBERED
    name = remembered.read_text().strip() if remembered.exists() else ""
    place = _shelter() / name
    if not name or not (place / RECORDED).is_file():
        _remove_orphans()
        place = Path(tempfile.mkdtemp(dir=_shelter()))
        place.chmod(0o711)
        (place / RECORDED).write_text(json.dumps({"root": str(root)}))
        remembered.write_text(place.name)
    return place


def sheltered_programs(install: Path) -> Path:
    """A copy of the wheel's ``pginstall`` that the server's user can reach."""
    status = (install / "bin" / "postgres").stat()
    mark = hashlib.sha256(f"{status.st_size} {status.st_mtime_ns}".encode()).hexdigest()[:12]
    copy = _shelter() / f"programs-{mark}"
    if not copy.exists():
        aside = Path(tempfile.mkdtemp(dir=_shelter(), prefix="programs-new-"))
        shutil.copytree(install, aside, symlinks=True, dirs_exist_ok=True)
        aside.chmod(0o755)
        try:
            aside.rename(copy)
        except OSError:  # another process was faster
            shutil.rmtree(aside, ignore_errors=True)
    return copy


def _shelter() -> Path:
    """The shelter itself.

    Raises:
        RefusedError: something of that name is there that is not root's own directory.
    """
    SHELTER.mkdir(mode=0o711, exist_ok=True)
    status = SHELTER.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != 0 or status.st_mode & 0o022:
        raise RefusedError(f"{SHELTER} is not a directory of root's own; remove it, or set AUTO_BENCHMARK_DB_URL")
    SHELTER.chmod(0o711)
    return SHELTER


def _remove_orphans() -> None:
    """Remove clusters whose home has been deleted; one whose server still runs stays."""
    for record in SHELTER.glob(f"*/{RECORDED}"):
        place = record.parent
        try:
            remembered = Path(json.loads(record.read_text())["root"]) / REMEMBERED
            orphaned = not remembered.exists() or remembered.read_text().strip() != place.name
        except (OSError, ValueError, KeyError, TypeError):
            continue
        if orphaned and not (place / "data" / "postmaster.pid").exists():
            shutil.rmtree(place, ignore_errors=True)
