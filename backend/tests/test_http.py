"""What holds for every request: problems, Host, Origin, limits, headers, the page."""

import pytest
from live_app import run_application

PROBLEM = "application/problem+json"


def assert_problem(answer, status):
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == PROBLEM
    problem = answer.json()
    assert problem["status"] == status
    assert problem["title"]
    assert problem["detail"]
    return problem


class TestProblems:
    def test_unknown_path(self, application):
        problem = assert_problem(application.client.get("/nothing"), 404)
        assert "/api/v1/nothing" in problem["detail"]

    @pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
    @pytest.mark.parametrize("path", ["/api", "/api/", "/api/v2/health", "/metrics"])
    def test_what_is_not_the_pages_is_never_answered_with_the_page(
        self, application, method, path
    ):
        base = str(application.client.base_url).removesuffix("/api/v1/")
        assert_problem(application.client.request(method, base + path), 404)

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("PUT", "/health", {"GET", "HEAD"}),
            ("POST", "/scenarios/x", {"GET", "HEAD", "PUT", "DELETE"}),
            ("GET", "/evaluations", {"POST"}),
            ("PATCH", "/scenarios", {"GET", "HEAD", "POST"}),
        ],
    )
    def test_a_wrong_method_names_those_of_the_path(
        self, application, method, path, allowed
    ):
        answer = application.client.request(method, path)
        assert_problem(answer, 405)
        assert set(answer.headers["allow"].split(", ")) == allowed

    def test_head_is_get_without_the_body(self, application):
        for path in ("/health", "/catalog/devices", "/nothing"):
            whole, head = application.client.get(path), application.client.head(path)
            assert head.status_code == whole.status_code
            assert head.headers["content-type"] == whole.headers["content-type"]
            assert head.content == b""

    @pytest.mark.timeout(20)
    def test_head_of_a_stream_of_events_ends(self, application):
        run = application.get("/workloads/example")["run"]["id"]
        assert application.client.head(f"/runs/{run}/events").status_code == 200

    @pytest.mark.parametrize("text", [b"{", b"", b"[1", b"\xff\xfe", b'{"a": NaN}'])
    def test_broken_json(self, application, text):
        answer = application.client.post(
            "/evaluations", content=text, headers={"Content-Type": "application/json"}
        )
        assert_problem(answer, 422)

    def test_other_media_types_are_not_read(self, application):
        # A form of another site can send text/plain without asking the browser.
        answer = application.client.post(
            "/scenarios",
            content=b'{"name": "x", "state": {}}',
            headers={"Content-Type": "text/plain"},
        )
        assert_problem(answer, 422)

    def test_large_bodies_are_refused(self, application):
        big = b'{"name": "' + b"x" * 2**20 + b'"}'
        headers = {"Content-Type": "application/json"}
        answer = application.client.post("/scenarios", content=big, headers=headers)
        assert_problem(answer, 413)

        def chunks():
            for start in range(0, len(big), 4096):
                yield big[start : start + 4096]

        answer = application.client.post(
            "/scenarios", content=chunks(), headers=headers
        )
        assert_problem(answer, 413)

    @pytest.mark.parametrize(
        ("path", "part"),
        [
            ("/formulas/kv.C0", "shorter trace"),
            ("/evaluations", "fewer or shorter lists"),
            ("/workloads/from-curve", "at fewer sizes"),
            ("/uploads", "tus"),
        ],
    )
    def test_the_hint_of_a_large_body_fits_what_was_asked(
        self, application, path, part
    ):
        big = b'{"inputs": "' + b"x" * 2**20 + b'"}'
        headers = {"Content-Type": "application/json"}
        whole = application.client.post(path, content=big, headers=headers)
        pieces = application.client.post(path, content=iter([big]), headers=headers)
        for answer in (whole, pieces):
            if answer.status_code != 413 and path == "/uploads":
                continue  # tus reads no body of pieces here
            hint = assert_problem(answer, 413)["hint"]
            assert part in hint
            assert ("tus" in hint) == ("work" in path or "uploads" in path)

    def test_unforeseen_errors_show_an_id_and_nothing_else(
        self, application, monkeypatch, caplog
    ):
        def broken(*_):
            raise RuntimeError("secret detail")

        monkeypatch.setattr(
            "tierwright_server.scenarios.repository.page", broken, raising=True
        )
        answer = application.client.get("/scenarios")
        problem = assert_problem(answer, 500)
        assert "secret" not in answer.text
        assert problem["instance"] in caplog.text
        assert "secret detail" in caplog.text

    def test_every_fault_is_listed(self, application):
        answer = application.client.post(
            "/evaluations", json={"ram_pages": -1, "flash_pages": "x"}
        )
        places = {fault["where"] for fault in assert_problem(answer, 422)["errors"]}
        assert places == {
            "body.workload_id",
            "body.ram_pages",
            "body.flash_pages",
            "body.flash_device_id",
            "body.disk_device_id",
        }


class TestGuard:
    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example", ""]
    )
    def test_other_hosts_are_refused(self, application, host):
        answer = application.client.get("/health", headers={"Host": host})
        assert_problem(answer, 403)

    @pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "[::1]:8"])
    def test_loopback_names_are_accepted(self, application, host):
        answer = application.client.get("/health", headers={"Host": host})
        assert answer.status_code == 200

    @pytest.mark.parametrize(
        "origin", ["https://evil.example", "null", "http://127.0.0.1:1", "file://"]
    )
    def test_other_origins_change_nothing(self, application, origin):
        body = {"name": "x", "state": {}}
        headers = {"Origin": origin}
        answer = application.client.post("/scenarios", json=body, headers=headers)
        assert_problem(answer, 403)
        assert application.client.get("/health", headers=headers).status_code == 200

    def test_the_own_origin_may(self, application):
        base = str(application.client.base_url).removesuffix("/api/v1/")
        answer = application.client.post(
            "/evaluations", json={}, headers={"Origin": base}
        )
        assert answer.status_code == 422

    def test_cross_site_without_origin(self, application):
        answer = application.client.post(
            "/scenarios", json={}, headers={"Sec-Fetch-Site": "cross-site"}
        )
        assert_problem(answer, 403)

    def test_security_headers_are_on_every_answer(self, application):
        for path in ("/health", "/nothing", "/workloads/example"):
            headers = application.client.get(path).headers
            assert "default-src 'self'" in headers["content-security-policy"]
            assert "frame-ancestors 'none'" in headers["content-security-policy"]
            assert headers["x-content-type-options"] == "nosniff"
            assert headers["referrer-policy"] == "same-origin"
            assert headers["cache-control"] == "no-store"


@pytest.fixture(scope="module")
def page(make_settings):
    settings = make_settings()
    (settings.page_dir / "assets").mkdir()
    (settings.page_dir / "index.html").write_text("<!doctype html><p>page")
    (settings.page_dir / "assets" / "app-1a2b.js").write_text("run()")
    (settings.page_dir / "icon.svg").write_text("<svg/>")
    (settings.page_dir.parent / "secret.txt").write_text("secret")
    with run_application(settings, workers=0) as application:
        base = str(application.client.base_url).removesuffix("/api/v1/")
        yield lambda path, **kwargs: application.client.get(base + path, **kwargs)


class TestPage:
    @pytest.mark.parametrize("path", ["/", "/compare", "/workloads/example?ram=5"])
    def test_paths_of_the_page_get_the_page(self, page, path):
        answer = page(path)
        assert answer.status_code == 200
        assert answer.text == "<!doctype html><p>page"
        assert answer.headers["content-type"] == "text/html; charset=utf-8"
        assert answer.headers["cache-control"] == "no-cache"

    def test_hashed_files_are_kept_for_good(self, page):
        answer = page("/assets/app-1a2b.js")
        assert "immutable" in answer.headers["cache-control"]
        assert "javascript" in answer.headers["content-type"]
        assert page("/icon.svg").headers["cache-control"] == "no-cache"

    def test_an_unchanged_page_is_not_sent_again(self, page):
        tag = page("/").headers["etag"]
        assert page("/", headers={"If-None-Match": tag}).status_code == 304

    @pytest.mark.parametrize(
        "path",
        [
            "/assets/gone.js",
            "/robots.txt",
            "/..%2fsecret.txt",
            "/assets/..%2f..%2fsecret.txt",
            "/%2e%2e/secret.txt",
        ],
    )
    def test_missing_files_are_missing(self, page, path):
        answer = page(path)
        assert answer.status_code == 404
        assert "secret" not in answer.text

    def test_an_unbuilt_page_says_how_to_build_it(self, application):
        base = str(application.client.base_url).removesuffix("/api/v1/")
        answer = application.client.get(base + "/")
        assert answer.status_code == 503
        assert "hint: " in answer.text
