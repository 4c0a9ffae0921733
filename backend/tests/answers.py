"""Takes every answer of the API and the command line, for a change that must change none of them.

``python backend/tests/answers.py FOLDER`` writes one file an answer; ``--compare FOLDER`` takes them
again and prints what differs (exit 1). What is another one each time (ids of runs, times of day,
folders, rates) is replaced by its kind, so that equal answers are equal byte for byte.

Asked are the example of each operation; the questions at other points, starts, devices and
currencies, each with its derivation and its tables as CSV, on given curves, and with values that are
refused; and the commands below. ``--commands`` asks the commands alone.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import io
import itertools
import json
import re
import secrets
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sqlalchemy import make_url

sys.path.insert(0, str(Path(__file__).parent))

import psycopg
import test_examples
from live_app import EXAMPLE_TRACE, Application, run_application

from tierwright.cli.app import main as tierwright
from tierwright_server.common.settings import Settings
from tierwright_server.http.examples import EXAMPLES
from tierwright_server.runtime.embedded_postgres import EmbeddedPostgres
from tierwright_server.storage import db

SHOWN_LINES = 12
POINTS = [(500, 2_000), (2_000, 8_000), (6_000, 12_000), (100, 30_000)]
DEVICES = [
    ("face2016-samsung-840pro-256", "face2016-cheetah-15k6-single"),
    ("samsung-pm9a3-7.68tb-u2", "seagate-exos-x24-24tb"),
]
STARTS = ("steady", "cold")
CANDIDATES = "samsung-pm9a3-7.68tb-u2,samsung-pm983-960gb,intel-s4500-7.68tb"
BOOK = ["--price-book", "street-2026-q3"]
DISK_AND_BOOK = ["--disk-device", DEVICES[1][1], *BOOK]
LAZY_SWEEP = ["--scheme", "lazy", "--ram-pages", "1000", "--flash-pages", "6000"]
ON_ONE_DEVICE = ["--device", DEVICES[1][0], "--disk-device", DEVICES[1][1]]
KV_C0 = '{"m_r": 10, "p_d": 0.5, "D_R": 8, "D_W": 9}'
FRAGMENTS = ["--read-miss-rate", "0.1", "--run", "256KiB"]
MASKS = [
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[0-9.:+Z-]*"), "TIME"),
    (re.compile(r"/tmp/[^\s\"',]*"), "FOLDER"),
    (re.compile(r"in [0-9.]+ s: ([0-9,]+ accesses), .*"), r"in SECONDS: \1"),
    (re.compile(r"127\.0\.0\.1:\d+"), "ADDRESS"),
    (re.compile(r"Made [0-9a-f]{12}"), "Made NAME"),
    (re.compile(r"made-[0-9a-f]{12}-[0-9a-f]{8}"), "made-NAME"),
]
RANDOM_ID = re.compile(r"^[0-9a-f]{16}$")
VOLATILE = re.compile(
    r"(_at|_per_s|_in_s|seconds|pid|free_bytes|used_bytes|bytes_free|etag|workers.*|heartbeat.*)$"
)
STABLE_RATES = re.compile(r"^(iops|transactions_per_s|.*_mb_per_s)$")
COMMANDS = [
    ["formats"],
    ["catalog", "devices"],
    ["catalog", "devices", "--role", "disk", "--currency", "EUR"],
    ["trace", "inspect", "TRACE"],
    ["trace", "summary", "TRACE"],
    ["conformance", "VECTORS"],
    ["evaluate", "PROFILE", "POINT", "PAIR"],
    ["evaluate", "PROFILE", "POINT", "PAIR", "--start", "cold", "--currency", "EUR"],
    ["evaluate", "PROFILE", "POINT", "PAIR", "--trace", "TRACE"],
    ["scheme-map", "PROFILE", "--ram-pages", "1000", "PAIR"],
    ["break-even", "--profile", "PROFILE", "--ram-pages", "1000", "PAIR", *BOOK],
    ["throughput", "PROFILE", "POINT", "PAIR", "--clients", "20"],
    ["wear", "PROFILE", "POINT", *ON_ONE_DEVICE, *BOOK],
    ["simulate", "TRACE", "--policy", "lru", "--pages", "1000"],
    ["simulate", "TRACE", "--scheme", "lazy", "POINT"],
    ["pool-split", "TRACE", "--pages", "1000", "--asymmetry", "8"],
    ["catalog", "prices"],
    ["trace", "preview", "TRACE"],
    ["curve", "kinds"],
    ["curve", "windows", "TRACE", "--window-accesses", "100000", "--sizes", "500,5000"],
    ["curve", "sampled", "TRACE", "--sample-pages", "4096", "--seed", "7"],
    ["curve", "import", "CURVE", "--page-bytes", "8192", "--accesses", "100000"],
    ["formula"],
    ["formula", "kv.C0", "--inputs", KV_C0],
    ["sweep", "TRACE", "--policy", "arc", "--pages", "500,5000", *LAZY_SWEEP],
    ["sweep", "TRACE", "--policy", "lru", "--pages", "5000", "--miniature", "0.1"],
    ["simulate", "TRACE", "--scheme", "face", "POINT"],
    ["simulate", "TRACE", "--policy", "cflru", "--pages", "1000", "--warm-up", "50%"],
    ["pool-gain", "TRACE", "--pages", "1000", "--asymmetry", "1,8,64"],
    ["pool-advisor", "TRACE", "--pages", "1000", "--dynamics", "wm1"],
    ["directories", "PROFILE", "--ram-bytes", "8MiB", "--flash-bytes", "48MiB", "PAIR"],
    ["choose-flash", "PROFILE", "POINT", "--candidates", CANDIDATES, *DISK_AND_BOOK],
    ["transactions", "EVENTS", "--ram-pages", "2", "--database-pages", "8"],
    ["transaction-order", "EVENTS", "--ram-pages", "2", "--database-pages", "8"],
    ["transaction-writes"],
    ["restart", "--flash", "64GiB", "PAIR", "--redo-pages", "100000"],
    ["sce", "--source", "1TiB", "--flash", "64GiB", "PAIR", *FRAGMENTS],
    ["metadata", "--flash", "1TiB", "--ram", "64GiB"],
    ["tier-cost", "--device", DEVICES[1][0], "--held", "512GiB", *BOOK],
    ["tier-cost", "--device", "aws-ebs-gp3-max", "--held", "512GiB"],
    ["device", "health", "HEALTH", "--rated-tb", "4000"],
    ["wear", "--device", DEVICES[1][0], "--write-mb-per-s", "20"],
    ["evaluate", "PROFILE", "POINT", "PAIR", *BOOK, "--flash-metadata", "l2arc"],
    ["evaluate", "PROFILE", "POINT", "PAIR", "--new-pages", "20000"],
    ["scheme-map", "PROFILE", "--ram-pages", "1000", "PAIR", *BOOK],
    # refused, each in another room
    ["evaluate", "PROFILE", "POINT", "PAIR", "--format", "postgres_csv"],
    ["evaluate", "PROFILE", "POINT", "PAIR", "--page-bytes", "4096"],
    ["evaluate", "PROFILE", "POINT", "--flash-device", "absent", "--disk-device", "x"],
    ["evaluate", "PROFILE", "--ram-pages", "-1", "--flash-pages", "0", "PAIR"],
    ["evaluate", "TRACE", "POINT", "PAIR"],
    ["trace", "inspect", "TRACE", "--format", "absent"],
    ["trace", "inspect", "TRACE", "--column", "time"],
    ["trace", "inspect", "EVENTS"],
    ["simulate", "TRACE", "--policy", "absent", "--pages", "1000"],
    ["simulate", "TRACE", "--scheme", "absent", "POINT"],
    ["simulate", "TRACE", "--policy", "lru", "--pages", "0"],
    ["formula", "absent"],
    ["curve", "import", "EVENTS", "--page-bytes", "8192", "--accesses", "100000"],
    ["tier-cost", "--device", DEVICES[1][0], "--held", "512"],
    ["wear", "PROFILE", "--device", DEVICES[1][0]],
    ["pool-split", "TRACE", "--pages", "1000", "--asymmetry", "0"],
]
VECTORS = EXAMPLE_TRACE.parents[1] / "vectors" / "formulas.json"
GROUPS = ("catalog", "curve", "device", "trace")
CURVE = "pages,hit_ratio\n100,0.2\n1000,0.5\n10000,0.9\n"
EVENTS = "B T1\nR T1 1\nU T1 2\nB T2\nU T2 3\nU T2 4\nA T2\nU T1 5\nC T1\n"
HEALTH = '{"data_units_written": 2000000, "percentage_used": 1}'


def masked(value: Any, key: str = "") -> Any:
    """Return an answer without what is another one each time."""
    if isinstance(value, dict):
        return {name: masked(each, name) for name, each in value.items()}
    if isinstance(value, list):
        return [masked(each, key) for each in value]
    if VOLATILE.search(key) and not STABLE_RATES.match(key):
        return "VOLATILE"
    if isinstance(value, str):
        if RANDOM_ID.match(value):
            return "ID"
        for pattern, kind in MASKS:
            value = pattern.sub(kind, value)
    return value


def of_examples(application: Application) -> Iterator[tuple[str, Any]]:
    """Yield the answer to the example of each operation."""
    for name in EXAMPLES:
        answer = test_examples.sent(
            application, name, named=f"Made {secrets.token_hex(6)}"
        )
        kind = answer.headers.get("content-type", "")
        is_json = "json" in kind and answer.content
        body = answer.json() if is_json else f"{kind}, not compared"
        yield f"example.{name}", {"status": answer.status_code, "body": body}


def questions() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the operations that answer at a point, and their bodies."""
    for name, example in EXAMPLES.items():
        body = example.body
        method, _, _ = test_examples.OPERATIONS[name]
        if (
            method == "post"
            and isinstance(body, dict)
            and body.get("workload_id") == "example"
            and "disk_device_id" in body
            and not name.startswith(("create_", "check_"))
        ):
            yield name, dict(body)


def of_questions(application: Application) -> Iterator[tuple[str, Any]]:
    """Yield the answer of each question at every point, start and pair of devices."""
    for name, body in questions():
        _, path, operation = test_examples.OPERATIONS[name]
        path = path.removeprefix("/api/v1")
        parameters = {each["name"] for each in operation.get("parameters", ())}
        for (ram, flash), start, (flash_id, disk_id) in itertools.product(
            POINTS, STARTS, DEVICES
        ):
            asked = body | {
                key: value
                for key, value in {
                    "ram_pages": ram,
                    "flash_pages": flash,
                    "flash_device_id": flash_id,
                    "disk_device_id": disk_id,
                }.items()
                if key in body
            }
            asked["start"] = start
            query = {"derivation": "true"} if "derivation" in parameters else {}
            if "currency" in parameters:
                query["currency"] = "EUR"
            answer = application.client.post(path, json=asked, params=query)
            yield (
                f"question.{name}.{ram}.{flash}.{start}.{flash_id}",
                {"status": answer.status_code, "body": answer.json()},
            )


def of_given_curves(application: Application) -> Iterator[tuple[str, Any]]:
    """Yield the answer of each question on a given curve, of which less is known."""
    given = {
        "text": CURVE,
        "page_bytes": 8_192,
        "accesses": 100_000,
    }
    for kind, more in (("unknown", {}), ("known", {"dirty_share": 0.25})):
        made = application.post(
            "/workloads/from-curve", {**given, **more, "name": kind}, 201
        )
        for name, body in questions():
            _, path, _ = test_examples.OPERATIONS[name]
            answer = application.client.post(
                path.removeprefix("/api/v1"), json=body | {"workload_id": made["id"]}
            )
            yield (
                f"given.{kind}.{name}",
                {"status": answer.status_code, "body": answer.json()},
            )


def of_refusals(application: Application) -> Iterator[tuple[str, Any]]:
    """Yield how each question refuses a value that cannot be, and a body without a key."""
    for name, body in questions():
        _, path, _ = test_examples.OPERATIONS[name]
        for key, value in itertools.product(body, ("absent", -1, None)):
            asked = body | {key: value}
            if value is None:
                del asked[key]
            answer = application.client.post(path.removeprefix("/api/v1"), json=asked)
            yield (
                f"refused.{name}.{key}.{value}",
                {"status": answer.status_code, "body": answer.json()},
            )


def of_tables(application: Application) -> Iterator[tuple[str, Any]]:
    """Yield every table of each question as CSV."""
    for name, body in questions():
        _, path, operation = test_examples.OPERATIONS[name]
        tables = next(
            (
                each["schema"]["enum"]
                for each in operation.get("parameters", ())
                if each["name"] == "table"
            ),
            [],
        )
        for table in tables:
            answer = application.client.post(
                path.removeprefix("/api/v1"),
                json=body,
                params={"table": table},
                headers={"accept": "text/csv"},
            )
            yield (
                f"table.{name}.{table}",
                {"status": answer.status_code, "body": answer.text.splitlines()},
            )


def of_commands(folder: Path) -> Iterator[tuple[str, Any]]:
    """Yield what each command says, as text and as JSON."""
    profile = folder / "profile.json"
    said("profile", str(EXAMPLE_TRACE), "-o", str(profile))
    for name, given in (("curve", CURVE), ("events", EVENTS), ("health", HEALTH)):
        (folder / name).write_text(given, encoding="utf-8")
    replaced = {
        "VECTORS": [str(VECTORS)],
        "CURVE": [str(folder / "curve")],
        "EVENTS": [str(folder / "events")],
        "HEALTH": [str(folder / "health")],
        "TRACE": [str(EXAMPLE_TRACE)],
        "PROFILE": [str(profile)],
        "POINT": ["--ram-pages", "1000", "--flash-pages", "6000"],
        "PAIR": ["--flash-device", DEVICES[1][0], "--disk-device", DEVICES[1][1]],
    }
    for at, command in enumerate(COMMANDS):
        arguments = [part for word in command for part in replaced.get(word, [word])]
        for more in ([], ["--json"]):
            name = f"command.{at:02}.{command[0]}{'.json' if more else ''}"
            yield name, said(*arguments, *more)
    helped = {tuple(command[: 1 + (command[0] in GROUPS)]) for command in COMMANDS}
    for command in [(), *((group,) for group in GROUPS), *sorted(helped)]:
        yield f"help.{'-'.join(command) or 'all'}", said(*command, "--help")


def said(*arguments: str) -> dict[str, Any]:
    """Run a command; return its exit code and both outputs."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = tierwright(list(arguments))
    text: Any = out.getvalue()
    with contextlib.suppress(ValueError):
        text = json.loads(text)
    if isinstance(text, str):
        text = text.splitlines()
    return {"code": code, "out": text, "err": err.getvalue().splitlines()}


@contextlib.contextmanager
def application() -> Iterator[Application]:
    """Run the application on an empty database."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        root.chmod(0o711)
        traces = root / "traces"
        traces.mkdir()
        (traces / "orders.csv").write_bytes(test_examples.TRACE)
        postgres = EmbeddedPostgres(root / "pg", durable=False)
        url = postgres.start()
        try:
            with psycopg.connect(db.psycopg_dsn(url), autocommit=True) as connection:
                connection.execute("CREATE DATABASE answers")
            own = make_url(url).set(database="answers")
            address = own.render_as_string(hide_password=False)
            db.migrate(address)
            settings = Settings(
                database_url=address,
                data_dir=root / "data",
                page_dir=root,
                example_trace=EXAMPLE_TRACE,
                trace_roots=(str(traces),),
            )
            with run_application(settings) as running:
                running.wait_example()
                yield running
        finally:
            postgres.stop()


SOURCES = (of_questions, of_given_curves, of_refusals, of_tables, of_examples)


def answers(*, commands_alone: bool) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every answer."""
    if not commands_alone:
        with application() as running:
            for source in SOURCES:
                for name, answer in source(running):
                    yield name, text_of(answer)
    with tempfile.TemporaryDirectory() as folder:
        for name, answer in of_commands(Path(folder)):
            yield name, text_of(answer)


def text_of(answer: Any) -> str:
    """Write an answer so that a difference is a line."""
    return json.dumps(masked(answer), indent=1, ensure_ascii=False) + "\n"


def main() -> int:
    """Take the answers, or compare them."""
    parser = argparse.ArgumentParser(description="Take or compare every answer.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--compare", action="store_true")
    parser.add_argument("--commands", action="store_true", help="only these")
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    seen, changed = set(), []
    for name, text in answers(commands_alone=given.commands):
        path = given.folder / f"{name}.json"
        seen.add(path.name)
        if not given.compare:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            before = path.read_text(encoding="utf-8") if path.exists() else ""
            lines = difflib.unified_diff(
                before.splitlines(), text.splitlines(), lineterm="", n=0
            )
            changed.append(name)
            shown = "\n  ".join(itertools.islice(lines, 2, SHOWN_LINES))
            sys.stdout.write(f"{name}\n  {shown}\n")
    if given.compare:
        asked = ("command.", "help.") if given.commands else ""
        kept = (path.name for path in given.folder.iterdir())
        gone = {name for name in kept if name.startswith(asked)} - seen
        changed += sorted(gone)
        sys.stdout.write(
            f"{len(seen)} answers, {len(changed)} differ, {len(gone)} are gone\n"
        )
        return bool(changed)
    sys.stdout.write(f"{len(seen)} answers in {given.folder}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
