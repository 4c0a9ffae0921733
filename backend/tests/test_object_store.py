"""Objects fetched from a store: which ones, how, and what is told when it fails."""

import hashlib
import re

import pytest
from live_app import TUS, free_port, run_application
from pydantic import ValidationError
from s3_store import credentials, run_line, run_store

from tierwright.trace.sources import store as sources_store
from tierwright.trace.sources.address import Address, parse
from tierwright_server.common.settings import Settings
from tierwright_server.traces.uploads.fetch import RANGE_BYTES

HEADER = "time_us,op,rel,block\n"
ROOTS = ("s3://traces/open", "s3://absent-bucket")


def trace(rows: int, seed: int = 0) -> bytes:
    lines = [f"{i},R,0/{seed},{i * 7 % 50}" for i in range(rows)]
    return (HEADER + "\n".join(lines) + "\n").encode()


class TestAddress:
    @pytest.mark.parametrize(
        ("text", "bucket", "key"),
        [
            ("s3://traces", "traces", ""),
            ("s3://traces/", "traces", ""),
            ("s3://traces/in/", "traces", "in"),
            ("s3://a.b-c/in/x y%2f.csv", "a.b-c", "in/x y%2f.csv"),
            ("s3://abc/%2e%2e/x", "abc", "%2e%2e/x"),  # taken letter by letter
            ("s3://abc/x?versionId=1#y", "abc", "x?versionId=1#y"),
        ],
    )
    def test_is_taken_letter_by_letter(self, text, bucket, key):
        assert parse(text) == Address(bucket, key)

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("gcs://abc/x", "does not begin with a supported scheme"),
            ("gs://user@abc/x", "for a bucket"),
            ("az://a_b_c/x", "for a bucket"),
            ("az://a--b/x", "for a bucket"),
            ("az://abc/in/../x", "empty part"),
            ("S3://abc/x", "does not begin with a supported scheme"),
            ("file:///etc/passwd", "does not begin with a supported scheme"),
            ("s3://", "for a bucket"),
            ("s3://ab/x", "for a bucket"),
            ("s3://user:pass@abc/x", "for a bucket"),
            ("s3://abc:9000/x", "for a bucket"),
            ("s3://ABC/x", "for a bucket"),
            ("s3://abc/../x", "empty part"),
            ("s3://abc/in/..", "empty part"),
            ("s3://abc/./x", "empty part"),
            ("s3://abc/in//x", "empty part"),
            ("s3://abc//x", "empty part"),
            ("s3://abc/a\nb", "cannot be shown"),
            ("s3://abc/a\u202eb", "cannot be shown"),
            ("s3://abc/" + "ä" * 513, "more than 1024 bytes"),
        ],
    )
    def test_what_is_none(self, text, said):
        with pytest.raises(ValueError, match=said):
            parse(text)

    @pytest.mark.parametrize(
        ("root", "text", "held"),
        [
            ("s3://abc", "s3://abc/x", True),
            ("s3://abc/in", "s3://abc/in/x", True),
            ("s3://abc/in/", "s3://abc/in/x/y", True),
            ("s3://abc/in", "s3://abc/in", False),
            ("s3://abc/in", "s3://abc/input/x", False),
            ("s3://abc/in", "s3://abc/x", False),
            ("s3://abc/in", "s3://abc/x/in/x", False),
            ("s3://abc", "s3://abc-evil/x", False),
            ("s3://abc", "s3://abc.evil/x", False),
            ("s3://abc", "s3://abc", False),
            ("gs://abc/in", "gs://abc/in/x", True),
            ("az://abc", "az://abc/x", True),
            ("gs://abc/in", "s3://abc/in/x", False),
            ("s3://abc", "az://abc/x", False),
        ],
    )
    def test_a_prefix_ends_at_a_slash(self, root, text, held):
        assert parse(root).holds(parse(text)) is held


class TestSettings:
    def test_folders_and_prefixes_stand_in_one_list(self, monkeypatch):
        monkeypatch.setenv("TIERWRIGHT_TRACE_ROOTS", "/data/traces, s3://abc/in/")
        settings = Settings()
        assert [str(folder) for folder in settings.trace_folders] == ["/data/traces"]
        assert settings.trace_prefixes == [Address("abc", "in")]

    @pytest.mark.parametrize("root", ["gcs://abc", "s3://", "s3://abc/../x"])
    def test_a_root_that_is_none_is_refused_at_the_start(self, root):
        with pytest.raises(ValidationError, match=re.escape(root)):
            Settings(trace_roots=(root,))

    @pytest.mark.parametrize(
        "endpoint", ["minio:9000", "http://user:pw@minio", "http://minio/x?y", ""]
    )
    def test_an_endpoint_that_is_none(self, endpoint):
        with pytest.raises(ValidationError):
            Settings(object_store_endpoint=endpoint)


@pytest.fixture(scope="module")
def store():
    with credentials(), run_store() as running:
        for bucket in ("traces", "traces-evil"):
            running.make_bucket(bucket)
        running.put("traces", "closed/secret.csv", trace(10))
        running.put("traces", "opened/secret.csv", trace(10))
        running.put("traces-evil", "open/secret.csv", trace(10))
        yield running


@pytest.fixture(scope="module")
def opened(make_settings, store):
    """An application that reaches the store."""
    settings = make_settings(trace_roots=ROOTS, object_store_endpoint=store.url)
    with run_application(settings) as application:
        yield application


@pytest.fixture(scope="module")
def broken(make_settings, store):
    """An application that reaches the store by a line on which things happen."""
    with run_line(store) as line:
        settings = make_settings(
            trace_roots=ROOTS,
            object_store_endpoint=line.url,
            object_store_timeout_s=10,
            object_store_retries=1,
        )
        with run_application(settings) as application:
            yield application, line


@pytest.fixture
def bad_line(broken):
    """The same for one test: nothing happens until it says so."""
    application, line = broken
    line.mend()
    yield application, line
    line.mend()


def register(application, key, status=201, bucket="traces"):
    return application.post(
        "/uploads/register", {"path": f"s3://{bucket}/{key}"}, status
    )


def wait_fetched(application, upload):
    run = application.wait_run(upload["run"]["id"])
    assert run["status"] == "succeeded", run
    return application.get(f"/uploads/{upload['id']}")


class TestFetch:
    def test_an_object_becomes_a_workload(self, opened, store):
        data = trace(300, seed=5)
        store.put("traces", "open/day 1/a%2fb.csv", data)
        assert opened.get("/storage")["trace_roots"] == list(ROOTS)
        upload = register(opened, "open/day 1/a%2fb.csv")
        assert upload["kind"] == "fetched"
        assert upload["path"] == "s3://traces/open/day 1/a%2fb.csv"
        assert (upload["filename"], upload["size_bytes"]) == ("a%2fb.csv", len(data))
        assert upload["run"]["kind"] == "fetch"
        upload = wait_fetched(opened, upload)
        digest = hashlib.sha256(data).hexdigest()
        assert (upload["complete"], upload["sha256"]) == (True, digest)
        assert (upload["run"]["done"], upload["run"]["total"]) == (len(data),) * 2
        assert opened.get("/storage")["uploads_bytes"] >= len(data)
        preview = opened.post(f"/uploads/{upload['id']}/preview", {}, 200)
        assert preview["format"] == "postgres_csv"
        workload = opened.post(
            "/workloads", {"upload_id": upload["id"], "name": "fetched"}, 202
        )
        run = opened.wait_run(workload["run"]["id"])
        assert run["status"] == "succeeded", run
        log = opened.get(f"/workloads/{workload['id']}/conversion-log")
        assert log["source"] == {
            "kind": "fetched",
            "filename": "a%2fb.csv",
            "address": "s3://traces/open/day 1/a%2fb.csv",
            "size_bytes": len(data),
            "sha256": digest,
        }
        # The very same file again: it is known by its hash.
        again = wait_fetched(opened, register(opened, "open/day 1/a%2fb.csv"))
        assert again["id"] != upload["id"]
        assert [one["name"] for one in again["read_as"]] == ["fetched"]

    def test_the_same_version_is_fetched_once(self, opened, store):
        store.put("traces", "open/once.csv", trace(40, seed=6))
        first = register(opened, "open/once.csv")
        wait_fetched(opened, first)
        second = register(opened, "open/once.csv")
        assert second["id"] == first["id"]
        assert second["run"]["id"] == first["run"]["id"]
        store.put("traces", "open/once.csv", trace(41, seed=6))
        third = wait_fetched(opened, register(opened, "open/once.csv"))
        assert third["id"] != first["id"]
        assert third["sha256"] == hashlib.sha256(trace(41, seed=6)).hexdigest()

    def test_the_upload_can_be_discarded(self, opened, store):
        store.put("traces", "open/gone.csv", trace(40, seed=7))
        upload = wait_fetched(opened, register(opened, "open/gone.csv"))
        path = f"/uploads/{upload['id']}"
        assert opened.client.delete(path, headers=TUS).status_code == 204
        assert not (opened.settings.uploads_dir / upload["id"]).exists()


class TestRefused:
    @pytest.mark.parametrize(
        ("bucket", "key"),
        [
            ("traces", "closed/secret.csv"),
            ("traces", "closed/absent.csv"),
            ("traces", "opened/secret.csv"),
            ("traces", "open"),
            ("traces-evil", "open/secret.csv"),
            ("another", "open/secret.csv"),
        ],
    )
    def test_what_is_not_open_is_refused_unseen(self, bad_line, bucket, key):
        """In the same words whether it exists or not: the store is not asked."""
        application, line = bad_line
        problem = register(application, key, 403, bucket)
        text = f"s3://{bucket}/{key}"
        assert problem["detail"] == (
            f"path: `{text}` does not lie below a prefix that is open for traces"
        )
        assert "Open are s3://traces/open, s3://absent-bucket." in problem["hint"]
        assert line.requests == []

    @pytest.mark.parametrize(
        "text",
        [
            "s3://traces/open/../closed/secret.csv",
            "gcs://traces/open/x",
            "s3://traces/open/",
        ],
    )
    def test_what_is_no_address_of_an_object(self, opened, text):
        problem = opened.post("/uploads/register", {"path": text}, 422)
        assert problem["errors"][0]["where"] == "body.path"
        assert problem["hint"]

    def test_is_off_unless_prefixes_are_open(self, application):
        problem = register(application, "open/x.csv", 403)
        assert "TIERWRIGHT_TRACE_ROOTS" in problem["hint"]

    def test_a_prefix_opens_no_files(self, opened):
        problem = opened.post("/uploads/register", {"path": "/etc/passwd"}, 403)
        assert "no folder is open" in problem["detail"]

    def test_no_such_object(self, opened):
        problem = register(opened, "open/absent.csv", 422)
        assert "the bucket has no such object" in problem["detail"]

    def test_no_such_bucket(self, opened):
        problem = register(opened, "x.csv", 422, "absent-bucket")
        assert "the store has no such bucket" in problem["detail"]

    def test_wrong_credentials(self, opened, store):
        store.put("traces", "open/denied.csv", trace(10))
        with store.with_accounts():
            problem = register(opened, "open/denied.csv", 422)
        assert "the store refuses to show it (InvalidAccessKeyId)" in problem["detail"]
        assert "AWS_ACCESS_KEY_ID" in problem["hint"]

    def test_an_empty_object(self, opened, store):
        store.put("traces", "open/empty.csv", b"")
        problem = register(opened, "open/empty.csv", 422)
        assert "is empty" in problem["detail"]

    def test_what_has_no_room_is_not_fetched(self, make_settings, store):
        store.put("traces", "open/large.csv", bytes(3001))
        store.put("traces", "open/less.csv", bytes(2001))
        settings = make_settings(
            trace_roots=ROOTS,
            object_store_endpoint=store.url,
            upload_max_bytes=3000,
            storage_limit_bytes=2000,
        )
        with run_application(settings, workers=0) as application:
            problem = register(application, "open/large.csv", 413)
            assert "3001 bytes, more than the limit of 3000" in problem["detail"]
            problem = register(application, "open/less.csv", 507)
            assert "this installation may use" in problem["detail"]
            assert application.get("/uploads")["total"] == 0

    def test_a_store_that_is_not_there(self, make_settings):
        settings = make_settings(
            trace_roots=ROOTS, object_store_endpoint=f"http://127.0.0.1:{free_port()}"
        )
        with credentials(), run_application(settings, workers=0) as application:
            problem = register(application, "open/x.csv", 502)
        assert "gave an unexpected answer" in problem["detail"]
        assert "TIERWRIGHT_OBJECT_STORE_ENDPOINT" in problem["hint"]
        assert "Debug" not in problem["detail"]

    def test_nobody_sends_to_a_fetched_upload(self, make_settings, store):
        """Nor is it deleted under the hands of its run."""
        store.put("traces", "open/mine.csv", trace(10))
        settings = make_settings(trace_roots=ROOTS, object_store_endpoint=store.url)
        with run_application(settings, workers=0) as application:
            upload = register(application, "open/mine.csv")
            path = f"/uploads/{upload['id']}"
            assert application.patch(path, 0, b"x").status_code == 409
            assert application.client.head(path, headers=TUS).status_code == 409
            assert application.client.delete(path, headers=TUS).status_code == 409
            [listed] = application.get("/uploads")["items"]
            assert (listed["kind"], listed["run"]["status"]) == ("fetched", "queued")
            application.post(f"/uploads/{upload['id']}/preview", {}, 409)
            application.post(f"/runs/{upload['run']['id']}/cancel", {}, 200)
            assert application.client.delete(path, headers=TUS).status_code == 204


class TestBadLine:
    def test_a_break_is_mended_by_another_try(self, bad_line, store):
        data = trace(3000, seed=9)
        store.put("traces", "open/breaks.csv", data)
        application, line = bad_line
        line.broken_from, line.breaks_left = 20_000, 4
        upload = wait_fetched(application, register(application, "open/breaks.csv"))
        assert line.breaks_left == 0
        assert upload["sha256"] == hashlib.sha256(data).hexdigest()

    def test_a_line_that_stays_broken_fails_visibly_and_goes_on_later(
        self, bad_line, store
    ):
        data = bytes(range(256)) * (RANGE_BYTES // 256) + trace(3000)
        store.put("traces", "open/long.bin", data)
        application, line = bad_line
        line.broken_from, line.breaks_left = RANGE_BYTES + 10_000, 1000
        upload = register(application, "open/long.bin")
        run = application.wait_run(upload["run"]["id"])
        assert run["status"] == "failed"
        assert "the store gave an unexpected answer" in run["error"]
        assert f"of {len(data)} bytes had arrived" in run["error"]
        assert "what has arrived is kept" in run["hint"]
        shown = application.get(f"/uploads/{upload['id']}")
        assert (shown["complete"], shown["run"]["status"]) == (False, "failed")
        assert shown["offset_bytes"] >= RANGE_BYTES
        line.broken_from = None
        line.requests.clear()
        again = register(application, "open/long.bin")
        assert again["id"] == upload["id"]
        assert again["run"]["id"] != upload["run"]["id"]
        upload = wait_fetched(application, again)
        assert upload["sha256"] == hashlib.sha256(data).hexdigest()
        wanted = [one[2] for one in line.requests if one[0] == "GET"]
        assert wanted == [f"bytes={RANGE_BYTES}-{len(data) - 1}"]

    def test_an_object_that_changes_on_the_way_is_not_mixed(self, bad_line, store):
        store.put("traces", "open/changes.csv", trace(50))
        application, line = bad_line
        line.on_get = lambda: store.put("traces", "open/changes.csv", trace(51))
        upload = register(application, "open/changes.csv")
        run = application.wait_run(upload["run"]["id"])
        assert run["status"] == "failed"
        assert "has changed since it was registered" in run["error"]
        assert run["attempts"] == 1

    def test_a_store_that_fails_inside(self, bad_line, store):
        store.put("traces", "open/inside.csv", trace(50))
        application, line = bad_line

        def fail():
            line.status = 500

        line.on_get = fail
        upload = register(application, "open/inside.csv")
        run = application.wait_run(upload["run"]["id"])
        assert run["status"] == "failed"
        assert "500" in run["error"]

    def test_a_prefix_that_was_closed_meanwhile(self, make_settings, store):
        store.put("traces", "open/closing.csv", trace(50))
        settings = make_settings(trace_roots=ROOTS, object_store_endpoint=store.url)
        with run_application(settings, workers=0) as application:
            upload = register(application, "open/closing.csv")
            application.settings.trace_roots = ("s3://traces/elsewhere",)
            application.start_worker()
            run = application.wait_run(upload["run"]["id"])
            assert run["status"] == "failed"
            assert "does not lie below a prefix" in run["error"]


@pytest.mark.parametrize(
    ("error", "fault"),
    [
        (FileNotFoundError("x"), sources_store.Fault.ABSENT),
        (PermissionError("x"), sources_store.Fault.DENIED),
        (OSError(""), sources_store.Fault.PASSING),
    ],
)
def test_every_failure_has_a_next_step(error, fault):
    failure = sources_store.failure_of(error, "s3")
    assert failure.fault is fault
    assert failure.message
    assert failure.hint
