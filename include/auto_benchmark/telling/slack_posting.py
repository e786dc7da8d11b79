"""One message to Slack: the right channel and thread, its refusals understood."""

from __future__ import annotations

import logging
from typing import Any

from auto_benchmark.db.repositories import outbox
from auto_benchmark.db.repositories.outbox import Message
from auto_benchmark.http.slack_rate_limit import asked_seconds
from auto_benchmark.project.context import Context

log = logging.getLogger(__name__)
TOPIC = "slack"
EVENT = "auto_benchmark_notice"
TOO_MUCH = {"invalid_blocks", "invalid_blocks_format", "msg_blocks_too_long", "msg_too_long"}
NO_HISTORY = {"missing_scope", "not_in_channel", "channel_not_found", "method_not_supported_for_channel_type"}
WHOLE_ACCOUNT = {
    "invalid_auth", "not_authed", "token_revoked", "token_expired", "account_inactive", "missing_scope",
    "team_access_not_granted", "internal_error", "fatal_error", "service_unavailable", "ratelimited",
}  # fmt: skip
"""Refusals that any other message would meet too."""


class Postponed(Exception):  # noqa: N818 - not an error: the message waits
    """A message that cannot be delivered now; ``everything``: nor can any other."""

    def __init__(self, message: str, *, everything: bool = True) -> None:
        self.everything = everything
        super().__init__(message)


class Delivery:
    """Posts the messages of one run.

    Args:
        ctx: the project.
        client: a ``slack_sdk.WebClient``; it waits by itself where Slack limits the rate.
    """

    def __init__(self, ctx: Context, client: Any) -> None:
        self._ctx, self._client = ctx, client
        self._closed: dict[str, str] = {}

    def deliver(self, message: Message) -> tuple[str, dict[str, Any]]:
        """Post a message.

        Returns:
            ``posted``, or ``found`` when an earlier attempt that was cut off had posted it, and where it is.

        Raises:
            Postponed: it cannot be posted now.
        """
        wanted = self._ctx.config.schedule.notifications
        channel = wanted.routes.get(message.payload["board"] or "", wanted.channel or "")
        if channel in self._closed:
            raise Postponed(self._closed[channel], everything=False)
        channel, thread = self._place(message, channel)
        if message.attempts > 1 and (found := self._already_there(message, channel, thread)) is not None:
            return "found", found
        body = {
            "text": message.payload["text"], "blocks": message.payload["blocks"], "thread_ts": thread,
            "metadata": {"event_type": EVENT, "event_payload": {"key": message.idempotency_key}},
        }  # fmt: skip
        return "posted", self._post(channel, body)

    def _place(self, message: Message, channel: str) -> tuple[str, str | None]:
        """Channel and thread; a thread stays in the channel where it began."""
        root = message.payload["thread"]
        if root is None:
            return channel, None
        with self._ctx.sessions() as session:
            begun = outbox.answer(session=session, project=self._ctx.project, topic=TOPIC, idempotency_key=root)
        if begun is not None and begun.state == "pending":
            raise Postponed(f"{root}, which begins its thread, waits", everything=False)
        place = (begun.response if begun else None) or {}
        return (place["channel"], place["ts"]) if "ts" in place else (channel, None)

    def _already_there(self, message: Message, channel: str, thread: str | None) -> dict[str, Any] | None:
        """Where an earlier attempt has posted the message; None where it has not, or Slack does not let us look."""
        from slack_sdk.errors import SlackApiError

        method = "conversations.history" if thread is None else "conversations.replies"
        where = {"channel": channel, "include_all_metadata": True, "limit": 200, "ts": thread}
        try:
            answer = self._call(method, {name: value for name, value in where.items() if value is not None})
        except SlackApiError as error:
            if error.response.get("error") not in NO_HISTORY:
                raise Postponed(f"{method}: {error.response.get('error')}") from error
            log.info("an earlier attempt cannot be looked up: %s", error.response.get("error"))
            return None
        for posted in answer.get("messages", []):
            metadata = posted.get("metadata") or {}
            mine = metadata.get("event_type") == EVENT
            if mine and metadata.get("event_payload", {}).get("key") == message.idempotency_key:
                return {"channel": channel, "ts": posted["ts"]}
        return None

    def _post(self, channel: str, body: dict[str, Any]) -> dict[str, Any]:
        from slack_sdk.errors import SlackApiError

        sent = {name: value for name, value in body.items() if value is not None}
        try:
            answer = self._call("chat.postMessage", {"channel": channel, "unfurl_links": False, **sent})
        except SlackApiError as error:
            why = str(error.response.get("error"))
            if why in TOO_MUCH and "blocks" in sent:
                log.error("Slack refused a message; its text is sent alone: %s", error.response.data)
                return self._post(channel, {**body, "blocks": None})
            if why not in WHOLE_ACCOUNT:
                self._closed[channel] = f"channel {channel}: {why}"
            raise Postponed(f"channel {channel}: {why}", everything=why in WHOLE_ACCOUNT) from error
        return {"channel": answer["channel"], "ts": answer["ts"]}

    def _call(self, method: str, body: dict[str, Any]) -> Any:
        """One call; Postponed when Slack asks for more patience than the client has, or does not answer."""
        from slack_sdk.errors import SlackApiError

        try:
            if method == "chat.postMessage":
                return self._client.api_call(method, json=body)
            return self._client.api_call(method, params=body)
        except SlackApiError as error:
            if error.response.status_code == 429:
                raise Postponed(f"{method}: {_silence(error.response.headers)}") from error
            if error.response.status_code >= 500:
                raise Postponed(f"{method}: HTTP {error.response.status_code}") from error
            raise
        except Exception as error:  # the transport's own: urllib, TLS, a broken answer
            raise Postponed(f"{method}: {type(error).__name__}: {error}") from error


def _silence(headers: Any) -> str:
    asked = asked_seconds(headers)
    return "Slack limits the rate" if asked is None else f"Slack asks for a wait of {asked:.0f} s"
