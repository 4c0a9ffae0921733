"""A damaged file is computed anew, or refused: never read as if it were whole."""

import asyncio
import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from live_app import EXAMPLE_TRACE, run_application

from tierwright import _simulator
from tierwright_server.common.sealed import Damaged, opened, sealed
from tierwright_server.common.settings import Settings
from tierwright_server.replays.analyses.cache import read_arrays
from tierwright_server.storage import contents
from tierwright_server.storage.shared_cache import SharedCache
from tierwright_server.traces.curves import CurveCache, DamagedContent, read_curve
from tierwright_server.traces.workloads.profiling import profile


def damage(path: Path, seed: int) -> None:
    """Change a file so that no two damages of a test are alike."""
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    at = chance.randrange(len(data))
    match seed % 6:
        case 0:
            data[at] ^= 1 << chance.randrange(8)
        case 1:
            del data[at:]
        case 2:
            data[at : at + 4096] = bytes(len(data[at : at + 4096]))
        case 3:
            data += b"\x00" * chance.randrange(1, 5000)
        case 4:
            other = chance.randrange(len(data))
            data[at], data[other] = data[other] ^ 1, data[at]
        case 5:
            data = data[at:] + data[:at] + b"x"
    path.write_bytes(data)


class TestSealed:
    @pytest.mark.parametrize("length", [0, 1, 47, 48, 49, 100_000])
    def test_what_is_written_is_read(self, tmp_path, length):
        content = random.Random(length).randbytes(length)
        path = tmp_path / "f"
        with sealed(path) as file:
            file.write(content)
        with opened(path) as found:
            assert bytes(found) == content
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize("seed", range(60))
    def test_no_damage_passes(self, tmp_path, seed):
        path = tmp_path / "f"
        with sealed(path) as file:
            file.write(random.Random(seed).randbytes(20_000))
        damage(path, seed)
        with pytest.raises(Damaged), opened(path):
            pass

    def test_a_file_of_an_earlier_version_has_no_seal(self, tmp_path):
        path = tmp_path / "f"
        with path.open("wb") as file:
            np.save(file, np.zeros(100))
        with pytest.raises(Damaged), opened(path):
            pass

    def test_half_a_write_leaves_what_was_there(self, tmp_path):
        path = tmp_path / "f"
        with sealed(path) as file:
            file.write(b"first")
        with pytest.raises(ValueError, match="closed"), sealed(path) as file:
            file.close()
        with opened(path) as found:
            assert bytes(found) == b"first"
        assert list(tmp_path.iterdir()) == [path]


@pytest.fixture
def stored(tmp_path):
    """A content on the disk, as a job leaves it; with its settings and summary."""
    settings = Settings(data_dir=tmp_path)
    settings.make_folders()
    folder = contents.folder_of(settings, "c1")
    folder.mkdir()
    trace = contents.trace_path(settings, "c1")
    summary = _simulator.convert(EXAMPLE_TRACE, trace)
    profile(trace, contents.curve_path(settings, "c1"))
    return settings, summary


def curve_of(settings, summary):
    cache = CurveCache(2**20)
    curve = asyncio.run(cache.get(settings, "c1", summary))
    return curve.misses_at, curve.write_backs_at, cache.notes_of("c1")


class TestCurves:
    def test_a_damaged_curve_is_computed_anew_and_says_so(self, stored):
        settings, summary = stored
        misses, write_backs, notes = curve_of(settings, summary)
        assert notes == ()
        path = contents.curve_path(settings, "c1")
        for seed in range(6):
            damage(path, seed)
            again = curve_of(settings, summary)
            assert np.array_equal(again[0], misses)
            assert np.array_equal(again[1], write_backs)
            assert [note.name for note in again[2]] == ["curve_rebuilt"]
            assert curve_of(settings, summary)[2] == ()  # whole again

    def test_flattened_columns_are_seen(self, stored):
        """Still an array of the right shape: only the checksum tells."""
        settings, summary = stored
        path = contents.curve_path(settings, "c1")
        expected = curve_of(settings, summary)[0]
        columns = np.load(path)
        columns[:, 100:] = columns[:, 100:101]
        with path.open("r+b") as file:
            np.save(file, columns)
        assert np.array_equal(curve_of(settings, summary)[0], expected)

    def test_with_its_trace_damaged_too_there_is_no_answer(self, stored):
        settings, summary = stored
        damage(contents.curve_path(settings, "c1"), 0)
        trace = contents.trace_path(settings, "c1")
        trace.write_bytes(trace.read_bytes()[:-1000])
        with pytest.raises(DamagedContent) as caught:
            curve_of(settings, summary)
        assert "damaged" in caught.value.detail
        assert caught.value.hint

    def test_of_another_trace_it_is_not_taken(self, stored):
        settings, summary = stored
        contents.curve_path(settings, "c1").unlink()
        lines = "time_us,op,rel,block\n0,R,1,1\n1,W,1,2\n"
        other = settings.data_dir / "other.csv"
        other.write_text(lines)
        _simulator.convert(other, contents.trace_path(settings, "c1"), force=True)
        with pytest.raises(DamagedContent):
            curve_of(settings, summary)
        assert not contents.curve_path(settings, "c1").exists()

    @pytest.mark.parametrize("seed", range(20))
    def test_a_damaged_trace_is_refused_wherever_it_is_read(self, stored, seed):
        settings, _ = stored
        trace = contents.trace_path(settings, "c1")
        expected = _simulator.curves(trace)["misses"].tolist()
        damage(trace, seed)
        try:
            found = _simulator.curves(trace)["misses"].tolist()
        except _simulator.TraceError:
            return
        # What was hit tells nothing of the accesses.
        assert found == expected


@pytest.mark.long
class TestOverHttp:
    def test_damage_never_changes_an_answer(self, make_settings):
        settings = make_settings()
        asked = {
            "workload_id": "example",
            "ram_pages": 1000,
            "flash_pages": 4000,
            "flash_device_id": "face2016-samsung-840pro-256",
            "disk_device_id": "face2016-cheetah-15k6-single",
        }
        document = {"workload_id": "example", "windows": 8}
        with run_application(settings) as application:
            application.wait_example()
            before = application.post("/evaluations", asked, 200)
            windows = application.post("/windows", document, 202)
            application.wait_run(windows["run"]["id"])
            cut = application.get(f"/windows/{windows['id']}/curves")
        [curve] = settings.contents_dir.glob("*/curve.npy")
        [arrays] = settings.contents_dir.glob("*/analyses/*.npz")
        damage(curve, 2)
        damage(arrays, 0)
        with pytest.raises(Damaged):
            read_arrays(arrays)
        with run_application(settings) as application:
            after = application.post("/evaluations", asked, 200)
            assert after["best"] == before["best"]
            named = {warning["name"] for warning in after["warnings"]}
            assert "curve_rebuilt" in named
            refused = application.client.get(f"/windows/{windows['id']}/curves")
            assert refused.status_code == 409
            assert "is recomputed from the trace" in refused.json()["detail"]
            again = application.get(f"/windows/{windows['id']}")
            application.wait_run(again["run"]["id"])
            assert application.get(f"/windows/{windows['id']}/curves") == cut
        read_arrays(arrays)


def without(path: Path, name: str) -> None:
    """Store an analysis again as a version stored it that did not count this array."""
    arrays = read_arrays(path)
    del arrays[name]
    with sealed(path) as file:
        np.savez(file, **arrays)


def test_windows_of_an_earlier_version_are_counted_again(make_settings):
    """They lack the pages written: neither the windows nor a restart may trip over that."""
    settings = make_settings()
    point = {
        "workload_id": "example",
        "ram_pages": 500,
        "flash_pages": 4000,
        "flash_device_id": "face2016-samsung-840pro-256",
        "disk_device_id": "face2016-cheetah-15k6-single",
        "accesses_per_s": 5000.0,
        "checkpoint_interval_s": 17.0,
    }

    def basis(application):
        return application.post("/recovery", point, 200)["restart"]["redo_basis"]

    def counts(application):
        application.wait_until(lambda: "counted in the" in basis(application), 2.0)
        return application.post("/recovery", point, 200)["restart"]

    with run_application(settings) as application:
        application.wait_example()
        asked = {"workload_id": "example", "windows": 8}
        windows = application.post("/windows", asked, 202)
        application.wait_run(windows["run"]["id"])
        cut = application.get(f"/windows/{windows['id']}/curves")
        application.client.post("/recovery/check", json=point)
        before = counts(application)
    for path in settings.contents_dir.glob("*/analyses/*.npz"):
        if "pages_written" in read_arrays(path):
            without(path, "pages_written")
    with run_application(settings) as application:
        refused = application.client.get(f"/windows/{windows['id']}/curves")
        assert refused.status_code == 409
        assert "is recomputed from the trace" in refused.json()["detail"]
        assert application.client.post("/recovery/check", json=point).is_success
        assert counts(application) == before
        again = application.get(f"/windows/{windows['id']}")
        application.wait_run(again["run"]["id"])
        assert application.get(f"/windows/{windows['id']}/curves") == cut


class TestSharedCache:
    def test_one_load_serves_all_who_ask_together(self):
        loads = []

        async def load():
            loads.append(1)
            await asyncio.sleep(0.05)
            return b"x" * 10

        async def main():
            cache = SharedCache[bytes](100, len)
            first = asyncio.create_task(cache.get("a", load))
            await asyncio.sleep(0)
            first.cancel()  # the others go on waiting for its load
            found = await asyncio.gather(*(cache.get("a", load) for _ in range(20)))
            assert found == [b"x" * 10] * 20
            assert await cache.get("a", load) == b"x" * 10

        asyncio.run(main())
        assert loads == [1]

    def test_it_keeps_to_its_bytes_and_forgets_errors(self):
        async def main():
            cache = SharedCache[bytes](100, len)

            async def value(size):
                return b"x" * size

            async def broken():
                raise LookupError("no")

            for key, size in (("a", 60), ("b", 30), ("c", 60)):
                await cache.get(key, lambda size=size: value(size))
            assert cache.bytes == 90  # `a`, the oldest, is gone
            await cache.get("large", lambda: value(1000))
            assert cache.bytes == 1000  # alone
            with pytest.raises(LookupError):
                await cache.get("d", broken)
            assert await cache.get("d", lambda: value(1)) == b"x"
            cache.drop("d")
            assert cache.bytes == 0

        asyncio.run(main())


def test_a_curve_that_is_read_is_one_that_was_written(tmp_path):
    path = tmp_path / "curve.npy"
    found = profile(shutil.copy(EXAMPLE_TRACE, tmp_path / "t"), path)
    curve = read_curve(
        path,
        accesses=found["accesses"],
        page_bytes=8192,
        write_accesses=found["write_accesses"],
    )
    assert curve.distinct_pages == found["distinct_pages"]
