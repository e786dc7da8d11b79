"""A slip in a declared file ends in a fault with file, line and field: every key misspelt, empty, of another kind."""

from __future__ import annotations

import pytest
from tests.mistyped import EXAMPLES, Mistake, lacking, mistakes
from tests.toy_project import ToyFiles

from auto_benchmark import documents
from auto_benchmark.documents import dotted
from auto_benchmark.errors import ConfigError, Fault
from auto_benchmark.project.configuration_check import check

MEANT = {("sweep.yaml", "datasets[0].version", "number"), ("sweep.yaml", "budget", "number")}
"""Other kinds that are taken on purpose: an unquoted version, and hours alone."""
CHECKED = ("competitive_registry.yaml", "schedule.yaml", "research_config.yaml", "technique_catalog.yaml")
UNREAL = ("odd text: 'xxxxxxxxxxxx'", "out of range: 1e+30")
"""Values that shapes often take and that what comes after them has to survive."""


def faults_of(name: str, mistake: Mistake) -> list[Fault]:
    model, _ = EXAMPLES[name]
    try:
        documents.validate(model, documents.on_one_line(name, mistake.data))
    except ConfigError as error:
        assert error.faults, "refused without a word"
        return list(error.faults)
    return []


@pytest.mark.parametrize("model", {model for model, _ in EXAMPLES.values()}, ids=lambda model: model.__name__)
def test_examples_have_every_key(model):
    assert lacking(model) == []


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_sound(name):
    model, example = EXAMPLES[name]
    assert documents.validate(model, documents.parse_yaml(documents.to_yaml(example), name))


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_mistake_is_a_fault_with_line_and_field(name):
    made = list(mistakes(*EXAMPLES[name]))
    assert len(made) > 10
    for mistake in made:
        where, faults = dotted(mistake.place), faults_of(name, mistake)
        what = f"{where}, {mistake.name}: {[str(fault)[:200] for fault in faults]}"
        if mistake.refused and (name, where, mistake.name.rpartition(" ")[2]) not in MEANT:
            assert any(fault.field.startswith(where) or where.startswith(fault.field) for fault in faults), what
        if mistake.name == "misspelt":
            assert len(faults) == 1 and "unknown key" in faults[0].message, what
        for fault in faults:
            assert fault.line == 1 and fault.field, what
            assert len(fault.message) <= 301 and "\n" not in fault.message and "Input should" not in fault.message, (
                what
            )


def test_the_line_is_that_of_the_key():
    for name, (model, example) in EXAMPLES.items():
        for mistake in mistakes(model, example):
            if mistake.name != "misspelt":
                continue
            text = documents.to_yaml(mistake.data)
            with pytest.raises(ConfigError) as refused:
                documents.validate(model, documents.parse_yaml(text, name))
            [fault] = refused.value.faults
            line = text.splitlines()[fault.line - 1]
            assert str(mistake.place[-1]) in line, (name, fault, line)


def test_what_the_shapes_let_through_is_checked_without_a_traceback(tmp_path):
    files = ToyFiles(tmp_path)
    (files.config / "next.yaml").write_text("name: next\n")
    places = {name: files.config / name for name in CHECKED}
    places |= {"solution.yaml": files.solution / "solution.yaml"}
    places |= {"benchmark.yaml": files.benchmarks / "toy" / "benchmark.yaml"}
    for name, place in places.items():
        place.write_text(documents.to_yaml(EXAMPLES[name][1]))
    assert check(files.settings())[0] == []
    tried = 0
    for name, place in places.items():
        model, example = EXAMPLES[name]
        for mistake in mistakes(model, example):
            if mistake.name in UNREAL and not faults_of(name, mistake):
                place.write_text(documents.to_yaml(mistake.data))
                faults, tried = check(files.settings())[0], tried + 1
                assert all(fault.line and fault.field for fault in faults), (dotted(mistake.place), faults)
        place.write_text(documents.to_yaml(example))
    assert tried > 50
