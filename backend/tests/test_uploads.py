"""tus: chunks, interruption, resume, faults."""

import base64
import hashlib
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import pytest
from live_app import TUS, run_application

from tierwright_server.storage.tables import now

DATA = bytes(range(256)) * 400  # 102,400 bytes


def offset_of(application, path: str) -> int:
    answer = application.client.head(path, headers=TUS)
    assert answer.status_code == 200
    return int(answer.headers["upload-offset"])


class TestUpload:
    def test_chunks_arrive_and_are_hashed(self, application):
        path = application.begin_upload(
            len(DATA), filename="a.csv", filetype="text/csv"
        )
        for start in range(0, len(DATA), 40_000):
            answer = application.patch(path, start, DATA[start : start + 40_000])
            assert answer.status_code == 204
        upload = application.get(path)
        assert upload["complete"] is True
        assert upload["offset_bytes"] == len(DATA)
        assert upload["sha256"] == hashlib.sha256(DATA).hexdigest()

    def test_an_upload_without_metadata_resumes(self, application):
        path = application.begin_upload(len(DATA))
        application.patch(path, 0, DATA[:100])
        assert offset_of(application, path) == 100

    def test_a_dropped_connection_keeps_what_arrived(self, application):
        path = application.begin_upload(len(DATA), filename="cut.csv")
        address = urlsplit(str(application.client.base_url))
        with socket.create_connection((address.hostname, address.port)) as raw:
            raw.sendall(
                f"PATCH /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                "Tus-Resumable: 1.0.0\r\nUpload-Offset: 0\r\n"
                "Content-Type: application/offset+octet-stream\r\n"
                f"Content-Length: {len(DATA)}\r\n\r\n".encode()
                + DATA[:30_000]
            )
            time.sleep(0.2)
        application.wait_until(lambda: offset_of(application, path) == 30_000)
        headers = {
            **TUS,
            "Upload-Offset": "30000",
            "Content-Type": "application/offset+octet-stream",
        }

        def rest_was_taken() -> bool:
            answer = application.client.patch(
                path, content=DATA[30_000:], headers=headers
            )
            # The connection that broke off may hold the upload for a moment longer.
            assert answer.status_code in {204, 423}
            return answer.status_code == 204

        application.wait_until(rest_was_taken)
        digest = hashlib.sha256(DATA).hexdigest()
        assert application.get(path)["sha256"] == digest

    def test_an_upload_survives_a_restart(self, make_settings):
        settings = make_settings()
        with run_application(settings, workers=0) as first:
            path = first.begin_upload(len(DATA), filename="long.csv")
            first.patch(path, 0, DATA[:50_000])
        with run_application(settings, workers=0) as second:
            assert offset_of(second, path) == 50_000
            waiting = second.get("/uploads")["items"]
            assert [upload["offset_bytes"] for upload in waiting] == [50_000]
            assert second.patch(path, 50_000, DATA[50_000:]).status_code == 204
            digest = hashlib.sha256(DATA).hexdigest()
            assert second.get(path)["sha256"] == digest

    def test_the_last_answer_may_be_lost(self, make_settings):
        """All bytes are on the disk, but nobody noted that it is complete."""
        settings = make_settings()
        with run_application(settings, workers=0) as application:
            path = application.begin_upload(5, filename="lost.csv")
            (settings.uploads_dir / path.rsplit("/", 1)[-1]).write_bytes(b"hello")
            assert offset_of(application, path) == 5
            assert application.get(path)["complete"] is True

    def test_parallel_writers_cannot_mix(self, application):
        path = application.begin_upload(len(DATA), filename="p.csv")
        with ThreadPoolExecutor(4) as pool:
            answers = list(
                pool.map(lambda _: application.patch(path, 0, DATA), range(4))
            )
        statuses = sorted(answer.status_code for answer in answers)
        assert statuses[0] == 204
        assert set(statuses[1:]) <= {409, 423}
        digest = hashlib.sha256(DATA).hexdigest()
        assert application.get(path)["sha256"] == digest


class TestChecks:
    def test_options_say_what_is_possible(self, application):
        answer = application.client.options("/uploads")
        assert answer.status_code == 204
        assert answer.headers["tus-version"] == "1.0.0"
        assert int(answer.headers["tus-max-size"]) == 20 * 2**30

    def test_a_wrong_hash_refuses_the_file(self, application):
        path = application.begin_upload(3, filename="h.csv", sha256="0" * 64)
        answer = application.patch(path, 0, b"abc")
        assert answer.status_code == 422
        assert hashlib.sha256(b"abc").hexdigest() in answer.json()["detail"]
        assert application.client.head(path, headers=TUS).status_code == 404

    def test_a_right_hash_passes(self, application):
        digest = hashlib.sha256(b"abc").hexdigest()
        path = application.begin_upload(3, filename="h.csv", sha256=digest.upper())
        assert application.patch(path, 0, b"abc").status_code == 204

    def test_a_stale_offset_names_the_right_one(self, application):
        path = application.begin_upload(10)
        application.patch(path, 0, b"12345")
        answer = application.patch(path, 3, b"xx")
        assert answer.status_code == 409
        assert "the 5 bytes" in answer.json()["detail"]
        assert offset_of(application, path) == 5

    def test_more_than_announced_is_refused(self, application):
        path = application.begin_upload(4)
        answer = application.patch(path, 0, b"12345")
        assert answer.status_code == 413
        # The head of a longer file must not pass for a whole one.
        assert offset_of(application, path) == 0
        assert application.get(path)["complete"] is False

    def test_more_than_announced_is_taken_back_to_where_the_request_began(
        self, application
    ):
        path = application.begin_upload(6_000_000)
        assert application.patch(path, 0, bytes(1_000_000)).status_code == 204
        answer = application.client.patch(
            path,
            # Of no stated length: what is too much shows when it is there.
            content=(b"x" * 1_000_000 for _ in range(6)),
            headers={
                **TUS,
                "Upload-Offset": "1000000",
                "Content-Type": "application/offset+octet-stream",
            },
        )
        assert answer.status_code == 413
        assert offset_of(application, path) == 1_000_000
        assert application.patch(path, 1_000_000, b"y" * 5_000_000).status_code == 204
        whole = bytes(1_000_000) + b"y" * 5_000_000
        assert application.get(path)["sha256"] == hashlib.sha256(whole).hexdigest()

    @pytest.mark.parametrize("length", ["", "-1", "1.5", "x", "9" * 30, "٣"])
    def test_bad_lengths(self, application, length):
        answer = application.client.post(
            "/uploads", headers={**TUS, "Upload-Length": length.encode()}
        )
        assert answer.status_code == 422
        assert answer.json()["errors"][0]["where"] == "Upload-Length"

    def test_too_large_is_refused_before_anything_is_sent(self, application):
        answer = application.client.post(
            "/uploads", headers={**TUS, "Upload-Length": str(21 * 2**30)}
        )
        assert answer.status_code == 413
        assert "TIERWRIGHT_UPLOAD_MAX_BYTES" in answer.json()["hint"]

    def test_a_full_disk_is_told(self, make_settings):
        settings = make_settings(min_free_bytes=2**60)
        with run_application(settings, workers=0) as application:
            answer = application.client.post(
                "/uploads", headers={**TUS, "Upload-Length": "10"}
            )
        assert answer.status_code == 507
        assert "must stay free" in answer.json()["detail"]

    def test_another_tus_version(self, application):
        answer = application.client.post("/uploads", headers={"Upload-Length": "1"})
        assert answer.status_code == 412
        assert answer.headers["content-type"] == "application/problem+json"

    def test_wrong_media_type(self, application):
        path = application.begin_upload(4)
        answer = application.client.patch(
            path, content=b"1234", headers={**TUS, "Upload-Offset": "0"}
        )
        assert answer.status_code == 415

    @pytest.mark.parametrize("metadata", ["filename !!!", "filename /w==", "x" * 9000])
    def test_bad_metadata(self, application, metadata):
        answer = application.client.post(
            "/uploads",
            headers={**TUS, "Upload-Length": "1", "Upload-Metadata": metadata},
        )
        assert answer.status_code == 422

    @pytest.mark.parametrize(
        "path",
        ["..%2f..%2fetc%2fpasswd", "%2e%2e", "a%00b", "A", "x" * 200, "%F0%9F%92%A9"],
    )
    def test_paths_are_ids_only(self, application, path):
        for method in ("HEAD", "PATCH", "DELETE", "GET"):
            answer = application.client.request(method, f"/uploads/{path}", headers=TUS)
            assert answer.status_code in (404, 405, 422), (method, answer.text)

    def test_names_of_files_lose_their_folders(self, application):
        name = "../../etc/pa\x07sswd"
        path = application.begin_upload(1, filename=name)
        assert application.get(path)["filename"] == "passwd"

    def test_delete(self, application):
        path = application.begin_upload(10)
        upload_id = path.rsplit("/", 1)[-1]
        assert application.client.delete(path, headers=TUS).status_code == 204
        assert application.client.head(path, headers=TUS).status_code == 404
        assert application.client.delete(path, headers=TUS).status_code == 404
        assert not (application.settings.uploads_dir / upload_id).exists()


class TestExpiry:
    def test_forgotten_uploads_go(self, make_settings):
        settings = make_settings(upload_expires_s=0.2)
        with run_application(settings, workers=0) as application:
            path = application.begin_upload(10)
            upload_id = path.rsplit("/", 1)[-1]
            expires = application.get(path)["expires_at"]
            assert expires > now().isoformat()[:10]
            time.sleep(0.3)
            application.start_worker()  # expires at its start
            application.wait_until(
                lambda: application.client.get(path).status_code == 404
            )
            application.wait_until(
                lambda: not (settings.uploads_dir / upload_id).exists()
            )


def test_metadata_is_base64(application):
    name = base64.b64encode("Wörk ☃.csv".encode()).decode()
    answer = application.client.post(
        "/uploads",
        headers={**TUS, "Upload-Length": "1", "Upload-Metadata": f"filename {name}"},
    )
    path = answer.headers["location"].removeprefix("/api/v1")
    assert application.get(path)["filename"] == "Wörk ☃.csv"
