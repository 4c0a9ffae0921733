"""The real command: names, JSON keys, exit codes, messages."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest
import recordings
import zstandard
from command import answer, run

from tierwright.profile.document import read_profile

TIERWRIGHT = Path(sys.executable).parent / "tierwright"
INSIDE_THE_PASS_S = 0.6  # processor time; start-up takes 0.3

TRACE = """time_us,op,rel,block
0,R,1/1,5
10,W,1/1,1
20,R,1/1,4
30,R,1/1,4
40,W,1/1,5
50,R,1/1,1
"""


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "small trace.csv"
    path.write_text(TRACE, encoding="ascii")
    return path


@pytest.fixture(scope="module")
def profile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "tpcb.json"
    answer("profile", recordings.TPCB, "-o", path, "--sizes", "300,1800,2100")
    return path


def test_the_local_disk_of_an_instance_is_a_device_wherever_one_is_named(
    profile: Path,
) -> None:
    """As an advice names it at the point of its recommendation."""
    name = "disk-of-aws-i3en.xlarge"
    sizes = ("--ram-pages", "300", "--flash-pages", "1500")
    flash = ("--flash-device", "micron-9550-max-3.2tb")
    for command in (
        ("evaluate", profile, *sizes),
        ("scheme-map", profile, "--ram-pages", "300"),
    ):
        found = answer(*command, *flash, "--disk-device", name)
        assert found["finding"]
    wrong = run("evaluate", profile, *sizes, *flash, "--disk-device", f"{name}x")
    assert wrong.returncode == 2
    assert f"there is no device `{name}x`" in wrong.stderr


def test_profile_and_simulate_pass_over_bad_lines_only_on_request(
    trace: Path, tmp_path: Path
) -> None:
    """The numbers are those of the good lines, and what is missing is told."""
    lines = TRACE.splitlines()
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join([*lines[:3], "25,R,1/1,x", *lines[3:], ""]), "ascii")
    out = tmp_path / "p.json"
    for arguments in (
        ("simulate", bad, "--policy", "lru", "--pages", "2"),
        ("profile", bad, "-o", out),
    ):
        strict = run(*arguments)
        assert strict.returncode == 2
        assert "line 4" in strict.stderr
        done = run(*arguments, "--skip-bad-lines", "1", "--json")
        assert done.returncode == 0, done.stderr
        assert "1 bad record was skipped; the first: " in done.stderr
        assert "25,R,1/1,x" in done.stderr
        found = json.loads(done.stdout)
        assert found.pop("skipped_records") == 1
        told = found.pop("trace")["warnings"]
        assert "bad_records_skipped" in [warning["name"] for warning in told]
        good = answer(*(trace if one is bad else one for one in arguments))
        # A profile of a trace whose reader noticed nothing has the notes as well.
        assert good.pop("trace")["warnings"] == []
        assert found == good
    run("profile", bad, "-o", out, "--skip-bad-lines", "1")
    assert json.loads(out.read_text())["skipped_records"] == 1
    shown = run(
        "simulate", bad, "--policy", "lru", "--pages", "2", "--skip-bad-lines=3"
    )
    assert "skipped records" in shown.stdout


def test_formats() -> None:
    entries = answer("formats")
    assert {"name", "description", "has_writes", "has_time"} <= set(entries[0])
    assert {"postgres_csv", "msr", "vscsi", "oracle_general", "csv", "canonical"} <= {
        entry["name"] for entry in entries
    }


def test_inspect_and_convert(trace: Path, tmp_path: Path) -> None:
    keys = {
        "format",
        "requests",
        "accesses",
        "distinct_pages",
        "write_accesses",
        "page_bytes",
        "duration_s",
        "sha256_of_sequence",
        "warnings",
    }
    found = answer("trace", "inspect", trace)
    assert keys <= set(found)
    assert (found["accesses"], found["distinct_pages"], found["page_bytes"]) == (
        6,
        3,
        8192,
    )
    out = tmp_path / "out.twt"
    converted = answer("trace", "convert", trace, out)
    assert keys <= set(converted)
    again = answer("trace", "inspect", out)
    assert again["sha256_of_sequence"] == found["sha256_of_sequence"]
    refused = run("trace", "convert", trace, out)
    assert refused.returncode == 2
    assert "out.twt" in refused.stderr
    assert "hint:" in refused.stderr
    assert answer("trace", "convert", trace, out, "--force")["accesses"] == 6


def test_preview(trace: Path) -> None:
    found = answer("trace", "preview", trace, "--rows", 2)
    assert len(found["records"]) == 2
    assert {"format", "detection", "units", "page_bytes", "warnings"} <= set(found)


def test_columns_of_a_generic_csv_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "own.csv"
    path.write_text("ts;kind;blk\n0;r;1\n5;w;2\n9;r;1\n", encoding="ascii")
    columns = ["time=ts", "time_unit=us", "op=kind", "page=blk"]
    options = [part for column in columns for part in ("--column", column)]
    found = answer("trace", "inspect", path, "--format", "csv", *options)
    assert (found["accesses"], found["write_accesses"]) == (3, 1)


def test_profile_keys_and_counts(trace: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.json"
    found = answer("profile", trace, "-o", out, "--sizes", "2,9")
    assert json.loads(out.read_text(encoding="utf-8")) == found
    assert {
        "accesses",
        "distinct_pages",
        "write_accesses",
        "page_bytes",
        "duration_s",
        "curve",
    } <= set(found)
    # 5R 1W 4R 4R 5W 1R: LRU of 1 page hits once (4R); of 2 the same; of 3 three times.
    assert found["curve"]["pages"] == [1, 2, 3, 9]
    assert found["curve"]["misses"] == [5, 5, 3, 3]
    # 1 page: both dirty pages leave; 2 pages: 1W leaves at 5W, 5W stays; 3 pages: none.
    assert found["curve"]["write_backs"] == [2, 1, 0, 0]


def test_profile_lists_about_a_thousand_sizes(profile: Path) -> None:
    pages = json.loads(profile.read_text(encoding="utf-8"))["curve"]["pages"]
    assert pages == sorted(set(pages))
    assert {1, 300, 1800, 2100, 30687} <= set(pages)
    assert 1000 <= len(pages) <= 1300


def test_simulate_keys(trace: Path) -> None:
    single = answer("simulate", trace, "--policy", "lru", "--pages", 2)
    assert {
        "policy",
        "pages",
        "accesses",
        "misses",
        "miss_ratio",
        "disk_reads",
        "disk_writes",
    } <= set(single)
    assert (single["misses"], single["disk_writes"]) == (5, 1)
    both = answer(
        "simulate", trace, "--scheme", "lazy", "--ram-pages", 2, "--flash-pages", 3
    )
    assert {
        "scheme",
        "ram_pages",
        "flash_pages",
        "accesses",
        "write_accesses",
        "ram_hits",
        "flash_hits",
        "flash_misses",
        "flash_reads",
        "flash_writes",
        "hdd_reads",
        "hdd_writes",
    } <= set(both)
    # Example A of the two-tier semantics after its sixth access: 1 2 3 hits and misses.
    assert (both["ram_hits"], both["flash_hits"], both["flash_misses"]) == (1, 2, 3)


EVALUATE = (
    "--flash-device",
    "kv2009-intel-x25e",
    "--disk-device",
    "face2016-cheetah-15k6-single",
)


@pytest.mark.parametrize("start", ["steady", "cold"])
def test_evaluate_asks_for_the_steady_state_unless_told_otherwise(
    profile: Path, start: str
) -> None:
    named = [] if start == "steady" else ["--start", start]
    point = ("--ram-pages", 300, "--flash-pages", 1800)
    found = answer("evaluate", profile, *point, *EVALUATE, *named)
    assert (found["start"], found["inputs"]["start"]) == (start, start)
    curve = read_profile(profile).curve.from_start(start)
    misses = found["schemes"]["none"]["flash_misses"]
    assert misses == pytest.approx(float(curve.misses(300)))
    wrong = run("evaluate", profile, *point, *EVALUATE, "--start", "warm")
    assert wrong.returncode == 2
    assert "`warm` is unknown" in wrong.stderr


def test_new_pages_are_growth_beside_hits_and_misses(profile: Path) -> None:
    point = ("--ram-pages", 300, "--flash-pages", 1800)
    plain = answer("evaluate", profile, *point, *EVALUATE)
    assert (plain["new_pages"], plain["growth_per_access"]) == (0, 0)
    zero = answer("evaluate", profile, *point, *EVALUATE, "--new-pages", 0)
    assert zero == plain
    found = answer("evaluate", profile, *point, *EVALUATE, "--new-pages", 700)
    accesses = found["inputs"]["accesses"]
    assert found["growth_per_access"] == 700 / accesses
    for name, result in found["schemes"].items():
        parts = (result[key] for key in ("ram_hits", "flash_hits", "flash_misses"))
        assert sum(parts) + 700 == pytest.approx(accesses)
        assert result["flash_misses"] < plain["schemes"][name]["flash_misses"]
    for start, said in (("steady", "neither a hit nor a miss"), ("cold", "the misses")):
        shown = run(
            "evaluate", profile, *point, *EVALUATE, "--new-pages", 700, "--start", start
        )
        line = next(x for x in shown.stdout.splitlines() if x.startswith("growth:"))
        assert said in line
    assert "growth:" not in run("evaluate", profile, *point, *EVALUATE).stdout
    pages = read_profile(profile).curve.distinct_pages
    wrong = run("evaluate", profile, *point, *EVALUATE, "--new-pages", pages + 1)
    assert wrong.returncode == 2
    assert f"between 0 and {pages}, the first touches" in wrong.stderr
    assert "hint:" in wrong.stderr


def test_evaluate_keys(profile: Path) -> None:
    point = ("--ram-pages", 300, "--flash-pages", 1800)
    found = answer("evaluate", profile, *point, *EVALUATE)
    assert list(found["schemes"]) == [
        "none",
        "inclusive",
        "inclusive_global",
        "exclusive",
        "lazy",
    ]
    for result in found["schemes"].values():
        assert {
            "ram_hits",
            "flash_hits",
            "flash_misses",
            "io_time_us_per_access",
            "flash_writes_per_access",
            "cost_usd_per_month",
        } <= set(result)
        assert result["cost_usd_per_month"] is None
    assert found["best"] in found["schemes"]
    priced = answer(
        "evaluate",
        profile,
        *point,
        *EVALUATE,
        "--ram-device",
        "kv2009-dram-2008",
        "--price-book",
        "papers-2008-11",
    )
    assert float(priced["schemes"]["lazy"]["cost_usd_per_month"]) > 0


def test_conformance(tmp_path: Path) -> None:
    vectors: dict[str, Any] = {
        "schema_version": 1,
        "vectors": [
            {
                "id": "a",
                "formula": "kv.iops_to_ms",
                "inputs": {"read_iops": 2500, "write_iops": 1000},
                "expected": {"F_R": 0.4, "F_W": 1},
            },
            {"id": "b", "formula": "zz.unknown", "inputs": {}, "expected": {}},
        ],
    }
    path = tmp_path / "v.json"
    path.write_text(json.dumps(vectors), encoding="utf-8")
    found = answer("conformance", path)
    assert (found["passed"], found["failed"], found["unknown"]) == (1, 0, 1)
    assert found["failures"] == []
    vectors["vectors"][0]["expected"]["F_W"] = 2
    path.write_text(json.dumps(vectors), encoding="utf-8")
    done = run("conformance", path, "--json")
    assert done.returncode == 1
    document = json.loads(done.stdout)
    assert (document["failed"], document["failures"][0]["id"]) == (1, "a")


def test_catalog() -> None:
    devices = answer("catalog", "devices")
    assert {"id", "kind", "figures", "roles", "read_service_us", "missing"} <= set(
        devices[0]
    )
    books = answer("catalog", "prices")
    assert {"id", "date", "currency", "prices"} <= set(books[0])


@pytest.mark.parametrize(
    "arguments",
    [
        ("formats",),
        ("catalog", "devices"),
        ("catalog", "prices"),
        ("trace", "inspect", "TRACE"),
        ("trace", "preview", "TRACE"),
        ("simulate", "TRACE", "--policy", "lru", "--pages", "2"),
        ("profile", "TRACE", "-o", "OUT"),
        (
            "evaluate",
            "PROFILE",
            "--ram-pages",
            "300",
            "--flash-pages",
            "100",
            *EVALUATE,
        ),
        (
            "evaluate",
            "PROFILE",
            "--ram-pages",
            "300",
            "--flash-pages",
            "1800",
            *EVALUATE,
            "--price-book",
            "aws-us-east-1-2024-07",
        ),
    ],
)
def test_tables_for_people(
    arguments: tuple[str, ...], trace: Path, tmp_path: Path, profile: Path
) -> None:
    places = {"TRACE": trace, "OUT": tmp_path / "o.json", "PROFILE": profile}
    done = run(*(places.get(argument, argument) for argument in arguments))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) >= 3
    assert "Traceback" not in done.stderr


def test_help_and_version() -> None:
    assert run("--version").stdout.startswith("tierwright ")
    shown = run("--help").stdout
    for command in ("formats", "trace", "profile", "simulate", "evaluate", "serve"):
        assert command in shown


# --- refusals -----------------------------------------------------------------------------

POINT = ("--ram-pages", "10", "--flash-pages", "20")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("frobnicate",), "No such command 'frobnicate'"),
        (("simulate", "TRACE"), "give either --policy or --scheme"),
        (
            ("simulate", "TRACE", "--policy", "lru", "--scheme", "lazy"),
            "give either --policy or --scheme",
        ),
        (("simulate", "TRACE", "--policy", "lru"), "--policy needs --pages"),
        (
            (
                "simulate",
                "TRACE",
                "--policy",
                "lru",
                "--pages",
                "2",
                "--ram-pages",
                "2",
            ),
            "--policy does not take --ram-pages",
        ),
        (
            ("simulate", "TRACE", "--scheme", "lazy", "--ram-pages", "2"),
            "--scheme needs --flash-pages",
        ),
        (
            ("simulate", "TRACE", "--policy", "lru", "--pages", "-3"),
            "--pages: `-3` is negative",
        ),
        (("simulate", "TRACE", "--policy", "lru", "--pages", "0"), "0"),
        (("simulate", "TRACE", "--policy", "magic", "--pages", "2"), "magic"),
        (("simulate", "TRACE", "--scheme", "magic", *POINT), "magic"),
        (
            ("simulate", "TRACE", "--scheme", "lazy", *POINT, "--option", "x"),
            "--option: `x` is not KEY=VALUE",
        ),
        (("profile", "TRACE"), "there is nowhere to write the profile"),
        (
            ("profile", "TRACE", "-o", "OUT", "--sizes", "1,x"),
            "--sizes: `x` is not a whole number of pages from 1",
        ),
        (
            ("profile", "TRACE", "-o", "OUT", "--sizes", "0"),
            "--sizes: `0` is not a whole number of pages from 1",
        ),
        (
            ("profile", "TRACE", "-o", "OUT", "--sample-rate", "1.5"),
            "sample-rate `1.5`: a sampling rate must be above 0",
        ),
        (("profile", "TRACE", "-o", "ABSENT/x.json"), "its folder does not exist"),
        (("profile", "TRACE", "-o", "FOLDER"), "it is a folder"),
        (("trace", "convert", "TRACE", "ABSENT/x.json"), "absent"),
        (("trace", "inspect", "ABSENT"), "absent"),
        (("trace", "inspect", "TRACE", "--page-bytes", "0"), "--page-bytes: `0`"),
        (("trace", "inspect", "TRACE", "--format", "tape"), "tape"),
        (("trace", "inspect", "TRACE", "--column", "time"), "--column: `time`"),
        (("trace", "inspect", "BINARY"), "binary.csv"),
        (("trace", "inspect", "EMPTY"), "empty.csv"),
        (("evaluate", "ABSENT", *POINT, *EVALUATE), "there is no file"),
        (("evaluate", "TRACE", *POINT, *EVALUATE), "not JSON"),
        (
            (
                "evaluate",
                "PROFILE",
                *POINT,
                "--flash-device",
                "a",
                "--disk-device",
                "b",
            ),
            "there is no device `a`",
        ),
        (
            ("evaluate", "PROFILE", *POINT, *EVALUATE, "--price-book", "x"),
            "there is no price book `x`",
        ),
        (
            (
                "evaluate",
                "PROFILE",
                "--ram-pages",
                "0",
                "--flash-pages",
                "1",
                *EVALUATE,
            ),
            "ram_pages: `0` must be a whole number of at least 1",
        ),
        (
            ("evaluate", "PROFILE", "--ram-pages", "ten"),
            "--ram-pages: size `ten` is not a number with a unit",
        ),
        (("conformance", "ABSENT"), "there is no file"),
    ],
)
def test_bad_input_exits_2_with_a_hint(
    arguments: tuple[str, ...], message: str, trace: Path, tmp_path: Path, profile: Path
) -> None:
    (tmp_path / "binary.csv").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "empty.csv").write_bytes(b"")
    places = {
        "TRACE": trace,
        "OUT": tmp_path / "o.json",
        "PROFILE": profile,
        "ABSENT": tmp_path / "absent",
        "FOLDER": tmp_path,
        "ABSENT/x.json": tmp_path / "absent" / "x.json",
        "BINARY": tmp_path / "binary.csv",
        "EMPTY": tmp_path / "empty.csv",
    }
    done = run(*(places.get(argument, argument) for argument in arguments))
    assert done.returncode == 2, (done.stdout, done.stderr)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert "\nhint: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "o.json").exists()


def test_an_interrupt_exits_130(tmp_path: Path) -> None:
    # 200 M accesses in a small file: no machine is done with them before the signal
    compress = zstandard.ZstdCompressor().compress
    big = tmp_path / "big.csv.zst"
    big.write_bytes(
        compress(b"time_us,op,rel,block\n") + 2_000 * compress(100_000 * b"0,R,1/1,5\n")
    )
    process = subprocess.Popen(
        [str(TIERWRIGHT), "simulate", str(big), "--policy", "lru", "--pages", "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    running = psutil.Process(process.pid)
    while process.poll() is None and running.cpu_times().user < INSIDE_THE_PASS_S:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, (out, err)
    assert out == ""
    assert "Traceback" not in err


def test_a_reader_that_goes_away_is_no_crash() -> None:
    process = subprocess.Popen(
        [str(TIERWRIGHT), "catalog", "devices", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    process.stdout.close()
    _, err = process.communicate(timeout=30)
    assert b"Traceback" not in err


# --- start-up -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ("formats",),
        ("simulate", "TRACE", "--policy", "lru", "--pages", "2"),
        (
            "simulate",
            "TRACE",
            "--scheme",
            "lazy",
            "--ram-pages",
            "2",
            "--flash-pages",
            "3",
        ),
        ("trace", "inspect", "TRACE"),
    ],
)
def test_heavy_packages_stay_out_of_the_quick_commands(
    arguments: tuple[str, ...], trace: Path
) -> None:
    given = [str(trace) if part == "TRACE" else part for part in arguments]
    code = (
        "import sys\n"
        "from tierwright.cli import main\n"
        f"code = main({given!r})\n"
        "heavy = {'scipy', 'pandas', 'rich', 'numpy'} & set(sys.modules)\n"
        "print('heavy:', sorted(heavy), file=sys.stderr)\n"
        "sys.exit(code)\n"
    )
    environment = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    assert "heavy: []" in done.stderr
