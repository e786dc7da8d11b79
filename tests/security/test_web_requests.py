"""Random requests over the plugin's OpenAPI; ``make acceptance`` sends 5,000."""

import pytest
from tests import web_world
from tests.airflow_home import HOME
from tests.security.web_requests import ask_at_random

from auto_benchmark_airflow.web.world import World

assert HOME
pytestmark = [pytest.mark.airflow, pytest.mark.timeout(180)]
MANY = 120


def test_no_request_fails_the_server_or_shows_another_project(tmp_path, database_url):
    found = ask_at_random(World(web_world.settings_of(tmp_path), lambda: database_url), MANY)
    assert found["requests"] >= MANY
    assert found["routes"] >= 19
    assert found["routes_answered"] >= found["routes"] // 3
