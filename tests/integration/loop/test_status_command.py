"""``auto-benchmark status`` says how many messages wait to be sent, and who the challenger is."""

import json
from dataclasses import replace

import pytest

from auto_benchmark.db.repositories import outbox, production
from auto_benchmark.ideas.steps import reconcile
from auto_benchmark.promotion.production import Role


@pytest.fixture
def send(toy):
    """Writes a message to the outbox."""

    def write(topic, key):
        with toy.ctx.sessions.begin() as session:
            outbox.enqueue(session=session, project="default", topic=topic, idempotency_key=key, payload={})

    return write


def test_what_waits_to_be_sent_is_counted_by_topic(toy, command, send):
    code, out = command("status", "--json")
    assert (code, json.loads(out)["waiting"]) == (0, {})
    assert "to be sent" not in command("status")[1]
    for topic, key in (("submission", "1"), ("slack", "1"), ("slack", "2")):
        send(topic, key)
    assert json.loads(command("status", "--json")[1])["waiting"] == {"slack": 2, "submission": 1}
    assert "to be sent: 2 slack messages, 1 submission message" in command("status")[1].splitlines()
    with toy.ctx.sessions.begin() as session:
        for message in outbox.claim(session=session, owner="w", lease_s=60, project="default"):
            outbox.mark_sent(session=session, message_id=message.id, owner="w")
    assert json.loads(command("status", "--json")[1])["waiting"] == {}


def test_a_challenger_is_named(toy, command):
    reconcile(toy.ctx)
    assert json.loads(command("status", "--json")[1])["challenger"] is None
    with toy.ctx.sessions.begin() as session:
        held = production.current(session=session, project="default").candidate
        better = replace(held, params=held.params | {"reads": 5}, hypothesis_id="H-007", reason="better")
        production.promote(session=session, project="default", candidate=better, role=Role.CHALLENGER)
    assert json.loads(command("status", "--json")[1])["challenger"] == "H-007"
    (said,) = (line for line in command("status")[1].splitlines() if line.startswith("H-007 is the challenger: "))
    assert said.endswith(" and promoted once #1 is within its reach")
