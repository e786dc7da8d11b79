from __future__ import annotations

import contextlib
import os
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from tests.waiting import eventually

from auto_benchmark.db import postgres_place, postgres_programs
from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres, free_port
from auto_benchmark.errors import RefusedError

HOLD = """
import sys, time
from pathlib import Path
from auto_benchmark.db.embedded import FAST_AND_UNSAFE, EmbeddedPostgres
server = EmbeddedPostgres(Path(sys.argv[1]), settings=FAST_AND_UNSAFE).start()
print(server.port, flush=True)
time.sleep(600)
"""


def answers(server: EmbeddedPostgres, name: str = "postgres") -> bool:
    dsn = server.database_url(name).replace("+psycopg", "")
    with psycopg.connect(dsn) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)


def postmaster_pid(server: EmbeddedPostgres) -> int:
    return int((server.data / "postmaster.pid").read_text().splitlines()[0])


@pytest.fixture
def home(open_directory: Path, request: pytest.FixtureRequest) -> Path:
    return open_directory / request.node.name[:40]


def test_the_last_user_stops_the_server_and_data_survives(home: Path) -> None:
    first, second = (EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) for _ in range(2))
    first.start()
    second.start()
    assert first.port == second.port
    first.create_database("kept")
    first.create_database("kept")
    pid = postmaster_pid(first)
    first.stop()
    first.stop()
    assert answers(second, "kept")
    second.stop()
    assert not postgres_programs.is_server(pid, second.data)
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as third:
        assert answers(third, "kept")


def test_two_homes_side_by_side(home: Path, postgres: EmbeddedPostgres) -> None:
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as other:
        assert other.port != postgres.port
        other.create_database("only_here")
        assert answers(other, "only_here")
        with pytest.raises(psycopg.OperationalError):
            answers(postgres, "only_here")


def test_two_processes_starting_at_once_share_one_server(home: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(home)]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        ports = {int((process.stdout and process.stdout.readline()) or 0) for process in processes}
        assert len(ports) == 1 and ports != {0}
    finally:
        for process in processes:
            process.send_signal(signal.SIGKILL)
            process.wait()
    # Both died without leaving. The next user finds the server running, and is the last to leave.
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server:
        assert {server.port} == ports
        pid = postmaster_pid(server)
    assert not postgres_programs.is_server(pid, server.data)


def test_a_killed_server_starts_again(home: Path) -> None:
    server = EmbeddedPostgres(home, settings=FAST_AND_UNSAFE).start()
    os.kill(postmaster_pid(server), signal.SIGKILL)
    eventually(lambda: not postgres_programs.is_server(postmaster_pid(server), server.data), "the server's end")
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as again:
        assert answers(again)
    server.stop()


def test_whoever_revives_a_killed_server_keeps_it_when_others_leave(home: Path) -> None:
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as keeper:
        killed = postmaster_pid(keeper)
        os.kill(killed, signal.SIGKILL)

        def revived() -> bool:
            with contextlib.suppress(RefusedError):  # processes of the killed one may hold its memory for a moment
                keeper.revive()
            return is_served_by_another(keeper, killed)

        eventually(revived, "another server")
        with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE, port=keeper.port):
            pid = postmaster_pid(keeper)
        keeper.revive()
        assert postmaster_pid(keeper) == pid
        assert answers(keeper)


def is_served_by_another(server: EmbeddedPostgres, killed: int) -> bool:
    with contextlib.suppress(FileNotFoundError):
        pid = postmaster_pid(server)
        return pid != killed and postgres_programs.is_server(pid, server.data)
    return False


def test_a_pid_file_from_before_a_reboot_names_a_foreign_process(home: Path) -> None:
    server = EmbeddedPostgres(home, settings=FAST_AND_UNSAFE).start()
    server.stop()
    stale = f"{os.getpid()}\n{server.data}\n1700000000\n5999\n\n127.0.0.1\n  1234567  1\nready\n"
    (server.data / "postmaster.pid").write_text(stale)
    (server.root / "users.json").write_text(f'[{{"pid": {os.getpid()}, "started": 1.0, "token": "gone"}}]')
    with server:
        assert answers(server)
    assert not (server.data / "postmaster.pid").exists()


def test_a_half_made_cluster_is_made_anew(home: Path) -> None:
    (home / "postgres" / "data.new").mkdir(parents=True)
    (home / "postgres" / "data.new" / "PG_VERSION").write_text("18\n")
    with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server:
        assert answers(server)


def test_port_and_settings_are_obeyed_and_conflicts_are_told(home: Path, postgres: EmbeddedPostgres) -> None:
    port = free_port()
    settings = {**FAST_AND_UNSAFE, "max_connections": 33}
    with EmbeddedPostgres(home, port=port, settings=settings) as server:
        assert server.port == port
        with psycopg.connect(server.database_url("postgres").replace("+psycopg", "")) as connection:
            assert connection.execute("SHOW max_connections").fetchone() == ("33",)
        with pytest.raises(RefusedError, match="already runs on port"):
            EmbeddedPostgres(home, port=port + 1).start()
    with pytest.raises(RefusedError, match="is taken"):
        EmbeddedPostgres(home, port=postgres.port).start()


def test_a_setting_that_the_server_refuses_is_told_in_its_words(home: Path) -> None:
    with pytest.raises(RefusedError, match="no_such_setting"):
        EmbeddedPostgres(home, settings={"no_such_setting": "1"}).start()


def test_durable_unless_asked_otherwise_and_the_password_is_private(home: Path) -> None:
    with EmbeddedPostgres(home) as server:
        assert stat.S_IMODE((server.root / "password").stat().st_mode) == 0o600
        dsn = server.database_url("postgres").replace("+psycopg", "")
        with psycopg.connect(dsn) as connection:
            assert connection.execute("SHOW fsync").fetchone() == ("on",)
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(host="127.0.0.1", port=server.port, user="postgres", password="wrong", dbname="postgres")


@pytest.fixture
def shelter(open_directory: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(postgres_place, "SHELTER", open_directory / "shelter")
    return open_directory / "shelter"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root needs another user for the server")
class TestPrivateHomeOfRoot:
    def test_it_works_stays_private_and_keeps_its_data(self, home: Path, shelter: Path) -> None:
        home.mkdir(mode=0o700)
        with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server:
            server.create_database("kept")
            assert shelter in server.data.parents
        assert stat.S_IMODE(home.stat().st_mode) == 0o700
        with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server:
            assert answers(server, "kept")

    def test_a_home_made_anew_starts_empty_and_the_orphan_goes(self, home: Path, shelter: Path) -> None:
        home.mkdir(mode=0o700)
        with EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server:
            server.create_database("old")
            orphan = server.data.parent
        shutil.rmtree(home)
        home.mkdir(mode=0o700)
        with (
            EmbeddedPostgres(home, settings=FAST_AND_UNSAFE) as server,
            pytest.raises(psycopg.OperationalError, match="old"),
        ):
            answers(server, "old")
        assert not orphan.exists()

    def test_programs_in_a_private_place_are_copied_once(self, tmp_path: Path, shelter: Path) -> None:
        install = postgres_programs.binaries().parent
        assert not postgres_place.is_reachable(tmp_path)
        copy = postgres_place.sheltered_programs(install)
        assert (copy / "bin" / "initdb").exists() and postgres_place.is_reachable(copy / "bin")
        assert postgres_place.sheltered_programs(install) == copy

    def test_a_shelter_that_is_not_roots_own_is_refused(self, home: Path, shelter: Path) -> None:
        home.mkdir(mode=0o700)
        shutil.rmtree(shelter, ignore_errors=True)
        shelter.mkdir()
        shelter.chmod(0o777)
        with pytest.raises(RefusedError, match="not a directory of root's own"):
            EmbeddedPostgres(home).start()
        shelter.rmdir()


def test_an_unusable_place_is_refused(home: Path) -> None:
    home.write_text("a file")
    with pytest.raises(RefusedError, match="cannot use"):
        EmbeddedPostgres(home).start()
