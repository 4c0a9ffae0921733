"""`tierwright curve`: imports, refusals, and what other commands make of the profile."""

import json

import pytest

from tierwright.cli.app import main


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
        assert "cannot tell" in capsys.readouterr().out
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
            (binary, "line 2: is no UTF-8"),
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
        assert names == ["table", "oracle_db_cache_advice", "zfs_arcstats"]
        assert main(["curve", "kinds"]) == 0
        assert "zfs_arcstats" in capsys.readouterr().out
