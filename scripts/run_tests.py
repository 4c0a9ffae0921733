"""Runs the test suites and closes with one line of counts.

``python scripts/run_tests.py [rust] [models] [backend] [page] [e2e]``; all of them without arguments. `long`,
`long-e2e`, `wheels` and `containers` (what is long by nature) and `pictures` run only when they are named. Every suite runs even when an earlier one failed, so that one run shows everything. What failed,
and why, is told again at the end, where a reader of a long log looks first.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO
from xml.etree import ElementTree

from engines import NoEngine, base_images, find_engine

ROOT = Path(__file__).resolve().parent.parent
BIN = ROOT / ".venv" / "bin"
START_TIMEOUT_S = 90
TOLD_FAILURES = 12  # of each suite, at the end
PYTHON_WORKERS = "3"  # on two cores too: half of what the tests do is to wait
SLOWEST = 25
TOLD_LINES = 8  # of each failure


@dataclass(frozen=True)
class Counts:
    """Outcome of one suite."""

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    failures: tuple[str, ...] = ()
    """Name and message of each failure."""
    times: tuple[tuple[float, str], ...] = ()
    """Seconds of each test, where the suite says them, and its name."""

    def __add__(self, other: Counts) -> Counts:
        """Sum of two outcomes."""
        return Counts(
            self.passed + other.passed,
            self.failed + other.failed,
            self.skipped + other.skipped,
            self.failures + other.failures,
            self.times + other.times,
        )


def failure(name: str, message: str) -> str:
    """One failure for the end of the log: its name, and the first lines of what it said."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", message)
    lines = [line.rstrip()[:200] for line in plain.splitlines() if line.strip()]
    return "\n    ".join([name, *lines[:TOLD_LINES]])


def environment() -> dict[str, str]:
    """Environment of the suites: the project's own tools first in PATH."""
    env = dict(os.environ)
    env["PATH"] = f"{BIN}{os.pathsep}{env['PATH']}"
    # Where a shell sets it, every process would compile what it imports anew.
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    if env.get("CI"):
        env.setdefault("CARGO_INCREMENTAL", "0")  # nothing is built a second time
    return env


class Lane(threading.local):
    """Of the suites that run one after another: where their output goes, and what they took."""

    def __init__(self) -> None:
        self.output: TextIO = sys.stdout
        self.processor_s = 0.0


LANE = Lane()


def waited(process: subprocess.Popen[Any], timeout_s: float | None = None) -> int:
    """Wait for a program; add the processor time that it and what it started took.

    Raises
    ------
    TimeoutError
        If it still runs after `timeout_s`.
    """
    if (
        process.returncode is not None
    ):  # whoever looked whether it runs has taken its end
        return process.returncode
    until = None if timeout_s is None else time.monotonic() + timeout_s
    while True:
        pid, status, used = os.wait4(process.pid, 0 if until is None else os.WNOHANG)
        if pid:
            LANE.processor_s += used.ru_utime + used.ru_stime
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode
        if until is not None and time.monotonic() > until:
            raise TimeoutError
        time.sleep(0.1)


def run(command: list[str], cwd: Path = ROOT, **extra: str) -> int:
    """Run ``command``; its output goes where that of its lane goes."""
    LANE.output.flush()
    return waited(
        subprocess.Popen(
            command,
            cwd=cwd,
            env=environment() | extra,
            stdin=subprocess.DEVNULL,
            stdout=LANE.output,
            stderr=subprocess.STDOUT,
        )
    )


def closed(counts: Counts, exit_code: int) -> Counts:
    """Count a suite that failed without a failing test (a crash) as one failure."""
    crashed = exit_code != 0 and counts.failed == 0
    nothing = exit_code == 0 and counts.passed == 0
    if not crashed and not nothing:
        return counts
    why = "ran no test" if nothing else "no test failed"
    return counts + Counts(failed=1, failures=(f"exit code {exit_code}: {why}",))


def rust(*chosen: str, **extra: str) -> Counts:
    """``cargo test`` of the simulator core, of all or of what is chosen."""
    command = ["cargo", "test", "--locked", "--manifest-path", "models/Cargo.toml"]
    command += ["--package", "tierwright-simulator", *chosen]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=environment() | extra,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    counts = Counts()
    assert process.stdout is not None
    for line in process.stdout:
        LANE.output.write(line)
        found = re.match(
            r"test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored", line
        )
        if found:
            counts += Counts(int(found[1]), int(found[2]), int(found[3]))
        broken = re.match(r"test (\S+) \.\.\. FAILED", line)
        if broken:
            counts += Counts(failures=(broken[1],))
    return closed(counts, waited(process))


def models() -> Counts:
    """``pytest`` of the models, without what is long by nature."""
    return pytest("not long", "models/tests", HYPOTHESIS_PROFILE="usual")


def backend() -> Counts:
    """``pytest`` of the server, without what is long by nature."""
    return pytest("not long", "backend/tests", HYPOTHESIS_PROFILE="usual")


ADVICE_PROBLEMS = "60"
"""Random problems of each invariant of the advisor in `make test-long`; `make prove-advice` tries 10,000."""


RANDOM_TRACES = "2000"
"""Random traces of each flash cache and of the chooser in `make test-long`; `make test` tries 200, `make prove-caches` 10,000."""


def long() -> Counts:
    """Run what is long by nature, every property with all its examples, and random traces by the thousand."""
    core = Counts()
    for chosen in (
        ("--test", "flash_caches"),
        ("--test", "replay_online"),
        ("--lib", "ftl::"),
    ):
        core += rust(*chosen, PROPTEST_CASES=RANDOM_TRACES)
    return core + pytest(
        "long or hypothesis or random_traces",
        TIERWRIGHT_ADVICE_PROBLEMS=ADVICE_PROBLEMS,
        TIERWRIGHT_RANDOM_TRACES=RANDOM_TRACES,
    )


def pytest(marked: str, *folders: str, **extra: str) -> Counts:
    """``pytest`` of what is marked so, in some folders or in all."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        command = [str(BIN / "python"), "-m", "pytest", f"--junitxml={report}"]
        command += ["-n", PYTHON_WORKERS, "--dist", "loadfile", "-m", marked, *folders]
        of = "-".join([*marked.split(), *(each.partition("/")[0] for each in folders)])
        kept = ROOT / ".tools" / f"test-times-{of}.json"
        exit_code = run(command, TIERWRIGHT_TEST_TIMES=str(kept), **extra)
        counts = Counts()
        if report.exists():
            for suite in ElementTree.parse(report).getroot().iter("testsuite"):
                total = int(suite.get("tests", 0))
                failed = int(suite.get("failures", 0)) + int(suite.get("errors", 0))
                skipped = int(suite.get("skipped", 0))
                told = tuple(
                    failure(
                        f"{case.get('classname')}.{case.get('name')}",
                        fault.get("message") or fault.text or "",
                    )
                    for case in suite.iter("testcase")
                    for fault in [*case.iter("failure"), *case.iter("error")]
                )
                times = tuple(
                    (
                        float(case.get("time", 0)),
                        f"{case.get('classname')}.{case.get('name')}",
                    )
                    for case in suite.iter("testcase")
                )
                counts += Counts(
                    total - failed - skipped, failed, skipped, told, times=times
                )
    return closed(counts, exit_code)


def page() -> Counts:
    """``vitest`` of the page: unit and component tests in a real browser."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        exit_code = run(
            [
                "npx",
                "vitest",
                "run",
                "--reporter=default",
                "--reporter=json",
                f"--outputFile.json={report}",
            ],
            cwd=ROOT / "frontend",
        )
        counts = Counts()
        if report.exists():
            outcome = json.loads(report.read_text())
            counts = Counts(
                outcome["numPassedTests"],
                outcome["numFailedTests"],
                outcome["numPendingTests"] + outcome.get("numTodoTests", 0),
                tuple(
                    failure(case["fullName"], "\n".join(case["failureMessages"]))
                    for file in outcome["testResults"]
                    for case in file["assertionResults"]
                    if case["status"] == "failed"
                ),
                times=tuple(
                    ((case.get("duration") or 0) / 1000, case["fullName"])
                    for file in outcome["testResults"]
                    for case in file["assertionResults"]
                ),
            )
    return closed(counts, exit_code)


def free_port() -> int:
    """Return a port of the loopback interface that is free now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_until_ready(url: str, server: subprocess.Popen[bytes]) -> None:
    """Wait until the application answers, or say that it does not."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise SystemExit(f"error: the application ended with {server.returncode}")
        try:
            with urllib.request.urlopen(f"{url}/api/v1/health", timeout=2):
                return
        except (urllib.error.URLError, TimeoutError, ConnectionError):
            time.sleep(0.2)
    raise SystemExit(f"error: the application did not answer in {START_TIMEOUT_S} s")


def failed_stories(suites: list[dict[str, Any]]) -> Iterator[str]:
    """Say which stories failed, and what they said."""
    for suite in suites:
        yield from failed_stories(suite.get("suites", []))
        for spec in suite.get("specs", []):
            for story in spec["tests"]:
                if story["status"] in ("expected", "skipped"):
                    continue
                first = next(r for r in story["results"] if r["status"] != "passed")
                yield failure(
                    f"{spec['file']}:{spec['line']} {spec['title']} "
                    f"({first['duration'] / 1000:.0f} s)",
                    "\n".join(
                        f"line {error.get('location', {}).get('line', '?')}: {error['message']}"
                        for error in first["errors"]
                        if "message" in error
                    ),
                )


def story_times(suites: list[dict[str, Any]]) -> Iterator[tuple[float, str]]:
    """Return the seconds of every story."""
    for suite in suites:
        yield from story_times(suite.get("suites", []))
        for spec in suite.get("specs", []):
            took = sum(
                result["duration"] for t in spec["tests"] for result in t["results"]
            )
            yield took / 1000, f"{spec['file']} {spec['title']}"


def served(
    data: Path, port: int, *options: str, **settings: str
) -> subprocess.Popen[bytes]:
    """Start the application on data of its own."""
    return subprocess.Popen(
        [
            str(BIN / "tierwright"),
            *("serve", "--port", str(port), "--data-dir", str(data), *options),
        ],
        cwd=ROOT,
        stdout=LANE.output,
        stderr=subprocess.STDOUT,
        env=environment() | settings,
        stdin=subprocess.DEVNULL,
    )


def e2e() -> Counts:
    """Stories in the browser against the whole running application, without those long by nature."""
    return stories("--grep-invert", "@long")


def long_e2e() -> Counts:
    """Stories that are long by nature."""
    return stories("--grep", "@long")


def pictures() -> Counts:
    """Tell the stories from a trace and from a cart to a purchase, and keep the pictures that the docs show of them."""
    folder = ROOT / "docs" / "images"
    told = "a defended purchase|a paper that passes its check"
    return stories(*("--grep", told), TIERWRIGHT_PICTURES=str(folder))


def stories(*which: str, **settings: str) -> Counts:
    """Chosen stories in the browser against the whole running application."""
    folder = Path(tempfile.mkdtemp(prefix="tierwright-e2e-"))
    folder.chmod(0o711)  # root's database runs under an account that must pass here
    report = folder / "report.json"
    traces = folder / "traces"  # open for files that are registered by their path
    traces.mkdir()
    port, fresh_port, store_port = free_port(), free_port(), free_port()
    url, fresh_url = (f"http://127.0.0.1:{each}" for each in (port, fresh_port))
    store_url = f"http://127.0.0.1:{store_port}"
    # An object store, of which one bucket is open for objects that are fetched.
    store = subprocess.Popen(
        [
            *(str(BIN / "python"), "-m", "moto.server"),
            *("-H", "127.0.0.1", "-p", str(store_port)),
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    # Stories on one recording, and one as a newcomer finds the application.
    servers = {
        url: served(
            folder / "data",
            port,
            TIERWRIGHT_EXAMPLE_TRACE=str(
                ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"
            ),
            TIERWRIGHT_TRACE_ROOTS=f"{traces},s3://tierwright-e2e",
            TIERWRIGHT_OBJECT_STORE_ENDPOINT=store_url,
            AWS_ACCESS_KEY_ID="e2e",
            AWS_SECRET_ACCESS_KEY="e2e",
            AWS_REGION="us-east-1",
        ),
        # One process answers it: another would take seconds to start, for two stories.
        fresh_url: served(folder / "fresh", fresh_port, "--processes", "1"),
    }
    try:
        for address, server in servers.items():
            wait_until_ready(address, server)
        exit_code = run(
            [
                "npx",
                "playwright",
                "test",
                "--config",
                "e2e/playwright.config.ts",
                "--reporter=list,json",
                *which,
            ],
            cwd=ROOT / "frontend",
            TIERWRIGHT_BASE_URL=url,
            TIERWRIGHT_FRESH_URL=fresh_url,
            TIERWRIGHT_TEST_STORE_URL=store_url,
            PLAYWRIGHT_JSON_OUTPUT_NAME=str(report),
            **settings,
        )
        counts = Counts()
        if report.exists():
            outcome = json.loads(report.read_text())
            stats = outcome["stats"]
            counts = Counts(
                stats["expected"],
                stats["unexpected"],
                stats["skipped"],
                tuple(failed_stories(outcome["suites"])),
                tuple(story_times(outcome["suites"])),
            )
        return closed(counts, exit_code)
    finally:
        store.kill()
        for server in servers.values():
            server.send_signal(signal.SIGINT)
        for server in servers.values():
            try:
                waited(server, timeout_s=30)
            except TimeoutError:
                server.kill()
        shutil.rmtree(folder, ignore_errors=True)


def containers() -> Counts:
    """Build the image and try the compose file, where an engine has what they start from."""
    try:
        engine = find_engine()
        engine.compose()
        missing = [name for name in base_images() if not engine.has_image(name)]
    except NoEngine as error:
        print(f"skipped: no container engine ({error})")
        return Counts(skipped=1)
    if missing:
        print(f"skipped: {engine.name} has no image {missing[0]}, and none is pulled")
        return Counts(skipped=1)
    flags = os.environ.get("IMAGE_FLAGS", "").split()
    python = str(BIN / "python")
    for command in (["scripts/build_image.py", *flags], ["scripts/compose_test.py"]):
        if run([python, *command]):
            return Counts(failed=1, failures=(failure(command[0], "see above"),))
    return Counts(passed=2)


def index_answers() -> bool:
    """Say whether an empty environment reaches a package index, which the wheels need."""
    with tempfile.TemporaryDirectory() as folder:
        pip = f"{folder}/environment/bin/pip"
        return not (
            run([str(BIN / "python"), "-m", "venv", f"{folder}/environment"])
            or run([pip, "download", "--quiet", "--no-deps", "--dest", folder, "wheel"])
        )


def wheels() -> Counts:
    """Build both wheels, and let them do the whole job in an empty environment of each Python."""
    if not index_answers():
        print("skipped: no package index answers pip, which installs what they need")
        return Counts(skipped=1)
    python = str(BIN / "python")
    for command in ("scripts/build_wheels.py", "scripts/try_wheels.py"):
        if run([python, command]):
            return Counts(failed=1, failures=(failure(command, "see above"),))
    return Counts(passed=2)


SUITES: dict[str, Callable[[], Counts]] = {
    "rust": rust,
    "models": models,
    "backend": backend,
    "page": page,
    "e2e": e2e,
    "long": long,
    "long-e2e": long_e2e,
    "pictures": pictures,
    "wheels": wheels,
    "containers": containers,
}
LANES = (("rust", "models"), ("e2e", "page", "backend"))
"""Suites that run where none is named: the lanes, of equal length, side by side, as half of each is waiting."""


def tell(head: str, failures: tuple[str, ...]) -> None:
    """Print the first of ``failures``."""
    for told in failures[:TOLD_FAILURES]:
        print(f"\n{head}: {told}")
    if len(failures) > TOLD_FAILURES:
        print(f"\n... and {len(failures) - TOLD_FAILURES} more")


@dataclass(frozen=True)
class Outcome:
    """What a suite found, and what it took."""

    counts: Counts
    seconds: float
    processor_s: float


def carry_out(
    lane: tuple[str, ...], interrupted: threading.Event, *, is_shown: bool
) -> dict[str, Outcome]:
    """Run the suites of a lane one after another; the output of one that is not shown comes at its end."""
    outcomes: dict[str, Outcome] = {}
    for name in lane:
        if interrupted.is_set():
            break
        with tempfile.TemporaryFile("a+", encoding="utf-8") as kept:
            LANE.output = sys.stdout if is_shown else kept
            LANE.processor_s = 0.0
            print(f"\n=== {name} ===", file=LANE.output, flush=True)
            start = time.monotonic()
            try:
                counts = SUITES[name]()
            # Told at the end, as all failures.
            except (Exception, SystemExit) as error:
                counts = Counts(failed=1, failures=(failure(name, repr(error)),))
            seconds = time.monotonic() - start
            outcomes[name] = Outcome(counts, seconds, LANE.processor_s)
            if not is_shown:
                kept.seek(0)
                sys.stdout.write(kept.read())
                sys.stdout.flush()
    return outcomes


def side_by_side(lanes: tuple[tuple[str, ...], ...]) -> tuple[dict[str, Outcome], bool]:
    """Run lanes at the same time; say too whether somebody interrupted them."""
    interrupted = threading.Event()
    with ThreadPoolExecutor(len(lanes)) as pool:
        running = [
            pool.submit(carry_out, lane, interrupted, is_shown=lane is lanes[0])
            for lane in lanes
        ]
        try:
            wait(running)
        except KeyboardInterrupt:  # each program has it too; no other suite begins
            interrupted.set()
    found = {name: each for lane in running for name, each in lane.result().items()}
    return found, interrupted.is_set()


def report(outcomes: dict[str, Outcome], whole_s: float) -> Counts:
    """Print what failed, the slowest tests and the counts of each suite."""
    for name, outcome in outcomes.items():
        tell(f"FAILED in {name}", outcome.counts.failures)
    slowest = sorted(
        (test for each in outcomes.values() for test in each.counts.times), reverse=True
    )
    print(f"\nthe {min(SLOWEST, len(slowest))} slowest tests")
    for seconds, name in slowest[:SLOWEST]:
        print(f"{seconds:7.1f} s  {name[:140]}")
    print("\nsuite      passed  failed  skipped  seconds  processor seconds")
    total = Counts()
    for name, outcome in outcomes.items():
        counts = outcome.counts
        total += counts
        print(
            f"{name:<10} {counts.passed:>6}  {counts.failed:>6}  {counts.skipped:>7}  "
            f"{outcome.seconds:>7.0f}  {outcome.processor_s:>17.0f}"
        )
    print(f"{'all':<33}  {whole_s:>7.0f}")
    print(f"\n{total.passed} passed, {total.failed} failed, {total.skipped} skipped")
    return total


def main(names: list[str]) -> int:
    """Run the named suites, or the usual ones."""
    unknown = [name for name in names if name not in SUITES]
    if unknown:
        print(f"error: unknown suite `{unknown[0]}`\nhint: one of {', '.join(SUITES)}")
        return 2
    # What a shell runs in the background ignores Ctrl-C, and so would all that is started here.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    start = time.monotonic()
    outcomes, interrupted = side_by_side((tuple(names),) if names else LANES)
    total = report(outcomes, time.monotonic() - start)
    return 1 if total.failed or interrupted else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
