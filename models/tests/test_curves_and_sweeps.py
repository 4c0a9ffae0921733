"""Sampled and windowed curves and sweeps, through the boundary and the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tierwright import _simulator
from tierwright.cli.app import main
from tierwright.common.errors import BadInput
from tierwright.profile.document import profile_from_mapping, read_profile
from tierwright.profile.measure import profile, sampled_profile
from tierwright.trace.reading import Trace

SEEDS = range(40)


@pytest.fixture(scope="module")
def cut(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the canonical form of the small trace that the repository holds."""
    raw = Path(__file__).parents[2] / "fixtures" / "traces" / "tpcb-cut.csv.zst"
    out = tmp_path_factory.mktemp("curves") / "cut.twt"
    _simulator.convert(raw, out)
    return out


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, Any, str]:
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, json.loads(printed.out) if printed.out else None, printed.err


def test_sampled_profile_has_the_keys_and_the_sizes_of_an_exact_one(
    cut: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "p.json"
    code, found, _ = run(
        capsys,
        "profile",
        cut,
        "-o",
        out,
        "--sizes",
        "77",
        "--sample-rate",
        "0.1",
        "--json",
    )
    assert code == 0
    exact = profile(Trace(cut), sizes=(77,)).to_dict()
    assert json.loads(out.read_text()) == found
    assert found["sample_rate"] == 0.1
    for key in (
        "accesses",
        "distinct_pages",
        "write_accesses",
        "page_bytes",
        "duration_s",
    ):
        assert found[key] == exact[key]
    assert found["curve"]["pages"] == exact["curve"]["pages"]
    assert len(found["misses_interval95"]) == len(found["curve"]["pages"])
    pairs = zip(found["misses_interval95"], found["curve"]["misses"], strict=True)
    for (low, high), misses in pairs:
        assert exact["distinct_pages"] <= low <= misses <= high <= exact["accesses"]
    again = read_profile(out)
    assert again.to_dict() == found


def test_a_sample_of_all_pages_is_exact(cut: Path) -> None:
    exact = profile(Trace(cut)).to_dict()
    found = sampled_profile(Trace(cut), 1.0).to_dict()
    assert exact["curve"]["misses"][-1] == found["curve"]["misses"][-1]
    for name in ("misses", "write_backs"):
        gap = np.abs(np.subtract(exact["curve"][name], found["curve"][name]))
        assert gap.max() <= 0.01 * exact["accesses"]


def test_intervals_hold_the_exact_counts_95_times_of_100(cut: Path) -> None:
    """Of the seeds and sizes together: one seed errs alike at neighbouring sizes."""
    exact = profile(Trace(cut)).curve
    inside, inside_backs, error = [], [], []
    for seed in SEEDS:
        found = sampled_profile(Trace(cut), 0.1, seed=seed)
        assert found.sampled is not None
        sampled, misses = found.sampled, exact.misses(found.curve.pages)
        backs = exact.write_backs(found.curve.pages)
        inside.append((sampled.misses_low <= misses) & (misses <= sampled.misses_high))
        inside_backs.append(
            (sampled.write_backs_low <= backs) & (backs <= sampled.write_backs_high)
        )
        error.append(np.abs(found.curve.misses_at - misses).mean() / exact.accesses)
    assert np.mean(inside) >= 0.95
    assert np.mean(inside_backs) >= 0.95
    assert np.mean(error) <= 0.01


@pytest.mark.slow
def test_bars_on_a_recorded_trace_of_many_pages(
    shared_traces: Path, tmp_path: Path
) -> None:
    out = tmp_path / "vscsi.twt"
    _simulator.convert(shared_traces / "cloudPhysicsIO.vscsi", out)
    exact = profile(Trace(out)).curve
    for rate, bar in ((0.01, 0.02), (0.1, 0.01)):
        inside, error = [], []
        for seed in range(20):
            found = sampled_profile(Trace(out), rate, seed=seed)
            assert found.sampled is not None
            misses = exact.misses(found.curve.pages)
            inside.append(
                (found.sampled.misses_low <= misses)
                & (misses <= found.sampled.misses_high)
            )
            error.append(np.abs(found.curve.misses_at - misses).mean() / exact.accesses)
        assert np.mean(error) <= bar
        assert np.mean(inside) >= 0.95


def test_the_curves_do_not_depend_on_threads(cut: Path) -> None:
    one = _simulator.curves(cut, threads=1)
    two = _simulator.curves(cut, threads=2)
    assert np.array_equal(one["misses"], two["misses"])
    assert np.array_equal(one["write_backs"], two["write_backs"])


def test_windows_of_time_sum_up_to_the_curve(cut: Path) -> None:
    exact = _simulator.curves(cut)
    found = _simulator.window_curves(cut, window_ns=50_000_000)
    assert len(found["start_ns"]) > 3
    assert found["start_ns"] == sorted(found["start_ns"])
    assert all(start % 50_000_000 == 0 for start in found["start_ns"])
    assert found["window_accesses"].sum() == exact["accesses"]
    assert found["window_write_accesses"].sum() == exact["write_accesses"]
    sums = found["misses"].sum(axis=0)
    assert np.array_equal(sums, exact["misses"][found["pages"].astype(int) - 1])


def test_sweep_rows_are_single_simulations(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows, _ = run(
        capsys, "sweep", cut, "--policy", "lru", "--policy", "clock", "--pages", "50,500",
        "--scheme", "lazy", "--ram-pages", "40", "--flash-pages", "0,400", "--json",
    )  # fmt: skip
    assert code == 0
    assert len(rows) == 6
    for row in rows:
        assert row.pop("complete") is True
        life = row.pop("flash_life", None)
        assert (life is None) == (row.get("flash_pages", 0) == 0)
        if "policy" in row:
            single = _simulator.replay(cut, "policy", row["policy"], row["pages"])
        else:
            # The scheme asked for; without flash every scheme is `none`.
            single = _simulator.replay(
                cut, "scheme", "lazy", row["ram_pages"], row["flash_pages"]
            )
        assert single.pop("trace")["warnings"] == []  # once for the whole sweep
        assert row == single


def test_a_sweep_charges_the_metadata_of_flash(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = (
        "sweep", cut, "--policy", "lru", "--pages", "50", "--scheme", "lazy", "--scheme", "none",
        "--ram-pages", "100,400", "--flash-pages", "0,4000", "--flash-metadata", "flashcache",
    )  # fmt: skip
    code, rows, _ = run(capsys, *asked, "--json")
    assert code == 0
    charged = [row for row in rows if "ram_budget_pages" in row]
    # flashcache: 24 bytes for 4096, so 4000 pages of 8192 take 192,000 bytes: 24 pages.
    assert [(row["ram_budget_pages"], row["ram_pages"]) for row in charged] == [
        (100, 76),
        (400, 376),
    ]
    for row in charged:
        single = _simulator.replay(cut, "scheme", "lazy", row["ram_pages"], 4000)
        assert row["flash_hits"] == single["flash_hits"]
    rest = [
        row for row in rows if "ram_budget_pages" not in row and "policy" not in row
    ]
    assert sorted(row["ram_pages"] for row in rest) == [100] * 3 + [400] * 3
    code, _, err = run(
        capsys, "sweep", cut, "--scheme", "lazy", "--ram-pages", "5", "--flash-pages",
        "4000", "--flash-metadata", "flashcache",
    )  # fmt: skip
    assert code == 2
    assert "`5` hold less than the metadata of 4,000 pages of flash" in err
    code, _, err = run(
        capsys,
        "sweep",
        cut,
        "--policy",
        "lru",
        "--pages",
        "5",
        "--flash-metadata",
        "face",
    )
    assert code == 2
    assert "nothing to charge" in err


TIMES = tuple(
    word
    for name in ("flash_read_us", "flash_write_us", "disk_read_us", "disk_write_us")
    for word in ("--option", f"{name}=9")
)


def test_a_sweep_charges_flash_caches_and_choosers_too(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, rows, _ = run(
        capsys, "sweep", cut, "--scheme", "face", "--scheme", "online", "--scheme", "none",
        "--ram-pages", "100", "--flash-pages", "4000", "--flash-metadata", "flashcache", "--json",
        *TIMES,
    )  # fmt: skip
    assert code == 0
    charged = [(row.get("ram_budget_pages"), row["ram_pages"]) for row in rows]
    assert charged == [(100, 76), (100, 76), (None, 100)]


@pytest.mark.parametrize("scheme", ["lazy", "face", "online"])
def test_one_replay_charges_the_metadata_as_a_sweep_does(
    cut: Path, capsys: pytest.CaptureFixture[str], scheme: str
) -> None:
    times = TIMES if scheme == "online" else ()
    sizes = ("--ram-pages", "100", "--flash-pages", "4000", *times)
    metadata = ("--flash-metadata", "flashcache")
    code, single, _ = run(
        capsys, "simulate", cut, "--scheme", scheme, *sizes, *metadata, "--json"
    )
    assert code == 0
    assert (single["ram_budget_pages"], single["ram_pages"]) == (100, 76)
    code, rows, _ = run(
        capsys, "sweep", cut, "--scheme", scheme, *sizes, *metadata, "--json"
    )
    assert {key: single[key] for key in rows[0] if key in single} == {
        key: value for key, value in rows[0].items() if key in single
    }
    # The same replay without the charge, in the RAM that is left.
    code, plain, _ = run(
        capsys,
        "simulate",
        cut,
        "--scheme",
        scheme,
        "--ram-pages",
        "76",
        *sizes[2:],
        "--json",
    )
    del single["ram_budget_pages"]
    # A directory is as large, and a larger share of what is left.
    share, of_left = (each.pop("ram_tax", None) for each in (single, plain))
    assert (share is None) == (of_left is None) == (scheme != "face")
    if share is not None:
        assert 100 * share.pop("share") == pytest.approx(76 * of_left.pop("share"))
        assert share == of_left
    assert single == plain


def test_one_replay_refuses_what_cannot_be_charged(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    face = ("--flash-metadata", "face")
    for asked, part in (
        (("--policy", "lru", "--pages", "5"), "nothing to charge"),
        (
            ("--scheme", "NONE", "--ram-pages", "50", "--flash-pages", "9"),
            "nothing to charge",
        ),
        (
            ("--scheme", "lazy", "--ram-pages", "1", "--flash-pages", "4000"),
            "hold less than",
        ),
    ):
        code, _, err = run(capsys, "simulate", cut, *asked, *face)
        assert code == 2
        assert part in err
        assert "hint:" in err


def test_buffers_and_flash_caches_share_the_read(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    options = {"ram_policy": "lru"}
    asked = [
        *(
            {"buffer": row["name"], "pages": 300}
            for row in _simulator.contenders("buffer")
        ),
        *(
            {"flash_cache": row["name"], "ram_pages": 200, "flash_pages": 900}
            for row in _simulator.contenders("flash_cache")
        ),
        {"scheme": "lazy", "ram_pages": 200, "flash_pages": 900, "options": options},
    ]
    found = _simulator.sweep(cut, asked, threads=2)
    assert found["reads"] == 1
    for configuration, row in zip(asked, found["rows"], strict=True):
        assert row.pop("complete") is True
        if "buffer" in configuration:
            alone = _simulator.replay(cut, "buffer", configuration["buffer"], 300)
        elif "flash_cache" in configuration:
            name = configuration["flash_cache"]
            alone = _simulator.replay(cut, "flash_cache", name, 200, 900)
        else:
            alone = _simulator.replay(cut, "scheme", "lazy", 200, 900, options=options)
        assert alone.pop("trace") == found["trace"]
        assert row == alone
    _, rows, _ = run(
        capsys, "sweep", cut, "--policy", "cflru", "--pages", "300",
        "--scheme", "face", "--ram-pages", "200", "--flash-pages", "900", "--json",
    )  # fmt: skip
    assert [row.get("policy") or row["scheme"] for row in rows] == ["cflru", "face"]


WITHOUT_MINIATURE = (
    "face", "lazy_cleaning", "flashcache", "enhanceio", "tac", "bcache", "sce", "open_cas", "dm_cache", "l2arc",
    "cachelib", "kangaroo",
)  # fmt: skip
"""Flash caches of which no sample represents the default options."""


@pytest.mark.parametrize(
    "configuration",
    [
        {"buffer": "cflru", "pages": 300},
        *(
            {"flash_cache": name, "ram_pages": 200, "flash_pages": 900}
            for name in WITHOUT_MINIATURE
        ),
        {"policy": "lru_2", "pages": 300, "options": {"period": "20"}},
        {
            "scheme": "lazy",
            "ram_pages": 200,
            "flash_pages": 900,
            "options": {"ram_policy": "lru_2", "ram_period": "20"},
        },
    ],
)
def test_what_does_not_shrink_has_no_miniature(
    cut: Path, configuration: dict[str, Any]
) -> None:
    with pytest.raises(
        _simulator.ParameterError,
        match=r"no small cache can represent it|counts references",
    ):
        _simulator.miniatures(cut, [configuration], 0.5)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("larc", {"crash_at": "5"}, "crash_at`: counts accesses"),
        (
            "face",
            {"scan_depth": "1", "checkpoint_accesses": "100"},
            "checkpoint_accesses`: counts accesses",
        ),
        ("larc", {"ftl_spare_percent": "28"}, "erase blocks do not shrink"),
        ("larc", {"ram_policy": "lru_2", "ram_period": "9"}, "counts references"),
        ("larc", {"assignment": "second_miss", "lifetime_requests": "9"}, "counts requests"),
        ("larc", {"assignment": "miss", "categories": "size"}, "sizes of requests"),
        ("cachesack", {"categories": "size"}, "sizes of requests"),
        ("ram_filter", {"admission": "probability"}, "draw alike"),
        ("tac", {"extent_pages": "1", "aging_misses": "9"}, "halved after a number"),
        ("face", {"replacement": "mvfifo", "scan_depth": "4"}, "batches of slots"),
        ("dm_writecache", {"writeback_pages_per_s": "9"}, "takes a number of pages a second"),
        ("larc", {"mode": "sideways"}, "mode=sideways"),
    ],
)  # fmt: skip
def test_options_decide_whether_a_flash_cache_has_a_miniature(
    cut: Path, name: str, options: dict[str, str], message: str
) -> None:
    one = {"flash_cache": name, "ram_pages": 400, "flash_pages": 4000}
    with pytest.raises(_simulator.ParameterError, match=message):
        _simulator.miniatures(cut, [{**one, "options": options}], 0.5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"categories": "size"}, "categories=size`: its categories are sizes of requests"),
        ({"lifetime_requests": "9"}, "lifetime_requests=9`: counts references"),
        ({"block_pages": "4"}, "page addresses`: blocks"),
    ],
)  # fmt: skip
def test_options_decide_whether_a_scheme_behind_an_assignment_has_a_miniature(
    cut: Path, options: dict[str, str], message: str
) -> None:
    one = {"scheme": "lazy", "ram_pages": 400, "flash_pages": 4000}
    given = {**BEHIND, "assignment": "second_miss"}
    [row] = _simulator.miniatures(cut, [{**one, "options": given}], 0.5)["rows"]
    assert row["rejections"] > 0
    try:
        found = _simulator.miniatures(cut, [{**one, "options": given | options}], 0.5)
    except _simulator.ParameterError as refused:
        said = str(refused)
    else:
        said = found["rows"][0]["error"]
    assert message in said


def test_every_flash_cache_has_a_miniature_or_says_why_not(cut: Path) -> None:
    page = Path(__file__).parents[2] / "docs" / "models" / "curves.md"
    section = page.read_text(encoding="utf-8").split("### Flash caches in miniature")[1]
    reasons = []
    for about in _simulator.contenders("flash_cache"):
        name = about["name"]
        assert f"`{name}`" in section
        one = {"flash_cache": name, "ram_pages": 4000, "flash_pages": 40_000}
        if name not in WITHOUT_MINIATURE:
            [row] = _simulator.miniatures(cut, [one], 1.0)["rows"]
            assert row["scheme"] == name
            continue
        with pytest.raises(_simulator.ParameterError) as refused:
            _simulator.miniatures(cut, [one], 1.0)
        reasons.append(str(refused.value))
        assert "so no small cache can represent it" in reasons[-1]
    # Each has a reason of its own; flashcache and EnhanceIO share theirs.
    of = {reason.split("`: ", 1)[1] for reason in reasons}
    assert len(of) == len(reasons) - 1


FLASH_CACHES_IN_MINIATURE: list[tuple[str, dict[str, str]]] = [
    ("larc", {}),
    ("exadata", {"low_priority": "0"}),
    ("exadata", {"mode": "write_back"}),
    ("cac", {}),
    ("cachesack", {"assignment": "second_miss+0:never"}),
    ("ram_filter", {}),
    ("face", {"scan_depth": "1"}),
    ("tac", {"extent_pages": "1"}),
    ("dm_writecache", {"low_watermark": "30"}),
    ("larc", {"assignment": "miss+0:never", "ram_policy": "clock"}),
]
BEHIND = {"admission": "cachesack"}
SCHEMES_BEHIND_AN_ASSIGNMENT: list[tuple[str, dict[str, str]]] = [
    ("lazy", {"assignment": "second_miss"}),
    ("exclusive", {"assignment": "miss+0:never"}),
    ("inclusive", {"assignment": "second_miss+0:never", "ram_policy": "clock"}),
    ("inclusive_global", {"assignment": "second_miss", "categories": "hour"}),
]


@pytest.mark.parametrize(
    ("family", "configurations"),
    [
        ("flash_cache", FLASH_CACHES_IN_MINIATURE),
        (
            "scheme",
            [(name, {**BEHIND, **own}) for name, own in SCHEMES_BEHIND_AN_ASSIGNMENT],
        ),
    ],
)
def test_intervals_of_flash_caches_and_of_schemes_behind_an_assignment_hold(
    cut: Path, family: str, configurations: list[tuple[str, dict[str, str]]]
) -> None:
    distinct = _simulator.inspect(cut)["distinct_pages"]
    asked: list[dict[str, Any]] = [
        {
            family: name,
            "options": options,
            "ram_pages": distinct // 20,
            "flash_pages": 2 * distinct // 5,
        }
        for name, options in configurations
    ]
    counters = ("ram_hits", "flash_hits", "flash_misses", "flash_writes", "hdd_writes")
    exact = _simulator.sweep(cut, asked)["rows"]
    held: list[bool] = []
    for seed in range(3):
        rows = _simulator.miniatures(cut, asked, 0.5, seed=seed)["rows"]
        for row, counted in zip(rows, exact, strict=True):
            assert row["interval95"] is not None, row
            assert not row["warnings"]
            total = sum(
                row[name] for name in ("ram_hits", "flash_hits", "flash_misses")
            )
            assert total == pytest.approx(row["accesses"])
            for name in counters:
                # Nearer than a point, as page-flow schemes are.
                assert abs(row[name] - counted[name]) < 0.01 * counted["accesses"]
                low, high = row["interval95"][name]
                held.append(low <= counted[name] <= high)
    assert np.mean(held) >= 0.9


def test_what_no_sample_tells_is_left_out(cut: Path) -> None:
    asked = [
        {"flash_cache": "larc", "ram_pages": 4000, "flash_pages": 40_000},
        {
            "flash_cache": "face", "ram_pages": 4000, "flash_pages": 40_000,
            "options": {"scan_depth": "1"},
        },
    ]  # fmt: skip
    asked.append(
        {"flash_cache": "dm_writecache", "ram_pages": 4000, "flash_pages": 40_000}
    )
    larc, face, write = _simulator.miniatures(cut, asked, 1.0)["rows"]
    assert write["flash_writes"] > 0
    for untold in ("disk_batch_writes", "flash_batch_reads", "metadata_page_writes"):
        assert untold not in write
    assert "flash_sequential_page_writes" not in larc
    assert "flash_sequential_page_writes" not in larc["interval95"]
    assert face["flash_sequential_page_writes"] == pytest.approx(face["flash_writes"])
    assert "metadata_segments" not in face


@pytest.mark.parametrize(
    ("name", "flash_pages", "of"),
    [("larc", 5000, "the smallest part of the scaled flash under LARC, 10 % of it,"),
     ("dm_writecache", 10_000, "the smallest part of the scaled flash under dm-writecache, 5 % of it,"),
     ("cac", 400, "the scaled flash")],
)  # fmt: skip
def test_a_small_flash_has_no_interval(
    cut: Path, name: str, flash_pages: int, of: str
) -> None:
    asked = {"flash_cache": name, "ram_pages": 4000, "flash_pages": flash_pages}
    [row] = _simulator.miniatures(cut, [asked], 0.5)["rows"]
    assert row["too_small"] is True
    assert row["interval95"] is None
    [warning] = row["warnings"]
    assert warning["name"] == "too_small"
    assert warning["message"].startswith(of)


def test_the_command_estimates_flash_caches(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--ram-pages", "4000", "--flash-pages", "40000", "--miniature", "0.5")
    code, rows, _ = run(
        capsys, "sweep", cut, "--scheme", "larc", "--scheme", "lazy", *asked, "--json"
    )
    assert code == 0
    assert [row["scheme"] for row in rows] == ["larc", "lazy"]
    assert all(row["interval95"]["flash_hits"] for row in rows)
    code = main([str(each) for each in ("sweep", cut, "--scheme", "bcache", *asked)])
    said = capsys.readouterr().err
    assert code == 2
    assert "its buckets do not shrink with flash" in said


def test_a_cancelled_sweep_keeps_its_rows(cut: Path) -> None:
    configurations = [{"policy": "lru", "pages": pages} for pages in (10, 100, 1000)]
    whole = _simulator.inspect(cut)["accesses"]
    found = _simulator.sweep(cut, configurations, on_progress=lambda *_: False)
    assert found["cancelled"]
    assert len(found["rows"]) == len(configurations)
    for row in found["rows"]:
        assert not row["complete"]
        assert 0 < row["accesses"] <= whole
        assert row["misses"] <= row["accesses"]


def test_miniatures_state_an_error_that_holds(cut: Path) -> None:
    configurations = [
        {"policy": "clock", "pages": 3000},
        {"scheme": "lazy", "ram_pages": 1000, "flash_pages": 4000},
    ]
    exact = _simulator.sweep(cut, configurations)["rows"]
    inside = []
    for seed in range(12):
        rows = _simulator.miniatures(cut, configurations, 0.5, seed=seed)["rows"]
        for row, counted in zip(rows, exact, strict=True):
            assert row["miniature_rate"] == pytest.approx(0.0625)
            for name in ("misses", "flash_misses"):
                if name in row:
                    low, high = row["interval95"][name]
                    inside.append(low <= counted[name] <= high)
                    assert abs(row[name] - counted[name]) <= 0.1 * counted["accesses"]
    assert np.mean(inside) >= 0.8


@pytest.mark.parametrize(("share", "rate"), [(0.1, 1.0), (0.3, 0.5), (0.6, 0.1)])
def test_every_policy_states_an_interval_that_holds_or_none(
    cut: Path, share: float, rate: float
) -> None:
    pages = int(share * _simulator.inspect(cut)["distinct_pages"])
    names = [row["name"] for row in _simulator.contenders("policy")]
    asked = [{"policy": name, "pages": pages} for name in names]
    exact = _simulator.sweep(cut, asked)["rows"]
    inside: dict[str, list[bool]] = {name: [] for name in names}
    for seed in range(4):
        rows = _simulator.miniatures(cut, asked, rate, seed=seed)["rows"]
        for name, row, counted in zip(names, rows, exact, strict=True):
            warned = {warning["name"] for warning in row["warnings"]}
            assert row["too_small"] is ("too_small" in warned)
            assert (row["interval95"] is None) is bool(warned)
            if row["interval95"] is not None:
                low, high = row["interval95"]["misses"]
                inside[name].append(low <= counted["misses"] <= high)
            elif not row["too_small"]:
                assert warned in ({"does_not_shrink"}, {"cliff"})
    assert not inside["lru_2"] + inside["w_tinylfu"] + inside["sieve"]
    assert inside["lru"]
    for name, held in inside.items():
        assert sum(held) >= 3 or not held, name
    assert np.mean([each for held in inside.values() for each in held]) >= 0.9


def by_pages(folder: Path, pages: Any) -> Path:
    """Return a trace that reads these pages."""
    raw, out = folder / "made.csv", folder / "made.twt"
    lines = [f"{at},r,{page * 4096},4096" for at, page in enumerate(pages)]
    raw.write_text("\n".join(["time,op,offset,size", *lines, ""]))
    columns = {
        "time": "time", "time_unit": "s", "op": "op", "read_values": "r", "write_values": "w",
        "offset": "offset", "offset_unit": "bytes", "size": "size", "size_unit": "bytes",
    }  # fmt: skip
    _simulator.convert(raw, out, format="csv", columns=columns)
    return out


def test_a_bounded_sample_knows_how_deep_nearly_all_pages_are(tmp_path: Path) -> None:
    """A scan that comes again misses everything in any cache but one of all pages."""
    pages = 20_000
    trace = Trace(by_pages(tmp_path, [*range(pages), *range(pages)]))
    sizes = tuple(int(share * pages) for share in (0.9, 0.95, 0.98))
    for seed in range(10):
        found = sampled_profile(trace, sample_pages=256, sizes=sizes, seed=seed)
        assert found.sampled is not None
        at = np.searchsorted(found.curve.pages, sizes)
        assert (found.sampled.misses_high[at] >= 2 * pages - 1e-6).all()
        assert found.curve.misses_at[at] == pytest.approx(2 * pages, rel=0.1)


def held(
    trace: Path, asked: list[dict[str, Any]], rate: float
) -> tuple[float, float, float]:
    """Return how often intervals of the misses hold them, their mean width as a miss ratio, and how many are stated."""
    exact = _simulator.sweep(trace, asked)["rows"]
    inside, widths = [], []
    seeds = 20
    for seed in range(seeds):
        rows = _simulator.miniatures(trace, asked, rate, seed=seed)["rows"]
        for row, counted in zip(rows, exact, strict=True):
            if row["interval95"] is None:
                assert [one["name"] for one in row["warnings"]] == ["cliff"]
                continue
            low, high = row["interval95"]["misses"]
            inside.append(low <= counted["misses"] <= high)
            widths.append((high - low) / counted["accesses"])
    stated = len(inside) / (seeds * len(asked))
    return float(np.mean(inside)), float(np.mean(widths)), stated


def test_intervals_of_opt_take_in_that_its_miniatures_miss_too_often(
    tmp_path: Path,
) -> None:
    """By the spread alone 16 of 20 held."""
    draw = np.random.default_rng(5)
    weights = np.arange(1, 30_001) ** -0.9
    pages = draw.choice(30_000, 150_000, p=weights / weights.sum())
    trace = by_pages(tmp_path, pages)
    share, width, stated = held(trace, [{"policy": "opt", "pages": 3000}], 0.2)
    assert share >= 0.95
    assert width < 0.06
    assert stated == 1


def scans_that_come_again(seed: int) -> Any:
    """Eight scans of 2,000 pages, three times each: every size is beside the cliff of one of them."""
    draw = np.random.default_rng(seed)
    return np.concatenate(
        [
            start * 500 + np.arange(2000)
            for start in draw.integers(0, 30, 8)
            for _ in range(3)
        ]
    )


@pytest.mark.long
@pytest.mark.parametrize("seed", [7, 8])
def test_intervals_hold_beside_cliffs_or_none_is_stated(
    tmp_path: Path, seed: int
) -> None:
    """Scans hit or miss as a whole, by the size.

    Without roughness 58 % of CLOCK's intervals held; with it 88 %, when all of them were stated. The rule was fixed on
    other scans than these.
    """
    trace = by_pages(tmp_path, scans_that_come_again(seed))
    names = ("lru", "fifo", "clock", "gclock", "arc", "2q")
    asked = [
        {"policy": name, "pages": pages}
        for name in names
        for pages in range(2100, 4600, 500)
    ]
    share, width, stated = held(trace, asked, 0.8)
    assert share >= 0.95
    assert width < 0.1
    assert 0.05 < stated < 0.95


def test_a_cliff_is_said_where_it_is_and_nowhere_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A loop over 8,000 pages has one cliff, there."""
    trace = by_pages(tmp_path, np.tile(np.arange(8000), 4))
    asked = ("--policy", "lru", "--pages", "4000,7950,9000", "--miniature", "0.4")
    assert main(["sweep", str(trace), *asked, "--json"]) == 0
    below, beside, above = json.loads(capsys.readouterr().out)
    assert below["interval95"]["misses"][0] > 31_000
    assert beside["interval95"] is None
    assert beside["too_small"] is False
    assert above["interval95"]["misses"][1] < 9_000
    assert [row["warnings"] for row in (below, above)] == [[], []]
    assert main(["sweep", str(trace), *asked]) == 0
    printed = capsys.readouterr()
    assert printed.out.count("(no interval)") >= 1
    assert "lru 7,950: the curve has a cliff at this size" in printed.err
    assert "hint: replay it in full" in printed.err


def test_a_scheme_has_the_cliffs_of_its_tiers(tmp_path: Path) -> None:
    trace = by_pages(tmp_path, np.tile(np.arange(8000), 4))
    asked = [
        {"scheme": "exclusive", "ram_pages": ram, "flash_pages": flash}
        for ram, flash in ((2000, 3000), (3000, 4950))
    ]
    away, beside = _simulator.miniatures(trace, asked, 0.4)["rows"]
    assert away["interval95"] is not None
    assert beside["interval95"] is None
    assert [one["name"] for one in beside["warnings"]] == ["cliff"]


def test_samples_without_a_page_that_came_again_leave_room_for_some(
    tmp_path: Path,
) -> None:
    """Their spread is zero: by it alone the interval has no width, and 12 of 20 held."""
    pages = np.arange(40_000)
    trace = by_pages(tmp_path, np.concatenate([pages, pages[:40]]))
    share, width, stated = held(trace, [{"policy": "clock", "pages": 13_000}], 0.02)
    assert share >= 0.95
    assert width < 0.01
    assert stated == 1


def test_sieve_states_no_interval_alone_or_in_a_tier(cut: Path) -> None:
    asked = [
        {"policy": "sieve", "pages": 30_000},
        {
            "scheme": "lazy",
            "ram_pages": 9000,
            "flash_pages": 30_000,
            "options": {"ram_policy": "sieve"},
        },
    ]
    for row in _simulator.miniatures(cut, asked, 0.5)["rows"]:
        assert row["interval95"] is None
        assert row["too_small"] is False
        assert [one["name"] for one in row["warnings"]] == ["does_not_shrink"]
        assert "under SIEVE" in row["warnings"][0]["message"]


def test_the_command_states_no_interval_that_does_not_hold(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("--policy", "lru_2", "--pages", "9000", "--miniature", "0.5")
    assert main(["sweep", str(cut), *asked]) == 0
    printed = capsys.readouterr()
    assert "(no interval)" in printed.out
    assert "under LRU-2 can represent a large one" in printed.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--policy", "lru"), "--policy needs --pages"),
        (("--pages", "5"), "there is nothing to sweep"),
        (("--policy", "lru", "--pages", "5,x"), "--pages: `x` is not a whole number"),
        (("--policy", "lru", "--pages", "0"), "--pages: `0` is not a whole number"),
        (("--policy", "none-such", "--pages", "5"), "no such replacement policy"),
        (("--policy", "none-such", "--pages", "5"), "fd_buffer"),
        (("--policy", "lru", "--pages", "9" * 5000), "is not a whole number"),
        (("--policy", "lru", "--pages", "5", "--threads", "9" * 20), "--threads"),
        (
            ("--policy", "lru", "--pages", "5", "--miniature", "2"),
            "a sampling rate must be above 0",
        ),
    ],
)
def test_a_bad_sweep_is_refused(
    cut: Path,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    message: str,
) -> None:
    assert main(["sweep", str(cut), *arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err
    assert "hint: " in printed.err


def test_a_damaged_sampled_profile_is_refused(cut: Path) -> None:
    document = sampled_profile(Trace(cut), 0.1).to_dict()
    document["misses_interval95"][3] = [5, 4]
    with pytest.raises(BadInput, match="misses_interval95"):
        profile_from_mapping(document)


def test_a_sweep_tells_its_warnings_and_its_failures(
    cut: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = ("--ram-pages", "500", "--flash-pages", "200")
    assert main(["sweep", str(cut), "--scheme", "inclusive", *sizes]) == 0
    assert "inclusive 500 + 200: " in capsys.readouterr().err
    late = ("--option", f"crash_at={10**12}")
    assert main(["sweep", str(cut), "--scheme", "face", *sizes, *late]) == 1
    printed = capsys.readouterr()
    assert "the trace ends after" in printed.out
    assert "hint: face 500 + 200: " in printed.err
    few = ("--policy", "clock", "--pages", "100", "--miniature", "0.1")
    assert main(["sweep", str(cut), *few]) == 0
    assert "fewer than 32 pages" in capsys.readouterr().err


def test_miniatures_do_not_depend_on_threads(cut: Path) -> None:
    asked = [{"policy": "clock", "pages": 3000}, {"policy": "s3_fifo", "pages": 3000}]
    one = _simulator.miniatures(cut, asked, 0.5, threads=1)
    assert one == _simulator.miniatures(cut, asked, 0.5, threads=2)


def test_sampled_curves_do_not_depend_on_threads(cut: Path) -> None:
    one, two = (
        _simulator.sampled_curves(cut, sample_rate=0.1, threads=threads)
        for threads in (1, 2)
    )
    assert one.keys() == two.keys()
    windows, others = one.pop("windows"), two.pop("windows")
    assert windows.keys() == others.keys()
    for name, value in (*one.items(), *windows.items()):
        other = others[name] if value is windows.get(name) else two[name]
        assert np.array_equal(value, other), name


def test_rows_of_a_sweep_do_not_depend_on_threads(cut: Path) -> None:
    configurations = [{"policy": "lru", "pages": 100 + at} for at in range(70)]
    one = _simulator.sweep(cut, configurations, threads=1)
    two = _simulator.sweep(cut, configurations, threads=2)
    assert one == two
    assert one["reads"] == 2
