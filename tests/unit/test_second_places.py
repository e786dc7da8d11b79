"""What is added in one file and has to be named in another: whatever was forgotten is named here, with the place."""

from __future__ import annotations

import ast
import pkgutil
from collections.abc import Iterable
from importlib import import_module
from inspect import getmembers, isclass, isfunction
from pathlib import Path
from typing import get_args

import pytest
from tests.contract import test_paper_sources, test_sources

from auto_benchmark import commands
from auto_benchmark.promotion import criteria
from auto_benchmark.promotion.schema import CriterionName
from auto_benchmark.registry.leaderboard import ScrapeMethod
from auto_benchmark.registry.research_config import ResearchSources
from auto_benchmark.runners import RUNNERS
from auto_benchmark.settings import Settings

LIBRARY = Path(__file__).resolve().parents[2] / "include" / "auto_benchmark"


def forgotten(there: Iterable[str], named: Iterable[str], *, file: str, also: str) -> list[str]:
    """A line for each name that is ``there`` in one file and not in the other, and the other way round."""
    there, named = set(there), set(named)
    return [
        *(f"{name} is in {file}: name it in {also} too" for name in sorted(there - named)),
        *(f"{name} is named in {also}: {file} has no such file" for name in sorted(named - there)),
    ]


def names_in(path: str, kind: type[ast.AST] = ast.Name) -> set[str]:
    """Identifiers or attributes that a file of the library uses."""
    found = ast.walk(ast.parse((LIBRARY / path).read_text()))
    return {str(getattr(node, "id", None) or getattr(node, "attr", "")) for node in found if isinstance(node, kind)}


def readers() -> set[str]:
    """Modules of ``sources`` that read tables out of a document."""
    files = {path: ast.parse(path.read_text()).body for path in (LIBRARY / "sources").glob("*.py")}
    return {
        path.stem
        for path, body in files.items()
        if any(isinstance(node, ast.FunctionDef) and node.name == "tables" for node in body)
    }


def paper_sources() -> set[str]:
    """Classes of ``sources/papers`` that keep the contract of a source, but its protocol."""
    found = set()
    for path in (LIBRARY / "sources" / "papers").glob("*.py"):
        module = import_module(f"auto_benchmark.sources.papers.{path.stem}")
        found |= {
            name for name, each in getmembers(module, isclass)
            if each.__module__ == module.__name__ and isfunction(getattr(each, "fetch", None)) and hasattr(each, "key")
        }  # fmt: skip
    return found - {"PaperSource"}


def test_what_is_forgotten_is_named_with_its_place() -> None:
    assert forgotten({"csv", "odf"}, {"csv", "xls"}, file="sources/", also="registry/leaderboard.py") == [
        "odf is in sources/: name it in registry/leaderboard.py too",
        "xls is named in registry/leaderboard.py: sources/ has no such file",
    ]


def test_a_source_of_boards() -> None:
    methods = {method.value for method in ScrapeMethod if method is not ScrapeMethod.AUTO}
    assert forgotten(readers(), methods, file="sources/", also="ScrapeMethod of registry/leaderboard.py") == []
    suites = [each for _, each in getmembers(test_sources, isclass) if issubclass(each, test_sources.SourceContract)]
    tested = {each.method for each in suites if hasattr(each, "method")}
    assert forgotten(readers(), tested, file="sources/", also="tests/contract/test_sources.py") == []
    guessed = {name.lower() for name in names_in("sources/auto.py", ast.Attribute)} & methods
    assert (
        forgotten(readers() - {"hf_evals", "tsv"}, guessed - {"tsv"}, file="sources/", also="sources/auto.py") == []
    )


def test_a_source_of_papers() -> None:
    named = names_in("sources/papers/collect.py") & paper_sources()
    assert (
        forgotten(paper_sources(), named, file="sources/papers/", also="sources_of of sources/papers/collect.py")
        == []
    )
    used = names_in("sources/papers/collect.py", ast.Attribute) & set(ResearchSources.model_fields)
    keys = ResearchSources.model_fields
    assert forgotten(keys, used, file="registry/research_config.py", also="sources/papers/collect.py") == []
    text = Path(test_paper_sources.__file__).read_text()
    tested = {name for name in paper_sources() if f"{name}(" in text}
    assert (
        forgotten(paper_sources(), tested, file="sources/papers/", also="tests/contract/test_paper_sources.py") == []
    )


def test_a_place_where_trials_run() -> None:
    allowed = get_args(Settings.model_fields["runner"].annotation)
    assert forgotten(RUNNERS, allowed, file="runners/__init__.py", also="Settings.runner of settings.py") == []


def test_a_criterion_of_the_gate() -> None:
    there = {found.name for found in pkgutil.iter_modules(criteria.__path__)} - {"result"}
    named = get_args(CriterionName)
    assert forgotten(there, named, file="promotion/criteria/", also="CriterionName of promotion/schema.py") == []
    called = names_in("promotion/gate.py") & there
    assert forgotten(there, called, file="promotion/criteria/", also="promotion/gate.py") == []


@pytest.mark.parametrize("name", sorted(found.name for found in pkgutil.iter_modules(commands.__path__)))
def test_a_command(name: str) -> None:
    module = import_module(f"{commands.__name__}.{name}")
    brings = hasattr(module, "app") or hasattr(module, "COMMANDS")
    assert brings or name in {"output", "project"}, f"commands/{name}.py brings neither `app` nor `COMMANDS`"
