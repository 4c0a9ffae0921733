"""Upload to curve: formats, faults, sharing of content, deletion."""

import gzip
import hashlib
import secrets
import threading

import numpy as np
import pytest
import zstandard
from live_app import EXAMPLE_TRACE, run_application

from tierwright import _simulator
from tierwright_server.storage import contents

HEADER = b"time_us,op,rel,block\n"


def trace_of(rows: int, seed: int = 1, pages: int = 500) -> bytes:
    """Make a small PostgreSQL trace."""
    random = np.random.default_rng(seed)
    lines = [
        f"{i * 10},{'W' if random.random() < 0.3 else 'R'},0/2676,{random.integers(pages)}"
        for i in range(rows)
    ]
    return HEADER + "\n".join(lines).encode() + b"\n"


def ready(application, data: bytes, filename: str, **options):
    """Make a workload and wait until it is ready."""
    workload = application.create_workload(data, filename, **options)
    run = application.wait_run(workload["run"]["id"])
    assert run["status"] == "succeeded", run
    return application.get(f"/workloads/{workload['id']}")


class TestCreateWorkload:
    def test_summary_equals_the_cores_own_inspection(self, application):
        data = EXAMPLE_TRACE.read_bytes()
        workload = ready(application, data, "mine.csv.zst")
        expected = _simulator.inspect(EXAMPLE_TRACE)
        for key in (
            "format",
            "requests",
            "accesses",
            "distinct_pages",
            "write_accesses",
            "page_bytes",
            "duration_s",
            "sha256_of_sequence",
        ):
            assert workload["summary"][key] == expected[key], key
        footprint = expected["distinct_pages"] * expected["page_bytes"]
        assert workload["summary"]["footprint_bytes"] == footprint

    def test_the_same_content_is_stored_once(self, application):
        example = application.wait_example()
        workload = ready(application, EXAMPLE_TRACE.read_bytes(), "again.csv.zst")
        assert workload["content_id"] == example["content_id"]
        assert "example" in workload["same_content_as"]
        assert "stored once" in workload["run"]["message"]

    def test_the_upload_is_removed_once_the_workload_is_ready(self, application):
        upload_id = application.upload(trace_of(300, seed=7), "a.csv")
        workload = application.post(
            "/workloads", {"upload_id": upload_id, "name": "a"}, 202
        )
        application.wait_run(workload["run"]["id"])
        assert application.get(f"/workloads/{workload['id']}")["upload_id"] is None
        assert application.client.get(f"/uploads/{upload_id}").status_code == 404
        assert not (application.settings.uploads_dir / upload_id).exists()

    @pytest.mark.parametrize(
        ("pack", "suffix"),
        [
            (lambda data: data, ""),
            (gzip.compress, ".gz"),
            (zstandard.ZstdCompressor().compress, ".zst"),
        ],
    )
    def test_compression_does_not_change_the_content(self, application, pack, suffix):
        data = trace_of(400, seed=3)
        workload = ready(application, pack(data), f"t.csv{suffix}")
        plain = ready(application, data, "t.csv")
        assert workload["content_id"] == plain["content_id"]

    def test_progress_ends_at_the_total(self, application):
        workload = ready(application, trace_of(500, seed=4), "p.csv")
        run = workload["run"]
        assert run["done"] == run["total"]
        assert run["unit"] == "bytes"
        assert run["attempts"] == 1
        assert run["finished_at"] >= run["started_at"] >= run["created_at"]


BAD = [
    ("empty.csv", b"", {}, "empty"),
    ("header-only.csv", HEADER, {"format": "postgres_csv"}, ""),
    ("cut.csv.gz", gzip.compress(trace_of(20_000))[:-2000], {}, "cut.csv.gz"),
    ("binary.csv", secrets.token_bytes(5000), {}, "binary.csv"),
    ("bad-line.csv", trace_of(50) + b"1,R,0/1,minus\n", {}, "52"),
    ("wrong.csv", trace_of(50), {"format": "vscsi"}, "wrong.csv"),
]


class TestBadInput:
    @pytest.mark.parametrize(
        ("filename", "data", "options", "named"), BAD, ids=[bad[0] for bad in BAD]
    )
    def test_the_run_fails_and_says_what_where_and_what_next(
        self, application, filename, data, options, named
    ):
        workload = application.create_workload(data, filename, **options)
        run = application.wait_run(workload["run"]["id"])
        assert run["status"] == "failed", run
        assert run["hint"]
        assert named in run["error"]
        assert str(application.settings.data_dir) not in run["error"]
        again = application.get(f"/workloads/{workload['id']}")
        assert again["status"] == "failed"
        # The upload is kept, so that another format can be tried.
        assert again["upload_id"] is not None
        assert application.get(f"/uploads/{again['upload_id']}")["complete"]

    @pytest.mark.parametrize(
        ("filename", "data", "options", "named"), BAD, ids=[bad[0] for bad in BAD]
    )
    def test_the_preview_never_breaks(
        self, application, filename, data, options, named
    ):
        upload_id = application.upload(data, filename)
        answer = application.client.post(f"/uploads/{upload_id}/preview", json=options)
        assert answer.status_code in (200, 422), answer.text
        if answer.status_code == 422:
            assert answer.headers["content-type"] == "application/problem+json"
            problem = answer.json()
            assert problem["hint"]
            assert filename in problem["detail"]
            assert str(application.settings.data_dir) not in problem["detail"]

    def test_an_ambiguous_upload_lists_the_formats_to_choose_from(self, application):
        lines = b"".join(b"%d.000000 0 %d 8 1\n" % (i, i * 8) for i in range(20))
        upload_id = application.upload(lines, "asks.trace")
        answer = application.client.post(f"/uploads/{upload_id}/preview", json={})
        assert answer.status_code == 422
        faults = [
            fault
            for fault in answer.json()["errors"]
            if fault["where"] == "body.format"
        ]
        assert {fault["value"] for fault in faults} == {"disksim", "flashsim"}
        for fault in faults:
            chosen = {"format": fault["value"]}
            shown = application.post(f"/uploads/{upload_id}/preview", chosen, 200)
            assert shown["format"] == fault["value"]

    def test_a_failed_upload_can_be_read_again_with_another_format(self, application):
        upload_id = application.upload(trace_of(200, seed=9), "retry.csv")
        body = {"upload_id": upload_id, "name": "retry"}
        first = application.post("/workloads", {**body, "format": "vscsi"}, 202)
        assert application.wait_run(first["run"]["id"])["status"] == "failed"
        second = application.post("/workloads", body, 202)
        assert application.wait_run(second["run"]["id"])["status"] == "succeeded"

    @pytest.mark.parametrize(
        "page_bytes", [0, -4096, 511, 5000, 2**21, 2**40, "4096", True, 1.5]
    )
    def test_page_bytes_out_of_range_name_the_value(self, application, page_bytes):
        upload_id = application.upload(trace_of(10), "p.csv")
        answer = application.client.post(
            "/workloads",
            json={"upload_id": upload_id, "name": "p", "page_bytes": page_bytes},
        )
        assert answer.status_code == 422
        fault = answer.json()["errors"][0]
        assert fault["where"] == "body.page_bytes"
        assert fault["value"] == page_bytes

    def test_an_unknown_format_lists_the_known_ones(self, application):
        upload_id = application.upload(trace_of(10), "p.csv")
        answer = application.client.post(
            "/workloads", json={"upload_id": upload_id, "name": "p", "format": "nope"}
        )
        assert answer.status_code == 422
        assert "postgres_csv" in answer.json()["detail"]

    def test_an_unfinished_upload_cannot_be_read(self, application):
        path = application.begin_upload(100, filename="half.csv")
        application.patch(path, 0, b"x" * 50)
        upload_id = path.rsplit("/", 1)[-1]
        for url, body in (
            (f"{path}/preview", {}),
            ("/workloads", {"upload_id": upload_id, "name": "half"}),
        ):
            answer = application.client.post(url, json=body)
            assert answer.status_code == 409
            assert "completely" in answer.json()["detail"]


class TestPreview:
    def test_shows_records_and_units(self, application):
        upload_id = application.upload(EXAMPLE_TRACE.read_bytes(), "t.csv.zst")
        preview = application.post(f"/uploads/{upload_id}/preview", {}, 200)
        expected = _simulator.preview(EXAMPLE_TRACE)
        assert preview["format"] == "postgres_csv"
        assert preview["records"] == expected["records"]
        assert preview["units"] == expected["units"]
        assert preview["compression"] == "zstd"
        assert preview["upload"]["filename"] == "t.csv.zst"
        assert preview["shown"] == expected["shown"]
        assert (preview["chosen_by"], preview["margin"]) == (
            "content",
            expected["margin"],
        )

    @pytest.mark.parametrize(
        "options", [{}, {"format": "csv"}, {"format": "csv", "columns": {"page": "no"}}]
    )
    def test_a_table_that_needs_a_mapping_names_its_columns_as_data(
        self, application, options
    ):
        data = b'when,"what, how",object,page_no\n1,read,a,3\n2,write,b,4\n'
        upload_id = application.upload(data, "table.csv")
        problem = application.post(f"/uploads/{upload_id}/preview", options, 422)
        [entry] = problem["errors"]
        assert entry["where"] == "body.columns"
        assert entry["value"] == ["when", "what, how", "object", "page_no"]

    def test_a_parquet_table_names_its_columns_and_its_kind(self, application):
        table = EXAMPLE_TRACE.with_name("table.parquet").read_bytes()
        upload_id = application.upload(table, "t.parquet")
        path = f"/uploads/{upload_id}/preview"
        entries = application.post(path, {}, 422)["errors"]
        assert [(entry["where"], entry["value"]) for entry in entries] == [
            ("body.columns", ["when", "op", "volume", "lba", "bytes", "note"]),
            ("body.format", "parquet"),
        ]
        body = {"format": "parquet", "columns": {"page": "lba", "op": "op"}}
        assert application.post(path, body, 200)["format"] == "parquet"
        workload = application.post(
            "/workloads", {"upload_id": upload_id, "name": "t", **body}, 202
        )
        assert application.wait_run(workload["run"]["id"])["status"] == "succeeded"
        summary = application.get(f"/workloads/{workload['id']}")["summary"]
        assert (summary["accesses"], summary["write_requests"]) == (3000, 930)

    def test_what_is_no_table_names_no_columns(self, application):
        upload_id = application.upload(bytes([0, 255, 0, 1]) * 1000, "picture.csv")
        problem = application.post(f"/uploads/{upload_id}/preview", {}, 422)
        assert problem["errors"] == []

    def test_generic_csv_takes_a_mapping(self, application):
        data = b"when,what,lba,len\n1.5,read,8,8\n2.5,write,16,16\n"
        upload_id = application.upload(data, "own.csv")
        columns = {
            "time": "when",
            "time_unit": "s",
            "op": "what",
            "offset": "lba",
            "offset_unit": "sectors",
            "size": "len",
            "size_unit": "sectors",
            "read_values": "read",
            "write_values": "write",
        }
        body = {"format": "csv", "columns": columns, "page_bytes": 4096}
        preview = application.post(f"/uploads/{upload_id}/preview", body, 200)
        assert preview["columns"] == ["when", "what", "lba", "len"]
        second = preview["records"][1]
        # sector 16 = byte 8192 = page 2; 16 sectors = 2 pages
        assert (second["offset_bytes"], second["first_page"]) == (8192, 2)
        assert second["page_count"] == 2
        workload = application.post(
            "/workloads", {"upload_id": upload_id, "name": "own", **body}, 202
        )
        assert application.wait_run(workload["run"]["id"])["status"] == "succeeded"
        summary = application.get(f"/workloads/{workload['id']}")["summary"]
        assert (summary["requests"], summary["accesses"]) == (2, 3)


class TestTheSameFileAgain:
    """The same bytes, read in the same way, are the same workload unless asked."""

    @staticmethod
    def offer(application, data, filename="again.csv", **options):
        body = {"upload_id": application.upload(data, filename), "name": filename}
        return application.post("/workloads", {**body, **options}, 202)

    def test_is_answered_with_the_workload_that_is_there(self, application):
        data = trace_of(90, seed=501)
        first = self.offer(application, data, "first.csv", page_bytes=8192)
        assert first["already_here"] is False
        application.wait_run(first["run"]["id"])
        before = application.get("/workloads")["total"]
        upload_id = application.upload(data, "second.csv")
        body = {"upload_id": upload_id, "name": "second", "page_bytes": 8192}
        again = application.post("/workloads", body, 202)
        assert (again["id"], again["already_here"]) == (first["id"], True)
        assert (again["name"], again["status"]) == ("first.csv", "ready")
        assert application.get("/workloads")["total"] == before
        # The file is kept for whoever wants another workload of it all the same.
        other = application.post("/workloads", {**body, "import_again": True}, 202)
        assert (other["already_here"], other["name"]) == (False, "second")
        assert other["id"] != first["id"]
        assert application.wait_run(other["run"]["id"])["status"] == "succeeded"

    @pytest.mark.parametrize(
        "options",
        [
            {"page_bytes": 4096},
            {"format": "postgres_csv"},
            {"skip_bad_records": 1},
            {"device_bytes": 2**40},
            {"device_bytes": 2**41, "page_bytes": 16384},
        ],
    )
    def test_read_in_another_way_is_another_workload(self, application, options):
        data = trace_of(90, seed=502)
        first = self.offer(application, data)
        application.wait_run(first["run"]["id"])
        other = self.offer(application, data, **options)
        application.wait_run(other["run"]["id"])
        assert (other["already_here"], other["id"] != first["id"]) == (False, True)
        assert self.offer(application, data, **options)["id"] == other["id"]

    def test_a_column_mapping_is_part_of_how_it_is_read(self, application):
        data = b"page,kind,other\n501,R,1\n502,W,2\n"
        ids = []
        for page in ("page", "other", "page"):
            columns = {"page": page, "op": "kind"}
            made = self.offer(application, data, format="csv", columns=columns)
            ended = application.wait_run(made["run"]["id"])
            assert ended["status"] == "succeeded", ended
            ids.append(made["id"])
        assert ids[0] == ids[2] != ids[1]

    def test_one_byte_more_is_another_file(self, application):
        data = trace_of(90, seed=503)
        first = self.offer(application, data)
        other = self.offer(application, data + b"900,R,0/2676,1\n")
        assert other["id"] != first["id"]
        assert other["already_here"] is False

    def test_what_could_not_be_read_is_tried_again(self, application):
        data = trace_of(90, seed=504)
        first = self.offer(application, data, format="vscsi")
        assert application.wait_run(first["run"]["id"])["status"] == "failed"
        again = self.offer(application, data, format="vscsi")
        assert (again["already_here"], again["id"] != first["id"]) == (False, True)

    def test_what_was_deleted_is_imported_again(self, application):
        data = trace_of(90, seed=505)
        first = self.offer(application, data)
        application.wait_run(first["run"]["id"])
        path = f"/workloads/{first['id']}"
        assert application.client.delete(path).status_code == 204
        again = self.offer(application, data)
        assert again["already_here"] is False
        assert application.wait_run(again["run"]["id"])["status"] == "succeeded"

    def test_what_another_version_read_is_read_by_this_one(
        self, application, monkeypatch
    ):
        data = trace_of(90, seed=506)
        first = self.offer(application, data)
        application.wait_run(first["run"]["id"])
        monkeypatch.setattr(
            "tierwright_server.traces.workloads.service.VERSION", "0.0.0"
        )
        assert self.offer(application, data)["already_here"] is False

    def test_while_it_is_being_read_and_after_a_cancel(self, make_settings):
        data = trace_of(90, seed=507)
        with run_application(make_settings(), workers=0) as idle:
            first = self.offer(idle, data)
            again = self.offer(idle, data)
            assert (again["id"], again["already_here"]) == (first["id"], True)
            assert (again["status"], again["run"]["id"]) == (
                "queued",
                first["run"]["id"],
            )
            idle.post(f"/runs/{first['run']['id']}/cancel", {}, 200)
            other = self.offer(idle, data)
            assert (other["id"] != first["id"], other["already_here"]) == (True, False)

    def test_many_at_once_make_one(self, application):
        data = trace_of(90, seed=508)
        # Half of them of one upload, as a double click is; the others of their own.
        shared = application.upload(data, "shared.csv")
        uploads = [shared] * 4 + [application.upload(data, "own.csv") for _ in range(4)]
        answers, gate = [], threading.Barrier(len(uploads))

        def ask(upload_id):
            gate.wait()
            body = {"upload_id": upload_id, "name": "at once"}
            answers.append(application.client.post("/workloads", json=body))

        threads = [threading.Thread(target=ask, args=(each,)) for each in uploads]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        # Who comes when the shared upload has been read finds it gone, and makes nothing.
        assert {answer.status_code for answer in answers} <= {202, 404}
        made = [answer.json() for answer in answers if answer.status_code == 202]
        assert len({one["id"] for one in made}) == 1
        assert sum(not one["already_here"] for one in made) == 1


class TestBadRecords:
    """Passed over only on request, counted, and told wherever the workload is."""

    def bad(self, seed: int = 21) -> bytes:
        lines = trace_of(60, seed=seed).splitlines()
        lines[10:10] = [b"not,a,record", b"7,R,0/1,-4"]
        return b"\n".join(lines) + b"\n"

    def test_one_too_many_fails_the_run(self, application):
        workload = application.create_workload(
            self.bad(), "bad.csv", format="postgres_csv", skip_bad_records=1
        )
        run = application.wait_run(workload["run"]["id"])
        assert run["status"] == "failed"
        assert "line 12" in run["error"]

    def test_the_count_stays_with_the_workload(self, application):
        workload = ready(application, self.bad(), "bad.csv", skip_bad_records=5)
        assert workload["skip_bad_records"] == 5
        assert workload["summary"]["skipped_records"] == 2
        assert workload["summary"]["requests"] == 60
        assert "2 bad records were skipped" in workload["run"]["message"]
        [warning] = [
            one
            for one in workload["summary"]["warnings"]
            if one["name"] == "bad_records_skipped"
        ]
        assert "`bad.csv`, line 11" in warning["message"]
        assert str(application.settings.data_dir) not in warning["message"]

    def test_each_workload_keeps_its_own_log_of_the_same_content(self, application):
        """The clean file has the same accesses, and nothing was passed over in it."""
        good = trace_of(60, seed=22)
        dirty = ready(application, self.bad(22), "dirty.csv", skip_bad_records=2)
        clean = ready(application, good, "clean.csv")
        assert clean["content_id"] == dirty["content_id"]
        assert dirty["summary"]["skipped_records"] == 2
        assert clean["summary"]["skipped_records"] == 0

    def test_the_preview_tolerates_as_many(self, application):
        upload_id = application.upload(self.bad(23), "bad.csv")
        path = f"/uploads/{upload_id}/preview"
        body = {"format": "postgres_csv"}
        assert "line 11" in application.post(path, body, 422)["detail"]
        shown = application.post(path, {**body, "skip_bad_records": 2}, 200)
        assert "bad_records_skipped" in [one["name"] for one in shown["warnings"]]
        assert str(application.settings.data_dir) not in str(shown["warnings"])

    @pytest.mark.parametrize("count", [-1, 1.5, True, "2", 10**12])
    def test_counts_out_of_range(self, application, count):
        upload_id = application.upload(trace_of(10), "p.csv")
        answer = application.client.post(
            "/workloads",
            json={"upload_id": upload_id, "name": "p", "skip_bad_records": count},
        )
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "body.skip_bad_records"


class TestConversionLog:
    def test_holds_what_was_asked_read_assumed_and_proved(self, application):
        data = trace_of(80, seed=31)
        workload = ready(
            application, data, "log.csv", format="postgres_csv", skip_bad_records=3
        )
        log = application.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["source"] == {
            "kind": "upload",
            "filename": "log.csv",
            "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
            "address": None,
        }
        assert log["asked"] == {
            "format": "postgres_csv",
            "page_bytes": None,
            "joined_page_bytes": None,
            "columns": None,
            "skip_bad_records": 3,
            "device_bytes": None,
            "members_apart": False,
            "members_merged": False,
        }
        report = log["report"]
        assert report["chosen_by"] == "name"
        assert report["detection"][0]["format"] == "postgres_csv"
        assert report["content_id"] == workload["content_id"]
        assert report["assumptions"] == workload["summary"]["assumptions"]
        assert report["split_requests"] == 0
        assert report["extent"]["unit"] == "pages"
        assert log["core_version"]
        assert log["converted_at"] >= workload["created_at"][:10]

    def test_counts_the_requests_that_were_split(self, application):
        data = b"128166372003061629,hm,0,Read,4096,8192,10\n" * 5
        data += b"128166372003061630,hm,0,Write,0,4096,10\n" * 3
        workload = ready(application, data, "m.csv", format="msr")
        log = application.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["report"]["split_requests"] == 5
        assert log["report"]["accesses"] == 13
        assert log["report"]["extent"] == {
            "unit": "bytes",
            "smallest_request": 4096,
            "largest_request": 8192,
            "lowest": 0,
            "highest": 12287,
        }

    def test_the_example_is_hashed_too(self, application):
        application.wait_example()
        log = application.get("/workloads/example/conversion-log")
        digest = hashlib.sha256(EXAMPLE_TRACE.read_bytes()).hexdigest()
        assert log["source"]["sha256"] == digest
        assert log["source"]["kind"] == "example"

    def test_a_workload_that_was_not_read_has_none(self, application):
        workload = application.create_workload(b"", "empty.csv")
        application.wait_run(workload["run"]["id"])
        path = f"/workloads/{workload['id']}/conversion-log"
        assert application.client.get(path).status_code == 409
        assert (
            application.client.get("/workloads/none/conversion-log").status_code == 404
        )


class TestReadAgain:
    def test_a_failed_workload_is_read_again_from_its_upload(self, application):
        workload = application.create_workload(
            trace_of(50, seed=41), "again.csv", format="vscsi"
        )
        first = application.wait_run(workload["run"]["id"])
        assert first["status"] == "failed"
        path = f"/workloads/{workload['id']}"
        second = application.post(f"{path}/read-again", None, 202)
        assert second["run"]["id"] != first["id"]
        # The same options, so the same end: nothing is changed silently.
        assert application.wait_run(second["run"]["id"])["error"] == first["error"]

    def test_refusals_say_why(self, application):
        done = ready(application, trace_of(50, seed=42), "done.csv")
        for workload_id, status, said in (
            (done["id"], 409, "already"),
            ("nothing", 404, "nothing"),
        ):
            answer = application.client.post(f"/workloads/{workload_id}/read-again")
            assert answer.status_code == status
            assert said in answer.json()["detail"]
            assert answer.json()["hint"]

    def test_without_its_file_it_cannot(self, application):
        workload = application.create_workload(b"", "gone.csv")
        application.wait_run(workload["run"]["id"])
        upload = f"/uploads/{workload['upload_id']}"
        headers = {"Tus-Resumable": "1.0.0"}
        assert application.client.delete(upload, headers=headers).status_code == 204
        answer = application.client.post(f"/workloads/{workload['id']}/read-again")
        assert answer.status_code == 409
        assert "no longer kept" in answer.json()["detail"]


class TestCurve:
    def test_points_are_exact_and_hold_both_ends(self, application):
        example = application.wait_example()
        curves = _simulator.curves(EXAMPLE_TRACE)
        answer = application.get("/workloads/example/curve", params={"points": 50})
        pages = np.array(answer["pages"])
        assert pages[0] == 1
        assert pages[-1] == example["summary"]["distinct_pages"]
        assert 45 <= len(pages) <= 55
        assert np.all(np.diff(pages) > 0)
        assert answer["misses"] == curves["misses"][pages - 1].tolist()
        assert answer["write_backs"] == curves["write_backs"][pages - 1].tolist()

    def test_a_small_curve_comes_whole(self, application):
        workload = ready(application, trace_of(300, seed=5, pages=20), "small.csv")
        answer = application.get(f"/workloads/{workload['id']}/curve")
        assert answer["pages"] == list(range(1, answer["distinct_pages"] + 1))

    @pytest.mark.parametrize("points", [0, 1, -5, 5001, "many"])
    def test_points_out_of_range(self, application, points):
        answer = application.client.get(
            "/workloads/example/curve", params={"points": points}
        )
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "query.points"

    def test_a_failed_workload_says_why_it_has_none(self, application):
        workload = application.create_workload(b"", "empty.csv")
        application.wait_run(workload["run"]["id"])
        answer = application.client.get(f"/workloads/{workload['id']}/curve")
        assert answer.status_code == 409
        assert "could not be imported" in answer.json()["detail"]


class TestRenameAndDelete:
    def test_rename(self, application):
        workload = ready(application, trace_of(100, seed=11), "old.csv")
        path = f"/workloads/{workload['id']}"
        answer = application.client.patch(path, json={"name": "  new name "})
        assert answer.json()["name"] == "new name"
        assert application.get(path)["name"] == "new name"

    @pytest.mark.parametrize("name", ["", "   ", "a\nb", "x" * 201, "\x00", 5, None])
    def test_bad_names(self, application, name):
        answer = application.client.patch("/workloads/example", json={"name": name})
        assert answer.status_code == 422

    def test_the_last_workload_takes_its_content_along(self, application):
        data = trace_of(150, seed=12)
        first, second = (ready(application, data, name) for name in ("1.csv", "2.csv"))
        assert first["content_id"] == second["content_id"]
        folder = contents.folder_of(application.settings, first["content_id"])
        assert application.client.delete(f"/workloads/{first['id']}").status_code == 204
        assert contents.is_complete(folder)
        curve = f"/workloads/{second['id']}/curve"
        assert application.client.get(curve).status_code == 200
        assert (
            application.client.delete(f"/workloads/{second['id']}").status_code == 204
        )
        assert not folder.exists()
        assert application.client.get(f"/workloads/{second['id']}").status_code == 404
        assert list(application.settings.work_dir.glob("deleted-*")) == []

    def test_the_example_stays(self, application):
        answer = application.client.delete("/workloads/example")
        assert answer.status_code == 409
        assert answer.json()["hint"]

    def test_unknown(self, application):
        for method in ("get", "delete"):
            answer = getattr(application.client, method)("/workloads/nothing")
            assert answer.status_code == 404
            assert "`nothing`" in answer.json()["detail"]

    def test_lists_are_bounded(self, application):
        ready(application, trace_of(120, seed=13), "second.csv")
        answer = application.get("/workloads", params={"limit": 1, "offset": 1})
        assert len(answer["items"]) == 1
        assert answer["total"] >= 2
        assert (
            application.client.get("/workloads", params={"limit": 501}).status_code
            == 422
        )


def test_sha256_of_a_workload_proves_the_parser(application):
    with EXAMPLE_TRACE.open("rb") as file:
        lines = zstandard.ZstdDecompressor().stream_reader(file).read()
    expected = hashlib.sha256()
    pages: dict[tuple[str, str], None] = {}
    for line in lines.decode().splitlines()[1:]:
        _, op, rel, block = line.split(",")
        pages.setdefault((rel, block))
        expected.update(f"{block} {op}\n".encode())
    summary = application.wait_example()["summary"]
    assert summary["distinct_pages"] == len(pages)
    assert summary["sha256_of_sequence"] == expected.hexdigest()
