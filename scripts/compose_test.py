"""Brings docker-compose.yml up with two workers, uses it, kills its containers in turn.

``python scripts/compose_test.py`` with podman and podman-compose, or with docker and its compose.
The project, its port and its volumes are of this run alone and are gone at the end.

The shipped trace is uploaded, evaluated and swept. Then the main process of each container is
killed, a worker's after a sweep was begun; everything must come back by itself, and every figure must be
the same. Held against the containers too: an unprivileged user without capabilities, a read-only
root, the limits, the order in which they start, and what each can reach. At the end the project
is taken down and up again on the same volumes.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import yaml
from engines import ROOT, Engine, NoEngine, find_engine, own_image

FILE = ROOT / "docker-compose.yml"
TRACE = ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
FLASH, DISK = "samsung-pm9a3-7.68tb-u2", "seagate-exos-2x18-18tb"
WORKERS = 2
START_S = 180.0
RECOVERY_S = 120.0
RUN_S = 300.0
TUS = {"Tus-Resumable": "1.0.0"}
KILL_MAIN = """
for place in /proc/[0-9]*; do
  while read -r name value; do
    if [ "$name" = PPid: ] && [ "$value" = 1 ]; then kill -9 "${place#/proc/}"; exit; fi
  done <"$place/status"
done 2>/dev/null
exit 1
"""
"""Kills what the container's init process started, as a crash would: the engine did not ask."""


class Failure(AssertionError):
    """Something that the compose file promises does not hold."""


def say(text: str) -> None:
    """Print a line of the report."""
    print(f"{time.strftime('%H:%M:%S')} {text}", flush=True)


def expect(holds: bool, text: str) -> None:  # noqa: FBT001
    """Fail unless something holds."""
    if not holds:
        raise Failure(text)


def wait(what: str, seconds: float, holds: Callable[[], Any]) -> float:
    """Wait until something holds, and return how long it took."""
    began = time.monotonic()
    while not holds():
        if time.monotonic() - began > seconds:
            raise Failure(f"{what}: not within {seconds:.0f} s")
        time.sleep(0.5)
    return time.monotonic() - began


def free_port() -> int:
    """Return a loopback port that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


# --- the containers ------------------------------------------------------------


class Project:
    """One project of the compose file, with a name, a port and a password of its own."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.name = f"tierwright-test-{os.getpid()}"
        self.port = free_port()
        self.compose_command = engine.compose()
        self.environment = {
            **{n: v for n, v in os.environ.items() if not n.startswith("TIERWRIGHT_")},
            "TIERWRIGHT_POSTGRES_PASSWORD": secrets.token_urlsafe(18),
            "TIERWRIGHT_PORT": str(self.port),
        }
        found = re.match(r"(\d+)\.(\d+)", engine.version)
        version = (int(found[1]), int(found[2])) if found else (0, 0)
        self.keeps_order = engine.name == "docker" or version >= (4, 6)
        """Older podman cannot wait for health; the order is kept from here then."""

    def compose(self, *words: str) -> str:
        """Run a command of compose."""
        done = subprocess.run(
            [*self.compose_command, "-p", self.name, "-f", str(FILE), *words],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
            timeout=START_S * 3,
        )
        if done.returncode:
            raise Failure(
                f"compose {' '.join(words)}: {(done.stdout + done.stderr)[-3000:]}"
            )
        return done.stdout

    def containers(self, service: str) -> list[str]:
        """Return the names of a service's containers."""
        labels = (f"project={self.name}", f"service={service}")
        filters = [f"--filter=label=com.docker.compose.{label}" for label in labels]
        done = self.engine.run("ps", "--all", *filters, "--format", "{{.Names}}")
        return sorted(done.stdout.split())

    def all(self) -> list[str]:
        """Return the names of all containers."""
        return [n for s in ("postgres", "app", "worker") for n in self.containers(s)]

    def execute(self, container: str, *words: str) -> subprocess.CompletedProcess[str]:
        """Run a command in a container, as its user."""
        return self.engine.run("exec", container, *words, check=False)

    def state(self, container: str) -> dict[str, Any]:
        """Return what the engine says of a container."""
        found = self.engine.inspect("container", container)
        if found is None:
            raise Failure(f"{container} is gone")
        return found

    def is_healthy(self, container: str) -> bool:
        """Say whether the container's own health check passes now."""
        state = self.state(container)["State"]
        if state["Status"] != "running":
            return False
        if self.engine.name == "podman":
            # It checks on timers of systemd, which not every machine has.
            done = self.engine.run("healthcheck", "run", container, check=False)
            return done.returncode == 0
        return bool(state["Health"]["Status"] == "healthy")

    def wait_healthy(self, *services: str) -> float:
        """Wait for the health of every container of the services."""
        return wait(
            f"{', '.join(services)} healthy",
            START_S,
            lambda: all(
                self.is_healthy(name) for s in services for name in self.containers(s)
            ),
        )

    def up(self) -> None:
        """Start everything in its order, and wait until all are healthy."""
        began = time.monotonic()
        scale = ("--scale", f"worker={WORKERS}")
        if self.keeps_order:
            self.compose("up", "--detach", "--no-build", *scale)
            self.wait_healthy("postgres", "app", "worker")
        else:
            for service in ("postgres", "app", "worker"):
                more = scale if service == "worker" else ()
                self.compose(
                    "up", "--detach", "--no-build", "--no-deps", *more, service
                )
                self.wait_healthy(service)
        expect(len(self.containers("worker")) == WORKERS, "there are not two workers")
        say(f"up: four containers healthy after {time.monotonic() - began:.0f} s")

    def down(self, *more: str) -> None:
        """Stop and remove the containers and networks."""
        began = time.monotonic()
        # podman-compose takes a second worker for an orphan.
        self.compose("down", "--remove-orphans", *more)
        expect(not self.all(), f"`down` left {self.all()}")
        say(f"down: {time.monotonic() - began:.0f} s")

    def logs(self) -> str:
        """Return the end of what each container printed."""
        told = []
        for name in self.all():
            done = self.engine.run("logs", "--tail", "30", name, check=False)
            told.append(f"--- {name}\n{done.stdout}{done.stderr}")
        return "\n".join(told)

    def clean_up(self) -> None:
        """Remove whatever this project made."""
        for name in reversed(self.all()):
            self.engine.run("rm", "--force", name, check=False)
        for kind in ("network", "volume"):
            # By name: podman-compose leaves a volume that two services share, unlabelled.
            named = f"--filter=name={self.name}_"
            done = self.engine.run(kind, "ls", "--quiet", named, check=False)
            for name in done.stdout.split():
                self.engine.run(kind, "rm", name, check=False)


# --- the application -----------------------------------------------------------


class Application:
    """What a person does with it, over HTTP."""

    def __init__(self, port: int) -> None:
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{port}", timeout=30, trust_env=False
        )
        self.workload = ""

    def ask(self, method: str, path: str, status: int = 200, **sent: Any) -> Any:
        """Send a request, and return the answer's document."""
        answer = self.client.request(method, f"/api/v1{path}", **sent)
        text = f"{method} {path}: {answer.status_code} {answer.text[:500]}"
        expect(answer.status_code == status, text)
        return answer.json() if answer.content else None

    def is_ready(self) -> bool:
        """Say whether the database answers and every worker's heart beats."""
        with contextlib.suppress(httpx.HTTPError):
            answer = self.client.get("/api/v1/health")
            if answer.status_code == httpx.codes.OK:
                found = answer.json()
                return found["status"] == "ok" and found["workers_alive"] >= WORKERS
        return False

    def upload(self) -> None:
        """Upload the shipped trace and wait for its profile."""
        name = base64.b64encode(TRACE.name.encode()).decode()
        data = TRACE.read_bytes()
        head = {
            **TUS,
            "Upload-Length": str(len(data)),
            "Upload-Metadata": f"filename {name}",
        }
        begun = self.client.post("/api/v1/uploads", headers=head)
        expect(begun.status_code == httpx.codes.CREATED, f"upload: {begun.text}")
        place = begun.headers["Location"]
        head = {
            **TUS,
            "Content-Type": "application/offset+octet-stream",
            "Upload-Offset": "0",
        }
        sent = self.client.patch(place, content=data, headers=head)
        expect(sent.status_code == httpx.codes.NO_CONTENT, f"upload: {sent.text}")
        body = {"upload_id": place.rsplit("/", 1)[-1], "name": "TPC-B"}
        self.workload = self.ask("POST", "/workloads", 202, json=body)["id"]
        path = f"/workloads/{self.workload}"
        wait("the import", RUN_S, lambda: self.ask("GET", path)["status"] == "ready")

    def begin_sweep(self, sizes: list[int]) -> tuple[str, str]:
        """Begin a sweep, and return its id and its run's."""
        contenders = [
            {"family": "policy", "name": "2q", "options": {}},
            {"family": "scheme", "name": "lazy", "options": {}},
        ]
        body = {
            "workload_id": self.workload,
            "contenders": contenders,
            "ram_pages": sizes,
            "flash_pages": [8_000],
        }
        made = self.ask("POST", "/sweeps", 202, json=body)
        return made["id"], made["run"]["id"]

    def finish(self, sweep: tuple[str, str]) -> dict[str, Any]:
        """Wait for a sweep, and return it."""

        def is_final() -> bool:
            with contextlib.suppress(httpx.TransportError):
                run = self.ask("GET", f"/runs/{sweep[1]}")
                expect(run["status"] not in {"failed", "cancelled"}, f"sweep: {run}")
                return bool(run["status"] == "succeeded")
            return False

        wait("the sweep", RUN_S, is_final)
        found: dict[str, Any] = self.ask("GET", f"/sweeps/{sweep[0]}")
        return found

    def figures(self, sweeps: list[str], scenario: str) -> dict[str, Any]:
        """Return all that must be found again, the same."""
        sizes = {"ram_pages": 1_000, "flash_pages": 6_000}
        devices = {"flash_device_id": FLASH, "disk_device_id": DISK}
        return {
            "workload": self.ask("GET", f"/workloads/{self.workload}"),
            "evaluation": self.ask(
                "POST",
                "/evaluations",
                json={"workload_id": self.workload, **sizes, **devices},
            ),
            "curve": self.ask("GET", f"/workloads/{self.workload}/curve?points=100"),
            "sweeps": [self.ask("GET", f"/sweeps/{sweep}")["rows"] for sweep in sweeps],
            "scenario": self.ask("GET", f"/scenarios/{scenario}"),
        }


# --- what the compose file promises --------------------------------------------


def number(text: str) -> int:
    """Read a size such as 1g or ${NAME:-1g}."""
    bare = re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", text)
    found = re.fullmatch(r"(\d+)([kmg]?)b?", bare)
    if found is None:
        raise Failure(f"`{text}` is no size")
    return int(found[1]) * 1024 ** " kmg".index(found[2] or " ")


def first_of(project: Project, container: str, *paths: str) -> str:
    """Read the first of some files that a container has."""
    for path in paths:
        done = project.execute(container, "cat", path)
        if done.returncode == 0:
            return done.stdout.strip()
    raise Failure(f"{container} has none of {', '.join(paths)}")


def check_user(project: Project, container: str, service: dict[str, Any]) -> None:
    """Hold a container against its user, capabilities and read-only root."""
    uid, gid = service["user"].split(":")
    status = first_of(project, container, "/proc/1/status")
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    expect(lines["Uid"].split() == [uid] * 4, f"{container}: uid {lines['Uid']}")
    expect(lines["Gid"].split() == [gid] * 4, f"{container}: gid {lines['Gid']}")
    for name in ("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"):
        expect(int(lines[name], 16) == 0, f"{container}: {name} {lines[name]}")
    expect(lines["NoNewPrivs"].strip() == "1", f"{container}: it may gain privileges")
    for place in ("/probe", "/usr/local/bin/probe", "/etc/probe"):
        done = project.execute(container, "touch", place)
        is_refused = done.returncode != 0 and "Read-only file system" in done.stderr
        expect(is_refused, f"{container}: touch {place}: {done.stderr.strip()}")
    own = service["volumes"][0].split(":")[1]
    for place in (f"{own}/probe", "/tmp/probe"):
        done = project.execute(container, "sh", "-c", f"touch {place} && rm {place}")
        expect(done.returncode == 0, f"{container}: {place}: {done.stderr.strip()}")


def check_limits(project: Project, container: str, service: dict[str, Any]) -> None:
    """Hold a container against its limits, as its control group has them."""
    group = "/sys/fs/cgroup"
    memory = first_of(
        project,
        container,
        f"{group}/memory.max",
        f"{group}/memory/memory.limit_in_bytes",
    )
    expect(int(memory) == number(service["mem_limit"]), f"{container}: memory {memory}")
    pids = first_of(project, container, f"{group}/pids.max", f"{group}/pids/pids.max")
    expect(int(pids) == service["pids_limit"], f"{container}: processes {pids}")
    quota = first_of(
        project, container, f"{group}/cpu.max", f"{group}/cpu/cpu.cfs_quota_us"
    )
    period = (
        quota.split()[1]
        if " " in quota
        else first_of(project, container, f"{group}/cpu/cpu.cfs_period_us")
    )
    cpus = int(quota.split()[0]) / int(period)
    expect(cpus == number(str(service["cpus"])), f"{container}: {cpus} processors")


@contextlib.contextmanager
def listener() -> Iterator[tuple[str, int]]:
    """Listen on this machine's own address, as something outside of the containers would."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # sends nothing; the route names our address
        address = str(probe.getsockname()[0])
    with socket.create_server((address, 0), backlog=16) as server:
        server.settimeout(0.2)
        done = threading.Event()

        def answer() -> None:
            while not done.is_set():
                with contextlib.suppress(TimeoutError):
                    server.accept()[0].close()

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        try:
            yield address, int(server.getsockname()[1])
        finally:
            done.set()
            thread.join()


def reaches(project: Project, container: str, host: str, port: int) -> bool:
    """Say whether a container can connect to an address."""
    command = f"exec 3<>/dev/tcp/{host}/{port}"
    done = project.execute(container, "timeout", "5", "bash", "-c", command)
    return done.returncode == 0


def check_networks(project: Project) -> None:
    """Hold the containers against what they may reach, and what reaches them."""
    (postgres,), (app,) = project.containers("postgres"), project.containers("app")
    workers = project.containers("worker")
    with listener() as (host, port):
        expect(not reaches(project, postgres, host, port), "postgres has a way out")
        for name in (*workers, app):
            # Names are known a moment after a container starts.
            wait(
                f"{name} reaches the database",
                30,
                partial(reaches, project, name, "postgres", 5432),
            )
        for worker in workers:
            expect(reaches(project, worker, host, port), f"{worker} has no way out")
        out = reaches(project, app, host, port)
        say(
            f"networks: postgres has no way out, workers have; app has {'one' if out else 'none'}"
        )
        with socket.socket() as probe:
            probe.settimeout(3)
            expect(
                probe.connect_ex((host, project.port)) != 0,
                f"the page is reached at {host}, not on loopback alone",
            )
    for name in project.all():
        bound = project.state(name)["HostConfig"].get("PortBindings") or {}
        ends = {
            (end["HostIp"], end["HostPort"]) for e in bound.values() for end in e or ()
        }
        wanted = {("127.0.0.1", str(project.port))} if name == app else set()
        expect(ends == wanted, f"{name} publishes {ends}")


def check_order(project: Project) -> None:
    """Hold the containers against the order in which they start."""
    began = [
        min(project.state(name)["State"]["StartedAt"] for name in project.containers(s))
        for s in ("postgres", "app", "worker")
    ]
    expect(began == sorted(began), f"postgres, app and worker started at {began}")
    who = "the engine" if project.keeps_order else "this script (the engine cannot)"
    say(
        f"order: postgres, app, workers, each after the health of the one before; by {who}"
    )


# --- the whole -----------------------------------------------------------------


def kill(project: Project, application: Application, container: str) -> None:
    """Kill a container's main process, and wait until everything is back by itself."""
    before = project.state(container)["State"]["StartedAt"]
    done = project.execute(container, "bash", "-c", KILL_MAIN)
    wait(
        f"{container} starts again (kill: {done.returncode} {done.stderr.strip()})",
        RECOVERY_S,
        lambda: project.state(container)["State"]["StartedAt"] != before,
    )
    began = time.monotonic()
    wait(
        f"everything is back after the kill of {container}",
        RECOVERY_S,
        lambda: application.is_ready() and all(map(project.is_healthy, project.all())),
    )
    service = container.removeprefix(project.name).strip("-_")
    say(
        f"killed {service}: all healthy {time.monotonic() - began:.0f} s after its restart"
    )


def same(now: dict[str, Any], before: dict[str, Any], when: str) -> None:
    """Fail unless everything is found again."""
    for what, value in before.items():
        told = json.dumps(now[what])[:300], json.dumps(value)[:300]
        expect(now[what] == value, f"{when}: {what} is {told[0]}, was {told[1]}")


def trial(project: Project) -> None:
    """Do everything."""
    services = yaml.safe_load(FILE.read_text())["services"]
    application = Application(project.port)
    project.up()
    check_order(project)
    for service, described in services.items():
        for name in project.containers(service):
            check_user(project, name, described)
            check_limits(project, name, described)
    say("users, capabilities, read-only roots and limits are in force")
    check_networks(project)
    wait("ready", START_S, application.is_ready)

    application.upload()
    state = {"ram": "1000", "flash": "6000"}
    saved = {"name": "a saved one", "question": "compare", "state": state}
    scenario = application.ask("POST", "/scenarios", 201, json=saved)["id"]
    sweeps = [application.begin_sweep([1_000, 2_000, 4_000])]
    application.finish(sweeps[0])
    before = application.figures([sweeps[0][0]], scenario)
    say(f"uploaded, evaluated (best: {before['evaluation']['best']}), swept, saved")

    for at, worker in enumerate(project.containers("worker")):
        sweep = application.begin_sweep([500 + at + 37 * step for step in range(150)])
        kill(project, application, worker)
        application.finish(sweep)
        sweeps.append(sweep)
    for name in (*project.containers("app"), *project.containers("postgres")):
        kill(project, application, name)
        same(application.figures([sweeps[0][0]], scenario), before, f"after {name}")
    say(
        "every figure is the same; the sweep begun before each worker's kill is complete"
    )

    names = project.all()
    project.engine.run("restart", *names, timeout=300)
    took = wait(
        "back after a restart of all, in no order",
        START_S,
        lambda: application.is_ready() and all(map(project.is_healthy, names)),
    )
    same(application.figures([sweeps[0][0]], scenario), before, "after the restart")
    say(f"restarted all in no order: back after {took:.0f} s, every figure the same")

    every = application.figures([sweep[0] for sweep in sweeps], scenario)
    project.down()
    project.up()
    wait("ready", START_S, application.is_ready)
    again = application.figures([sweep[0] for sweep in sweeps], scenario)
    same(again, every, "after down and up")
    say("down and up on the same volumes: every figure the same")
    project.down("--volumes")


def main() -> int:
    """Bring the project up, try it, and clean up."""
    try:
        engine = find_engine()
        project = Project(engine)
    except NoEngine as error:
        print(f"error: {error}", file=sys.stderr)
        print(
            "hint: podman and podman-compose, or docker with its compose",
            file=sys.stderr,
        )
        return 2
    if not engine.has_image(own_image()):
        print("error: the image is not built\nhint: make image", file=sys.stderr)
        return 2
    say(f"{engine.name} {engine.version}, {Path(project.compose_command[0]).name}")
    began = time.monotonic()
    try:
        trial(project)
    except (Failure, subprocess.TimeoutExpired, httpx.HTTPError) as failure:
        print(f"{project.logs()}\nerror: {failure}", file=sys.stderr)
        return 1
    finally:
        project.clean_up()
    say(f"passed in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
