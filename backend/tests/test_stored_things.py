"""What is stored is bounded, listed and deleted, whatever made it."""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest
from live_app import run_application
from sqlalchemy import text
from sqlalchemy.ext.asyncio import async_sessionmaker
from test_pool_splits import finish

from tierwright_server.common import settings as settings_module
from tierwright_server.common.settings import Settings, memory_bytes
from tierwright_server.replays.stored.service import expire_analyses, expire_results
from tierwright_server.storage.db import make_engine

LARGEST = 2**25


@pytest.fixture(scope="module")
def own(make_settings):
    with run_application(make_settings()) as running:
        running.wait_example()
        yield running


class TestPoolSplits:
    def test_a_buffer_larger_than_twice_the_trace_is_counted_at_that(self, own):
        distinct = own.get("/workloads/example")["summary"]["distinct_pages"]
        split = finish(own, {"workload_id": "example", "pages": LARGEST})
        assert split["pages"] == 2 * distinct
        assert [note["name"] for note in split["warnings"]] == ["pages_clamped"]
        [stored] = own.settings.contents_dir.glob(f"*/analyses/{split['id']}.npz")
        assert stored.stat().st_size < 4 * 2**20
        costs = own.get(f"/pool-splits/{split['id']}/costs", params={"asymmetry": 8})
        assert costs["pages"] == 2 * distinct
        assert "pages_clamped" in {note["name"] for note in costs["warnings"]}
        # Every page comes in once, and every dirty one goes out once.
        assert costs["best_cost"] == pytest.approx(costs["baselines"][0]["cost"])
        # The same, however large the buffer was said to be.
        again = own.post(
            "/pool-splits", {"workload_id": "example", "pages": LARGEST - 1}, 202
        )
        assert again["id"] == split["id"]

    def test_the_adaptive_split_is_replayed_at_that_too(self, own):
        distinct = own.get("/workloads/example")["summary"]["distinct_pages"]
        asked = {"workload_id": "example", "dynamics": "steady"}
        small = own.post("/pool-advisors", {**asked, "pages": 2000}, 202)
        large = own.post("/pool-advisors", {**asked, "pages": LARGEST}, 202)
        assert (small["pages"], large["pages"]) == (2000, 2 * distinct)
        for advisor in (small, large):
            assert own.wait_run(advisor["run"]["id"])["status"] == "succeeded"
            epochs = own.get(f"/pool-advisors/{advisor['id']}/epochs")
            clamped = [
                note for note in epochs["warnings"] if note["name"] == "pages_clamped"
            ]
            assert bool(clamped) == (advisor is large)
        assert f"{2 * distinct:,} pages" in clamped[0]["message"]

    def test_a_smaller_one_is_counted_as_asked(self, own):
        split = finish(own, {"workload_id": "example", "pages": 300})
        assert (split["pages"], split["warnings"]) == (300, [])

    def test_readers_together_take_little_memory(self, own):
        split = finish(own, {"workload_id": "example", "pages": LARGEST})
        before = psutil.Process().memory_info().rss
        with ThreadPoolExecutor(8) as readers:
            found = list(
                readers.map(
                    lambda asymmetry: own.get(
                        f"/pool-splits/{split['id']}/costs",
                        params={"asymmetry": asymmetry},
                    )["best_cost"],
                    range(1, 17),
                )
            )
        assert found == sorted(found)
        assert psutil.Process().memory_info().rss - before < 200 * 2**20


class TestStorage:
    def test_an_analysis_is_listed_and_deleted_and_computed_anew(self, own):
        split = finish(own, {"workload_id": "example", "pages": 5000})
        shown = own.get("/storage")
        item = next(each for each in shown["largest"] if each["id"] == split["id"])
        [stored] = own.settings.contents_dir.glob(f"*/analyses/{split['id']}.npz")
        assert (item["kind"], item["size_bytes"]) == ("analysis", stored.stat().st_size)
        assert "pool split of" in item["name"]
        address = f"/storage/analysis/{split['id']}"
        assert own.client.delete(address).status_code == 204
        assert not stored.exists()
        assert own.client.get(f"/pool-splits/{split['id']}").status_code == 404
        assert own.client.delete(address).status_code == 404
        again = finish(own, {"workload_id": "example", "pages": 5000})
        assert again["id"] == split["id"]

    @pytest.mark.parametrize(
        "kind", ["upload", "workload", "analysis", "simulation", "sweep", "miniature"]
    )
    def test_what_is_not_there_cannot_be_deleted(self, own, kind):
        assert own.client.delete(f"/storage/{kind}/none").status_code == 404

    def test_uploads_and_workloads_go_by_the_same_door(self, own):
        upload = own.upload(b"time_us,op,rel,block\n0,R,1,1\n", "u.csv")
        assert own.client.delete(f"/storage/upload/{upload}").status_code == 204
        assert own.client.get(f"/uploads/{upload}").status_code == 404
        made = own.create_workload(b"time_us,op,rel,block\n0,R,1,1\n", "w.csv")
        own.wait_run(made["run"]["id"])
        assert own.client.delete(f"/storage/workload/{made['id']}").status_code == 204
        assert own.client.get(f"/workloads/{made['id']}").status_code == 404

    def test_there_is_a_limit_by_default(self, own):
        shown = own.get("/storage")
        assert 0 < shown["limit_bytes"] <= shown["free_bytes"] + 2**60
        parts = ("uploads_bytes", "contents_bytes", "results_bytes", "work_bytes")
        assert shown["used_bytes"] == sum(shown[part] for part in parts)

    def test_the_limit_holds_for_analyses(self, make_settings):
        settings = make_settings(storage_limit_bytes=4 * 2**20)
        with run_application(settings) as full:
            full.wait_example()
            answer = full.client.post(
                "/pool-splits", json={"workload_id": "example", "pages": 100}
            )
            assert answer.status_code == 507
            assert answer.json()["type"].endswith("no-space")

    def test_what_nobody_reads_expires(self, own):
        read, unread = (
            finish(own, {"workload_id": "example", "pages": pages})
            for pages in (71, 72)
        )
        folder = next(own.settings.contents_dir.glob("*/analyses"))
        long_ago = time.time() - own.settings.analysis_expires_s - 10
        draft = folder / "abc.npz.77.draft"
        draft.write_bytes(b"half")
        for name in (f"{read['id']}.npz", f"{unread['id']}.npz", draft.name):
            os.utime(folder / name, (long_ago, long_ago))
        own.get(f"/pool-splits/{read['id']}/costs", params={"asymmetry": 4})

        async def expire():
            engine = make_engine(own.settings.database_url)
            await expire_analyses(own.settings, async_sessionmaker(engine))
            await engine.dispose()

        asyncio.run(expire())
        assert (folder / f"{read['id']}.npz").is_file()
        assert not (folder / f"{unread['id']}.npz").exists()
        assert not draft.exists()
        assert own.client.get(f"/pool-splits/{unread['id']}").status_code == 404


def sweep_of(own, pages):
    lru = {"family": "policy", "name": "lru", "options": {}}
    body = {"workload_id": "example", "contenders": [lru], "ram_pages": [pages]}
    made = own.post("/sweeps", body, 202)
    if made["run"] is not None:
        own.wait_run(made["run"]["id"])
    return made["id"]


class TestResults:
    """Sweeps, miniatures and simulations lie in the database, not in files."""

    def test_a_sweep_counts_and_is_deleted_and_computed_anew(self, own):
        sweep = sweep_of(own, 301)
        assert own.get("/storage")["results_bytes"] > 0
        address = f"/storage/sweep/{sweep}"
        assert own.client.delete(address).status_code == 204
        assert own.client.get(f"/sweeps/{sweep}").status_code == 404
        assert own.client.delete(address).status_code == 404
        assert sweep_of(own, 301) == sweep

    def test_what_was_asked_for_long_ago_expires(self, own):
        old, young = sweep_of(own, 302), sweep_of(own, 303)

        async def expire():
            engine = make_engine(own.settings.database_url)
            async with engine.begin() as connection:
                await connection.execute(
                    text(
                        "UPDATE results SET created_at = created_at - interval '31 days' "
                        "WHERE id = :id"
                    ),
                    {"id": old},
                )
            await expire_results(own.settings, async_sessionmaker(engine))
            await engine.dispose()

        asyncio.run(expire())
        assert own.client.get(f"/sweeps/{old}").status_code == 404
        assert own.client.get(f"/sweeps/{young}").status_code == 200


class TestMemory:
    @pytest.mark.parametrize(
        ("workers", "concurrency"), [(1, 1), (1, 2), (2, 2), (3, 4)]
    )
    def test_the_caps_of_all_jobs_add_up_to_less_than_the_machine(
        self, monkeypatch, workers, concurrency
    ):
        monkeypatch.setattr(settings_module, "memory_bytes", lambda: 64 * 2**30)
        found = Settings(workers=workers, worker_concurrency=concurrency)
        jobs = workers * concurrency
        assert found.job_address_space_bytes * jobs <= 48 * 2**30

    def test_a_container_has_less_than_its_machine(self, monkeypatch, tmp_path):
        limit = tmp_path / "memory.max"
        monkeypatch.setattr(settings_module, "_CONTAINER_LIMIT", limit)
        whole = memory_bytes()
        limit.write_text("max\n")
        assert memory_bytes() == whole
        limit.write_text(f"{2**28}\n")
        assert memory_bytes() == 2**28
