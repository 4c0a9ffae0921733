"""Throughput over HTTP: the numbers are the models', the words fit them."""

import math

import pytest

from tierwright.evaluate import metadata
from tierwright.evaluate.throughput.schemes import Setting, scheme_throughput
from tierwright.hardware import catalog

FLASH = "face2016-samsung-840pro-256"
DISK = "face2016-cheetah-15k6-single"


def ask(application, status=200, **changes):
    return application.post(
        "/throughputs?derivation=true",
        {
            "workload_id": "example",
            "ram_pages": 500,
            "flash_pages": 4000,
            "flash_device_id": FLASH,
            "disk_device_id": DISK,
            "clients": 20,
            "accesses_per_transaction": 10,
            **changes,
        },
        status,
    )


def test_a_client_alone_waits_for_the_latency_of_a_volume(application):
    """0.5 ms an I/O of io2, whatever its IOPS: none reads and writes the volume alone."""
    answer = ask(
        application,
        disk_device_id="aws-ebs-io2-bx",
        clients=1,
        points=[1],
        flash_pages=4000,
    )
    none = next(each for each in answer["schemes"] if each["scheme"] == "none")
    [delay], [response] = none["delay_us"], none["response_us"]
    busy = none["demand_us"]["disk"][0]
    assert response == pytest.approx(busy + delay)
    assert (busy + delay) / busy == pytest.approx(500 * 256_000 / 1e6)
    [step] = [
        each
        for each in answer["derivation"]
        if each["name"].endswith(": W") and each["scheme"] == "none"
    ]
    assert step["value"] == pytest.approx(delay / 1000)
    assert "latency" in answer["time_basis"]


@pytest.mark.parametrize(
    ("vary", "points"),
    [
        ("clients", [1, 5, 20]),
        ("disks", [1, 4, 16]),
        ("flash_devices", [1, 2]),
        ("flash_pages", [0, 1000, 4000]),
    ],
)
def test_the_numbers_are_the_models(application, curve, vary, points):
    answer = ask(
        application, vary=vary, points=points, think_us=5000, flash_metadata="l2arc"
    )
    expected = scheme_throughput(
        curve,
        ram_pages=500,
        flash_pages=4000,
        flash=catalog.device(FLASH),
        disk=catalog.device(DISK),
        setting=Setting(clients=20, accesses_per_transaction=10, think_s=0.005),
        vary=vary,
        points=points,
        flash_metadata=metadata.preset("l2arc"),
    )
    assert answer["points"] == points
    assert answer["best"] == list(expected.best)
    assert answer["present"] == points[answer["at"]]
    plain = expected.to_dict()["schemes"]
    for found in answer["schemes"]:
        known = plain[found["scheme"]]
        for name in (
            "throughput_per_s",
            "bottleneck",
            "limit",
            "knee_clients",
            "knee_disks",
        ):
            assert found[name] == known[name]
        assert found["utilisation"] == known["utilisation"]
        assert found["response_us"] == pytest.approx(
            [1e6 * seconds for seconds in known["response_s"]]
        )
        for rate, bound in zip(
            found["throughput_per_s"], found["throughput_bound_per_s"], strict=True
        ):
            assert rate <= bound * (1 + 1e-9)
        for response, bound in zip(
            found["response_us"], found["response_bound_us"], strict=True
        ):
            assert response >= bound * (1 - 1e-9)


def test_the_usual_points_hold_the_present_one(application):
    for vary, present in (("clients", 20), ("disks", 3), ("flash_pages", 4000)):
        answer = ask(application, vary=vary, disks=3)
        assert answer["points"][answer["at"]] == present == answer["present"]
        assert len(answer["points"]) > 10
        assert answer["points"] == sorted(set(answer["points"]))


def test_the_sentence_names_bottleneck_and_knee(application):
    few = ask(application, clients=1, think_us=100_000)
    assert "the number of clients limits" in few["finding"]
    assert "throughput could reach" in few["sentence"]
    assert " transactions/s" in few["finding"]
    many = ask(application, clients=500)
    assert "the disks are 100 % busy" in many["sentence"]
    assert "The knee is at 1 client: " not in few["sentence"]
    alone = ask(application, clients=500, disks=1, ram_pages=1, flash_pages=0)
    assert "The knee is at 1 client: " in alone["sentence"]
    assert "more clients would only wait longer" in many["sentence"]
    assert "the disks limit" in many["finding"]


def test_a_device_limits_where_it_is_nearly_saturated(application):
    seen = set()
    for clients in (1, 2, 4, 8, 20, 60, 500):
        answer = ask(application, clients=clients, think_us=20_000)
        at = answer["at"]
        best = next(s for s in answer["schemes"] if s["scheme"] == answer["best"][at])
        busy = best["utilisation"][best["bottleneck"][at]][at]
        limit = best["limit"][at]
        seen.add(limit)
        assert limit == (best["bottleneck"][at] if busy >= 0.9 else "clients")
        rate, most = best["throughput_per_s"][at], best["max_throughput_per_s"][at]
        sentence = answer["sentence"]
        if limit == "clients":
            assert most / rate > 1.1
            assert "throughput could reach" in sentence or "would still add" in sentence
        elif most / rate - 1 >= 1e-3:
            assert f"at most {100 * (most / rate - 1):.3g}"[:12] in sentence
        else:
            assert "more clients would only wait longer" in sentence
    assert seen == {"clients", "disk"}


def test_the_disks_that_it_takes_are_one_more_than_keep_them_the_busiest(application):
    answer = ask(application, clients=500)
    best = next(
        s for s in answer["schemes"] if s["scheme"] == answer["best"][answer["at"]]
    )
    disks = math.floor(best["knee_disks"]) + 1
    assert f"It takes {disks:,} of " in answer["sentence"]
    limits = {
        count: ask(application, clients=500, disks=count)["schemes"]
        for count in (disks - 1, disks)
    }
    busiest = {
        count: next(s for s in schemes if s["scheme"] == best["scheme"])["bottleneck"][
            0
        ]
        for count, schemes in limits.items()
        if count > 0
    }
    assert busiest.pop(disks) != "disk"
    assert set(busiest.values()) <= {"disk"}
    # With so many of them it is not said of this scheme any more.
    enough = ask(application, clients=500, disks=disks)["sentence"]
    assert f"It takes {disks:,} of " not in enough


def test_schemes_within_their_known_error_are_too_close_to_call(application):
    answer = ask(application, clients=500)
    schemes = {scheme["scheme"]: scheme for scheme in answer["schemes"]}
    at, best = answer["at"], schemes[answer["best"][answer["at"]]]
    least = best["throughput_least_per_s"] or best["throughput_per_s"]
    near = [
        scheme["title"]
        for scheme in answer["schemes"]
        if scheme["throughput_per_s"][at] < 0.999 * best["throughput_per_s"][at]
        and (scheme["throughput_most_per_s"] or scheme["throughput_per_s"])[at]
        >= least[at]
    ]
    assert near, "the example has schemes whose ranges overlap"
    assert "No flash" not in near
    assert "too close to call" in answer["finding"]
    for title in near:
        assert title in answer["finding"]
        assert title in answer["close_sentence"]
    assert "Within the known error" not in answer["sentence"]
    alone = ask(application, flash_pages=0)
    assert alone["close_sentence"] == ""


def test_a_system_that_needs_nothing_says_so(application):
    answer = ask(application, ram_pages=10**6, flash_pages=0, think_us=0)
    names = {warning["name"] for warning in answer["warnings"]}
    if "nothing_demanded" in names:
        assert answer["schemes"][0]["throughput_per_s"][0] is None
    else:  # the first touches read the disk
        assert answer["schemes"][0]["bottleneck"][0] == "disk"


@pytest.mark.parametrize(
    ("changes", "where"),
    [
        ({"clients": 0}, "body.clients"),
        ({"clients": 10**6}, "body.clients"),
        ({"vary": "colour"}, "body.vary"),
        ({"vary": "disks", "clients": 10_000}, "body"),
        ({"points": [10**9]}, "body"),
        ({"think_us": -1}, "body.think_us"),
        ({"flash_metadata": "zfs"}, "body.flash_metadata"),
    ],
)
def test_bad_values_are_named(application, changes, where):
    problem = ask(application, 422, **changes)
    assert where in [error["where"] for error in problem["errors"]]


def test_metadata_that_leave_no_ram_are_refused(application):
    problem = ask(
        application, 422, ram_pages=1, flash_pages=10**6, flash_metadata="l2arc"
    )
    assert "hold less than the metadata" in problem["detail"]
