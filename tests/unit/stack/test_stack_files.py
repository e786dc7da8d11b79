"""Ports, passwords and the environment of the services."""

import json
import socket
import stat

import pytest

from auto_benchmark.errors import RefusedError
from auto_benchmark.settings import Settings
from auto_benchmark.stack import credentials, environment, ports, services
from auto_benchmark.stack.layout import Layout
from auto_benchmark.stack.services import Service


@pytest.fixture
def layout(tmp_path):
    made = Layout(tmp_path / "home", Layout.of(Settings()).repository)
    made.create()
    return made


def test_ports_stay_the_same_and_are_distinct(layout):
    first = ports.load_or_choose(layout)
    assert ports.load_or_choose(layout) == first == ports.recorded(layout)
    assert len({first.postgres, first.airflow, first.arena, first.mlflow}) == 4


def test_a_taken_port_is_named_with_a_way_out(layout):
    chosen = ports.load_or_choose(layout)
    with socket.socket() as other:
        # An earlier stack's closed connections may still hold the port for a minute.
        other.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        other.bind(("127.0.0.1", chosen.airflow))
        other.listen()
        with pytest.raises(RefusedError, match=rf"{chosen.airflow} \(airflow\).*--new-ports"):
            ports.refuse_taken(chosen, {"airflow", "postgres"})
        ports.refuse_taken(chosen, {"postgres"})
        assert ports.load_or_choose(layout, anew=True).airflow != chosen.airflow


def test_credentials_are_made_once_and_for_their_owner_alone(layout):
    made = credentials.load_or_create(layout)
    assert credentials.load_or_create(layout) == made
    assert len(made.jwt_secret) >= 64
    for name in ("credentials.json", "airflow_passwords.json"):
        assert stat.S_IMODE((layout.root / name).stat().st_mode) == 0o600
    assert stat.S_IMODE(layout.root.stat().st_mode) == 0o700
    assert json.loads((layout.root / "airflow_passwords.json").read_text()) == {"admin": made.password}


def build(layout, **inherited):
    return environment.build(
        Settings(), layout, ports.load_or_choose(layout), credentials.load_or_create(layout),
        inherited=inherited, postgres_password="pg-secret", arena_token="arena-secret",
    )  # fmt: skip


def test_the_callers_airflow_does_not_leak_into_the_stack(layout):
    built = build(
        layout,
        AIRFLOW_HOME="/production",
        AIRFLOW__CORE__EXECUTOR="CeleryExecutor",
        AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD="print-production-url",
        AIRFLOW__METRICS__STATSD_ON="True",
        AIRFLOW_CONN_SLACK="slack://x",
        PYTHONPATH="/elsewhere",
    )
    assert built["AIRFLOW_HOME"] == str(layout.airflow_home)
    assert "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_CMD" not in built
    assert built["AIRFLOW__CORE__EXECUTOR"].endswith("LocalExecutor")
    assert built["AIRFLOW_CONN_SLACK"] == "slack://x"
    assert built["AIRFLOW__METRICS__STATSD_ON"] == "True", "where it reports to is the caller's business"
    assert "/elsewhere" not in built["PYTHONPATH"]


def test_three_databases_one_server(layout):
    built = build(layout)
    names = ("AIRFLOW__DATABASE__SQL_ALCHEMY_CONN", "AIRFLOW_CONN_AUTO_BENCHMARK_DB", "MLFLOW_BACKEND_STORE_URI")
    urls = [built[name] for name in names]
    assert [url.rsplit("/", 1)[1] for url in urls] == ["airflow", "auto_benchmark", "mlflow"]
    assert json.loads(built["AIRFLOW_CONN_ARENA"])["password"] == "arena-secret"


@pytest.mark.parametrize("service", list(Service))
def test_no_command_line_shows_a_secret(layout, service):
    line = " ".join(services.command(service, Settings(), layout, ports.load_or_choose(layout)))
    made = credentials.load_or_create(layout)
    assert not any(secret in line for secret in ("pg-secret", "arena-secret", made.password, made.jwt_secret))


def test_a_home_that_cannot_be_written_is_refused(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(RefusedError, match="cannot write"):
        Layout(tmp_path / "file", tmp_path).create()
