"""A result of fio as a device profile: three times kept apart, nothing guessed."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tierwright.advise import device_import
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog, fio
from tierwright.hardware.device import Device, Measurement, device_from_mapping
from tierwright.hardware.mixed_load import (
    MODEL,
    beside_writes_us,
    mixed_load_basis,
    mixed_operation,
)
from tierwright.hardware.service_time import service_us
from tierwright.profile.curve import Curve


def job(
    name: str,
    group: int,
    rw: str,
    iops: float,
    latency_us: float,
    *,
    depth: int = 1,
    **options: str,
) -> dict[str, Any]:
    operation = "write" if "write" in rw else "read"
    return {
        "jobname": name,
        "groupid": group,
        "error": 0,
        "job options": {"rw": rw, "iodepth": str(depth), **options},
        operation: {
            "iops": iops,
            "bw_bytes": int(iops * 4096),
            "total_ios": int(iops * 60),
            "runtime": 60_000,
            "lat_ns": {"mean": latency_us * 1000},
            "clat_ns": {"mean": (latency_us - 2) * 1000},
        },
    }


RESULT: dict[str, Any] = {
    "fio version": "fio-3.36",
    "timestamp": 1_700_000_000,
    "global options": {"direct": "1", "ioengine": "libaio", "bs": "4k"},
    "jobs": [
        job("rr1", 0, "randread", 10_000, 99),
        job("rw1", 1, "randwrite", 40_000, 24),
        job("rr32", 2, "randread", 200_000, 158, depth=32),
        job("rw32", 3, "randwrite", 80_000, 395, depth=32),
    ],
}
SEQUENTIAL = {
    **job("sr", 4, "read", 4000, 8000, depth=32, bs="128k"),
    "read": {
        "iops": 20_000,
        "bw_bytes": 20_000 * 131_072,
        "total_ios": 1_200_000,
        "runtime": 60_000,
        "lat_ns": {"mean": 1.5e6},
    },
}


def load(changes: dict[str, Any] | None = None, **options: Any) -> fio.FioImport:
    document = {**copy.deepcopy(RESULT), **(changes or {})}
    return fio.import_fio(document, identifier="ssd", **options)


def test_three_times_are_three_numbers() -> None:
    runs = {run.name: run for run in load().runs}
    shallow, deep = runs["rr1"], runs["rr32"]
    assert shallow.latency_us == pytest.approx(99)
    assert shallow.time_per_operation_us == pytest.approx(100)
    assert shallow.service_time_us == pytest.approx(97)
    assert deep.latency_us == pytest.approx(158)
    assert deep.time_per_operation_us == pytest.approx(5)
    assert deep.service_time_us is None  # not measurable at depth 32
    assert deep.in_flight == pytest.approx(31.6)


def test_rates_are_of_one_depth_and_latencies_of_depth_one() -> None:
    found = load()
    figures = {
        name: float(figure.value) for name, figure in found.device.figures.items()
    }
    assert figures == {
        "read_iops": 200_000,
        "write_iops": 80_000,
        "queue_depth": 32,
        "page_bytes": 4096,
        "queue_depth_1_read_iops": 10_000,
        "queue_depth_1_write_iops": 40_000,
        "read_latency_us": 99,
        "write_latency_us": 24,
    }
    assert service_us(found.device, "read", 4096) == pytest.approx(5)
    assert "throughput cost" in found.basis
    assert "neither the latency" in found.basis
    assert found.used["read_iops"] == "rr32 (queue depth 32)"
    assert found.device.figures["read_iops"].date == "2023-11-14"
    shallow = load(queue_depth=1)
    assert service_us(shallow.device, "read", 4096) == pytest.approx(100)
    assert "the time of one request" in shallow.basis


def test_clones_add_up_with_and_without_group_reporting() -> None:
    clones = [
        job("c", 0, "randread", 50_000, 150, depth=8, numjobs="2"),
        job("c", 0, "randread", 30_000, 170, depth=8, numjobs="2"),
    ]
    found = load({"jobs": clones}).runs[0]
    assert (found.iops, found.queue_depth) == (80_000, 16)
    # Weighted by operations: (5 x 150 + 3 x 170) / 8.
    assert found.latency_us == pytest.approx(157.5)
    merged = job("c", 0, "randread", 80_000, 157.5, depth=8, numjobs="2")
    merged["job options"]["group_reporting"] = ""
    assert load({"jobs": [merged]}).runs[0].queue_depth == 16


def test_a_synchronous_engine_has_one_request_in_flight() -> None:
    psync = job("p", 0, "randread", 9_000, 110, depth=32, ioengine="psync")
    found = load({"jobs": [psync]})
    assert found.runs[0].queue_depth == 1
    assert found.device.figures["queue_depth"].value == 1


def test_a_depth_that_was_not_reached_is_said() -> None:
    slow = job("rr32", 0, "randread", 50_000, 158, depth=32)  # 7.9 in flight
    names = [warning.name for warning in load({"jobs": [slow]}).warnings]
    assert names == ["operation_missing", "depth_not_reached"]


def test_sequential_runs_give_bandwidths() -> None:
    found = load({"jobs": [*RESULT["jobs"], SEQUENTIAL]})
    rate = found.device.number("sequential_read_mb_per_s")
    assert rate == pytest.approx(20_000 * 131_072 / 1e6)
    assert found.device.page_bytes == 4096


def test_buffered_and_limited_runs_are_warned_of() -> None:
    limited = job("l", 0, "randread", 1000, 99, rate_iops="1000")
    found = load(
        {"global options": {"ioengine": "libaio", "bs": "4k"}, "jobs": [limited]}
    )
    names = {warning.name for warning in found.warnings}
    assert {"buffered", "rate_limited"} <= names


def test_percentiles_are_those_of_the_whole_latency_or_else_of_completion() -> None:
    stated = {"50.000000": 90_000, "99.000000": 300_000, "99.900000": 0}
    by_default = copy.deepcopy(RESULT["jobs"][0])
    by_default["read"]["clat_ns"]["percentile"] = stated
    found = load({"jobs": [by_default]})
    assert found.runs[0].percentiles_us == {"p50": 90, "p99": 300}
    [kept] = found.device.measurements
    assert {name: float(value) for name, value in kept.latency_us.items()} == {
        "mean": 99,
        "p50": 90,
        "p99": 300,
    }
    whole = copy.deepcopy(by_default)
    whole["read"]["lat_ns"]["percentile"] = {"99.000000": 320_000}
    assert load({"jobs": [whole]}).runs[0].percentiles_us == {"p99": 320}
    # Those of jobs that ran together cannot be joined.
    clones = [job("c", 0, "randread", 1, 9, numjobs="2") for _ in range(2)]
    for each in clones:
        each["read"]["clat_ns"]["percentile"] = stated
    assert load({"jobs": clones}).runs[0].percentiles_us == {}


def mixed(name: str, group: int, depth: int, **options: str) -> dict[str, Any]:
    both = job(name, group, "randrw", 7000, 120, depth=depth, **options)
    return {**both, "write": {"iops": 3000.0}}


def of_rates(
    name: str, group: int, reads: float, writes: float, **options: str
) -> dict[str, Any]:
    """Return a random mix at depth 32."""
    both = [
        job(name, group, "randrw", reads, 99, depth=32, **options),
        job(name, group, "randwrite", writes, 99),
    ]
    return {**both[0], "write": both[1]["write"]}


def test_a_mix_measured_as_the_rates_is_a_figure_of_the_device() -> None:
    jobs = [*RESULT["jobs"], mixed("m", 4, 32, rwmixread="70"), mixed("n", 5, 8)]
    found = load({"jobs": jobs})
    figures = dict(found.device.figures)
    rate, percent = (figures.pop(name) for name in fio.MIXED_FIGURES)
    assert (rate.value, rate.unit, percent.value, percent.unit) == (
        10_000, "1/s", 70, "%",
    )  # fmt: skip
    assert rate.source == percent.source == "fio-3.36, job `m`"
    assert rate.date == "2023-11-14"
    assert found.used["mixed_iops"] == "m (queue depth 32)"
    assert figures == load().device.figures
    assert beside_writes_us(found.device, 4096) == pytest.approx(
        (100 - 0.7 * 5 - 0.3 * 12.5) / 0.21
    )
    assert not found.warnings


def test_the_share_of_a_mix_is_the_one_that_ran() -> None:
    """A mix of 70 % was asked for, and writes that lag behind left another."""
    uneven = of_rates("m", 4, 36_000, 12_000, rwmixread="70")
    figures = load({"jobs": [*RESULT["jobs"], uneven]}).device.figures
    assert (figures["mixed_iops"].value, figures["mixed_read_percent"].value) == (
        48_000, 75,
    )  # fmt: skip
    assert "70 % of them reads were asked for" in figures["mixed_iops"].note


@pytest.mark.parametrize("order", [1, -1])
def test_of_several_mixes_the_one_that_slows_reads_most_is_stated(order: int) -> None:
    """So the model carries no more than any of them was measured to carry."""
    many = [
        of_rates("m70", 4, 42_000, 18_000, rwmixread="70"),
        of_rates("m50", 5, 20_000, 20_000, rwmixread="50"),
        of_rates("m90", 6, 90_000, 10_000, rwmixread="90"),
    ]
    found = load({"jobs": [*RESULT["jobs"], *many[::order]]})
    c = beside_writes_us(found.device, 4096)
    for mix in found.mixes:
        rate = mix.read.iops + mix.write.iops
        share = mix.read.iops / rate
        read, write = 5.0, 12.5
        modelled = mixed_operation(
            read_us=read, write_us=write, beside_us=c, read_share=share
        )
        assert float(modelled) >= 1e6 / rate - 1e-6
    assert found.used["mixed_iops"].startswith("m50 ")


@pytest.mark.parametrize(
    ("mix", "said"),
    [
        (lambda: mixed("m", 4, 8), "random ones of 4096 bytes at queue depth 8"),
        (lambda: of_rates("m", 4, 700, 300, bs="8k"), "random ones of 8192 bytes"),
        (
            lambda: {
                **of_rates("m", 4, 700, 300),
                "job options": {"rw": "rw", "iodepth": "32"},
            },
            "sequential ones of 4096 bytes",
        ),
    ],
)
def test_a_mix_that_does_not_compare_is_kept_and_gives_no_figure(
    mix: Callable[[], dict[str, Any]], said: str
) -> None:
    found = load({"jobs": [*RESULT["jobs"], mix()]})
    assert found.device.figures == load().device.figures
    assert len(found.mixes) == 1
    [caution] = found.warnings
    assert caution.name == "mix_not_comparable"
    assert said in caution.message
    assert "4096 bytes at queue depth 32" in caution.message


def test_a_mix_beside_one_pattern_alone_gives_no_figure() -> None:
    reads = [RESULT["jobs"][2], mixed("m", 4, 32)]
    found = load({"jobs": reads})
    assert "mixed_iops" not in found.device.figures
    assert [each.name for each in found.warnings] == ["operation_missing"]


def test_a_mix_above_both_ends_is_said() -> None:
    fast = of_rates("m", 4, 150_000, 60_000)
    found = load({"jobs": [*RESULT["jobs"], fast]})
    assert [each.name for each in found.warnings] == ["mix_faster_than_alone"]
    assert "210,000" in found.warnings[0].message
    assert beside_writes_us(found.device, 4096) == 0
    said = device_import.answer(
        {**RESULT, "jobs": [*RESULT["jobs"], fast]}, identifier="ssd"
    )
    assert "no fewer than busy times that add" in said.finding


def test_a_measured_mix_lowers_the_throughput_of_a_flash_cache(tmp_path: Path) -> None:
    path = tmp_path / "measured.toml"
    jobs = [*RESULT["jobs"], mixed("m", 4, 32, rwmixread="70")]
    path.write_text(fio.to_toml(load({"jobs": jobs}).device), encoding="utf-8")
    measured = catalog.device_or_file(str(path))
    assert mixed_load_basis(measured) == MODEL
    curve = Curve.from_lists(
        [100, 200, 300, 400],
        [400, 300, 250, 200],
        [80, 30, 15, 0],
        accesses=1000,
        distinct_pages=400,
        page_bytes=4096,
        write_accesses=200,
    )

    def lazy(flash: Device) -> tuple[float, float]:
        found = scheme_throughput(
            curve,
            ram_pages=100,
            flash_pages=200,
            flash=flash,
            # A device that flash limits, so that its demand is the throughput.
            disk=load().device,
            setting=Setting(clients=8, accesses_per_transaction=10, disks=1000),
        ).schemes["lazy"]
        return float(found.demands_s[-1, 1]), float(found.throughput_per_s[-1])

    (mixed_s, mixed_per_s), (alone_s, alone_per_s) = lazy(measured), lazy(load().device)
    assert mixed_s > 1.5 * alone_s
    assert mixed_per_s < 0.8 * alone_per_s


def test_mixes_beside_others_are_kept() -> None:
    jobs = [*RESULT["jobs"], mixed("m", 4, 32, rwmixread="70"), mixed("n", 5, 8)]
    found = load({"jobs": jobs})
    assert found.runs == load().runs
    shown = [
        (mix.read_percent, mix.read.iops, mix.write.iops, mix.read.queue_depth)
        for mix in found.mixes
    ]
    assert shown == [(70, 7000, 3000, 32), (50, 7000, 3000, 8)]
    by_writes = {**RESULT, "jobs": [*RESULT["jobs"], mixed("w", 4, 1, rwmixwrite="20")]}
    [mix] = fio.import_fio(by_writes, identifier="s").mixes
    assert mix.read_percent == 80
    with pytest.raises(BadInput, match="rwmixread: `170` is not a percentage"):
        load({"jobs": [*RESULT["jobs"], mixed("x", 4, 1, rwmixread="170")]})
    together = [*RESULT["jobs"], mixed("m", 3, 32)]
    with pytest.raises(BadInput, match="jobs m, rw32 ran at the same time"):
        load({"jobs": together})


def test_fio_2_wrote_microseconds() -> None:
    old = job("o", 0, "randread", 10_000, 99)
    old["read"] = {"iops": 10_000, "bw": 40_000, "lat": {"mean": 99.0}}
    found = load({"jobs": [old]}).runs[0]
    assert found.latency_us == pytest.approx(99)
    assert found.bytes_per_s == 40_000 * 1024


@pytest.mark.parametrize(
    ("jobs", "options", "message"),
    [
        ([], {}, "jobs: must be a list that is not empty"),
        (
            [{**job("m", 0, "randrw", 1, 1), "write": {"iops": 1.0}}],
            {},
            "`randrw` reads and writes were measured together",
        ),
        (
            [job("a", 0, "randread", 1, 9), job("b", 0, "randwrite", 1, 9)],
            {},
            "jobs a, b ran at the same time with different patterns",
        ),
        (
            [
                job("a", 0, "randread", 1, 9, depth=1),
                job("b", 1, "randwrite", 1, 9, depth=4),
            ],
            {},
            r"reads were measured at depth \[1\], writes at \[4\]",
        ),
        (
            [
                job("a", 0, "randread", 1, 9),
                job("b", 1, "randread", 1, 9, bs="8k"),
            ],
            {},
            "random operations of 4096, 8192 bytes were measured",
        ),
        (
            [job("a", 0, "randread", 1, 9), job("b", 1, "randread", 1, 9)],
            {},
            "jobs a and b measured the same pattern",
        ),
        (RESULT["jobs"], {"queue_depth": 8}, "queue_depth: `8` was not measured"),
        (RESULT["jobs"], {"page_bytes": 512}, "page_bytes: `512` was not measured"),
        (RESULT["jobs"], {"kind": "tape"}, "kind `tape` is unknown"),
        ([{**RESULT["jobs"][0], "error": 5}], {}, "`5` the job failed"),
        ([job("z", 0, "randread", 0, 9)], {}, "iops: `0.0` must be above 0"),
        ([job("r", 0, "read", 1, 9)], {}, "holds no random reads or writes"),
        (
            [job("s", 0, "randread", 1, 9, bssplit="4k/50:8k/50")],
            {},
            "mixes block sizes",
        ),
        (
            [job("s", 0, "randread", 1, 9, numjobs="x")],
            {},
            "numjobs: `x` is not a positive whole number",
        ),
    ],
)
def test_what_cannot_be_compared_is_refused(
    jobs: list[dict[str, Any]], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message) as raised:
        load({"jobs": jobs}, **options)
    assert raised.value.hint


def test_a_file_is_read_past_the_warnings_of_fio(tmp_path: Path) -> None:
    path = tmp_path / "fio.json"
    path.write_text("fio: a warning\n" + json.dumps(RESULT), encoding="utf-8")
    assert fio.read_fio(path)["fio version"] == "fio-3.36"
    path.write_text("fio: a warning\n{]", encoding="utf-8")
    with pytest.raises(BadInput, match="line 2, column 2: not JSON"):
        fio.read_fio(path)
    with pytest.raises(BadInput, match="cannot be read"):
        fio.read_fio(tmp_path / "absent.json")


def test_a_device_file_reads_back(tmp_path: Path) -> None:
    device = device_from_mapping(
        {
            "id": "odd",
            "name": 'quotes " and \\ back, µs \x7f',
            "kind": "nvme",
            "year": 2025,
            "notes": "line\nbreak",
            "figures": {
                "read_iops": {
                    "value": 1.5e-7,
                    "unit": "1/s",
                    "source": "s",
                    "note": "n",
                }
            },
        }
    )
    device = replace(
        device,
        measurements=(
            Measurement(
                "read",
                4096,
                Decimal("1.5"),
                "s",
                8,
                latency_us={"mean": Decimal("12.25"), "p99_9": Decimal(90)},
            ),
        ),
    )
    path = tmp_path / "odd.toml"
    path.write_text(fio.to_toml(device), encoding="utf-8")
    assert catalog.device_or_file(str(path)) == device
    json_path = tmp_path / "odd.json"
    json_path.write_text(json.dumps(device.to_dict()), encoding="utf-8")
    again: Device = catalog.device_or_file(str(json_path))
    assert again == device


@pytest.mark.parametrize(
    ("latency_us", "message"),
    [
        ([1], "must be a table"),
        ({"p90": 1}, "p90: is not one of mean, p50, p95, p99, p99_9"),
        ({"mean": 0}, "mean: `0` must be positive"),
        ({"p50": "fast"}, "p50: `fast` must be a finite number"),
        ({"p50": 9, "p99": 8}, "a higher percentile is below a lower one"),
    ],
)
def test_latencies_that_cannot_be_are_refused(latency_us: Any, message: str) -> None:
    measured = {"operation": "read", "page_bytes": 4096, "iops": 1, "source": "s"}
    with pytest.raises(BadInput, match=message):
        device_from_mapping(
            {
                "id": "d",
                "name": "d",
                "kind": "nvme",
                "measurements": [{**measured, "latency_us": latency_us}],
            }
        )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("absent.toml", None, "cannot be read"),
        ("bad.json", "{", "line 1, column 2: not JSON"),
        ("list.json", "[]", "document: must be a JSON object"),
        ("bad.toml", "=", "not a valid TOML file"),
    ],
)
def test_bad_device_files_are_refused(
    tmp_path: Path, name: str, text: str | None, message: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        catalog.device_or_file(str(path))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source, out = tmp_path / "fio.json", tmp_path / "ssd.toml"
    source.write_text(json.dumps(RESULT), encoding="utf-8")
    head = ["device", "import-fio", str(source), "--id", "my-ssd"]
    capacity = ["--capacity", "1.6TB"]
    assert main([*head, *capacity, "-o", str(out), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["read_service_us"] == pytest.approx(5)
    assert found["device"]["id"] == "my-ssd"
    made = catalog.device_or_file(str(out))
    assert made.capacity_bytes == 1_600_000_000_000
    assert made == device_from_mapping(found["device"])
    assert main([*head, "-o", str(out)]) == 2
    assert "exists" in capsys.readouterr().err
    assert main([*head, "-o", str(out), "--force"]) == 0
    shown = capsys.readouterr().out
    assert "service time" in shown
    assert "throughput cost" in shown
    assert main([*head, "-o", str(tmp_path / "x.yaml")]) == 2
    disk = ["--disk-device", "face2016-cheetah-15k6-single"]
    capsys.readouterr()
    assert main(["break-even", "--flash-device", str(out), *disk, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["inputs"]["flash_cost_us"] == pytest.approx(5)
