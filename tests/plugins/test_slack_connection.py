"""Slack through Airflow's own hook and Connection."""

import json

import pytest
from tests.fakes.clock import FrozenClock
from tests.fakes.slack_server import FakeSlack, served

from auto_benchmark.errors import InputError

pytestmark = pytest.mark.airflow


def test_the_hook_posts_with_the_connections_token_and_never_repeats_by_itself(monkeypatch):
    from auto_benchmark_airflow.hooks.http_endpoint import AirflowConnections

    with served(FakeSlack(FrozenClock())) as slack:
        declared = {"conn_type": "slack", "password": slack.token, "extra": {"base_url": slack.url + "/"}}
        monkeypatch.setenv("AIRFLOW_CONN_SLACK_TEST", json.dumps(declared))
        client = AirflowConnections().slack("slack_test")
        assert client.api_call("chat.postMessage", json={"channel": "#alerts", "text": "hello"})["ok"]
        assert [m["text"] for m in slack.posted] == ["hello"]
        slack.faults = ["down", "down"]
        with pytest.raises(Exception, match=r"closed|Remote|reset"):
            client.api_call("chat.postMessage", json={"channel": "#alerts", "text": "again"})
        assert slack.faults == ["down"], "one attempt, one call"


def test_a_missing_connection_is_named():
    from auto_benchmark_airflow.hooks.http_endpoint import AirflowConnections

    with pytest.raises(InputError, match="slack_nowhere"):
        AirflowConnections().slack("slack_nowhere")
