"""`tierwright curve`: imports, refusals, and what other commands make of the profile."""

import json

import numpy as np
import pytest
import recordings

from tierwright.cli.app import main
from tierwright.profile.document import read_profile
from tierwright.profile.measure import profile, sampled_profile
from tierwright.trace.reading import Trace


class TestCurve:
    TEXT = "size_mib,hit_ratio\n1,0.25\n8,0.5\n64,0.75\n"
    STATED = ("--page-bytes", "8192", "--accesses", "1000000")

    @pytest.fixture
    def table(self, tmp_path):
        path = tmp_path / "curve.csv"
        path.write_text(self.TEXT, encoding="utf-8")
        return path

    def test_import_writes_a_profile_that_the_other_commands_take(
        self, table, tmp_path, capsys
    ):
        profile = tmp_path / "curve.json"
        assert (
            main(["curve", "import", str(table), *self.STATED, "-o", str(profile)]) == 0
        )
        assert "dirty (p_d)" in capsys.readouterr().out
        point = ["--ram-pages", "500", "--flash-pages", "4000"]
        devices = ["--flash-device", "face2016-samsung-840pro-256"]
        devices += ["--disk-device", "face2016-cheetah-15k6-single"]
        assert main(["evaluate", str(profile), *point, *devices, "--json"]) == 0
        lazy = json.loads(capsys.readouterr().out)["schemes"]["lazy"]
        assert lazy["io_time_us_per_access"] is None
        low, high = lazy["io_time_us_per_access_range"]
        stated = ["--dirty-share", "0.5", "--json"]
        assert main(["evaluate", str(profile), *point, *devices, *stated]) == 0
        found = json.loads(capsys.readouterr().out)
        assert low < found["schemes"]["lazy"]["io_time_us_per_access"] < high
        assert main(["evaluate", str(profile), *point, *devices]) == 0
        assert "the dirty share is unknown" in capsys.readouterr().out

    def test_import_asks_for_what_is_not_said_and_exits_2(self, table, capsys):
        assert main(["curve", "import", str(table)]) == 2
        error = capsys.readouterr().err
        assert "page_bytes" in error
        assert "accesses" in error
        assert "hint: state what" in error

    def test_import_names_the_line_that_is_wrong(self, tmp_path, capsys):
        path = tmp_path / "bad.csv"
        path.write_text("size_mib,hit_ratio\n1,0.5\n8,0.4\n", encoding="utf-8")
        assert main(["curve", "import", str(path), *self.STATED]) == 2
        error = capsys.readouterr().err
        assert "line 3" in error
        assert "--repair" in error
        assert main(["curve", "import", str(path), *self.STATED, "--repair"]) == 0

    def test_what_cannot_be_read_is_refused(self, tmp_path, capsys):
        binary = tmp_path / "binary.csv"
        binary.write_bytes(b"1MiB,0.5\n\xff\xfe\n")
        large = tmp_path / "large.csv"
        large.write_bytes(b"1" * 1_000_001)
        for path, says in (
            (binary, "line 2: is not UTF-8"),
            (large, "too large for a curve"),
            (tmp_path / "absent.csv", "No such file"),
        ):
            assert main(["curve", "import", str(path)]) == 2
            error = capsys.readouterr().err
            assert says in error
            assert "hint:" in error

    def test_kinds_are_listed(self, capsys):
        assert main(["curve", "kinds", "--json"]) == 0
        names = [kind["name"] for kind in json.loads(capsys.readouterr().out)]
        assert names == [
            "table",
            "oracle_db_cache_advice",
            "zfs_arcstats",
            "counters",
            "postgres",
            "aurora",
            "memcached",
            "redis",
            "linux_ages",
            "rocksdb_simcache",
            "db2_simulated_pool",
            "damon_stat",
            "netapp_awa",
        ]
        assert main(["curve", "kinds"]) == 0
        assert "zfs_arcstats" in capsys.readouterr().out


class TestCurvesOfATrace:
    """Held against the core's own arrays and against a slow model of SHARDS's promises."""

    CUT = recordings.TPCB

    def run(self, capsys, *arguments):
        code = main(["curve", *(str(argument) for argument in arguments)])
        printed = capsys.readouterr()
        return code, json.loads(printed.out) if printed.out else None, printed.err

    def test_a_sample_of_bounded_size_says_estimator_rate_and_interval(
        self, capsys, tmp_path
    ):
        out = tmp_path / "p.json"
        arguments = ("--sample-pages", "2048", "--seed", "3", "--sizes", "77")
        code, found, _ = self.run(
            capsys, "sampled", self.CUT, *arguments, "-o", out, "--json"
        )
        assert code == 0
        assert found["estimator"] == "shards_fixed_size_adjusted"
        assert found["interval_confidence"] == 0.95
        assert (found["seed"], found["sample_pages"]) == (3, 2048)
        # 2,048 of the 30,687 pages are followed in the end, at most
        assert 0.05 < found["sample_rate"] <= 2048 / 30_687
        assert found["accesses"] == 420_000
        exact = profile(Trace(self.CUT), sizes=(77,)).curve
        assert 77 in found["curve"]["pages"]
        held = []
        for key, at in (("misses", exact.misses), ("write_backs", exact.write_backs)):
            truth = at(found["curve"]["pages"])
            low, high = np.transpose(found[f"{key}_interval95"])
            held.append(np.mean((low <= truth) & (truth <= high)))
        assert min(held) >= 0.9
        # The profile is that document without what only the answer says.
        written = read_profile(out)
        assert written.sampled.sample_pages == 2048
        assert written.to_dict().items() <= found.items()
        main(["curve", "sampled", str(self.CUT), *arguments])
        assert "shards_fixed_size_adjusted" in capsys.readouterr().out

    def test_a_sample_at_a_rate_is_that_of_profile(self, capsys):
        code, found, _ = self.run(
            capsys, "sampled", self.CUT, "--sample-rate", "0.1", "--json"
        )
        assert code == 0
        assert found["estimator"] == "shards_fixed_rate_adjusted"
        assert "sample_pages" not in found
        own = sampled_profile(Trace(self.CUT), 0.1).to_dict()
        assert {key: found[key] for key in own} == own

    def test_windows_sum_up_to_the_exact_curve(self, capsys):
        arguments = ("--window-s", "1", "--sizes", "50,2000,8MiB")
        code, found, _ = self.run(capsys, "windows", self.CUT, *arguments, "--json")
        assert code == 0
        assert found["pages"] == [50, 1024, 2000]
        assert (found["sample_rate"], found["interval_confidence"]) == (1.0, None)
        assert found["window_s"] == 1
        assert found["windows"][0]["start_s"] == 0
        assert len(found["windows"]) == 5  # of 4.45 s
        exact = profile(Trace(self.CUT), sizes=(50, 1024, 2000)).curve
        total = np.sum([window["misses"] for window in found["windows"]], axis=0)
        assert total.tolist() == exact.misses(found["pages"]).tolist()
        main(["curve", "windows", str(self.CUT), "--window-accesses", "10000"])
        assert "2 more with --json" in capsys.readouterr().out  # 42 windows

    @pytest.mark.parametrize(
        ("arguments", "says"),
        [
            (("sampled",), "neither is given"),
            (
                ("sampled", "--sample-pages", "100", "--sample-rate", "0.1"),
                "`--sample-pages 100 --sample-rate 0.1`",
            ),
            (("sampled", "--sample-pages", "10"), "64 to"),
            (("sampled", "--sample-rate", "1.5"), "at most 1"),
            (("windows",), "neither is given"),
            (
                ("windows", "--window-accesses", "5", "--window-s", "1"),
                "`--window-accesses 5 --window-s 1.0`",
            ),
            (("windows", "--window-s", "-1"), "`-1` is not a window duration"),
            (("windows", "--window-s", "nan"), "`nan` is not a window duration"),
            (("windows", "--window-accesses", "1"), "more than 100000"),
        ],
    )
    def test_impossible_combinations_are_refused(self, capsys, arguments, says):
        command, *options = arguments
        code, found, error = self.run(capsys, command, self.CUT, *options)
        assert (code, found) == (2, None)
        assert says in error
        assert "hint:" in error

    def test_windows_of_time_need_times(self, capsys, tmp_path):
        trace = tmp_path / "t.csv"
        trace.write_text("page,op\n1,R\n2,W\n1,R\n", encoding="utf-8")
        columns = ("--format", "csv", "--column", "page=page", "--column", "op=op")
        code, _, error = self.run(capsys, "windows", trace, "--window-s", "1", *columns)
        assert code == 2
        assert "time" in error
