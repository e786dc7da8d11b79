"""Cheats that did not know the suite: one that escaped when they were first tried; all of them in ``make acceptance``."""

from __future__ import annotations

import pytest
from tests.security.unseen_arena import unseen_arena
from tests.security.unseen_cheats import CHEATS

pytestmark = pytest.mark.timeout(180)
TRIED = tuple(cheat for cheat in CHEATS if cheat.name == "extreme_latency")


def test_reports_at_the_ends_of_floats_end_in_a_decision(open_directory, postgres, template_database):
    folder = open_directory / "unseen"
    folder.mkdir()
    with unseen_arena(folder, postgres, template_database, TRIED) as door:
        seen = door.see(TRIED[0])
    assert seen.was_carried_out(TRIED[0]), seen
    assert not seen.tried.promoted and seen.tried.verdict in {"futile", "reject"}, seen


def test_there_are_more_than_twenty_of_several_kinds():
    assert len({cheat.name for cheat in CHEATS}) == len({cheat.body for cheat in CHEATS}) == len(CHEATS) >= 20
    assert len({cheat.kind for cheat in CHEATS}) >= 8
    for cheat in CHEATS:
        compile(cheat.program, cheat.name, "exec")
