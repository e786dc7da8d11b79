"""What the code imports is declared with a reason, and pinned."""

import ast
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ("include", "plugins", "dags")
OWN = {"auto_benchmark", "auto_benchmark_airflow", "arena", "solutions", "benchmarks", "harness"}
PROVIDED = {"torch": "torch", "triton": "torch"}
"""Modules of an extra, which need not be installed here, and what brings them (triton comes with torch for CUDA)."""


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def declared(file: str) -> dict[str, str]:
    """Distribution -> what follows its name."""
    lines = [line.partition("#") for line in (ROOT / file).read_text().splitlines()]
    found = [(re.match(r"[\w.-]+", line.strip()), reason.strip()) for line, _, reason in lines]
    return {normal(match.group()): reason for match, reason in found if match}


def imported() -> dict[str, set[Path]]:
    """Module of others -> files that import it, wherever in the file."""
    found: dict[str, set[Path]] = defaultdict(set)
    for path in (p for folder in SOURCES for p in (ROOT / folder).rglob("*.py") if p.parent.name != "elsewhere"):
        beside = {path.parent.name, *(p.stem for p in path.parent.iterdir())}  # a package may be run as a folder
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
                names = [node.module]
            for name in names:
                root = name.partition(".")[0]
                if root not in sys.stdlib_module_names and root not in OWN | beside:
                    found[name].add(path.relative_to(ROOT))
    return found


def distributions_of(module: str, known: Mapping[str, list[str]]) -> set[str]:
    root = module.partition(".")[0]
    return {normal(name) for name in known.get(root, [PROVIDED.get(root, root)])}


def test_every_imported_distribution_is_declared():
    known = declared("requirements.in").keys() | declared("requirements-gpu.txt").keys()
    installed = packages_distributions()
    missing = {
        module: sorted(map(str, files))[:3] for module, files in imported().items()
        if not distributions_of(module, installed) & known
    }  # fmt: skip
    assert missing == {}


def test_the_scan_sees_what_is_imported_late_and_early():
    modules = {name.partition(".")[0] for name in imported()}
    assert {"airflow", "httpx", "httpcore", "croniter", "tenacity", "requests", "slack_sdk"} <= modules


def test_every_declared_distribution_has_a_reason_and_a_pin():
    reasons = declared("requirements.in")
    assert [name for name, reason in reasons.items() if len(reason) < 10] == []
    pins = re.findall(r"(?m)^([\w.-]+)(?:\[.*?\])?==\S+$", (ROOT / "requirements.txt").read_text())
    assert sorted(reasons.keys() - set(map(normal, pins))) == []
