"""Transactions over HTTP: the models' own numbers, the order, refusals."""

import pytest

from tierwright.evaluate.transactions import nand
from tierwright.simulate import transactions as replay


def test_pages_or_log_equal_the_models(application):
    answer = application.post(
        "/transaction-writes?derivation=true", {"dirty_pages": 40}, 200
    )
    found = nand.log_write(40, 100)
    page, log = answer["ways"]
    assert page["write_us"] == found.data_write_us
    assert log["pages_written"] == found.log_pages
    assert answer["break_even_extra_reads"] == found.break_even_extra_reads
    assert log["total_us"] == log["write_us"] + log["reread_us"]
    assert log["reread_us"] == float(nand.log_read_us(40, 1))
    assert answer["winner"] == "log"
    assert answer["resident_transactions"] == 8192 // 40
    assert answer["read_share"] == pytest.approx(0.41)
    steps = {step["name"]: step["value"] for step in answer["derivation"]}
    assert steps["time as log records"] == log["total_us"]
    assert steps["break-even pages read again"] == answer["break_even_pages"]


def test_a_replay_equals_the_models_and_orders_what_is_left(application):
    answer = application.post(
        "/transaction-replays?derivation=true",
        {"running": 32, "committed": 16, "ram_pages": 512, "read_us": 50.0},
        200,
    )
    events = replay.half_loaded(committed=16, running=32)
    found = replay.compare_buffers(events, ram_pages=512, database_pages=768)
    assert answer["events"] == len(events)
    times = nand.NandTimes(read_us=50)
    for row in answer["buffers"]:
        expected = found[row["buffer"]].to_dict(times)
        parts = (row[f"{name}_time_us"] for name in ("read", "write", "erase"))
        assert sum(parts) == row["time_us"]
        assert {key: row[key] for key in expected if key in row} == {
            key: value for key, value in expected.items() if key in row
        }
    derived = [step["value"] for step in answer["derivation"]]
    assert derived == [row["time_us"] for row in answer["buffers"]]
    commits = [row["commit_time"] for row in answer["leaving"]]
    assert commits == sorted(commits)
    assert {each["name"] for each in answer["warnings"]} == {"order_of_events_is_ours"}


def test_own_events_tell_who_leaves_next(application):
    answer = application.post(
        "/transaction-replays",
        {"source": "events", "events": "B A\nU A 0\nB B\nU B 1\nC B", "ram_pages": 8},
        200,
    )
    assert [row["transaction"] for row in answer["leaving"]] == ["B", "A"]
    assert "B would be evicted next: it committed first" in answer["sentence"]
    assert "everything_fits" in {each["name"] for each in answer["warnings"]}


@pytest.mark.parametrize(
    ("path", "body", "part"),
    [
        ("/transaction-writes", {"read_us": 0}, "read_us"),
        ("/transaction-writes", {"read_slowdown": -0.75}, "cancel"),
        ("/transaction-replays", {"source": "events"}, "holds no event"),
        (
            "/transaction-replays",
            {"source": "events", "events": "B A\nC B"},
            "has not begun",
        ),
        (
            "/transaction-replays",
            {"running": 512, "committed": 512, "pages_each": 64},
            "more than 20,000 events",
        ),
        ("/transaction-replays", {"blocks": 3}, "blocks stay free"),
    ],
)
def test_refuses(application, path, body, part):
    assert part in str(application.post(path, body, 422))


CHURN = "B T\n" + "\n".join(f"U T {page * 7919 % 12_799}" for page in range(19_000))


@pytest.mark.parametrize(
    ("body", "where", "part"),
    [
        ({"blocks": 3}, "body.blocks", "blocks stay free"),
        (
            {"log_bytes_per_update": 4096},
            "body.log_bytes_per_update",
            "2,048 bytes of a page",
        ),
        (
            {"source": "events", "events": "B A\nC B"},
            "body.events",
            "event 2: has not begun",
        ),
        (
            {"source": "events", "events": "B A\nX"},
            "body.events: line 2",
            "is not an event",
        ),
        (
            # Records as large as pages: no system fills the chip with log pages before.
            {"source": "events", "events": CHURN, "ram_pages": 10, "blocks": 202}
            | {"log_bytes_per_update": 2048},
            "body.events",
            "more than 500,000 steps",
        ),
        (
            {"source": "events", "events": "B A\nU A 0\nU A 1", "ram_pages": 1}
            | {"blocks": 3, "pages_per_block": 1},
            "body.blocks",
            "at least 4 blocks",
        ),
    ],
)
def test_a_refused_replay_names_the_field_of_the_body(application, body, where, part):
    found = application.post("/transaction-replays", body, 422)
    assert [each["where"] for each in found["errors"]] == [where]
    assert part in str(found)


def test_the_largest_chip_is_replayed_at_once(application):
    chip = {"blocks": 2**20, "pages_per_block": 2**14}
    events = {"source": "events", "events": "B T1\nU T1 17000000000\nC T1"}
    found = application.post("/transaction-replays", chip | events, 200)
    assert found["database_pages"] == 17_000_000_001
    assert application.post("/transaction-replays", chip, 200)["events"] == 2_240
