"""Studies of transactions: the command's answer over HTTP, as a run that can be cancelled and resumed."""

import csv
import gzip
import io
import json

import pytest
from live_app import run_application

from tierwright.cli.app import main
from tierwright_server.questions.transaction_studies.example import example_path
from tierwright_server.questions.transaction_studies.schemas import SYSTEMS

EVENTS = "".join(
    f"B T{n}\nU T{n} {n % 40}\nR T{n} {n * 7 % 90}\nU T{n} {n * 3 % 90}\n{'A' if n % 9 == 0 else 'C'} T{n}\n"
    for n in range(3_000)
)
SMALL = {"page_bytes": 4096, "pages_per_block": 16, "checkpoint_pages": 8}


def finished(application, body, **prices):
    """Ask for a study and wait for all of it."""
    study = application.post("/transaction-studies", body, 202)
    if study["status"] != "succeeded":
        run = application.wait_run(study["run"]["id"])
        assert run["status"] == "succeeded", run
        assert run["kind"] == "transaction_study"
    return application.get(f"/transaction-studies/{study['id']}", params=prices)


@pytest.fixture(scope="module")
def uploaded(application):
    return application.upload(gzip.compress(EVENTS.encode()), "events.txt.gz")


def commanded(capsys, path, study, ram_pages, *more):
    inputs = study["inputs"]
    asked = {
        "--ram-pages": ram_pages,
        "--database-pages": study["database_pages"],
        "--systems": "all",
        "--blocks": study["blocks"],
        "--pages-per-block": inputs["pages_per_block"],
        "--page-bytes": inputs["page_bytes"],
        "--log-bytes": inputs["log_bytes_per_update"],
        "--checkpoint-pages": inputs["checkpoint_pages"],
    }
    words = [str(word) for pair in asked.items() for word in pair]
    assert main(["transactions", str(path), *words, *more, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


class TestAnswer:
    def test_it_is_the_answer_of_the_command(
        self, application, uploaded, tmp_path, capsys
    ):
        path = tmp_path / "events.txt"
        path.write_text(EVENTS, encoding="ascii")
        study = finished(
            application,
            {"upload_id": uploaded, "ram_pages": [30, 6], "crash": "end", **SMALL},
        )
        assert study["survey"] == {
            "events": 15_000,
            "transactions": 3_000,
            "committed": 2_666,
            "aborted": 334,
            "reads": 3_000,
            "updates": 6_000,
            "pages": 90,
        }
        assert (study["ram_pages"], study["crash_after"]) == ([6, 30], 15_000)
        assert [row["ram_pages"] for row in study["rows"]] == [6] * 7 + [30] * 7
        for pages in (6, 30):
            found = commanded(
                capsys, path, study, pages, "--durable", "--crash-after", "15000"
            )
            rows = [row for row in study["rows"] if row["ram_pages"] == pages]
            assert [row["system"] for row in rows] == list(found) == SYSTEMS
            for row in rows:
                counts = found[row["system"]]
                assert {name: row[name] for name in counts} == counts

    def test_prices_change_times_and_nothing_else(
        self, application, uploaded, tmp_path, capsys
    ):
        path = tmp_path / "events.txt"
        path.write_text(EVENTS, encoding="ascii")
        body = {"upload_id": uploaded, "ram_pages": [6], "durable": False, **SMALL}
        study = finished(application, body, write_us=900, disk_us=4000, disk_log_us=50)
        more = ["--write-us", "900", "--disk-ms", "4", "--disk-log-us", "50"]
        found = commanded(capsys, path, study, 6, *more)
        usual = application.get(f"/transaction-studies/{study['id']}")
        for row, cheap in zip(study["rows"], usual["rows"], strict=True):
            counts = found[row["system"]]
            assert {name: row[name] for name in counts} == counts
            assert row["time_us"] > cheap["time_us"]
            assert row["writes"] == cheap["writes"]
            has_log = row["system"] == "aries"
            assert (row["wal_pages_written"] > 0) == has_log
            assert row["recovery"] is None

    def test_a_flash_device_takes_the_place_of_the_chip(
        self, application, uploaded, tmp_path, capsys
    ):
        path = tmp_path / "events.txt"
        path.write_text(EVENTS, encoding="ascii")
        body = {"upload_id": uploaded, "ram_pages": [6], "spare": 0.5, **SMALL}
        study = finished(application, body)
        found = commanded(capsys, path, study, 6, "--durable", "--spare", "0.5")
        assert {row["system"]: row["erases"] for row in study["rows"]} == {
            name: counts["erases"] for name, counts in found.items()
        }

    def test_the_worked_example_needs_no_upload(self, application, capsys):
        study = finished(application, {"ram_pages": [64], "systems": ["aries"]})
        assert study["is_example"]
        assert study["survey"]["transactions"] == 4_007
        found = commanded(capsys, example_path(), study, 64)
        [row] = study["rows"]
        counts = found["aries"]
        assert {name: row[name] for name in counts} == counts
        assert study["finding"].startswith("ARIES takes ")
        assert study["derivation"] is None
        derived = application.get(
            f"/transaction-studies/{study['id']}", params={"derivation": True}
        )
        [step] = derived["derivation"]
        assert step["value"] == pytest.approx(row["time_us"])

    def test_the_rows_as_csv(self, application, uploaded):
        body = {"upload_id": uploaded, "ram_pages": [6], **SMALL}
        study = finished(application, body)
        answer = application.client.get(
            f"/transaction-studies/{study['id']}", headers={"Accept": "text/csv"}
        )
        assert answer.headers["content-type"].startswith("text/csv")
        rows = list(csv.DictReader(io.StringIO(answer.text)))
        assert [row["system"] for row in rows] == SYSTEMS
        assert [int(row["writes"]) for row in rows] == [
            row["writes"] for row in study["rows"]
        ]


class TestStored:
    def test_the_same_file_and_inputs_find_the_same_study(self, application, uploaded):
        body = {"upload_id": uploaded, "ram_pages": [12], **SMALL}
        first = finished(application, body)
        again = application.client.post("/transaction-studies", json=body)
        assert again.status_code == 202
        assert again.headers["Location"].endswith(f"/transaction-studies/{first['id']}")
        assert again.json()["rows"] == first["rows"]
        copy = application.upload(gzip.compress(EVENTS.encode(), mtime=0), "copy.gz")
        other = finished(application, {**body, "upload_id": copy})
        assert other["rows"] == first["rows"]
        assert finished(application, {**body, "ram_pages": [13]})["id"] != first["id"]

    def test_a_study_stays_when_its_upload_is_discarded(self, application):
        upload = application.upload(b"B T\nU T 1\nC T\n", "small.txt")
        study = finished(application, {"upload_id": upload, "ram_pages": [1]})
        gone = application.client.delete(
            f"/uploads/{upload}", headers={"Tus-Resumable": "1.0.0"}
        )
        assert gone.status_code == 204
        found = application.get(f"/transaction-studies/{study['id']}")
        assert found["rows"] == study["rows"]
        assert not found["is_example"]

    def test_a_file_named_like_the_example_is_not_the_example(self, application):
        upload = application.upload(b"B T\nU T 1\nC T\n", example_path().name)
        study = finished(application, {"upload_id": upload, "ram_pages": [2]})
        assert not study["is_example"]
        application.client.delete(
            f"/uploads/{upload}", headers={"Tus-Resumable": "1.0.0"}
        )
        found = application.get(f"/transaction-studies/{study['id']}")
        assert found["inputs"]["upload_id"] is None
        assert found["filename"] == example_path().name
        assert not found["is_example"]

    @pytest.mark.parametrize("spare", [None, 1, 0.07, 1e-7])
    def test_the_example_is_known_as_such_when_it_is_read_again(
        self, application, spare
    ):
        body = {"systems": ["aries"], "ram_pages": [64], "spare": spare, "blocks": 300}
        made = application.post("/transaction-studies", body, 202)
        assert made["is_example"]
        assert application.get(f"/transaction-studies/{made['id']}")["is_example"]


class TestRefused:
    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"systems": ["aries", "aries"]}, "body.systems"),
            ({"ram_pages": [4, 4]}, "body.ram_pages"),
            ({"log_bytes_per_update": 5_000}, "body.log_bytes_per_update"),
            ({"spare": 0}, "body.spare"),
            ({"crash": 2**63 + 1}, "body.crash"),
            ({"crash": 0}, "body.crash"),
            ({"systems": ["lru"]}, "body.systems"),
        ],
    )
    def test_bad_input_is_named_with_its_place(
        self, application, uploaded, change, where
    ):
        answer = application.client.post(
            "/transaction-studies", json={"upload_id": uploaded, **change}
        )
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["errors"][0]["where"].startswith(where)

    def test_unknown_ids(self, application):
        answer = application.client.post(
            "/transaction-studies", json={"upload_id": "none"}
        )
        assert answer.status_code == 404
        assert application.client.get("/transaction-studies/none").status_code == 404

    @pytest.mark.parametrize(
        ("content", "changes", "message"),
        [
            (b"B T\nX T\n", {}, "line 2: `X T` is not an event"),
            (b"B T\nB T\n", {}, "event 2: `begin T`: has begun before"),
            (b"B T\nC T\n", {}, "touch no page"),
            (b"B T\nU T 9\nC T\n", {"crash": 4}, "there are 3 events"),
            (b"B T\nU T 9\nC T\n", {"database_pages": 9}, "highest page touched is 9"),
        ],
    )
    def test_a_file_that_cannot_be_replayed_fails_its_run_with_the_reason(
        self, application, content, changes, message
    ):
        upload = application.upload(content, "mine.txt")
        body = {"upload_id": upload, "ram_pages": [1], **changes}
        study = application.post("/transaction-studies", body, 202)
        run = application.wait_run(study["run"]["id"])
        assert run["status"] == "failed"
        assert message in run["error"]
        assert "mine.txt" in run["error"]
        assert upload not in run["error"]
        assert run["hint"]


@pytest.fixture(scope="module")
def own(make_settings):
    with run_application(make_settings()) as application:
        yield application


def test_a_cancelled_study_keeps_its_sizes_and_resumes(own):
    long = "".join(EVENTS.replace("T", f"T{at}x") for at in range(60))
    upload = own.upload(gzip.compress(long.encode()), "long.txt.gz")
    sizes = [1, 2, 3, 4, 5, 6, 7, 8]
    body = {"upload_id": upload, "ram_pages": sizes, **SMALL, "blocks": 4096}
    study = own.post("/transaction-studies", body, 202)
    path = f"/transaction-studies/{study['id']}"
    some = own.wait_until(lambda: own.get(path)["rows"])
    discarded = own.client.delete(
        f"/uploads/{upload}", headers={"Tus-Resumable": "1.0.0"}
    )
    assert discarded.status_code == 409
    assert own.client.post(f"/runs/{study['run']['id']}/cancel").status_code == 200
    run = own.wait_run(study["run"]["id"])
    assert run["status"] == "cancelled"
    kept = own.get(path)
    assert kept["status"] == "cancelled"
    assert kept["rows"][: len(some)] == some
    assert 0 < len(kept["rows"]) < 7 * len(sizes)
    again = own.post("/transaction-studies", body, 202)
    assert again["id"] == study["id"]
    assert again["run"]["id"] != study["run"]["id"]
    assert own.wait_run(again["run"]["id"])["status"] == "succeeded"
    whole = own.get(path)
    assert [row["ram_pages"] for row in whole["rows"]] == [
        pages for pages in sizes for _ in SYSTEMS
    ]
    assert whole["rows"][: len(kept["rows"])] == kept["rows"]


def test_studies_are_listed_and_deleted_once_they_have_ended(make_settings):
    """The list says how far each is; what runs is refused, what was deleted is replayed again."""
    with run_application(make_settings()) as own:
        assert own.get("/transaction-studies")["items"] == []
        example = finished(own, {"ram_pages": [64], "systems": ["aries"]})
        upload = own.upload(EVENTS.encode(), "Ledger.txt")
        ledger = finished(own, {"upload_id": upload, "ram_pages": [6, 30], **SMALL})
        listed = own.get("/transaction-studies")
        assert (listed["total"], listed["limit"], listed["offset"]) == (2, 20, 0)
        newest, oldest = listed["items"]
        assert (newest["id"], oldest["id"]) == (ledger["id"], example["id"])
        assert newest["inputs"] == ledger["inputs"]
        assert (newest["events"], newest["replays"]) == (15_000, 14)
        assert newest["ram_pages"] == [6, 30]
        assert (newest["is_example"], oldest["is_example"]) == (False, True)
        assert "rows" not in newest
        for query, ids in (
            ({"sort": "created_at"}, [oldest["id"], newest["id"]]),
            ({"filename": "ledger"}, [newest["id"]]),
            ({"limit": 1, "offset": 1}, [oldest["id"]]),
        ):
            found = own.get("/transaction-studies", params=query)
            assert [each["id"] for each in found["items"]] == ids
        path = f"/transaction-studies/{ledger['id']}"
        assert own.client.delete(path).status_code == 204
        assert own.client.delete(path).status_code == 404
        gone = own.client.get(path)
        assert gone.status_code == 404
        assert "unless they are deleted" in gone.json()["hint"]
        assert own.get("/transaction-studies")["total"] == 1
        # The file stays.
        again = finished(own, {"upload_id": upload, "ram_pages": [6, 30], **SMALL})
        assert again["rows"] == ledger["rows"]
        long = "".join(EVENTS.replace("T", f"T{at}x") for at in range(60))
        body = {
            "upload_id": own.upload(gzip.compress(long.encode()), "long.txt.gz"),
            "ram_pages": [1, 2, 3, 4, 5, 6, 7, 8],
            **SMALL,
            "blocks": 4096,
        }
        running = own.post("/transaction-studies", body, 202)
        refused = own.client.delete(f"/transaction-studies/{running['id']}")
        assert refused.status_code == 409
        assert "Cancel its run first" in refused.json()["hint"]
        cancelled = own.client.post(f"/runs/{running['run']['id']}/cancel")
        assert cancelled.status_code == 200
        own.wait_run(running["run"]["id"])
        assert (
            own.client.delete(f"/transaction-studies/{running['id']}").status_code
            == 204
        )
