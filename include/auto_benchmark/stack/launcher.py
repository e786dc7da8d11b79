"""Starts and stops the embedded stack: Postgres, Airflow, the arena and MLflow on one machine.

Airflow's parts start in stages, because a scheduler that runs a task before the API server listens fails the task,
and because the first request to the execution API builds it for many seconds. Starting is idempotent: what runs is
left alone, what died is started again, and what a dead service left behind is cleared first.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from auto_benchmark.artifacts.folder_lock import locked
from auto_benchmark.db.embedded import EmbeddedPostgres, port_is_free
from auto_benchmark.db.migrate import upgrade
from auto_benchmark.db.postgres_programs import is_server
from auto_benchmark.errors import AutoBenchmarkError, RefusedError
from auto_benchmark.reporting.words import counted
from auto_benchmark.runners import isolation
from auto_benchmark.settings import Settings, process_environment
from auto_benchmark.stack import credentials, environment, ports, services
from auto_benchmark.stack.airflow_api import AirflowApi
from auto_benchmark.stack.layout import Layout
from auto_benchmark.stack.postgres_service import SETTINGS
from auto_benchmark.stack.probes import NotReadyError, answers, tail, wait_until
from auto_benchmark.stack.processes import Processes
from auto_benchmark.stack.services import USES_PORT, Service

READY_TIMEOUT_S = 180.0
LEFTOVER_TIMEOUT_S = 3.0
NORMAL_POOL, URGENT_POOL = "trial_slots", "trial_slots_urgent"


class Launcher:
    """The stack of one home.

    Args:
        settings: of this process.
        say: told one line per step.
        more_dags: a second folder of DAG files, for measurements.
    """

    def __init__(self, settings: Settings, say: Callable[[str], None], *, more_dags: Path | None = None) -> None:
        self.settings, self.say, self.more_dags = settings, say, more_dags
        self.user = credentials.USER
        self.layout = Layout.of(settings)
        self.processes = Processes(self.layout.root / "processes.json")
        self._began = time.monotonic()
        self._started: set[Service] = set()

    def up(self, *, new_ports: bool = False, unpause: bool = True) -> None:
        """Start everything that does not run.

        Args:
            new_ports: choose ports anew; refused while the stack runs.
            unpause: let every DAG run by its schedule.

        Raises:
            RefusedError: a port is taken, the home cannot be written, or a DAG file cannot be loaded.
            NotReadyError: a service did not come up; the message holds the end of its log.
        """
        self._began = time.monotonic()
        self._started.clear()
        self.layout.create()
        with self._lock():
            missing = [service for service in Service if self._is_down(service)]
            if new_ports and len(missing) < len(Service):
                raise RefusedError("the stack runs on its ports; stop it first: auto-benchmark stack down")
            self._clear_leftovers(missing)
            self.ports = ports.load_or_choose(self.layout, anew=new_ports)
            self.credentials = credentials.load_or_create(self.layout)
            needed = set[str]().union(*(USES_PORT.get(service, set()) for service in missing))
            ports.refuse_taken(self.ports, needed - ({"postgres"} if self._postgres_is_ours() else set()))
            try:
                self._start_all(unpause)
            except BaseException:  # an interrupt too: a half-started stack is of no use
                self.processes.stop(self._reverse(self._started | set(missing)))
                raise

    def down(self) -> None:
        """Stop everything, and clear what killed services left behind."""
        self._began = time.monotonic()
        if not self.layout.root.is_dir():
            stopped = self._stop_orphaned_postgres()
            self.say("stopped the database of a killed command" if stopped else "nothing has ever been started here")
            return
        with self._lock():
            recorded = self.processes.names()
            others = [service for service in self._reverse(Service) if service != Service.POSTGRES]
            killed = self.processes.stop([name for name in others if name in recorded])
            killed += self.processes.stop([name for name in (Service.POSTGRES,) if name in recorded])
            self._stop_orphaned_postgres()
            if killed:
                self._step(f"had to kill {', '.join(killed)}")
            self._step(f"stopped {counted(len(recorded), 'service')}" if recorded else "nothing was running")

    def status(self) -> dict[str, object]:
        """Which services run, and where people find them."""
        found = ports.recorded(self.layout)
        running = {s.value: (p.pid if (p := self.processes.running(s)) else None) for s in Service}
        where = services.urls(found) if found else {}
        return {"services": running, "urls": where, "logs": str(self.layout.logs)}

    def airflow(self) -> AirflowApi:
        """A client of the running Airflow. Raises RefusedError when there is none."""
        found = ports.recorded(self.layout)
        if found is None or self.processes.running(Service.API_SERVER) is None:
            raise RefusedError("the stack is not running: auto-benchmark stack up")
        return AirflowApi(services.urls(found)["airflow"], credentials.load_or_create(self.layout).password)

    def environment(self) -> dict[str, str]:
        """The environment of the services, for a command that runs beside them."""
        found = ports.recorded(self.layout)
        if found is None:
            raise RefusedError("the stack has never been started: auto-benchmark stack up")
        return environment.build(
            self.settings,
            self.layout,
            found,
            credentials.load_or_create(self.layout),
            inherited=process_environment(),
            postgres_password=(self.layout.home / "postgres" / "password").read_text().strip(),
            arena_token=self.arena_token(),
            more_dags=self.more_dags,
        )

    def _start_all(self, unpause: bool) -> None:
        """Start what is down at its turn: what ran at first may have died since, because Postgres was gone."""
        if self._is_down(Service.POSTGRES):
            self._start(Service.POSTGRES)
            self._wait(Service.POSTGRES, self._postgres_answers)
        with EmbeddedPostgres(self.layout.home, port=self.ports.postgres, settings=SETTINGS) as server:
            for name in environment.DATABASES:
                server.create_database(name)
        self._step(f"Postgres on port {self.ports.postgres}")
        self._start_if_down(Service.ARENA)
        self._migrate()
        self._start_if_down(Service.API_SERVER, Service.DAG_PROCESSOR)
        url = services.urls(self.ports)["airflow"]
        self._wait(Service.API_SERVER, partial(answers, f"{url}/api/v2/version"))
        self._step("Airflow's API answers")
        answers(f"{url}/execution/health", timeout_s=READY_TIMEOUT_S)
        self._step("execution API warmed up")
        with self.airflow() as api:
            self._prepare_pools(api)
            self._start_if_down(Service.SCHEDULER, Service.TRIGGERER)
            self._wait(Service.TRIGGERER, partial(_healthy, api))
            self._step("scheduler, triggerer and DAG processor are healthy")
            self._prepare_dags(api, unpause=unpause)
        arena = services.urls(self.ports)["arena"]
        self._wait(Service.ARENA, partial(answers, f"{arena}/healthz"))
        self._step(f"arena on {arena}")
        if self._is_down(Service.MLFLOW):
            self._start(Service.MLFLOW)
            self._step(f"MLflow is starting on {services.urls(self.ports)['mlflow']}; nothing waits for it")
        if fallen := self._start_if_down(*Service):
            self._step(f"started again, after the database was away: {', '.join(fallen)}")

    def _is_down(self, service: Service) -> bool:
        return self.processes.running(service) is None

    def _start_if_down(self, *some: Service) -> list[Service]:
        down = [service for service in some if self._is_down(service)]
        self._clear_leftovers(down)
        for service in down:
            self._start(service)
        return down

    def _start(self, service: Service) -> None:
        self.processes.start(
            service,
            services.command(service, self.settings, self.layout, self.ports),
            environment=self._environment_of(service),
            log=self.layout.log(service),
            cwd=self.layout.root,
        )
        self._started.add(service)

    def _environment_of(self, service: Service) -> dict[str, str]:
        if service is Service.POSTGRES:
            return _bare(self.layout)
        if service is Service.SCHEDULER:  # every task below it is a process that would find out anew
            return self._with_token() | isolation.handed_on()
        if service in {Service.DAG_PROCESSOR, Service.TRIGGERER}:
            return self._with_token()
        return self.environment()

    def _wait(self, service: Service, ready: Callable[[], bool]) -> None:
        """Wait for a service; one that was running before, and ends now, is started once more."""
        try:
            self._wait_once(service, ready)
        except NotReadyError:
            if service in self._started or not self._is_down(service):
                raise
            self._start_if_down(service)
            self._wait_once(service, ready)

    def _wait_once(self, service: Service, ready: Callable[[], bool]) -> None:
        process, log = self.processes.running(service), self.layout.log(service)
        if process is None:
            raise NotReadyError(f"{service} has ended; {log} ends with:\n{tail(log)}")
        wait_until(ready, name=service, process=process, log=log, timeout_s=READY_TIMEOUT_S)

    def _migrate(self) -> None:
        """Bring both schemas up to date; Airflow's in a process of its own, because the library never imports it."""
        variables = self.environment()
        log = self.layout.log("migrate")
        with log.open("ab") as output:
            command = services.command(Service.API_SERVER, self.settings, self.layout, self.ports)[:-1]
            airflow = subprocess.Popen(  # noqa: S603 - Airflow's own command
                [*command, "db", "migrate"], env=variables, cwd=self.layout.root, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT,
            )  # fmt: skip
        try:
            upgrade(variables["AUTO_BENCHMARK_DB_URL"])
            if airflow.wait(timeout=READY_TIMEOUT_S) != 0:
                raise NotReadyError(f"airflow db migrate failed; see {log}")
        except subprocess.TimeoutExpired:
            raise NotReadyError(f"airflow db migrate did not end within {READY_TIMEOUT_S:g} s; see {log}") from None
        finally:
            airflow.kill()
        self._step("databases migrated")

    def _prepare_pools(self, api: AirflowApi) -> None:
        slots = self.settings.parallel_trials
        api.set_pool(NORMAL_POOL, slots=slots, description="trials of normal sweeps")
        api.set_pool(URGENT_POOL, slots=slots, description="trials that answer a rank drop; no normal sweep uses it")

    def _prepare_dags(self, api: AirflowApi, *, unpause: bool) -> None:
        folders = [self.layout.repository / "dags", *([self.more_dags] if self.more_dags else [])]
        expected = {path.stem for folder in folders for path in folder.glob("*.py")}
        self._wait(Service.DAG_PROCESSOR, lambda: bool(api.import_errors()) or expected <= api.dags().keys())
        if errors := api.import_errors():
            raise RefusedError("a DAG file cannot be loaded:\n" + "\n".join(errors))
        for dag_id, paused in api.dags().items():
            if paused and unpause:
                api.unpause(dag_id)
        self._step(f"{counted(len(api.dags()), 'DAG')} loaded" + (" and unpaused" if unpause else ""))

    def _with_token(self) -> dict[str, str]:
        """The environment with the arena's token, which exists once the arena has started for the first time."""
        self._wait(Service.ARENA, lambda: self.arena_token() is not None)
        return self.environment()

    def arena_token(self) -> str | None:
        """The arena's token; None before its first start."""
        file = self.layout.arena / "token"
        return file.read_text().strip() or None if file.is_file() else None

    def _postgres_answers(self) -> bool:
        return not port_is_free(self.ports.postgres)

    def _postgres_is_ours(self) -> bool:
        """Whether this home's own server holds the port: it outlives its keeper, and the next one takes it over."""
        data = self.layout.home / "postgres" / "data"
        try:
            lines = (data / "postmaster.pid").read_text().splitlines()
            return int(lines[3]) == self.ports.postgres and is_server(int(lines[0]), data)
        except (OSError, ValueError, IndexError):
            return False

    def _clear_leftovers(self, missing: list[Service]) -> None:
        for service in missing:
            if left := self.processes.leftovers(service):
                self._step(f"clearing {counted(len(left), 'process', 'processes')} that a dead {service} left behind")
                self.processes.stop([service], timeout_s=LEFTOVER_TIMEOUT_S)

    def _stop_orphaned_postgres(self) -> bool:
        """Stop a server whose keeper was killed: attach, and leave as its last user. Whether one was stopped."""
        running = self.layout.home / "postgres" / "data" / "postmaster.pid"
        if not running.exists():
            return False
        with EmbeddedPostgres(self.layout.home):
            pass
        return not running.exists()

    @staticmethod
    def _reverse(some: Iterable[Service]) -> list[Service]:
        order = list(Service)
        return sorted(some, key=order.index, reverse=True)

    def _step(self, text: str) -> None:
        self.say(f"{time.monotonic() - self._began:6.1f} s  {text}")

    def _lock(self) -> AbstractContextManager[None]:
        taken = "another process starts or stops this stack; wait for it"
        return locked(self.layout.root, "lock", taken=taken, mode=0o600)


def _bare(layout: Layout) -> dict[str, str]:
    """The environment of the service that runs before there is a password: it needs the library, nothing else."""
    return {**process_environment(), "PYTHONPATH": str(layout.repository / "include")}


def _healthy(api: AirflowApi) -> bool:
    try:
        return all(status == "healthy" for status in api.health().values())
    except AutoBenchmarkError:
        return False
