"""Of a hundred cheats in eight classes none is promoted: one of each class here, all of them in ``make acceptance``."""

from __future__ import annotations

import pytest
from tests.security.cheat_arena import arena
from tests.security.hundred_cheats import CASES, ONE_OF_EACH, Kind

pytestmark = pytest.mark.timeout(180)
TRIED = tuple(case for case in CASES if case.name in ONE_OF_EACH)


@pytest.fixture(scope="module")
def door(open_directory, postgres, template_database):
    folder = open_directory / "cheats"
    folder.mkdir()
    with arena(folder, postgres, template_database, TRIED) as made:
        yield made


@pytest.mark.parametrize("case", TRIED, ids=lambda case: case.kind.replace(" ", "-"))
def test_no_cheat_is_promoted_and_each_is_refused_for_what_it_does(door, case):
    tried = door.try_(case)
    assert tried.wrong(case) is None, tried.wrong(case)


def test_an_honest_improvement_goes_through_the_same_door(door):
    """Without it the tests above would show that nothing is ever promoted."""
    tried = door.try_(None)
    assert tried.verdict == "promote" and tried.against == (), tried.reason


def test_there_are_a_hundred_of_eight_classes():
    assert len(CASES) >= 100
    assert len({case.code for case in CASES}) == len({case.name for case in CASES}) == len(CASES)
    assert {case.kind for case in TRIED} == {case.kind for case in CASES} == set(Kind) and len(TRIED) == len(Kind)
