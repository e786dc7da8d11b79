"""From a request to quotas, and from pilot results to a choice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from auto_benchmark.construction.choice import shortlist
from auto_benchmark.construction.mixing import MARGIN, ends_around, mixing_share
from auto_benchmark.construction.planner import grounding, quotas, subtasks
from auto_benchmark.construction.request import ConstructionRequest
from auto_benchmark.construction.search import propose, utility
from auto_benchmark.construction.source import sources_by_name
from auto_benchmark.construction.sources import SOURCES
from auto_benchmark.construction.stages import Stages
from auto_benchmark.errors import ConfigError, RefusedError

BY_NAME = sources_by_name(SOURCES)


def asked(words: str, **more) -> ConstructionRequest:
    return ConstructionRequest.model_validate({"name": "x", "request": words, **more})


def named(words: str, **more) -> set[str]:
    rows = subtasks(asked(words, **more), SOURCES)["subtasks"]
    assert all(row["reason"] for row in rows)
    return {f"{row['source']}.{row['form']}" for row in rows}


def test_the_words_of_a_request_choose_sources_and_forms():
    assert named("Are brackets balanced?") == {"algorithms.brackets"}
    assert {key.split(".")[0] for key in named("Reading charts in pictures")} == {"charts"}
    assert {key.split(".")[0] for key in named("Reading pictures")} >= {"charts", "diagrams", "sheets"}
    assert {key.split(".")[0] for key in named("Chemistry and geography")} == {"elements", "places"}
    assert named("anything", sources=["tones"]) == {f"tones.{form.name}" for form in BY_NAME["tones"].forms}


def test_a_request_that_no_source_knows_is_refused_by_its_words():
    with pytest.raises(RefusedError, match="nothing here knows about medieval, soup"):
        subtasks(asked("Questions about medieval soups"), SOURCES)


def test_a_subtask_whose_keys_are_not_found_again_is_not_grounded():
    rows = [
        {"source": "algorithms", "form": "brackets", "importance": 1.0},
        {"source": "nowhere", "form": "x", "importance": 1},
    ]
    found = grounding(rows, BY_NAME, asked("x"))["subtasks"]
    assert [row["grounded"] for row in found] == [True, False] and found[0]["transformable"] == 1.0
    with pytest.raises(RefusedError, match="no measure of salience"):
        grounding(rows[:1], BY_NAME, asked("x", objective={"salience": {"min": 0.1}}))


@given(
    st.lists(st.tuples(st.floats(0.5, 9), st.integers(0, 400) | st.none()), min_size=1, max_size=7),
    st.integers(20, 900),
)
def test_quotas_fill_the_size_and_no_capacity_is_exceeded(rows, size):
    plan = [
        {"source": "s", "form": f"f{i}", "importance": weight, "capacity": capacity, "grounded": True}
        for i, (weight, capacity) in enumerate(rows)
    ]
    room = sum(size if capacity is None else capacity for _, capacity in rows)
    if room < size:
        with pytest.raises(RefusedError, match="unlike items"):
            quotas(plan, size)
        return
    try:
        given_out = quotas(plan, size)["quotas"]
    except RefusedError:
        return  # subtasks of less than five items were left out, and the others had no room for theirs
    assert sum(given_out.values()) == size
    limits = {f"s.{row['form']}": row["capacity"] for row in plan}
    assert all(limits[key] is None or n <= limits[key] for key, n in given_out.items())


@given(st.integers(0, 10_000), st.floats(0.05, 0.95))
def test_a_mixture_reaches_its_target_where_it_lies_between(seed, target):
    rng = np.random.default_rng(seed)
    easy, hard = rng.uniform(0.5, 1, (3, 6)), rng.uniform(0, 0.5, (3, 6))
    weights = np.array([0.5, 0.3, 0.2])
    share = mixing_share(np.stack([easy, easy]), np.stack([hard, hard]), weights, target)
    reached = 1 - (weights @ ((1 - share) * easy + share * hard)).max()
    ends = [1 - (weights @ side).max() for side in (easy, hard)]
    assert reached == pytest.approx(min(max(target, min(ends)), max(ends)), abs=1e-3)


def test_the_search_finds_the_hard_end_sooner_than_chance():
    """Planted: utility rises with three parameters, and is 0.5 on average over all descriptions."""
    source, form = BY_NAME["memory_world"], BY_NAME["memory_world"].form("latest")
    tried = []
    for i in range(30):
        one = propose(source, form, tried, round_number=1 + i // 5, slot=i % 5, seed=1, at_random=False)
        places = [(one.params[n] - form.parameters[n].low) / (form.parameters[n].high - form.parameters[n].low)
                  for n in ("people", "months", "changes")]  # fmt: skip
        tried.append({"params": dict(one.params), "utility": float(np.mean(places))})
    assert np.mean([row["utility"] for row in tried[15:]]) > 0.62
    again = propose(source, form, tried, round_number=9, slot=0, seed=1, at_random=False)
    assert again == propose(source, form, tried, round_number=9, slot=0, seed=1, at_random=False)


def test_the_ends_of_a_mixture_lie_on_both_sides_of_its_target():
    difficulties = [0.05, 0.28, 0.45, 0.52, 0.74, 0.95]
    assert ends_around(difficulties, 0.5) == (1, 4) and 0.5 - difficulties[1] >= MARGIN <= difficulties[4] - 0.5
    assert ends_around(difficulties, 0.99) == (4, 5) and ends_around(difficulties, 0.01) == (0, 1)
    assert ends_around([0.4], 0.5) == (0, 0)
    assert ends_around(difficulties, 0.5, [0.0] * 6) == (1, 4)


def test_the_ends_of_a_mixture_are_good_in_what_else_is_asked():
    """Worth is in units of difficulty: a tenth of worth makes up for a tenth of distance, never for the side."""
    difficulties = [0.1, 0.28, 0.45, 0.52, 0.74, 0.95]
    assert ends_around(difficulties, 0.5, [0, 0, 0.2, 0, 0, 0.3]) == (2, 5)
    assert ends_around(difficulties, 0.5, [0, 0, 0.1, 0, 0, 0.2]) == (1, 4)
    assert ends_around(difficulties, 0.5, [0, 0, 0, 9, 9, 0])[0] == 1


@pytest.mark.parametrize(("weight", "expected"), [(0, ["far", "harder"]), (3, ["near", "harder"])])
def test_a_target_leaves_the_other_weights_in_force(weight, expected):
    weights = asked("x", objective={"difficulty": {"target": 0.5}, "separability": weight}).objective
    found = {"far": (0.3, 0.0), "near": (0.4, 0.05), "harder": (0.7, 0.0), "out of reach": (1.0, 0.0)}
    rows = [{"description": name, "difficulty": hard, "utility": utility(hard, apart, None, weights)}
            for name, (hard, apart) in found.items()]  # fmt: skip
    assert [row["description"] for row in shortlist(rows, 0.5)] == expected


@pytest.mark.parametrize("weight", [-1, 1e7, 1.5e308, float("inf"), float("nan"), "3", True])
@pytest.mark.parametrize("name", ["separability", "novelty", "safety"])
def test_a_weight_whose_sum_may_be_no_number_is_refused(name, weight):
    with pytest.raises(ValidationError, match=name):
        asked("x", objective={name: weight})


def test_utility_is_the_declared_sum():
    weights = asked("x", objective={"difficulty": {"target": 0.5}, "separability": 2}).objective
    assert utility(0.4, 0.1, None, weights) == pytest.approx(-0.1 + 0.2)
    assert utility(0.4, 0.1, None, asked("x").objective) == pytest.approx(0.4)


def test_a_stage_is_made_once_kept_when_edited_and_made_anew_for_other_inputs(tmp_path):
    stages, made = Stages(tmp_path), []

    def make():
        made.append(1)
        return {"n": len(made)}

    assert stages.yaml("a", [1], make) == stages.yaml("a", [1], make) == {"n": 1}
    (tmp_path / "a.yaml").write_text("n: 7\n")
    assert stages.yaml("a", [1], make) == {"n": 7}
    assert stages.yaml("a", [2], make) == {"n": 2}
    (tmp_path / "a.yaml").write_text("- 1\n")
    with pytest.raises(ConfigError, match="should be a mapping"):
        stages.yaml("a", [2], make)
