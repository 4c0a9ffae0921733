"""Checksums, files registered by path, limits of the installation."""

import hashlib
import os
import shutil
import struct
import zipfile

import pytest
from live_app import TUS, run_application

HEADER = "time_us,op,rel,block\n"


def trace(rows: int, seed: int = 0) -> bytes:
    lines = [f"{i},R,0/{seed},{i * 7 % 50}" for i in range(rows)]
    return (HEADER + "\n".join(lines) + "\n").encode()


def blktrace_record(time_ns: int, sector: int) -> bytes:
    """Write a queued read of 4096 bytes."""
    magic, action, device = 0x65617407, 1 | 1 << 16, 8 << 20
    return struct.pack(
        "<IIQQIIIIIHH",
        magic, 1, time_ns, sector, 4096, action, 1, device, 0, 0, 0,
    )  # fmt: skip


class TestVerify:
    def test_the_right_hash_passes_in_either_case(self, application):
        data = trace(20)
        upload_id = application.upload(data, "v.csv")
        digest = hashlib.sha256(data).hexdigest()
        for written in (digest, digest.upper()):
            shown = application.post(
                f"/uploads/{upload_id}/verify", {"sha256": written}, 200
            )
            assert shown["sha256"] == digest

    def test_another_hash_removes_the_upload_and_says_so(self, application):
        upload_id = application.upload(trace(21), "damaged.csv")
        problem = application.post(
            f"/uploads/{upload_id}/verify", {"sha256": "0" * 64}, 422
        )
        [fault] = problem["errors"]
        assert fault["where"] == "body.sha256"
        assert hashlib.sha256(trace(21)).hexdigest() in fault["message"]
        assert "Upload it again" in problem["hint"]
        assert application.client.get(f"/uploads/{upload_id}").status_code == 404
        assert not (application.settings.uploads_dir / upload_id).exists()

    def test_what_has_not_arrived_cannot_be_verified(self, application):
        path = application.begin_upload(100, filename="half.csv")
        assert (
            application.client.post(
                f"{path}/verify", json={"sha256": "0" * 64}
            ).status_code
            == 409
        )

    @pytest.mark.parametrize("value", ["", "0" * 63, "g" * 64, 5, None])
    def test_what_is_no_hash(self, application, value):
        upload_id = application.upload(trace(22), "v.csv")
        answer = application.client.post(
            f"/uploads/{upload_id}/verify", json={"sha256": value}
        )
        assert answer.status_code == 422
        assert application.get(f"/uploads/{upload_id}")["complete"]

    def test_the_same_file_is_known_again(self, application):
        data = trace(400, seed=77)
        first = application.create_workload(data, "first.csv")
        assert application.wait_run(first["run"]["id"])["status"] == "succeeded"
        upload_id = application.upload(data, "second.csv")
        assert application.get(f"/uploads/{upload_id}")["read_as"] == [
            {"id": first["id"], "name": "first.csv"}
        ]
        other = application.upload(trace(401, seed=77), "other.csv")
        assert application.get(f"/uploads/{other}")["read_as"] == []


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """A folder that is open, and one that is not."""
    base = tmp_path_factory.mktemp("traces")
    (base / "open").mkdir()
    (base / "closed").mkdir()
    (base / "open-too").mkdir()
    (base / "closed" / "secret.csv").write_bytes(trace(10))
    return base


@pytest.fixture(scope="module")
def open_application(make_settings, folders):
    settings = make_settings(trace_roots=(folders / "open",))
    with run_application(settings) as application:
        application.wait_example()
        yield application


class TestRegister:
    def test_is_off_unless_folders_are_open(self, application, folders):
        answer = application.client.post(
            "/uploads/register", json={"path": str(folders / "closed" / "secret.csv")}
        )
        assert answer.status_code == 403
        assert "TIERWRIGHT_TRACE_ROOTS" in answer.json()["hint"]
        assert application.get("/storage")["trace_roots"] == []

    def test_a_file_is_read_where_it_lies_and_stays(self, open_application, folders):
        data = trace(300, seed=5)
        path = folders / "open" / "big one.csv"
        path.write_bytes(data)
        assert open_application.get("/storage")["trace_roots"] == [
            str(folders / "open")
        ]
        upload = open_application.post("/uploads/register", {"path": str(path)}, 201)
        assert (upload["kind"], upload["path"]) == ("registered", str(path))
        assert (upload["complete"], upload["sha256"]) == (True, None)
        assert list(open_application.settings.uploads_dir.iterdir()) == []
        preview = open_application.post(f"/uploads/{upload['id']}/preview", {}, 200)
        assert preview["format"] == "postgres_csv"
        workload = open_application.post(
            "/workloads", {"upload_id": upload["id"], "name": "big"}, 202
        )
        run = open_application.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        log = open_application.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["source"] == {
            "kind": "registered",
            "filename": "big one.csv",
            "address": str(path),
            "size_bytes": len(data),
            "sha256": hashlib.sha256(data).hexdigest(),
        }
        assert path.read_bytes() == data

    def test_forgetting_it_leaves_the_file(self, open_application, folders):
        path = folders / "open" / "kept.csv"
        path.write_bytes(trace(10))
        upload = open_application.post("/uploads/register", {"path": str(path)}, 201)
        answer = open_application.client.delete(f"/uploads/{upload['id']}", headers=TUS)
        assert answer.status_code == 204
        assert path.exists()

    def test_what_lies_outside_is_refused_in_the_same_words(
        self, open_application, folders
    ):
        """Whether it exists or not, and however the way leads there."""
        opened, closed = folders / "open", folders / "closed"
        (opened / "link.csv").symlink_to(closed / "secret.csv")
        (opened / "way").symlink_to(closed)
        (opened / "loop").symlink_to(opened / "loop")
        texts = [
            str(closed / "secret.csv"),
            str(closed / "absent.csv"),
            str(opened / ".." / "closed" / "secret.csv"),
            str(opened / "link.csv"),
            str(opened / "way" / "secret.csv"),
            str(opened / "loop"),
            str(folders / "open-too" / "x.csv"),
            "/etc/passwd",
            "/proc/self/environ",
        ]
        said = set()
        for text in texts:
            answer = open_application.client.post(
                "/uploads/register", json={"path": text}
            )
            assert answer.status_code == 403, (text, answer.text)
            said.add(answer.json()["detail"].replace(text, "PATH"))
        assert len(said) == 1

    def test_a_link_inside_counts_by_what_it_leads_to(self, open_application, folders):
        (folders / "open" / "real.csv").write_bytes(trace(10))
        link = folders / "open" / "alias.csv"
        link.symlink_to("real.csv")
        upload = open_application.post("/uploads/register", {"path": str(link)}, 201)
        assert upload["path"] == str(folders / "open" / "real.csv")

    @pytest.mark.parametrize(
        ("name", "said"), [("", "not a file"), ("absent.csv", "No such file")]
    )
    def test_what_is_no_file(self, open_application, folders, name, said):
        path = str(folders / "open" / name) if name else str(folders / "open")
        problem = open_application.post("/uploads/register", {"path": path}, 422)
        assert problem["errors"][0]["where"] == "body.path"
        assert said in problem["detail"]
        assert problem["hint"]

    def test_a_pipe_is_no_file(self, open_application, folders):
        pipe = folders / "open" / "pipe"
        os.mkfifo(pipe)
        problem = open_application.post("/uploads/register", {"path": str(pipe)}, 422)
        assert "not a file" in problem["detail"]

    def test_relative_paths_are_refused(self, open_application):
        problem = open_application.post("/uploads/register", {"path": "a.csv"}, 422)
        assert "absolute" in problem["detail"]

    def test_the_data_folder_is_never_open(self, make_settings, tmp_path):
        settings = make_settings(trace_roots=(tmp_path,), data_dir=tmp_path / "data")
        with run_application(settings, workers=0) as application:
            secret = settings.data_dir / "secret"
            secret.write_text("x")
            application.post("/uploads/register", {"path": str(secret)}, 403)

    def test_a_file_of_the_same_recording_that_changed_is_not_read(
        self, open_application, folders
    ):
        """One file for each CPU: all are read, whichever was registered."""
        named, other = (folders / "open" / f"sdx.blktrace.{cpu}" for cpu in (0, 1))
        named.write_bytes(blktrace_record(1, 8))
        other.write_bytes(blktrace_record(2, 16))
        upload = open_application.post("/uploads/register", {"path": str(named)}, 201)
        preview = open_application.post(f"/uploads/{upload['id']}/preview", {}, 200)
        assert preview["shown"]["requests"] == 2
        other.write_bytes(blktrace_record(2, 16) + blktrace_record(3, 24))
        problem = open_application.post(f"/uploads/{upload['id']}/preview", {}, 409)
        assert "or the file read with it, has changed" in problem["detail"]
        # Nor one that is new, or gone.
        upload = open_application.post("/uploads/register", {"path": str(named)}, 201)
        third = folders / "open" / "sdx.blktrace.2"
        third.write_bytes(blktrace_record(4, 32))
        open_application.post(f"/uploads/{upload['id']}/preview", {}, 409)
        upload = open_application.post("/uploads/register", {"path": str(named)}, 201)
        third.unlink()
        open_application.post(f"/uploads/{upload['id']}/preview", {}, 409)

    def test_members_of_an_archive_are_kept_apart_on_request(
        self, open_application, folders
    ):
        path = folders / "open" / "two.zip"
        with zipfile.ZipFile(path, "w") as archive:
            for name in ("web.spc", "mail.spc"):
                archive.writestr(name, "0,8,4096,R,0.1\n0,16,4096,W,0.2\n" * 9)
        pages = []
        for asked in ({}, {"members_apart": True}):
            upload = open_application.post(
                "/uploads/register", {"path": str(path)}, 201
            )
            body = {"upload_id": upload["id"], "name": "two", "format": "spc", **asked}
            workload = open_application.post("/workloads", body, 202)
            run = open_application.wait_run(workload["run"]["id"])
            assert run["status"] == "succeeded", run
            log = open_application.get(f"/workloads/{workload['id']}/conversion-log")
            assert log["asked"]["members_apart"] == bool(asked)
            apart = any("separate devices" in a for a in log["report"]["assumptions"])
            assert apart == bool(asked)
            # Both were recorded in the same tenths of a second, kept apart or not.
            warned = {one["name"] for one in log["report"]["warnings"]}
            assert "members_overlap" in warned
            pages.append(log["report"]["distinct_pages"])
        # Bytes 4096 to 8191 and 8192 to 12287 are requested of each.
        assert pages == [2, 4]

    def test_members_of_an_archive_are_merged_by_time_on_request(
        self, open_application, folders
    ):
        path = folders / "open" / "at-once.zip"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("web.spc", "0,8,4096,R,0.1\n0,8,4096,W,0.3\n")
            archive.writestr("mail.spc", "1,8,4096,R,0.2\n1,8,4096,W,0.4\n")
        upload = open_application.post("/uploads/register", {"path": str(path)}, 201)
        asked = {"format": "spc", "members_merged": True}
        preview = open_application.post(f"/uploads/{upload['id']}/preview", asked, 200)
        shown = [(one["device"], one["op"]) for one in preview["records"]]
        assert shown == [("0", "R"), ("1", "R"), ("0", "W"), ("1", "W")]
        body = {"upload_id": upload["id"], "name": "at once", **asked}
        workload = open_application.post("/workloads", body, 202)
        assert workload["members_merged"] is True
        run = open_application.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        log = open_application.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["asked"]["members_merged"] is True
        warned = {one["name"] for one in log["report"]["warnings"]}
        assert not warned & {"members_overlap", "non_monotone_time"}

    def test_a_file_that_changed_is_not_read(self, open_application, folders):
        path = folders / "open" / "grows.csv"
        path.write_bytes(trace(10))
        upload = open_application.post("/uploads/register", {"path": str(path)}, 201)
        path.write_bytes(trace(11))
        answer = open_application.client.post(
            f"/uploads/{upload['id']}/preview", json={}
        )
        assert answer.status_code == 409
        assert "has changed" in answer.json()["detail"]
        problem = open_application.post(
            "/workloads", {"upload_id": upload["id"], "name": "grows"}, 409
        )
        assert "has changed" in problem["detail"]
        assert problem["hint"]

    def test_a_file_replaced_by_a_link_is_not_read(self, open_application, folders):
        path = folders / "open" / "swapped.csv"
        path.write_bytes(trace(10))
        upload = open_application.post("/uploads/register", {"path": str(path)}, 201)
        path.unlink()
        path.symlink_to(folders / "closed" / "secret.csv")
        answer = open_application.client.post(
            f"/uploads/{upload['id']}/preview", json={}
        )
        assert answer.status_code == 409
        assert "can no longer be read" in answer.json()["detail"]


class TestLimits:
    def test_uploads_count_from_their_beginning(self, make_settings):
        settings = make_settings(storage_limit_bytes=100_000)
        with run_application(settings, workers=0) as application:
            first = application.begin_upload(70_000, filename="first.csv")
            answer = application.client.post(
                "/uploads", headers={**TUS, "Upload-Length": "40000"}
            )
            assert answer.status_code == 507
            problem = answer.json()
            assert "70000 of the 100000 bytes" in problem["detail"]
            assert "upload `first.csv` (70000 bytes)" in problem["hint"]
            assert "TIERWRIGHT_STORAGE_LIMIT_BYTES" in problem["hint"]
            shown = application.get("/storage")
            assert (shown["used_bytes"], shown["limit_bytes"]) == (70_000, 100_000)
            assert [item["name"] for item in shown["largest"]] == ["first.csv"]
            assert application.client.delete(first, headers=TUS).status_code == 204
            application.begin_upload(40_000)

    def test_workloads_count_and_are_named(self, make_settings):
        settings = make_settings(storage_limit_bytes=2**30)
        with run_application(settings) as application:
            application.wait_example()
            workload = application.create_workload(trace(3000), "mine.csv")
            run = application.wait_run(workload["run"]["id"])
            assert run["status"] == "succeeded"
            shown = application.get("/storage")
            assert shown["uploads_bytes"] == 0
            assert shown["contents_bytes"] > 0
            # The example cannot be deleted, so it is not offered.
            assert [(item["kind"], item["id"]) for item in shown["largest"]] == [
                ("workload", workload["id"])
            ]

    def test_a_registered_file_that_would_not_fit_is_not_read(
        self, make_settings, tmp_path
    ):
        path = tmp_path / "large.csv"
        path.write_bytes(trace(5000))
        settings = make_settings(trace_roots=(tmp_path,), storage_limit_bytes=50_000)
        with run_application(settings) as application:
            upload = application.post("/uploads/register", {"path": str(path)}, 201)
            workload = application.post(
                "/workloads", {"upload_id": upload["id"], "name": "large"}, 202
            )
            run = application.wait_run(workload["run"]["id"])
            assert run["status"] == "failed"
            assert "this installation may use" in run["error"]

    def test_unless_set_half_of_the_disk_is_the_limit(self, application):
        shown = application.get("/storage")
        disk = shutil.disk_usage(application.settings.data_dir).total
        assert shown["limit_bytes"] == disk // 2
        assert shown["upload_limit_bytes"] == 20 * 2**30
        assert shown["free_bytes"] > 0
