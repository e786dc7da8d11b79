"""Rules of the house that a machine can check."""

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = ROOT / "include" / "auto_benchmark"
MODULES = sorted(p for folder in ("include", "plugins", "dags") for p in (ROOT / folder).rglob("*.py"))
GENERATED = {"0001_initial_schema.py"}
BANNED_NAMES = {"utils", "helpers", "common", "misc", "manager", "service"}


def test_imports_go_one_way():
    done = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"], cwd=ROOT, capture_output=True, text=True,
        check=False, env={"PYTHONPATH": "include:plugins", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:]
    assert re.search(r"\b[1-9]\d* kept, 0 broken", done.stdout)


def test_there_are_modules_to_check():
    assert len(MODULES) > 200


def test_modules_are_small():
    lengths = {p: len(p.read_text().splitlines()) for p in MODULES if p.name not in GENERATED}
    assert [p for p, lines in lengths.items() if lines > 400] == []
    assert sorted(lengths.values())[len(lengths) // 2] <= 120


def test_dag_files_are_thin_and_documented():
    for path in (ROOT / "dags").glob("*.py"):
        text = path.read_text()
        assert len(text.splitlines()) <= 120, path
        assert "Triage" in text.split('"""')[1], f"{path} has no Triage part in its docstring"


def test_names_say_what_a_module_is_for():
    assert [p for p in MODULES if p.stem in BANNED_NAMES] == []


def test_a_public_class_name_means_one_thing():
    """A public class of the library or the plugin stands in one module, so that its name says what it is.

    Two places have names of their own, for a reason:
    - ``db/models/`` are tables, seen by ``db`` alone (an import contract): a table is named after what it stores.
    - ``lab/harness/`` is the library of a sealed verifier. It is copied into exports, imports nothing else of the
      project, and tasks import it under names that stay.
    """
    of_its_own = (LIBRARY / "db" / "models", LIBRARY / "lab" / "harness")
    places: dict[str, list[str]] = {}
    for path in (*LIBRARY.rglob("*.py"), *(ROOT / "plugins").rglob("*.py")):
        if any(path.is_relative_to(own) for own in of_its_own):
            continue
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(ROOT)))
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_only_settings_reads_the_environment():
    readers = [
        p for p in LIBRARY.rglob("*.py")
        if re.search(r"os\.(environ\b(?!\.copy)|getenv)", p.read_text())
        # programs that run by themselves, and one that writes such a program
        and p.name not in {"settings.py", "entrypoint.py", "start.py", "measure_command.py", "adopt.py"}
    ]  # fmt: skip
    # the launcher hands its own environment on to the services that it starts
    assert [p.relative_to(LIBRARY) for p in readers if p.parent.name != "stack"] == []


def test_decision_records_are_numbered_without_gap():
    numbers = [int(p.name[:4]) for p in sorted((ROOT / "docs" / "adr").glob("*.md"))]
    assert numbers == list(range(1, len(numbers) + 1))
    for path in (ROOT / "docs" / "adr").glob("*.md"):
        text = path.read_text()
        assert text.startswith(f"# {path.name[:4]} "), path
        assert all(f"\n## {part}\n" in text for part in ("Context", "Decision", "Consequences")), path
        assert re.search(r"^Status: ", text, re.MULTILINE), path


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) < 200


@pytest.mark.parametrize("page", [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))], ids=lambda p: p.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", page.read_text()):
        if not target.startswith(("http:", "https:", "mailto:")):
            assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} links to {target}"


def test_what_the_readme_tells_to_edit_exists():
    for path in re.findall(r"`((?:include|dags|plugins|tests|docs)/[\w/.]+)`", (ROOT / "README.md").read_text()):
        assert (ROOT / path).exists(), path


def test_every_requirement_is_pinned_and_has_a_reason():
    for name in ("requirements.in", "requirements-dev.in"):
        for line in (ROOT / name).read_text().splitlines():
            if line and not line.startswith(("#", "-c")):
                assert "#" in line, f"{name}: {line} has no reason"
    for name in ("requirements.txt", "requirements-dev.txt"):
        lines = [line for line in (ROOT / name).read_text().splitlines() if line and not line.startswith("#")]
        assert lines and all("==" in line for line in lines)


def programs_in_texts():
    """``(place, module, name)`` of imports in programs that stand in texts, which no checker reads."""
    line = re.compile(r"^\s*from (auto_benchmark[\w.]*) import ([\w, ]+)", re.MULTILINE)
    for path in (p for folder in ("tests", "perf") for p in (ROOT / folder).rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                for module, names in line.findall(node.value):
                    for name in names.split(","):
                        yield f"{path.name}:{node.lineno}", module, name.split(" as ")[0].strip()


def test_programs_in_texts_import_what_there_is():
    found = sorted(programs_in_texts())
    assert len(found) > 10
    for place, module, name in found:
        is_there = hasattr(importlib.import_module(module), name) or importlib.util.find_spec(f"{module}.{name}")
        assert is_there, f"{place}: {module} has no {name}"
