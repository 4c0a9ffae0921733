"""Curves in place of a trace: read, questioned, checked, repaired, evaluated as a range."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.optimize import isotonic_regression

from tierwright.common.errors import BadInput
from tierwright.evaluate.page_flow import dirty_range, evaluation
from tierwright.hardware.catalog import device_or_file
from tierwright.profile.curve import Curve
from tierwright.profile.document import profile_from_mapping
from tierwright.profile.given.examine import examine, import_curve
from tierwright.profile.given.kinds import KINDS
from tierwright.profile.given.reading import CurveOptions, number, rows_of

CELLS = (
    *("1", "64", "0.5", "50%", "1GiB", "-", "", "x", "1,5", "1e9", "hits", "size"),
    *("misses", "ESTD_PHYSICAL_READS", "SIZE_FOR_ESTIMATE"),
)
STATED = {"page_bytes": 8192, "accesses": 1_000_000}
MIB_PAGES = 128  # of 8 KiB


def read(text, **options):
    return examine(text, CurveOptions(**{**STATED, **options}))


def points(found):
    return [(point.pages, round(point.hit_ratio, 9)) for point in found.points]


class TestTable:
    @pytest.mark.parametrize(
        "text",
        [
            "64 MiB,0.6\n256 MiB,0.7\n1 GiB,0.85\n",
            "64 MiB,0.6\n1,0.85\n",
            "128 pages,0.6\n1 MiB,0.85\n",
        ],
    )
    def test_sizes_of_several_units_are_asked_and_tell_no_direction(self, text):
        """1 is less than 64, and 1 GiB more than 64 MiB: by their numbers the values would fall."""
        found = read(text)
        assert [each.field for each in found.questions] == ["size_unit"]
        assert "mix units" in found.questions[0].message
        assert found.value is None
        stated = read("1024,0.6\n64 MiB,0.5\n", size_unit="MiB")
        assert stated.value == "hit_ratio"
        assert "cache grows" not in " ".join(found.assumptions)

    @pytest.mark.parametrize(
        "text",
        [
            "size_mib,hit_ratio\n1,0.25\n4,0.5\n",
            "size_mib;hit ratio\n1;0,25\n4;0,5\n",
            "size_mib\thit_ratio\n1\t0.25\n4\t0.5\n",
            "| cache MiB | hit % |\n|---|---|\n| 1 | 25 |\n| 4 | 50 |\n",
            "size_mib miss_ratio\n1 0.75\n4 0.5\n",
            "# a comment\n\n1MiB,25%\r\n4MiB,50%\r\n",
            "\ufeffsize,hit_percent\n1 MiB,25\n4 MiB,50\n",
            "1024KiB,0.75\n4096KiB,0.5\n",  # falls as the cache grows: miss ratios
            "4MiB,.5\n1MiB,.25\n",  # not in order
            "size_pages,misses\n128,750000\n512,500000\n",
            "when,cache_mib,hit_ratio,note\nmon,1,0.25,a\ntue,4,0.5,b\n",
            '"size_mib","hit_ratio"\n"1","0.25"\n"4","0.5"\n',
        ],
    )
    def test_spellings_of_one_curve_are_read_alike(self, text):
        found = read(text)
        assert found.problems == []
        assert found.questions == []
        assert points(found) == [(MIB_PAGES, 0.25), (4 * MIB_PAGES, 0.5)]
        assert found.profile is not None

    @pytest.mark.parametrize(
        ("text", "field", "choices"),
        [
            ("64,0.4\n128,0.5\n", "size_unit", "pages"),
            ("size_mb,hit_ratio\n64,0.4\n128,0.5\n", "size_unit", "MiB"),
            ("64MiB,0.4\n1GiB,0.5\n", "size_unit", None),
            ("64MiB,0.4\n128MiB,0.4\n", "value", "miss_ratio"),
            ("64MiB,40%\n128MiB,0.5\n", "scale", None),
            ("64MiB,0.7\n128MiB,1.0000001\n", "scale", "percent"),
            ("64MiB,0.7\n128MiB,1.2\n", "scale", "fraction"),
            ("1,2,0.4\n2,3,0.5\n", "size_column", "1"),
            ("size_mib,hits\n1,4000\n2,5000\n", "value", "misses"),
        ],
    )
    def test_what_is_not_said_is_asked_and_not_guessed(self, text, field, choices):
        found = read(text)
        asked = {question.field: question for question in found.questions}
        assert field in asked
        assert choices is None or choices in asked[field].choices
        assert found.profile is None

    def test_page_size_and_accesses_are_asked(self):
        found = examine("1MiB,0.4\n4MiB,0.5\n")
        assert {question.field for question in found.questions} == {
            "page_bytes",
            "accesses",
        }

    @pytest.mark.parametrize(
        ("text", "where", "says"),
        [
            ("1MiB,0.4\n4MiB,abc\n", "line 2", "not a number"),
            ("1MiB,0.4\n4MiB,\n", "line 2", "no number"),
            ("1MiB,0.4\n4XiB,0.5\n", "line 2", "unknown unit"),
            ("1MiB,0.4\n-4MiB,0.5\n", "line 2", "not a number"),
            ("size_mib,hit\n1,0.4\n-4,0.5\n", "line 3", "cannot be negative"),
            ("1MiB,0.4\n4MiB\n", "line 2", "has 1 cell, "),
            ("size_mib,hit_ratio\n1,40\n4,-20\n", "line 3", "must lie in [0, 1]"),
            ("1MiB,0.4\n1MiB,0.5\n", "line 2", "are the size of line 1"),
            ("0MiB,0.1\n1MiB,0.5\n4MiB,0.6\n", "line 1", "hits nothing"),
            ("1KiB,0.1\n1024KiB,0.5\n", "line 1", "smaller than one page"),
            (
                "size_pages,hit\n1.5,0.1\n4,0.5\n",
                "line 2",
                "is not a whole number of pages",
            ),
            ("size_mib,hit_ratio\n1,0.4\n", "input", "at least two"),
            ("size_mib;hit\n1,024;0.1\n2,048;0.5\n", "line 2", "group of thousands"),
            ("1MiB,1e-3\n4MiB,nan\n", "line 2", "not a number"),
            ("", "input", "no lines"),
            ("hello world this is text\n", "line 1", "does not begin any known kind"),
        ],
    )
    def test_problems_name_line_and_value(self, text, where, says):
        found = read(text)
        assert any(
            problem.where == where and says in problem.message
            for problem in found.problems
        ), found.problems
        assert found.profile is None

    def test_a_head_alone_is_no_curve(self):
        found = read("size_mib,hit_ratio\n", kind="table")
        assert "no sizes with values" in found.problems[0].message

    def test_units_keep_their_meaning(self):
        decimal = read("1MB,0.25\n4MB,0.5\n")
        assert decimal.points[0].pages == 10**6 // 8192
        assert any("decimal" in text for text in decimal.assumptions)
        stated = read("size_mb,hit_ratio\n1,0.25\n4,0.5\n", size_unit="MB")
        assert stated.points[0].pages == 10**6 // 8192
        conflict = read("1MiB,0.25\n4MiB,0.5\n", size_unit="GiB")
        assert [question.field for question in conflict.questions] == ["size_unit"]

    def test_misses_need_a_count_over_the_same_time(self):
        text = "size_pages,misses\n128,750000\n512,500000\n"
        found = examine(text, CurveOptions(page_bytes=8192, accesses_per_s=100))
        assert "not a rate" in found.problems[0].message
        found = examine(text, CurveOptions(page_bytes=8192, accesses=600_000))
        assert "misses exceed" in found.problems[0].message

    def test_a_rate_counts_one_day(self):
        text = "1MiB,0.25\n4MiB,0.5\n"
        found = examine(text, CurveOptions(page_bytes=8192, accesses_per_s=50))
        assert found.profile is not None
        assert found.profile.duration_s == 86_400
        assert found.profile.curve.accesses == 50 * 86_400

    @pytest.mark.parametrize(
        "options",
        [
            {"kind": "nothing"},
            {"size_unit": "furlong"},
            {"value": "hits"},
            {"scale": "permille"},
            {"page_bytes": 0},
            {"accesses": -1},
            {"data_bytes": 2**60},
            {"dirty_share": 1.5},
            {"dirty_share": math.nan},
            {"write_share": -0.1},
            {"accesses_per_s": math.inf},
            {"accesses_per_s": 5.0},  # and a count
        ],
    )
    def test_options_out_of_bounds_are_refused(self, options):
        with pytest.raises(BadInput) as caught:
            read("1MiB,0.25\n4MiB,0.5\n", **options)
        assert next(iter(options)) in str(caught.value)


class TestRepair:
    FALLING = "size_mib,hit\n1,0.41\n2,0.39\n4,0.80\n8,0.79\n16,0.90\n"

    def test_falls_are_named_and_not_mended_unasked(self):
        found = read(self.FALLING)
        assert [problem.where for problem in found.problems] == ["line 3", "line 5"]
        assert found.repairable == found.problems
        assert found.profile is None

    def test_repair_takes_the_nearest_rising_curve(self):
        found = read(self.FALLING, repair=True)
        given_ratios = [0.41, 0.39, 0.80, 0.79, 0.90]
        # Pools of two are their means: 0.40, 0.40, 0.795, 0.795.
        expected = [0.40, 0.40, 0.795, 0.795, 0.90]
        assert [p.hit_ratio for p in found.points] == pytest.approx(given_ratios)
        assert [p.repaired_hit_ratio for p in found.points] == pytest.approx(expected)
        assert any("4 of 5 ratios" in text for text in found.assumptions)

    def test_repair_hides_no_other_problem(self):
        found = read("size_mib,hit\n1,0.41\n2,0.39\n4,x\n", repair=True)
        assert [problem.where for problem in found.problems] == ["line 4"]
        assert found.profile is None

    @settings(max_examples=40, deadline=None)
    @given(
        arrays.arrays(
            np.float64, st.integers(2, 30), elements=st.floats(0, 1, width=16)
        )
    )
    def test_any_curve_can_be_repaired_and_is_the_regression(self, ratios):
        text = "size_pages,hit_ratio\n" + "".join(
            f"{at + 1},{ratio!r}\n" for at, ratio in enumerate(ratios.tolist())
        )
        found = read(text, repair=True)
        assert found.profile is not None
        mended = [point.repaired_hit_ratio for point in found.points]
        assert mended == pytest.approx(
            isotonic_regression(ratios).x.tolist(), abs=1e-12
        )
        assert bool(np.all(np.diff(found.profile.curve.misses_at) <= 0))


class TestOracle:
    ROWS = (
        "NAME SIZE_FOR_ESTIMATE BUFFERS_FOR_ESTIMATE ESTD_PHYSICAL_READ_FACTOR "
        "ESTD_PHYSICAL_READS BLOCK_SIZE\n"
        "---- ----------------- -------------------- ------------------------- "
        "------------------- ----------\n"
        "DEFAULT 304 37696 18.7 192000 8192\n"
        "DEFAULT 3040 376960 1 10000 8192\n"
        "DEFAULT 6080 753920 .57 6000 8192\n"
    )

    def test_sizes_are_buffers_and_values_physical_reads(self):
        found = examine(self.ROWS, CurveOptions(accesses=1_000_000))
        assert found.kind == "oracle_db_cache_advice"
        assert found.page_bytes == 8192
        assert points(found) == [(37696, 0.808), (376960, 0.99), (753920, 0.994)]

    def test_without_buffers_megabytes_are_binary(self):
        text = "SIZE_FOR_ESTIMATE,ESTD_PHYSICAL_READS\n8,5000\n16,2000\n"
        found = examine(text, CurveOptions(accesses=10_000, page_bytes=8192))
        assert points(found) == [(8 * MIB_PAGES, 0.5), (16 * MIB_PAGES, 0.8)]

    def test_logical_reads_are_asked(self):
        found = examine(self.ROWS)
        assert [question.field for question in found.questions] == ["accesses"]
        assert "logical reads" in found.questions[0].message

    def test_several_pools_are_asked_and_chosen(self):
        text = self.ROWS + "KEEP 16 2000 1 500 8192\nKEEP 32 4000 .5 250 8192\n"
        found = examine(text, CurveOptions(accesses=1_000_000))
        assert [question.choices for question in found.questions] == [
            ("DEFAULT", "KEEP")
        ]
        keep = examine(text, CurveOptions(accesses=1_000_000, pool="KEEP"))
        assert [point.pages for point in keep.points] == [2000, 4000]

    def test_the_factor_alone_is_refused(self):
        text = "SIZE_FOR_ESTIMATE,ESTD_PHYSICAL_READ_FACTOR\n8,1\n16,0.5\n"
        found = examine(text, CurveOptions(accesses=10_000, page_bytes=8192))
        assert "relative" in found.problems[0].message

    def test_a_null_estimate_and_two_block_sizes_are_problems(self):
        found = examine(
            self.ROWS.replace("8192\nDEFAULT 3040", "4096\nDEFAULT 3040").replace(
                "6000", "NULL"
            ),
            CurveOptions(accesses=1_000_000),
        )
        said = [problem.message for problem in found.problems]
        assert any("ESTD_PHYSICAL_READS: is not a number" in text for text in said)
        assert any("several values of BLOCK_SIZE" in text for text in said)

    def test_a_stated_page_size_must_agree(self):
        found = examine(self.ROWS, CurveOptions(accesses=1_000_000, page_bytes=4096))
        assert found.problems[0].where == "page_bytes"


class TestArcstats:
    COUNTERS = {
        "hits": 900,
        "misses": 100,
        "mru_ghost_hits": 30,
        "mfu_ghost_hits": 20,
        "size": 2**30,
        "mru_ghost_size": 2**29,
        "mfu_ghost_size": 2**29,
    }

    def text(self, shape="{} 4 {}", **changes):
        return "\n".join(
            shape.format(name, value)
            for name, value in (self.COUNTERS | changes).items()
        )

    @pytest.mark.parametrize(
        "shape",
        [
            "{}    4    {}",
            "kstat.zfs.misc.arcstats.{}: {}",
            "zfs:0:arcstats:{}\t{}",
        ],
    )
    def test_two_points_present_size_and_with_ghost_lists(self, shape):
        found = examine(self.text(shape), CurveOptions(page_bytes=2**17))
        assert found.kind == "zfs_arcstats"
        assert points(found) == [(8192, 0.9), (16384, 0.95)]
        assert found.profile is not None
        assert found.profile.curve.accesses == 1000

    def test_hits_that_wait_count_as_hits(self):
        found = examine(self.text(iohits=1000), CurveOptions(page_bytes=2**17))
        assert points(found) == [(8192, 0.95), (16384, 0.975)]

    @pytest.mark.parametrize(
        ("changes", "says"),
        [
            ({"mru_ghost_hits": 500}, "ghost hits exceed"),
            ({"mru_ghost_size": 0, "mfu_ghost_size": 0}, "which is not a curve"),
            (
                {"hits": 0, "misses": 0, "mru_ghost_hits": 0, "mfu_ghost_hits": 0},
                "no hits",
            ),
        ],
    )
    def test_what_cannot_be_is_refused(self, changes, says):
        found = examine(self.text(**changes), CurveOptions(page_bytes=2**17))
        assert any(says in problem.message for problem in found.problems)
        assert found.profile is None

    def test_an_absent_counter_is_named(self):
        text = self.text().replace("mfu_ghost_size", "something")
        found = examine(text, CurveOptions(page_bytes=2**17))
        assert "`mfu_ghost_size`" in found.problems[0].message

    def test_two_snapshots_are_refused(self):
        found = examine(
            self.text() + "\n" + self.text(), CurveOptions(page_bytes=2**17)
        )
        assert "comes twice" in found.problems[0].message


class TestKinds:
    @pytest.mark.parametrize("name", KINDS)
    def test_every_example_is_detected_as_its_kind_and_complete(self, name):
        found = read(KINDS[name].example, accesses=10**9)
        if found.profile is None:  # a page size of its own
            found = read(KINDS[name].example, accesses=10**9, page_bytes=None)
        assert found.kind == name
        assert found.profile is not None
        assert found.profile.curve.given is not None
        assert found.profile.curve.given.source == name

    def test_names_are_unique_and_described(self):
        for name, kind in KINDS.items():
            assert kind.name == name
            assert kind.title
            assert kind.description

    @settings(max_examples=150, deadline=None)
    @given(
        st.one_of(
            st.text(max_size=300),
            st.lists(
                st.lists(
                    st.sampled_from(CELLS),
                    max_size=4,
                ).map(",".join),
                max_size=8,
            ).map("\n".join),
        ),
        st.sampled_from([None, *KINDS]),
        st.booleans(),
    )
    def test_no_text_breaks_the_readers(self, text, kind, repair):
        """Whatever is pasted is a profile, or is said to be wrong or incomplete."""
        found = read(text, kind=kind, repair=repair)
        assert (found.profile is None) == bool(found.problems or found.questions)
        if found.profile is not None:
            document = found.profile.to_dict()
            again = profile_from_mapping(json.loads(json.dumps(document)))
            assert again.to_dict() == document

    @pytest.mark.parametrize(
        "cuts", [40, pytest.param(None, marks=pytest.mark.long, id="everywhere")]
    )
    def test_damaged_examples_never_crash(self, cuts):
        """Each example, cut at so many places, or everywhere."""
        for kind in KINDS.values():
            length = len(kind.example)
            step = 1 if cuts is None else max(1, length // cuts)
            for at in range(0, length, step):
                for damaged in (kind.example[:at], kind.example[:at] + "\x00;" * 3):
                    read(damaged, accesses=10**9)

    def test_huge_input_is_refused_quickly(self):
        assert "larger than" in read("1MiB,0.5\n" * 200_000).problems[0].message
        assert "at most 5,000" in read("1MiB,0.5\n" * 6_000).problems[0].message
        assert read("1" * 900_000).profile is None

    def test_numbers_are_exact(self):
        assert number("0.1") * 10 == 1
        assert number("9007199254740993") == 2**53 + 1
        assert isinstance(number("1_000"), str)
        assert isinstance(number("١٢"), str)

    def test_rules_and_comments_are_no_rows(self):
        assert [row.line for row in rows_of("a b\n--- ---\n# x\n1 2\n")] == [1, 4]


class TestGivenCurve:
    TEXT = "size_pages,hit_ratio\n100,0.4\n1000,0.7\n10000,0.9\n"

    @staticmethod
    def choices(ram_pages=500, flash_pages=5000):
        return {
            "ram_pages": ram_pages,
            "flash_pages": flash_pages,
            "flash": device_or_file("face2016-samsung-840pro-256"),
            "disk": device_or_file("face2016-cheetah-15k6-single"),
        }

    def curve(self, **options):
        found = import_curve(self.TEXT, CurveOptions(**STATED, **options))
        assert found.profile is not None
        return found.profile.curve

    def test_unknown_writes_are_refused_by_evaluate_and_never_zero(self):
        curve = self.curve()
        assert curve.known_write_accesses is None
        with pytest.raises(BadInput, match="no write-backs"):
            evaluation.evaluate(curve, **self.choices())

    @settings(max_examples=25, deadline=None)
    @given(st.floats(0, 1), st.integers(1, 9000), st.integers(0, 20_000))
    def test_the_range_holds_every_constant_dirty_share(self, p_d, ram, flash):
        curve = self.curve()
        ends = dirty_range.evaluate_range(curve, **self.choices(ram, flash))
        inside = evaluation.evaluate(
            curve.with_dirty_share(p_d), **self.choices(ram, flash)
        )
        for name, scheme in inside.schemes.items():
            low = ends.least.schemes[name].io_time_us_per_access
            high = ends.most.schemes[name].io_time_us_per_access
            slack = 1e-9 * high
            assert low - slack <= scheme.io_time_us_per_access <= high + slack
        if ends.best is not None:
            best = inside.schemes[ends.best].io_time_us_per_access
            least = min(s.io_time_us_per_access for s in inside.schemes.values())
            assert best <= least * (1 + 1e-9)

    def test_a_write_share_narrows_the_range(self):
        wide = dirty_range.evaluate_range(self.curve(), **self.choices())
        narrow = dirty_range.evaluate_range(
            self.curve(write_share=0.05), **self.choices()
        )
        for name in ("none", "lazy", "inclusive"):
            assert (
                narrow.most.schemes[name].io_time_us_per_access
                < wide.most.schemes[name].io_time_us_per_access
            )
            # 5 % of 1,000,000 accesses write: no more pages than that are written back.
            assert narrow.most.schemes[name].hdd_writes <= 50_000

    def test_the_range_as_plain_data_leaves_the_unknown_empty(self):
        found = dirty_range.evaluate_range(self.curve(), **self.choices()).to_dict()
        lazy = found["schemes"]["lazy"]
        assert lazy["io_time_us_per_access"] is None
        low, high = lazy["io_time_us_per_access_range"]
        assert low < high
        assert lazy["p_d"] is None
        assert lazy["p_d_range"] == [0.0, 1.0]
        assert found["inputs"]["accesses"] == 1_000_000
        json.dumps(found, allow_nan=False)

    def test_a_stated_share_costs_what_the_formula_says(self):
        found = evaluation.evaluate(self.curve(dirty_share=0.25), **self.choices())
        none = found.schemes["none"]
        times = evaluation.service_times(
            self.choices()["flash"],
            self.choices()["disk"],
            self.curve().page_bytes,
        )
        # H(500) = 0.4 + 0.3 * 400 / 900, so 466,667 misses of a million accesses.
        misses = 1 - (0.4 + 0.3 * 400 / 900)
        assert none.io_time_us_per_access == pytest.approx(
            misses * (times.disk_read + 0.25 * times.disk_write)
        )
        assert {"given_curve", "dirty_share_stated", "data_size_unknown"} <= {
            warning.name for warning in found.warnings
        }
        assert not any(scheme.exact for scheme in found.schemes.values())

    def test_every_miss_of_a_full_cache_evicts(self):
        curve = self.curve(dirty_share=0.5)
        assert float(curve.evictions(1000)) == float(curve.misses(1000))
        found = evaluation.evaluate(curve, **self.choices())
        exclusive = found.schemes["exclusive"]
        assert exclusive.flash_writes_cold_start == exclusive.flash_writes
        assert "warm_up_inside" not in {w.name for w in found.warnings}

    def test_nothing_is_known_beyond_the_last_size(self):
        unknown = self.curve()
        assert unknown.ends_early
        assert not unknown.is_listed(10_001)
        whole = self.curve(data_bytes=10_000 * 8192)
        assert not whole.ends_early
        assert whole.is_listed(20_000)
        larger = self.curve(data_bytes=50_000 * 8192)
        assert larger.ends_early
        assert larger.distinct_pages == 50_000
        found = evaluation.evaluate(
            unknown.with_dirty_share(0.1), **self.choices(9000, 9000)
        )
        assert "beyond_the_curve" in {warning.name for warning in found.warnings}

    def test_a_measured_curve_takes_no_stated_share(self):
        curve = Curve.from_full(
            [5, 3], [2, 1], accesses=9, page_bytes=4096, write_accesses=3
        )
        with pytest.raises(BadInput, match="follows from its write-backs"):
            curve.with_dirty_share(0.5)
        with pytest.raises(BadInput, match="is known"):
            dirty_range.dirty_ends(curve)

    def test_a_profile_file_of_it_comes_back_the_same(self, tmp_path):
        for options in ({}, {"dirty_share": 0.3}, {"write_share": 0.2}):
            found = import_curve(self.TEXT, CurveOptions(**STATED, **options))
            assert found.profile is not None
            document = found.profile.to_dict()
            assert document["schema_version"] == 2
            assert profile_from_mapping(document).to_dict() == document

    @pytest.mark.parametrize(
        ("change", "where"),
        [
            ({"given": None}, "given"),
            ({"given": {"source": "x", "data_known": 1}}, "given.data_known"),
            (
                {"given": {"source": "x", "data_known": True, "dirty_share": 2}},
                "given.dirty_share",
            ),
            ({"write_accesses": 0}, "write_accesses"),
        ],
    )
    def test_a_damaged_profile_file_names_the_key(self, change, where):
        found = import_curve(self.TEXT, CurveOptions(**STATED))
        assert found.profile is not None
        with pytest.raises(BadInput) as caught:
            profile_from_mapping({**found.profile.to_dict(), **change})
        assert where in str(caught.value)


def test_the_page_of_curves_lists_every_kind():
    """A kind without a row on the page is not finished."""
    page = Path(__file__).resolve().parents[2] / "docs" / "traces" / "curves.md"
    text = page.read_text(encoding="utf-8")
    assert [name for name in KINDS if f"| `{name}` |" not in text] == []
