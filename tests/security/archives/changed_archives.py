"""Archives with one thing changed at random: refused in words, or imported whole; nothing else ever changes."""

from __future__ import annotations

import gzip
import io
import json
import random
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tests.security.archives.hostile_archive import header
from tests.security.archives.target import Target

from auto_benchmark.db.repositories import projects
from auto_benchmark.errors import InputError
from auto_benchmark.project.transfer import import_project

FORMAT_1 = Path(__file__).parent / "format_1.tar.gz"
VALUES = [None, True, -1, 0, 2**31, 2**63 - 1, 2**63, 1e308, "", "../../x", "victim", "\0", "\ud800", "x" * 5000, [], {},
          [[[]]], {"trial_ids": [1, 2**62]}, "default", "2999-01-01T00:00:00+00:00", "H-1", "NaN"]  # fmt: skip
NAMES = ["files/../x", "files/reports/x", "tables/trials.jsonl", "tables/projects.jsonl", "/x", "files/solution.yaml",
         "manifest.json", "files/experiments/results/H-001/metrics.json", "a" * 300]  # fmt: skip


def members() -> dict[str, bytes]:
    """Name -> content of a small archive that is imported in milliseconds."""
    found = {}
    with tarfile.open(FORMAT_1) as tar:
        for member in tar.getmembers():
            content = tar.extractfile(member).read()
            if member.name.startswith("tables/") or member.name.endswith(".md"):
                found[member.name] = content
    keep = {"tables/promotion_decisions.jsonl": 0, "tables/metric_values.jsonl": 3, "tables/trials.jsonl": 4}
    keep |= {"tables/hypotheses.jsonl": 2}
    for name, lines in keep.items():
        found[name] = b"".join(found[name].splitlines(keepends=True)[:lines])
    for name in ("decision_log", "production_configs", "outbox"):
        lines = found[f"tables/{name}.jsonl"].splitlines(keepends=True)
        found[f"tables/{name}.jsonl"] = b"".join(
            line for line in lines if b"decision" not in line and b"production/" not in line
        )
    return {**found, "manifest.json": json.dumps({"format": 1, "project": "default"}).encode()}


def packed(members: Mapping[str, bytes], infos: Iterable[tuple[tarfile.TarInfo, bytes]] = ()) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for info, content in [*((header(name, len(content)), content) for name, content in members.items()), *infos]:
            tar.addfile(info, io.BytesIO(content))
    return stream.getvalue()


def mutated(members: Mapping[str, bytes], chance: random.Random) -> bytes:
    """The bytes of an archive with one change."""
    changed = dict(members)
    tables = [name for name in members if name.startswith("tables/") and members[name]]
    match chance.randrange(8):
        case 0:  # a bit of the packed file
            data = bytearray(gzip.compress(packed(members)))
            for _ in range(chance.randint(1, 8)):
                data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            return bytes(data)
        case 1:  # bytes of a header or of the content
            data = bytearray(packed(members))
            start = chance.randrange(0, len(data), 512) if chance.random() < 0.7 else chance.randrange(len(data))
            for place in range(start, min(len(data), start + chance.randint(1, 300))):
                data[place] = chance.choice((0, 48, 55, 120, 255, chance.randrange(256)))
            return gzip.compress(bytes(data))
        case 2:  # cut off
            data = gzip.compress(packed(members))
            return data[: chance.randrange(len(data))]
        case 3:  # another member
            info = header(chance.choice(NAMES), 3)
            info.type = chance.choice(
                [tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, b"x", b"L"]
            )
            return gzip.compress(packed(members, [(info, b"xyz")]))
        case 4:  # a part missing
            del changed[chance.choice(list(changed))]
        case 5:  # a line twice, or gone
            name = chance.choice(tables)
            lines = changed[name].splitlines(keepends=True)
            lines.insert(chance.randrange(len(lines)), chance.choice(lines)) if chance.random() < 0.5 else lines.pop()
            changed[name] = b"".join(lines)
        case 6:  # a cell
            name = chance.choice(tables)
            lines = [json.loads(line) for line in changed[name].splitlines()]
            row = chance.choice(lines)
            row[chance.choice([*row, "nope"])] = chance.choice(VALUES)
            changed[name] = "".join(json.dumps(line) + "\n" for line in lines).encode()
        case 7:  # the manifest
            changed["manifest.json"] = json.dumps(
                {"format": chance.choice([1, 1, 2]), "project": chance.choice(VALUES)}
            ).encode()
    return gzip.compress(packed(changed))


def bring_in(target: Target, seeds: Iterable[int], folder: Path) -> dict[str, Any]:
    """Import the archive of every seed; each that comes in is removed again.

    Returns:
        Numbers of archives imported and refused, and under ``faults`` each that crashed or changed anything else.
    """
    small, before = members(), target.state()
    told: dict[str, Any] = {"archives": 0, "imported": 0, "refused": 0, "faults": []}
    for seed in seeds:
        archive = folder / "a.tar.gz"
        archive.write_bytes(mutated(small, random.Random(seed)))
        told["archives"] += 1
        try:
            project = import_project(target.settings, target.sessions, archive)["project"]
        except InputError as error:
            told["refused"] += 1
            if not str(error):
                told["faults"].append(f"seed {seed}: refused without a word")
        except Exception as error:  # the fault that is looked for
            told["faults"].append(f"seed {seed}: {type(error).__name__}: {str(error)[:120]}")
        else:
            told["imported"] += 1
            if project != "default" or target.projects() != ["default", "victim"]:
                told["faults"].append(f"seed {seed}: imported as {project!r} beside {target.projects()}")
            _remove(target, project)
        if (after := target.state()) != before:
            told["faults"].append(f"seed {seed}: changed what is not its own")
            before = after
    return told


def _remove(target: Target, project: str) -> None:
    with target.sessions.begin() as session:
        projects.delete(session=session, project=project)
    home = target.settings.project_home(project)
    for path in sorted(home.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    home.rmdir()
