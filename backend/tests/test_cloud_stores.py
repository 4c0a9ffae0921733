"""Objects of Google's and Microsoft's stores are fetched as those of an S3 store are."""

import asyncio
import hashlib
import os

import obstore
import pytest
from cloud_store import run_cloud
from live_app import run_application
from obstore.exceptions import GenericError, PreconditionError

from tierwright.trace.sources import store as sources_store
from tierwright.trace.sources.address import parse

CONTENT = (
    "time_us,op,rel,block\n" + "".join(f"{i},R,0/1,{i * 7 % 50}\n" for i in range(3000))
).encode()
ROOTS = ("gs://traces/open", "az://traces/open")


@pytest.fixture(scope="module")
def cloud():
    with run_cloud() as running:
        running.objects["/traces/open/day1.csv"] = CONTENT
        running.objects["/traces/closed/day1.csv"] = CONTENT
        yield running


@pytest.fixture(scope="module")
def clouds(make_settings, cloud):
    """An application that reaches the stand-in under both schemes."""
    with pytest.MonkeyPatch.context() as patch:
        cloud.point_clients_here(patch)
        settings = make_settings(trace_roots=ROOTS, object_store_retries=1)
        with run_application(settings) as application:
            application.wait_example()
            yield application


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["gs", "az"])
class TestBoth:
    def test_an_object_is_fetched_whole_and_in_one_version(self, clouds, cloud, scheme):
        address = f"{scheme}://traces/open/day1.csv"
        upload = clouds.post("/uploads/register", {"path": address}, 201)
        run = clouds.wait_run(upload["run"]["id"])
        assert run["status"] == "succeeded", run
        found = clouds.get(f"/uploads/{upload['id']}")
        assert found["sha256"] == hashlib.sha256(CONTENT).hexdigest()
        assert found["filename"] == "day1.csv"
        preview = clouds.post(f"/uploads/{upload['id']}/preview", {}, 200)
        assert preview["format"] == "postgres_csv"

    def test_an_object_that_is_absent(self, clouds, cloud, scheme):
        address = f"{scheme}://traces/open/day2.csv"
        problem = clouds.post("/uploads/register", {"path": address}, 422)
        assert "no such object" in str(problem)

    def test_what_is_not_open_is_not_asked_for(self, clouds, cloud, scheme):
        before = len(cloud.requests)
        for path in ("closed/day1.csv", "opened/x", "open"):
            address = f"{scheme}://traces/{path}"
            clouds.post("/uploads/register", {"path": address}, 403)
        assert len(cloud.requests) == before


@pytest.mark.parametrize("scheme", ["gs", "az"])
def test_another_version_is_refused(monkeypatch, cloud, scheme):
    """Each range is asked for with the ETag that was seen first."""
    for name in ("GOOGLE", "AZURE"):
        monkeypatch.setenv(f"{name}_SKIP_SIGNATURE", "true")
    monkeypatch.setenv("GOOGLE_BASE_URL", cloud.url)
    monkeypatch.setenv("AZURE_STORAGE_ACCOUNT_NAME", "someone")
    monkeypatch.setenv("AZURE_STORAGE_ENDPOINT", cloud.url)
    store = sources_store.open_store(scheme, "traces", None, request_timeout_s=5)
    etag = obstore.head(store, "open/day1.csv")["e_tag"]
    whole = {"range": (5, 25), "if_match": etag}
    assert (
        bytes(obstore.get(store, "open/day1.csv", options=whole).bytes())
        == (CONTENT[5:25])
    )
    other = {"range": (5, 25), "if_match": '"other"'}
    with pytest.raises(PreconditionError) as caught:
        obstore.get(store, "open/day1.csv", options=other)
    failure = sources_store.failure_of(caught.value, scheme)
    assert failure.fault is sources_store.Fault.CHANGED


def test_a_store_without_an_account_is_an_error_that_names_it(monkeypatch):
    for name in list(os.environ):
        if name.startswith("AZURE_"):
            monkeypatch.delenv(name)
    address = parse("az://traces/open/x")
    with pytest.raises(sources_store.LookUpFailed) as caught:
        asyncio.run(sources_store.look_up(address, None, 5))
    assert "AZURE_STORAGE_ACCOUNT_NAME" in caught.value.failure.hint
    assert caught.value.failure.fault is sources_store.Fault.DENIED


def test_a_bad_file_of_credentials_is_no_outage_and_is_not_shown(monkeypatch, tmp_path):
    bad = tmp_path / "bad.json"
    bad.write_text("{}")
    for path in (bad, tmp_path / "absent.json"):
        monkeypatch.setenv("GOOGLE_SERVICE_ACCOUNT", str(path))
        with pytest.raises(sources_store.LookUpFailed) as caught:
            asyncio.run(sources_store.look_up(parse("gs://traces/open/x"), None, 5))
        failure = caught.value.failure
        assert failure.fault is sources_store.Fault.DENIED
        assert "GOOGLE_APPLICATION_CREDENTIALS" in failure.hint
        assert str(tmp_path) not in failure.message + failure.hint


_ROLE = "http://169.254.169.254/computeMetadata/v1/instance/x in 3ms - error sending"


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            f"Generic GCS error: Error performing token request: Error performing GET {_ROLE}",
            sources_store.Fault.DENIED,
        ),
        (f"Generic S3 error: Error performing PUT {_ROLE}", sources_store.Fault.DENIED),
        # Names chosen by who asks do not make it one of credentials.
        (
            "Generic S3 error: Error performing HEAD http://10.0.0.7/b/sts.googleapis.com/"
            "token%20request in 3ms - Server returned non-2xx status code: 503 Busy",
            sources_store.Fault.PASSING,
        ),
        (
            "Generic GCS error: Error performing HEAD https://storage.googleapis.com/b/x "
            "in 3ms, after 2 retries - error sending request",
            sources_store.Fault.PASSING,
        ),
    ],
)
def test_missing_credentials_are_told_from_an_outage(text, fault):
    """In the words that the library has for them; none reaches who asks."""
    failure = sources_store.failure_of(GenericError(text), "gs")
    assert failure.fault is fault
    assert "http" not in failure.message
    assert ("503" in failure.message) is ("503" in text)
    assert ("GOOGLE_APPLICATION_CREDENTIALS" in failure.hint) is (
        fault is sources_store.Fault.DENIED
    )
