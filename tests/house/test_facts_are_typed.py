"""What a message means is decided by what happened, never by the words of a name that stands in it."""

from __future__ import annotations

from tests.integration.test_slack import world  # noqa: F401 - a fixture

NAME = "Nobody overtook us on paper"


def test_a_name_makes_no_message_urgent(world):  # noqa: F811
    world.scrape(("Leader", 0.90), ("Ours", 0.60), (NAME, 0.20))
    world.scrape(("Leader", 0.90), ("Ours", 0.60), (NAME, 0.30))
    world.notify()
    assert len(world.titles) == 1
    assert "Overtaken" not in world.titles[0]


def test_an_overtaking_is_urgent_whatever_the_name(world):  # noqa: F811
    world.scrape(("Leader", 0.90), ("Ours", 0.60), ("Quiet one", 0.20))
    world.scrape(("Leader", 0.90), ("Ours", 0.60), ("Quiet one", 0.70))
    world.notify()
    assert "Overtaken" in world.titles[0]
