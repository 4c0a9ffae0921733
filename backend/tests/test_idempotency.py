"""A request that is sent twice under one key makes one thing."""

import secrets
import threading
from datetime import timedelta

import psycopg
import pytest
from sqlalchemy.ext.asyncio import async_sessionmaker

from tierwright_server.app import make_app
from tierwright_server.common.settings import Settings
from tierwright_server.http import idempotency, openapi
from tierwright_server.storage import db
from tierwright_server.storage.tables import now

POINTS = [[1, 0.5], [100, 0.25], [1000, 0.1]]


def key():
    return secrets.token_hex(8)


def scenario(**changes):
    return {"name": f"once {secrets.token_hex(4)}", "state": {"a": 1}, **changes}


def post(application, path, body, stated, **options):
    headers = {idempotency.NAME: stated} | options.pop("headers", {})
    return application.client.post(path, json=body, headers=headers, **options)


def rows(application, query, *values):
    dsn = db.psycopg_dsn(application.settings.database_url)
    with psycopg.connect(dsn, autocommit=True) as connection:
        found = connection.execute(query, values)
        return found.fetchall() if found.description else None


class TestKeys:
    def test_the_first_answer_comes_again(self, application):
        body, stated = scenario(), key()
        first = post(application, "/scenarios", body, stated)
        assert first.status_code == 201
        assert idempotency.REPLAYED not in first.headers
        second = post(application, "/scenarios", body, stated)
        assert second.status_code == 201
        assert second.headers[idempotency.REPLAYED] == "true"
        assert second.content == first.content
        assert second.headers["etag"] == first.headers["etag"]
        assert second.headers["content-type"] == first.headers["content-type"]
        # Quotes of a structured field do not make another key of it.
        quoted = post(application, "/scenarios", body, f'"{stated}"')
        assert quoted.content == first.content

    def test_without_a_key_it_is_made_again(self, application):
        path = "/catalog/devices/samsung-pm9a3-7.68tb-u2/copy"
        stated = key()
        made = [post(application, path, {"name": "Once"}, stated) for _ in range(2)]
        again = application.post(path, {"name": "Once"}, 201)
        assert made[0].json()["id"] == made[1].json()["id"] != again["id"]

    def test_an_upload_is_begun_once(self, application):
        headers = {"Tus-Resumable": "1.0.0", "Upload-Length": "100"}
        stated = {idempotency.NAME: key()}
        first, second = (
            application.client.post("/uploads", headers={**headers, **stated})
            for _ in range(2)
        )
        assert first.status_code == second.status_code == 201
        assert first.headers["location"] == second.headers["location"]
        # Another length is another request.
        other = {**headers, **stated, "Upload-Length": "101"}
        assert application.client.post("/uploads", headers=other).status_code == 422

    def test_a_key_belongs_to_one_request(self, application):
        stated, body = key(), scenario()
        assert post(application, "/scenarios", body, stated).status_code == 201
        for path, other in (
            ("/scenarios", scenario()),
            ("/catalog/price-books", body),
        ):
            refused = post(application, path, other, stated)
            assert refused.status_code == 422
            assert refused.json()["type"].endswith("idempotency-key-reused")
            assert stated in refused.json()["detail"]

    def test_a_refused_request_leaves_its_key_free(self, application):
        stated, body = key(), scenario()
        refused = post(application, "/scenarios", {**body, "name": ""}, stated)
        assert refused.status_code == 422
        assert post(application, "/scenarios", body, stated).status_code == 201

    @pytest.mark.parametrize(
        "stated", ["", "with space", '""', '"open', "x" * 256, "ü"]
    )
    def test_what_is_no_key(self, application, stated):
        header = {idempotency.NAME: stated.encode("latin-1")}
        answer = application.client.post("/scenarios", json=scenario(), headers=header)
        assert answer.status_code == 422, answer.text
        assert answer.json()["errors"][0]["where"] == f"header.{idempotency.NAME}"

    def test_a_question_is_answered_anew(self, application):
        stated = key()
        asked = {
            "workload_id": "example",
            "ram_pages": 2000,
            "flash_pages": 8000,
            "flash_device_id": "face2016-samsung-840pro-256",
            "disk_device_id": "face2016-cheetah-15k6-single",
        }
        for ram_pages in (2000, 3000):
            body = {**asked, "ram_pages": ram_pages}
            answer = post(application, "/evaluations", body, stated)
            assert answer.status_code == 200
            assert idempotency.REPLAYED not in answer.headers

    def test_an_answer_is_replayed_whatever_encoding_is_accepted(self, application):
        stated, body = key(), scenario(state={"text": "a" * 5000})
        encodings = ("gzip", "identity")
        first, second = (
            post(
                application,
                "/scenarios",
                body,
                stated,
                headers={"Accept-Encoding": encoding},
            )
            for encoding in encodings
        )
        assert first.json() == second.json()


class TestAtOnce:
    def test_a_key_in_use_is_refused(self, application):
        stated, body = key(), scenario()
        dsn = db.psycopg_dsn(application.settings.database_url)
        lock = f"idempotency:{stated}"
        with psycopg.connect(dsn, autocommit=True) as other:
            other.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [lock])
            refused = post(application, "/scenarios", body, stated)
            # Said, as the server notices a closed connection only some time after.
            other.execute("SELECT pg_advisory_unlock(hashtextextended(%s, 0))", [lock])
        assert refused.status_code == 409
        assert refused.json()["type"].endswith("idempotency-key-in-use")
        assert refused.headers["retry-after"] == "1"
        # Whoever held it is gone, and left nothing: it is made now.
        assert post(application, "/scenarios", body, stated).status_code == 201

    def test_many_at_once_make_one(self, application):
        stated = key()
        path = "/catalog/devices/samsung-pm9a3-7.68tb-u2/copy"
        answers = []

        def ask():
            answers.append(post(application, path, {"name": "Raced"}, stated))

        threads = [threading.Thread(target=ask) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {each.status_code for each in answers} <= {201, 409}
        made = {each.json()["id"] for each in answers if each.status_code == 201}
        assert len(made) == 1


class TestRetention:
    def test_a_key_is_forgotten_after_a_day(self, application):
        stated, body = key(), scenario()
        assert post(application, "/scenarios", body, stated).status_code == 201
        rows(
            application,
            "UPDATE idempotency_keys SET created_at = %s WHERE key = %s",
            now() - idempotency.KEPT_FOR - timedelta(seconds=1),
            stated,
        )
        # The name is taken: it was carried out, not answered from what is kept.
        assert post(application, "/scenarios", body, stated).status_code == 409

    @pytest.mark.anyio
    async def test_old_keys_and_those_beyond_the_room_are_pruned(
        self, application, monkeypatch
    ):
        kept = [key() for _ in range(3)]
        for age, each in enumerate(kept):
            rows(
                application,
                "INSERT INTO idempotency_keys VALUES (%s, 'f', %s, %s)",
                each,
                b"x" * 400,
                now() + timedelta(hours=1) - timedelta(seconds=age),
            )
        stale = key()
        rows(
            application,
            "INSERT INTO idempotency_keys VALUES (%s, 'f', 'x', %s)",
            stale,
            now() - idempotency.KEPT_FOR,
        )
        monkeypatch.setattr(idempotency, "MOST_KEPT_BYTES", 1000)
        engine = db.make_engine(application.settings.database_url)
        async with async_sessionmaker(engine)() as session:
            await idempotency.prune(session)
            await session.commit()
        await engine.dispose()
        left = {row[0] for row in rows(application, "SELECT key FROM idempotency_keys")}
        assert left & {*kept, stale} == set(kept[:2])
        rows(application, "DELETE FROM idempotency_keys")


@pytest.fixture(scope="module")
def document(tmp_path_factory):
    return openapi.describe(make_app(Settings(data_dir=tmp_path_factory.mktemp("d"))))


MAKERS = {
    "copy_device",
    "create_advice_template",
    "create_composed_workload",
    "create_device",
    "create_joined_workload",
    "create_miniature",
    "create_pool_advisor",
    "create_pool_split",
    "create_price_book",
    "create_quote_ranking",
    "create_sampled_profile",
    "create_scaled_workload",
    "create_scenario",
    "create_simulation",
    "create_summaries",
    "create_sweep",
    "create_transaction_study",
    "create_upload",
    "create_windows",
    "create_workload",
    "create_workload_from_curve",
    "create_workload_from_description",
    "create_workload_from_measurements",
    "create_workload_from_profile",
    "read_workload_again",
    "register_file",
}


def test_every_operation_that_makes_something_takes_a_key(document):
    posts = [each["post"] for each in document["paths"].values() if "post" in each]
    takes = {
        each["operationId"]: idempotency.NAME
        in {parameter["name"] for parameter in each.get("parameters", [])}
        for each in posts
    }
    assert {name for name, taken in takes.items() if taken} == MAKERS
    # One that is added makes something, or answers a question and can be sent again.
    creating = {name for name in takes if name.startswith(("create_", "copy_"))}
    assert creating <= MAKERS
    for operation in posts:
        if takes[operation["operationId"]]:
            assert {"409", "422"} <= operation["responses"].keys()
