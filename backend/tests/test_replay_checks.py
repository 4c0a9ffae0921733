"""Checks by replay over HTTP: model beside counted operations, and words that fit both."""

import math
from decimal import Decimal

import pytest

from tierwright import _simulator
from tierwright.advise.checks.checked import CheckedFigure
from tierwright.advise.checks.checked import verdict as sentence_of
from tierwright.advise.checks.counted import replayed_life, replayed_throughput
from tierwright.advise.checks.throughput import decided as finding
from tierwright.advise.wear import drives_sentence
from tierwright.evaluate.endurance import money
from tierwright.evaluate.modern.write_amplification import waf_greedy
from tierwright.evaluate.throughput.schemes import Setting
from tierwright.hardware import catalog
from tierwright.hardware.service_time import service_us
from tierwright.simulate.priced import price
from tierwright_server.common.older_models import about_version
from tierwright_server.common.version import VERSION

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"
POINT = {
    "workload_id": "example",
    "start": "cold",
    "ram_pages": 500,
    "flash_pages": 4000,
    "flash_device_id": FLASH,
    "disk_device_id": DISK,
}


@pytest.fixture(scope="module")
def counters():
    trace = "fixtures/traces/tpcb-cut.csv.zst"

    def replay(scheme):
        return _simulator.replay(
            trace,
            "scheme",
            scheme,
            ram_pages=500,
            flash_pages=0 if scheme == "none" else 4000,
        )

    return {name: replay(name) for name in ("none", "exclusive", "lazy")}


def test_throughput_is_that_of_the_counted_operations(application, counters):
    body = {**POINT, "clients": 20, "accesses_per_transaction": 10, "think_us": 5000}
    found = application.post("/throughputs/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    model = application.post("/throughputs", {**body, "points": [20]}, 200)
    for columns in model["schemes"]:
        row = rows[columns["scheme"], "throughput"]
        assert row["model"] == columns["throughput_per_s"][0]
        if columns["scheme"] in counters:
            own = replayed_throughput(
                counters[columns["scheme"]],
                flash=catalog.device(FLASH),
                disk=catalog.device(DISK),
                setting=Setting(clients=20, accesses_per_transaction=10, think_s=0.005),
            )
            assert row["simulated"] == pytest.approx(own.throughput_per_s)
            assert abs(row["gap_relative"]) < 0.1
    assert "the waiting of clients is not replayed" in found["basis"]


def test_flash_caches_are_replayed_beside_the_schemes(application):
    body = {**POINT, "clients": 20, "disks": 4, "flash_caches": ["face", "tac"]}
    found = application.post("/throughputs/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    own = replayed_throughput(
        _simulator.replay(
            "fixtures/traces/tpcb-cut.csv.zst",
            "flash_cache",
            "tac",
            ram_pages=500,
            flash_pages=4000,
        ),
        flash=catalog.device(FLASH),
        disk=catalog.device(DISK),
        setting=Setting(clients=20, disks=4),
    )
    row = rows["tac", "throughput"]
    assert (row["title"], row["model"], row["gap_relative"]) == ("TAC", None, None)
    assert row["simulated"] == pytest.approx(own.throughput_per_s)
    knee = rows["tac", "disks from which another device limits"]
    assert knee["simulated"] == pytest.approx(own.knee_disks)
    clients = rows["tac", "clients from which more mostly wait"]
    assert clients["simulated"] == pytest.approx(own.knee_clients)
    assert clients["model"] is None
    columns = application.post(
        "/throughputs", {**POINT, "clients": 20, "disks": 4}, 200
    )
    for scheme in columns["schemes"]:
        row = rows[scheme["scheme"], "clients from which more mostly wait"]
        assert row["model"] == pytest.approx(scheme["knee_clients"][columns["at"]])
        assert row["simulated"] > 0
    assert rows["face", "busy share of flash"]["simulated"] > 0
    assert "So were FaCE and TAC" in found["basis"]
    assert "The directory of FaCE takes " in found["basis"]
    assert "; that of TAC takes " in found["basis"]
    assert "best page-flow scheme; " in found["sentence"]
    assert "best choice" not in found["sentence"]
    alone = application.post("/throughputs/check", {**body, "flash_caches": []}, 200)
    assert "So was" not in alone["basis"]
    assert "page-flow scheme" not in alone["sentence"]
    refused = application.client.post(
        "/throughputs/check", json={**body, "flash_caches": ["fast"]}
    )
    assert refused.status_code == 422
    assert "`fast` is unknown" in refused.text


def test_a_comparison_has_flash_caches_beside_its_schemes(application):
    body = {**POINT, "flash_caches": ["larc"]}
    found = application.post("/evaluations/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    alone = _simulator.replay(
        "fixtures/traces/tpcb-cut.csv.zst",
        "flash_cache",
        "larc",
        ram_pages=500,
        flash_pages=4000,
    )
    cost = price(alone, flash=catalog.device(FLASH), disk=catalog.device(DISK))
    time = rows["larc", "I/O time"]
    assert (time["title"], time["model"]) == ("LARC", None)
    assert time["simulated"] == pytest.approx(cost.io_time_us_per_access)
    answer = application.post("/evaluations", POINT, 200)
    for scheme in answer["schemes"]:
        row = rows[scheme["scheme"], "I/O time"]
        assert row["model"] == pytest.approx(scheme["io_time_us_per_access"])
        assert row["simulated"] > 0
    assert "So was LARC" in found["basis"]
    assert "LARC" in found["sentence"]
    # How long flash lasts stands beside, at the recorded rate.
    assert rows["larc", "life"]["simulated"] > 0
    assert rows["lazy", "life"]["simulated"] > 0
    assert ("none", "life") not in rows
    assert "The flash lasts as stated at the recorded" in found["basis"]
    stated = application.post(
        "/evaluations/check",
        {**body, "flash_caches": ["larc", "l2arc"], "accesses_per_s": 5000},
        200,
    )
    lives = {row["of"]: row for row in stated["rows"] if row["figure"] == "life"}
    summary = application.get(f"/workloads/{body['workload_id']}")["summary"]
    recorded = summary["accesses"] / summary["duration_s"]
    assert lives["larc"]["simulated"] == pytest.approx(
        rows["larc", "life"]["simulated"] * recorded / 5000
    )
    assert "were replayed" not in found["basis"]
    assert "was replayed with recorded times multiplied by" in stated["basis"]
    # What works by the clock was replayed with other times, so lives are of two kinds.
    assert "at the stated 5,000 accesses/s" in stated["basis"]
    assert "Lazy; and LARC at the stated 5,000 accesses/s" in stated["basis"]
    layer = ["ftl_spare_percent=10", "ftl_block_pages=16"]
    under = application.post(
        "/evaluations/check", {**body, "flash_cache_options": layer}, 200
    )
    amplified = {(each["of"], each["figure"]): each for each in under["rows"]}
    assert amplified["larc", "write amplification"]["simulated"] > 1
    refused = application.client.post(
        "/evaluations/check", json={**body, "flash_pages": 0}
    )
    assert refused.status_code == 422
    assert "has no flash to use" in refused.text


def test_points_all_over_a_map_are_replayed(application):
    named = ("workload_id", "flash_device_id", "disk_device_id")
    body = {
        **{name: POINT[name] for name in named},
        "start": "cold",
        "x": {"axis": "ram_pages", "low": 100, "high": 1600},
        "y": {"axis": "flash_pages", "low": 1000, "high": 16000},
        "x_points": 2,
        "y_points": 3,
        "flash_caches": ["larc"],
    }
    found = application.post("/scheme-maps/check", body, 200)
    assert [
        (point["ram_pages"], point["flash_pages"]) for point in found["points"]
    ] == [(ram, flash) for flash in (1587, 4000, 10079) for ram in (200, 800)]
    rows = {row["of"]: row for row in found["rows"]}
    for index, point in enumerate(found["points"]):
        alone = _simulator.replay(
            "fixtures/traces/tpcb-cut.csv.zst",
            "flash_cache",
            "larc",
            ram_pages=point["ram_pages"],
            flash_pages=point["flash_pages"],
        )
        cost = price(alone, flash=catalog.device(FLASH), disk=catalog.device(DISK))
        assert rows[f"{index} larc"]["simulated"] == pytest.approx(
            cost.io_time_us_per_access
        )
        assert point["cache_us"] == rows[f"{index} larc"]["simulated"]
        assert point["flow_us"] == rows[f"{index} {point['flow']}"]["simulated"]
    assert found["compared"] == 6
    assert found["sentence"].startswith("Model and replay name")
    dirty = {"axis": "dirty_share", "low": 0, "high": 1}
    for changes, said in (
        ({"y": dirty, "flash_pages": 9.0}, "dirty pages of the recording"),
        ({"x_points": 6}, "x_points"),
    ):
        refused = application.client.post(
            "/scheme-maps/check", json={**body, **changes}
        )
        assert refused.status_code == 422
        assert said in refused.text


def test_flash_caches_wear_flash_beside_the_schemes(application):
    body = {**POINT, "rated_tb": 100.0, "accesses_per_s": 1000.0}
    found = application.post("/wear/check", {**body, "flash_caches": ["larc"]}, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    assert rows["larc", "flash writes"]["model"] is None
    assert rows["larc", "flash writes"]["simulated"] > 0
    assert rows["larc", "life"]["simulated"] > 0
    assert "LARC writes" in found["sentence"]
    without = application.post("/wear/check", body, 200)
    assert "LARC" not in without["sentence"]


def test_a_device_that_holds_all_data_wears_by_write_backs(application):
    device = {"spare_percent": 28, "block_pages": 32}
    body = {**POINT, "pe_cycles": 3000.0, "accesses_per_s": 1000.0, **device}
    asked = {**body, "data_on_flash": ["lru", "cflru"]}
    found = application.post("/wear/check", asked, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    for family, name in (("policy", "lru"), ("buffer", "cflru")):
        own = _simulator.replay(
            "fixtures/traces/tpcb-cut.csv.zst",
            family,
            name,
            500,
            options={"ftl_spare_percent": "28", "ftl_block_pages": "32"},
        )
        row = rows[f"data_on_flash_{name}", "write amplification"]
        assert row["model"] is None
        counted = own["ftl"]["waf"]
        stated = of_a_whole_device(counted, own["distinct_pages"], 32, held=2)
        assert row["simulated"] == pytest.approx(stated)
        assert rows[f"data_on_flash_{name}", "life"]["simulated"] > 0
    assert "With all data on the flash device" in found["sentence"]
    refused = application.client.post(
        "/wear/check", json={**body, "data_on_flash": ["slru"]}
    )
    assert refused.status_code == 422
    assert "`slru` is unknown" in refused.text


MAP = {
    **{
        name: POINT[name]
        for name in ("workload_id", "flash_device_id", "disk_device_id")
    },
    "start": "cold",
    "x": {"axis": "ram_pages", "low": 500, "high": 1000},
    "y": {"axis": "flash_pages", "low": 4000, "high": 8000},
    "x_points": 2,
    "y_points": 2,
}
BESIDE = {
    "/evaluations/check": POINT,
    "/throughputs/check": {**POINT, "clients": 20},
    "/directories/check": POINT,
    "/scheme-maps/check": MAP,
}


@pytest.mark.parametrize("path", BESIDE)
def test_flash_caches_run_with_the_options_that_are_given(application, path):
    body = {**BESIDE[path], "flash_caches": ["larc", "lazy_cleaning"]}
    plain = application.post(path, body, 200)
    given = {**body, "flash_cache_options": ["lazy_cleaning:mode=write_through"]}
    found = application.post(path, given, 200)
    assert "Lazy Cleaning (LC) ran with mode=write_through." in found["basis"]
    assert " ran with " not in plain["basis"]

    def of(answer, name):
        return [row for row in answer["rows"] if row["of"].split()[-1] == name]

    assert of(found, "larc") == of(plain, "larc") != []
    assert of(found, "lazy_cleaning") != of(plain, "lazy_cleaning")
    # A comparison shows what a device under the cache does: 1 % of 100 blocks is not enough of one.
    device = (
        "leaves no room to collect"
        if path == "/evaluations/check"
        else "what a device under the flash cache writes"
    )
    for options, said in (
        (["bcache:mode=write_back"], "`bcache` is not a contender here"),
        (["ftl_spare_percent=1"], device),
    ):
        refused = application.client.post(
            path, json={**body, "flash_cache_options": options}
        )
        assert refused.status_code == 422
        assert said in refused.text


def of_a_whole_device(waf, pages, block, *, held):
    """Return what a small device with 28 % spare space counted as of one where the blocks held back are next to none."""
    usable = (-(-pages * 128 // (100 * block)) - held) * block / pages - 1
    whole, small = (waf_greedy(spare, block).waf - 1 for spare in (0.28, usable))
    return 1 + (waf - 1) * whole / small


def test_cachelib_with_small_objects_has_two_write_streams(application):
    small = {"small_by": "relation", "small": "58", "small_percent": "25"}
    device = {"spare_percent": 28, "block_pages": 32}
    body = {**POINT, "pe_cycles": 3000.0, "accesses_per_s": 1000.0, **device}
    body["flash_caches"] = ["larc", "cachelib"]
    options = [f"cachelib:{name}={value}" for name, value in small.items()]
    asked = {**body, "flash_cache_options": options}
    found = application.post("/wear/check", asked, 200)
    rows = {(row["of"], row["figure"]): row["simulated"] for row in found["rows"]}
    own = _simulator.replay(
        "fixtures/traces/tpcb-cut.csv.zst",
        "flash_cache",
        "cachelib",
        500,
        4000,
        options={
            **small,
            "ftl_spare_percent": "28",
            "ftl_block_pages": "32",
            "streams": "2",
        },
    )["ftl"]
    waf = "write amplification"
    # The second open block holds half of its pages on average.
    for figure, counted, held in (
        (waf, own["waf_one_stream"], 2),
        (f"{waf} with two streams", own["waf"], 2.5),
    ):
        stated = of_a_whole_device(counted, 4000, 32, held=held)
        assert rows["cachelib", figure] == pytest.approx(stated)
    assert ("larc", f"{waf} with two streams") not in rows
    assert "small=58 and small_percent=25." in found["basis"]
    refused = application.client.post(
        "/wear/check", json={**body, "flash_cache_options": ["bcache:mode=write_back"]}
    )
    assert refused.status_code == 422
    assert "`bcache` is not a contender here" in refused.text


def test_life_is_that_of_the_counted_writes(application, counters):
    body = {**POINT, "rated_tb": 100.0, "accesses_per_s": 1000.0}
    found = application.post("/wear/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    for name in ("exclusive", "lazy"):
        own = replayed_life(counters[name], budget_tb=100.0, accesses_per_s=1000)
        assert rows[name, "flash writes"]["simulated"] == pytest.approx(own.tb_per_day)
        assert rows[name, "life"]["simulated"] == pytest.approx(own.years)
    assert "best" in found["sentence"]


def test_write_amplification_is_that_of_a_device_under_the_replay(application):
    device = {"spare_percent": 28, "block_pages": 32}
    body = {**POINT, "pe_cycles": 3000.0, "accesses_per_s": 1000.0, **device}
    answer = application.post("/wear", body, 200)
    assert answer["budget"]["spare"] == {
        "percent": 28,
        "block_pages": 32,
        "collection": "greedy",
    }
    found = application.post("/wear/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    own = simulated(
        "lazy", ram=500, flash=4000, ftl_spare_percent="28", ftl_block_pages="32"
    )
    row = rows["lazy", "write amplification"]
    assert row["model"] == pytest.approx(answer["budget"]["waf_in_place"])
    stated = of_a_whole_device(own["ftl"]["waf"], 4000, 32, held=2)
    assert row["simulated"] == pytest.approx(stated)
    assert "write amplification of 2.33" in found["sentence"]
    refused = application.client.post("/wear", json={**POINT, **device})
    assert refused.status_code == 422
    assert "has no effect without P/E cycles" in refused.text


def test_one_replay_prices_every_device(application, counters):
    body = {key: POINT[key] for key in POINT if key != "flash_device_id"}
    devices = [FLASH, "samsung-pm9a3-7.68tb-u2"]
    found = application.post(
        "/flash-choices/check", {**body, "candidate_ids": devices}, 200
    )
    assert {row["of"] for row in found["rows"]} == set(devices)
    for row in found["rows"]:
        assert row["unit"] == "µs/access"
        assert abs(row["gap_relative"]) < 0.1


def simulated(name, **options):
    return _simulator.replay(
        "fixtures/traces/tpcb-cut.csv.zst",
        "scheme",
        name,
        ram_pages=options.pop("ram"),
        flash_pages=options.pop("flash"),
        options=options,
    )


def test_directories_are_replayed_with_their_flash_pages(application):
    """The choice of 64 KiB pages is priced from what their replay did, block by block."""
    body = {**POINT, "flash_page_bytes": [8192, 65536], "directory_hit_ratio": 0.5}
    answer = application.post("/directories", body, 200)
    found = application.post("/directories/check", body, 200)
    rows = {(row["of"], row["figure"]): row for row in found["rows"]}
    assert rows["none", "time"]["model"] == pytest.approx(answer["none_us"])
    flash, disk = catalog.device(FLASH), catalog.device(DISK)
    for index, option in enumerate(answer["options"]):
        options = {}
        if option["technique"] is not None:
            options = {"block_pages": "8", "block_technique": option["technique"]}
        if option["placement"] == "flash":
            # A tenth of the directory is less than two pages.
            pages = -(-option["directory_bytes"] // 8192)
            options |= {
                "directory_pages": str(pages),
                "directory_buffer_pages": "1",
            }
        name = option["safest"]
        own = simulated(
            name, ram=option["ram_pages"], flash=option["flash_pages"], **options
        )
        upkeep = (
            own["directory_lookups"] * option["lookup_us"]
            + own["directory_updates"] * option["update_us"]
        ) / own["accesses"]
        if option["placement"] == "flash":
            kept = own["directory"]
            upkeep = (
                kept["reads"] * service_us(flash, "read", 8192)
                + kept["writes"] * service_us(flash, "write", 8192)
            ) / own["accesses"]
            hits = rows[f"{index} {name}", "hits of the directory in RAM"]
            assert hits["model"] == 0.5
            assert hits["simulated"] == pytest.approx(
                1 - kept["reads"] / kept["accesses"]
            )
        # The upkeep of a directory on flash is that of the option.
        data = {**own, "directory": None}
        cost = price(data, flash=flash, disk=disk).io_time_us_per_access
        figure_ = "time" if option["technique"] is None else "time, at worst"
        row = rows[f"{index} {name}", figure_]
        assert row["simulated"] == pytest.approx(cost + upkeep)
        [model] = [each for each in option["schemes"] if each["scheme"] == name]
        assert row["model"] == pytest.approx(model["worst_total_us"])
    assert "Each option was replayed" in found["basis"]
    assert "the answer assumes 50.0 %" in found["sentence"]


def test_flash_caches_stand_beside_directories(application):
    """Each has what its metadata leave of RAM, 32 bytes a page and 69.6: with the hits of its own replay."""
    names = ["face", "larc"]
    body = {**POINT, "flash_caches": names}
    found = application.post("/directories/check", body, 200)
    places = {each["of"]: each for each in found["places"]}
    frame = 8192 + 48
    tax = {
        "face": 32 * POINT["flash_pages"],
        "larc": math.ceil(69.6 * POINT["flash_pages"]),
    }
    for name in names:
        pages = (POINT["ram_pages"] * 8192 - tax[name]) // frame
        own = _simulator.replay(
            "fixtures/traces/tpcb-cut.csv.zst",
            "flash_cache",
            name,
            ram_pages=pages,
            flash_pages=POINT["flash_pages"],
            options={},
        )
        row = places[name]
        assert (row["ram_tax_bytes"], row["ram_pages"]) == (tax[name], pages)
        assert row["flash_hits"] == pytest.approx(own["flash_hits"] / own["accesses"])
    assert next(each["behind"] for each in found["places"]) == 0
    assert "the best place of a directory" in found["sentence"]
    plain = application.post("/directories/check", POINT, 200)
    assert "flash cache" not in plain["sentence"]
    problem = application.post(
        "/directories/check", {**POINT, "flash_caches": ["arc"]}, 422
    )
    assert "arc" in str(problem)


def test_a_restart_is_checked_by_a_cache_that_crashes(application):
    body = {**POINT, "accesses_per_s": 1000.0, "checkpoint_interval_s": 60.0}
    found = application.post("/recovery/check", body, 200)
    rows = {row["figure"]: row for row in found["rows"]}
    warm, later = (
        _simulator.replay(
            "fixtures/traces/tpcb-cut.csv.zst",
            "flash_cache",
            "face",
            500,
            4000,
            options={
                "crash_at": "210000",
                "restart": "warm",
                "metadata_segment_entries": "64000",
            },
            warm_up=warm_up,
        )
        for warm_up in (210_000, 240_000)
    )
    hits = warm["flash_hits"] - later["flash_hits"]
    reads = hits + warm["flash_misses"] - later["flash_misses"]
    assert rows["pages found on flash"]["model"] == 0.98
    assert rows["pages found on flash"]["simulated"] == pytest.approx(hits / reads)
    # four thousand pages of 8 KiB are scanned, one segment
    rate = catalog.device(FLASH).number("sequential_read_mb_per_s")
    scanned = warm["restart_pages_scanned"] * 8192 / (rate * 1e6)
    assert rows["metadata restored"]["simulated"] == pytest.approx(scanned)
    assert rows["with flash"]["simulated"] > rows["with flash"]["model"]
    assert 0 < rows["time to fill, by the misses of RAM"]["simulated"] < 420
    assert "30,000 accesses after the crash" in found["basis"]
    assert "where the answer assumes 98" in found["sentence"]


def test_a_fragment_cache_is_checked_over_fragments(application):
    body = {**POINT, "accesses_per_s": 1000.0, "fragment_bytes": 65536}
    found = application.post("/sce/check", body, 200)
    answer = application.post("/sce", body, 200)
    rows = {row["of"]: row for row in found["rows"]}
    own = simulated(
        "inclusive",
        ram=1,
        flash=4000,
        block_pages="8",
        flash_policy="gclock",
        flash_ceiling="4",
        flash_entry="1",
    )
    reached = simulated("none", ram=500, flash=0)["flash_misses"]
    row = rows["65536"]
    assert row["model"] == answer["read_miss_rate"]
    assert row["simulated"] == pytest.approx(own["flash_misses"] / reached)
    # 64 pages of 8 KiB are the most
    assert set(rows) == {"65536", "131072", "262144", "524288"}
    assert found["sentence"].startswith("Fragments of 64 KiB miss")
    default = application.post("/sce/check", {**POINT, "accesses_per_s": 1000.0}, 200)
    assert default["sentence"].startswith(
        "Fragments of 1 MiB cannot be replayed; those of 512 KiB"
    )


def test_results_of_older_models_say_so():
    [note] = about_version("0.1.2")
    assert note.name == "older_model_version"
    assert "0.1.2" in note.message
    assert VERSION in note.message
    assert about_version(VERSION) == []


def test_a_close_call_of_throughput_is_decided_by_the_replay():
    rows = [figure("exclusive", 100.0, 90.0), figure("lazy", 99.0, 95.0)]
    assert finding(rows) == "Lazy reaches 95.0 transactions/s, decided by replay"
    rows = [figure("exclusive", 100.0, 94.5), figure("lazy", 99.0, 95.0)]
    assert finding(rows) == (
        "Lazy and Exclusive are practically equal at about 95.0 transactions/s, "
        "decided by replay"
    )
    assert finding([figure("lazy", 99.0, None)]) is None


def figure(of, model, simulated):
    return CheckedFigure(
        of=of,
        title=of.title(),
        figure="throughput",
        unit="1/s",
        model=model,
        simulated=simulated,
        gap_relative=None if simulated is None else model / simulated - 1,
    )


@pytest.mark.parametrize(
    ("lazy", "sentence"),
    [
        (
            (90.0, 90.0),
            "The replay confirms Exclusive as the best choice; the model is off by at most "
            "25.0 % in throughput.",
        ),
        (
            (90.0, 100.0),
            "By replay, Lazy is best; Exclusive, the model's choice, is 20.0 % behind; "
            "the model is off by at most 25.0 % in throughput.",
        ),
    ],
)
def test_the_sentence_says_whether_the_replay_chooses_alike(lazy, sentence):
    simulated = 80.0 if lazy[1] == 100.0 else 100.0
    rows = [figure("exclusive", 100.0, simulated), figure("lazy", *lazy)]
    if simulated == 100.0:
        rows.append(figure("none", 50.0, 40.0))
    assert sentence_of(rows, "throughput", max) == sentence
    equal = [figure("exclusive", 100.0, 100.0), figure("lazy", 90.0, 90.0)]
    assert sentence_of(equal, "throughput", max) == (
        "The replay confirms Exclusive as the best choice; model and replay agree."
    )
    assert "Neither" in sentence_of([], "throughput", max)
    # Flash caches have no model, so the verdict is not of them.
    among = sentence_of(rows, "throughput", max, among="page-flow scheme")
    assert among == sentence.replace(
        "as the best choice", "as the best page-flow scheme"
    ).replace("Lazy is best;", "Lazy is the best page-flow scheme;")
    assert among != sentence


@pytest.mark.parametrize(
    ("count", "held", "said"),
    [
        (
            1,
            10**11,
            "One Drive costs 720 USD, 20 USD a month over 36 months. Compare counts 2 USD of it: the "
            "10.0 % that 93.1 GiB of flash pages take.",
        ),
        (
            2,
            10**12,
            "2 x Drive cost 720 USD, 20 USD a month over 36 months. The flash pages take all of it.",
        ),
    ],
)
def test_whole_drives_and_what_is_compared_stand_side_by_side(count, held, said):
    cost = money.whole_drives(
        Decimal(720), months=36, held_bytes=held, capacity_bytes=10**12
    )
    assert drives_sentence(cost, count, "Drive", 36, held) == said


def test_the_check_of_recovery_counts_the_pages_to_redo(application):
    """Until then they are bounded from above; what is stated stays as it is stated."""
    body = {**POINT, "accesses_per_s": 5000.0, "checkpoint_interval_s": 17.0}
    before = application.post("/recovery", body, 200)["restart"]
    assert "upper bound" in before["redo_basis"]
    application.client.post("/recovery/check", json=body)

    def counted():
        found = application.post("/recovery", body, 200)["restart"]
        return found if "counted in the trace" in found["redo_basis"] else None

    after = application.wait_until(counted, 2.0)
    # The last window is cut short.
    written = _simulator.window_curves(
        "fixtures/traces/tpcb-cut.csv.zst", window_accesses=42_500, sizes=[1]
    )["pages_written"][:-1]
    assert after["redo_pages"] == pytest.approx(float(written.mean()))
    assert after["redo_pages"] < before["redo_pages"]
    stated = application.post("/recovery", {**body, "redo_pages": 123}, 200)["restart"]
    assert (stated["redo_pages"], stated["redo_basis"][:8]) == (123, "as given")
