"""Tells people: notices become outbox messages, and those are posted in order, each once, or written to ``reports/``.

A post that fails is never lost: the message stays pending and goes out with the next run. Failures go to the log and
to what the task returns, never to Slack.
"""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from auto_benchmark import atomic
from auto_benchmark.db.repositories import locks, outbox
from auto_benchmark.errors import InputError
from auto_benchmark.project.context import Context, new_owner
from auto_benchmark.reporting.slack.blocks import messages, plain_text
from auto_benchmark.reporting.slack.threads import threaded
from auto_benchmark.telling.slack_messages import due_at, notices
from auto_benchmark.telling.slack_posting import Delivery, Postponed

log = logging.getLogger(__name__)
TOPIC = "slack"
LEASE_S = 600.0
RETRY_S = 60


def notify(ctx: Context) -> dict[str, Any]:
    """Write what is new to the outbox, then deliver what is due.

    Returns:
        ``{"new", "posted", "found", "written", "postponed", "note"}``: messages written to the outbox, posted, found
        posted by an attempt that was cut off, written to ``reports/`` instead, and left for the next run.
    """
    new = enqueue(ctx)
    client, note = _client(ctx)
    told: Counter[str] = Counter()
    with ctx.sessions.begin() as guard:  # holds one connection: two runs would mix up the order
        if locks.try_lock(session=guard, project=ctx.project, what=TOPIC):
            told = _deliver_all(ctx, Delivery(ctx, client) if client is not None else None)
        else:
            note = "another run is delivering"
    if note and (new or told):
        ctx.say(f"Slack: {note}")
    names = ("posted", "found", "written", "postponed")
    return {"new": new, **{name: told[name] for name in names}, "note": note}


def enqueue(ctx: Context) -> int:
    """Write every notice to the outbox that is not there yet; how many messages that were."""
    written = 0
    with ctx.sessions.begin() as session:
        locks.lock(session=session, project=ctx.project, what=f"{TOPIC}-outbox")
        for notice, root in threaded(notices(ctx, session)):
            when = due_at(ctx, notice.kind)
            for part, message in enumerate(messages(notice)):
                payload = {
                    **asdict(message), "kind": notice.kind.value, "board": notice.board,
                    "thread": root if root != notice.key or part else None,
                    "plain": plain_text(notice) if part == 0 else "",
                }  # fmt: skip
                key = notice.key if part == 0 else f"{notice.key}#{part + 1}"
                written += outbox.enqueue(
                    session=session, project=ctx.project, topic=TOPIC, idempotency_key=key, payload=payload, now=when
                )
    return written


def _client(ctx: Context) -> tuple[Any | None, str]:
    """Slack's API and "", or None and why there is none."""
    wanted = ctx.config.schedule.notifications
    if wanted.slack_conn_id is None:
        return None, "no notifications.slack_conn_id in schedule.yaml: messages are written to reports/"
    if wanted.channel is None:
        return None, "no notifications.channel in schedule.yaml: messages are written to reports/"
    try:
        return ctx.connections.slack(wanted.slack_conn_id), ""
    except InputError as error:
        return None, f"{error}: messages are written to reports/"


def _deliver_all(ctx: Context, delivery: Delivery | None) -> Counter[str]:
    told: Counter[str] = Counter()
    about: dict[str, Any] = {"project": ctx.project, "topic": TOPIC, "lease_s": LEASE_S, "limit": 1}
    while True:
        owner = new_owner()
        with ctx.sessions.begin() as session:
            claimed = outbox.claim(session=session, owner=owner, now=ctx.now(), **about)
        if not claimed:
            return told
        message = claimed[0]
        try:
            if delivery is None:
                outcome, response = "written", _write(ctx, message)
            else:
                outcome, response = delivery.deliver(message)
        except Postponed as error:
            _postpone(ctx, message.id, owner, error)
            told["postponed"] += 1
            if error.everything:
                return told
            continue
        with ctx.sessions.begin() as session:
            outbox.mark_sent(session=session, message_id=message.id, owner=owner, response=response, now=ctx.now())
        told[outcome] += 1


def _postpone(ctx: Context, message_id: int, owner: str, error: Postponed) -> None:
    log.warning("%s: a Slack message waits: %s", ctx.project, error)
    due = None if error.everything else ctx.now() + timedelta(seconds=RETRY_S)
    with ctx.sessions.begin() as session:
        outbox.postpone(session=session, message_id=message_id, owner=owner, error=str(error), due_at=due)


def _write(ctx: Context, message: outbox.Message) -> dict[str, Any]:
    """Render the day's file from the outbox, so that writing it again adds nothing."""
    name = f"reports/slack-{ctx.now().date().isoformat()}.md"
    with ctx.sessions() as session:
        known = outbox.answers(session=session, project=ctx.project, topic=TOPIC)
    texts = [
        m.payload["plain"]
        for m in known
        if m.idempotency_key == message.idempotency_key or (m.response or {}).get("file") == name
    ]
    atomic.write_text(ctx.home / name, "\n".join(text for text in texts if text))
    return {"file": name}
