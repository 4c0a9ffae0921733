"""The capture guides' scripts turn recordings into the right traces."""

from __future__ import annotations

import importlib.util
import io
import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tierwright._simulator import inspect
from tierwright.simulate.transactions import replay_systems

CAPTURE = Path(__file__).parents[2] / "docs" / "capture"


def script(name: str, folder: str = "postgresql") -> ModuleType:
    """A capture script as a module."""
    path = CAPTURE / folder / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def converted(text: str, *, hints: bool = True) -> tuple[list[str], object]:
    converter = script("uprobes_to_trace")
    recording = converter.Recording(hints=hints)
    for event in converter.events_of(text.splitlines()):
        recording.add(*event)
    out = io.StringIO()
    recording.write(out)
    return out.getvalue().splitlines(), recording


READ = "fork={fork} block={block} tablespace=1663 database=5 relation={relation}"


def line(pid: int, nanos: int, event: str, fields: str) -> str:
    return f"  {pid} 12.{nanos:09d}:   tierwright:{event}: (55d1 <- 55d2) {fields}"


def read(pid: int, nanos: int, relation: int, block: int, fork: int = 0) -> str:
    fields = READ.format(fork=fork, block=block, relation=relation)
    return line(pid, nanos, "read_0", fields)


class TestUprobes:
    def test_a_write_belongs_to_the_last_access_of_its_process_to_its_page(self):
        rows, _ = converted(
            "\n".join(
                [
                    read(7, 1_000, 100, 3),
                    line(7, 2_000, "pinned_ReadBufferExtended", "buffer=11"),
                    read(8, 5_000, 100, 3),
                    line(8, 6_000, "pinned_ReadBufferExtended", "buffer=11"),
                    read(7, 9_000, 100, 4, fork=2),
                    line(7, 9_500, "pinned_ReadBufferExtended", "buffer=12"),
                    line(7, 9_900, "dirty", "buffer=11"),
                ]
            )
        )
        assert rows == [
            "time_us,op,rel,block",
            "0,W,5/100,3",
            "4,R,5/100,3",
            "8,R,5/100_vm,4",
        ]

    def test_transactions_become_events_that_the_replay_reads(self, tmp_path: Path):
        _, recording = converted(
            "\n".join(
                [
                    line(7, 500, "began_0", ""),
                    read(7, 1_000, 100, 3),
                    line(7, 2_000, "pinned_ReadBufferExtended", "buffer=11"),
                    read(8, 5_000, 100, 4),
                    line(7, 6_000, "dirty", "buffer=11"),
                    line(7, 9_000, "committed_0", ""),
                    line(7, 10_000, "began_0", ""),
                    line(7, 11_000, "committed_0", ""),
                    line(8, 12_000, "aborted_0", ""),
                    read(8, 13_000, 100, 3),
                ]
            )
        )
        out = io.StringIO()
        assert recording.write_transactions(out) == (3, 2)
        # Process 8 ran before the recording began; the empty transaction of 7 is none.
        assert out.getvalue().splitlines() == [
            "B 7.0 @0",
            "U 7.0 0 @0",
            "B 8.1 @4",
            "R 8.1 1 @4",
            "C 7.0 @8",
            "A 8.1 @11",
            "B 8.2 @12",
            "R 8.2 0 @12",
        ]
        path = tmp_path / "events.txt"
        path.write_text(out.getvalue(), encoding="ascii")
        found = replay_systems(path, ram_pages=1, database_pages=2)
        assert (found.events, found.transactions) == (8, 3)
        assert found.systems["page_lru"].data_pages_written == 1

    def test_a_buffer_holds_the_page_that_was_read_into_it_last(self):
        rows, _ = converted(
            "\n".join(
                [
                    read(7, 1_000, 100, 3),
                    line(7, 2_000, "pinned_ReadBufferExtended", "buffer=11"),
                    read(7, 3_000, 200, 9),
                    line(7, 4_000, "pinned_ReadBufferExtended", "buffer=11"),
                    line(7, 5_000, "dirty", "buffer=11"),
                ]
            )
        )
        assert rows[1:] == ["0,R,5/100,3", "2,W,5/200,9"]

    def test_a_new_page_is_written_and_gets_its_block_at_the_end(self):
        rows, _ = converted(
            "\n".join(
                [
                    read(7, 1_000, 100, 0xFFFFFFFF),
                    line(
                        7,
                        2_000,
                        "extended_1",
                        READ.format(fork=0, block=41, relation=100) + " extends=1",
                    ),
                    read(7, 3_000, 100, 0xFFFFFFFF),
                ]
            )
        )
        assert rows[1:] == ["0,W,5/100,41"]  # the last one's end was not recorded

    @pytest.mark.parametrize(("hints", "op"), [(True, "W"), (False, "R")])
    def test_hint_bits_count_unless_told_not_to(self, hints, op):
        rows, _ = converted(
            "\n".join(
                [
                    read(7, 1_000, 100, 3),
                    line(7, 2_000, "pinned_ReadBufferExtended", "buffer=11"),
                    line(7, 3_000, "hint", "buffer=11"),
                ]
            ),
            hints=hints,
        )
        assert rows[1:] == [f"0,{op},5/100,3"]

    def test_a_write_to_a_page_pinned_before_is_counted_not_guessed(self):
        rows, recording = converted(
            "\n".join([read(7, 1_000, 100, 3), line(7, 2_000, "dirty", "buffer=99")])
        )
        assert rows[1:] == ["0,R,5/100,3"]
        assert recording.unplaced_writes == 1

    def test_local_buffers_of_two_processes_are_two(self):
        rows, _ = converted(
            "\n".join(
                [
                    read(7, 1_000, 100, 1),
                    line(7, 2_000, "pinned_ReadBufferExtended", "buffer=-1"),
                    read(8, 3_000, 100, 2),
                    line(8, 4_000, "pinned_ReadBufferExtended", "buffer=-1"),
                    line(7, 5_000, "dirty", "buffer=-1"),
                ]
            )
        )
        assert rows[1:] == ["0,W,5/100,1", "2,R,5/100,2"]

    def test_another_text_is_refused_with_its_line(self):
        with pytest.raises(SystemExit, match=r"line 1 .*'nonsense'(.|\n)*hint:"):
            converted("nonsense")

    @pytest.mark.parametrize(
        ("argument", "fetched"),
        [
            ("-4@12(%rbx)", "+12(%bx):s32"),
            ("-4@-136(%rbp)", "-136(%bp):s32"),
            ("4@(%r12)", "+0(%r12):u32"),
            ("4@%r15d", "%r15:u32"),
            ("1@%al", "%ax:u8"),
            ("1@$1", "\\1:u8"),
        ],
    )
    def test_arguments_in_the_words_of_the_kernel(self, argument, fetched):
        assert script("record_uprobes").fetch_argument(argument) == fetched

    def test_an_unknown_register_is_refused(self):
        with pytest.raises(SystemExit, match=r"4@\[x19, 12\](.|\n)*hint:"):
            script("record_uprobes").fetch_argument("4@[x19, 12]")


class TestShim:
    def test_segments_forks_and_shared_relations(self, tmp_path):
        (tmp_path / "1.log").write_text(
            "5000 R base/5/100.2 8192 16384\n"
            "9000 W base/5/t3_77_vm 0 8192\n"
            "9500 R global/pg_control 0 8192\n"
            "cut off in the mid"
        )
        (tmp_path / "2.log").write_text("7000 W global/1260 0 8192\n")
        out = tmp_path / "trace.csv"
        command = [sys.executable, CAPTURE / "postgresql" / "shim_to_trace.py"]
        subprocess.run([*command, tmp_path, out], check=True)
        assert out.read_text().splitlines() == [
            "time_us,io,rel,block",
            "0,R,5/100,262145",
            "0,R,5/100,262146",
            "2,W,0/1260,0",
            "4,W,5/77_vm,0",
        ]

    @pytest.mark.skipif(sys.platform != "linux", reason="the library is for Linux")
    @pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
    def test_the_library_records_what_a_process_reads_and_writes(self, tmp_path):
        library = tmp_path / "shim.so"
        source = CAPTURE / "postgresql" / "shim.c"
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        subprocess.run(["cc", *flags, "-o", library, source, "-ldl"], check=True)
        logs, data = tmp_path / "logs", tmp_path / "data" / "base" / "5"
        logs.mkdir()
        data.mkdir(parents=True)
        program = """
import os, sys
page = bytes(8192)
fd = os.open(sys.argv[1] + "/base/5/100", os.O_RDWR | os.O_CREAT)
for block in (0, 1, 2):
    os.pwrite(fd, page, block * 8192)
child = os.fork()
if child == 0:
    os.pread(fd, 8192, 16384)
    sys.exit(0)
os.waitpid(child, 0)
os.pread(fd, 8192, 0)
os.pread(fd, 8192, 1 << 30)  # beyond the end: nothing was read
os.close(fd)
fd = os.open(sys.argv[1] + "/other", os.O_RDWR | os.O_CREAT)
os.pwrite(fd, page, 0)
"""
        environment = os.environ | {
            "LD_PRELOAD": str(library),
            "TIERWRIGHT_SHIM_DIR": str(logs),
        }
        subprocess.run(
            [sys.executable, "-c", program, tmp_path / "data"],
            env=environment,
            check=True,
        )
        out = tmp_path / "trace.csv"
        command = [sys.executable, CAPTURE / "postgresql" / "shim_to_trace.py"]
        subprocess.run([*command, logs, out], check=True)
        rows = [row.split(",", 1)[1] for row in out.read_text().splitlines()]
        assert rows[1:] == [
            "W,5/100,0",
            "W,5/100,1",
            "W,5/100,2",
            "R,5/100,2",
            "R,5/100,0",
        ]
        assert len(list(logs.glob("*.log"))) == 2


# Lines that perf 6.1 wrote, but for the two last devices.
PAGE_CACHE = """\
50603.338354: filemap:mm_filemap_add_to_page_cache: dev 254:0 ino 98520c pfn=0x200051 ofs=221184 order=0
50603.338365:      writeback:writeback_dirty_folio: bdi 254:0: ino=9982476 index=54
50603.342226: filemap:mm_filemap_add_to_page_cache: dev 0:3 ino fe00000 pfn=0x26bfd6 ofs=10044686336 order=0
50603.346807: filemap:mm_filemap_add_to_page_cache: dev 254:0 ino 3c520 pfn=0x271ee7 ofs=8192 order=2
50603.349227:      writeback:writeback_dirty_folio: bdi 254:0: ino=266338304 index=39911719
"""


class TestPageCache:
    def rows(self, text: str, page_bytes: int | None = 4096, **disks: str) -> list[str]:
        converter = script("page_cache_to_trace", "linux")
        out = io.StringIO()
        named = {key.replace("_", ":")[1:]: value for key, value in disks.items()}
        converter.convert(text.splitlines(keepends=True), named, out, page_bytes)
        return out.getvalue().splitlines()

    def test_pages_that_came_in_are_read_and_dirty_ones_written(self):
        assert self.rows(PAGE_CACHE) == [
            "time_us,op,device,page",
            "50603338354,R,254:0/9982476,54",
            # The inode is hexadecimal in one event and decimal in the other.
            "50603338365,W,254:0/9982476,54",
            "50603342226,R,0:3/266338304,2452316",
            # A folio of four pages.
            *(f"50603346807,R,254:0/247072,{page}" for page in (2, 3, 4, 5)),
            # A page of the disk itself: found by its inode.
            "50603349227,W,0:3/266338304,39911719",
        ]

    def test_a_disk_that_is_no_file_system_is_asked_for(self):
        text = PAGE_CACHE.replace("bdi 254:0: ino=9982476", "bdi 8:0: ino=77")
        with pytest.raises(Exception, match="--disk 8:0=0:3") as caught:
            self.rows(text)
        assert type(caught.value).__name__ == "Unreadable"
        assert "50603338365,W,254:0/77,54" in self.rows(text, _8_0="254:0")
        assert "50603338365,W,8:0/77,54" in self.rows(text, _8_0="8:0")

    def test_a_file_is_not_placed_by_its_inode(self):
        """Inode 12 was read on one disk, another inode 12 is written on the next one."""
        text = (
            "1.000000: filemap:mm_filemap_add_to_page_cache: dev 8:1 ino c pfn=0x1 ofs=0\n"
            "1.000001: writeback:writeback_dirty_folio: bdi 8:0: ino=12 index=0\n"
            "1.000002: writeback:writeback_dirty_folio: bdi 8:16: ino=12 index=0\n"
        )
        with pytest.raises(Exception, match="--disk 8:0=8:1"):
            self.rows(text)
        with pytest.raises(Exception, match="--disk 8:16="):
            self.rows(text, _8_0="8:1")
        assert self.rows(text, _8_0="8:1", _8_16="8:16")[2:] == [
            "1000001,W,8:1/12,0",
            "1000002,W,8:16/12,0",
        ]

    def test_a_page_of_a_disk_whose_file_system_is_named_stays_its_own(self):
        text = (
            "1.000000: filemap:mm_filemap_add_to_page_cache: dev 8:1 ino c pfn=0x1 ofs=0\n"
            "1.000001: filemap:mm_filemap_add_to_page_cache: dev 0:3 ino 800001 pfn=0x1 ofs=0\n"
            "1.000002: writeback:writeback_dirty_folio: bdi 8:0: ino=8388609 index=0\n"
        )
        assert self.rows(text, _8_0="8:1")[-1] == "1000002,W,0:3/8388609,0"

    def test_pages_of_another_kernel(self):
        """The one event tells bytes, the other one pages."""
        added = "1.000000: filemap:mm_filemap_add_to_page_cache: dev 8:0 ino c pfn=0x1 ofs={}\n"
        dirty = "1.000001: writeback:writeback_dirty_folio: bdi 8:0: ino=12 index=1\n"
        assert self.rows(added.format(65536) + dirty, 65536)[1:] == [
            "1000000,R,8:0/12,1",
            "1000001,W,8:0/12,1",
        ]
        with pytest.raises(Exception, match="no multiple of 65536"):
            self.rows(added.format(4096), 65536)
        many = "".join(added.format(at << 20) for at in range(100))
        with pytest.raises(Exception, match="multiples of 1048576 bytes"):
            self.rows(many, None)
        assert len(self.rows(many, 4096)) == 101

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "holds no event of the page cache"),
            (PAGE_CACHE.replace("ino 98520c", "inode 98520c"), "line 1 is an event of"),
            (PAGE_CACHE.replace("index=54", "at=54"), "line 2 is an event of"),
        ],
    )
    def test_what_it_does_not_know_is_an_error(self, text, message):
        with pytest.raises(Exception, match=message):
            self.rows(text)

    def test_the_trace_is_read_as_the_guide_says(self, tmp_path):
        recording, trace = tmp_path / "text", tmp_path / "trace.csv"
        recording.write_text(PAGE_CACHE)
        ended = subprocess.run(
            [
                sys.executable,
                CAPTURE / "linux" / "page_cache_to_trace.py",
                recording,
                trace,
                "--page-bytes",
                "4096",
            ],
            capture_output=True,
            text=True,
            check=True,
        )
        assert ended.stdout.startswith("8 rows;")
        assert ended.stderr.startswith("note: 1 of the folios")
        columns = {
            "time": "time_us",
            "time_unit": "us",
            "op": "op",
            "page": "page",
            "device": "device",
            "level": "below",
        }
        found = inspect(trace, format="csv", columns=columns)
        assert (found["requests"], found["write_accesses"]) == (8, 2)
        assert (found["distinct_pages"], found["devices"]) == (7, 3)


class _Client:
    """A server whose clients print what they printed when they were watched."""

    port = 5433
    password = "secret"

    def __init__(self, output: str) -> None:
        self.output = output
        self.commands: list[tuple[str, ...]] = []
        self.tools = script("record_scales").Tools(
            Path("/bin"), "psql", "pgbench", "go-tpc"
        )

    def address(self) -> list[str]:
        return ["-h", "127.0.0.1"]

    def run(self, name: str, *command: str) -> str:
        self.commands.append((name, *command))
        return self.output


PGBENCH = """number of clients: 4
number of transactions per client: 372
number of transactions actually processed: 1486/1488
number of failed transactions: 2 (0.134%)
"""
GO_TPC = """Finished
[Summary] DELIVERY - Takes(s): 0.4, Count: 10, TPM: 1525.8, Sum(ms): 166.1
[Summary] NEW_ORDER - Takes(s): 0.5, Count: 108, TPM: 14037.7, Sum(ms): 742.1
[Summary] NEW_ORDER_ERR - Takes(s): 0.5, Count: 3, TPM: 390.1, Sum(ms): 12.0
tpmC: 14035.5, tpmTotal: 32696.3, efficiency: 109140.9%
"""


@pytest.mark.parametrize(
    ("name", "output", "done", "failed"),
    [("tpcb", PGBENCH, 1486, 2), ("tpcc", GO_TPC, 118, 3)],
)
def test_transactions_of_a_scale_are_those_that_the_client_counted(
    name: str, output: str, done: int, failed: int
) -> None:
    client = _Client(output)
    load = script("record_scales").Benchmark(name, 3, 4).run(client, "recorded", 1486)
    assert (load.transactions, load.failed) == (done, failed)
    (command,) = client.commands
    each = "372" if name == "tpcb" else "1488"  # for each client, or of all of them
    assert each in command


def test_a_client_that_did_nothing_is_an_error() -> None:
    client = _Client("connection refused")
    with pytest.raises(SystemExit, match="no transaction was counted"):
        script("record_scales").Benchmark("tpcb", 3, 4).run(client, "recorded", 10)


def test_scales_are_read_or_refused_by_name() -> None:
    scales = script("record_scales")
    found = scales.scales_of(["tpcb:10", "tpcc:20"], 4)
    assert [(one.name, one.scale) for one in found] == [("tpcb", 10), ("tpcc", 20)]
    for wrong in ("tpcc", "tpch:1", "tpcc:0", "tpcc:-1"):
        with pytest.raises(SystemExit, match=f"'{wrong}' is not a benchmark"):
            scales.scales_of([wrong], 4)


WAL = """\
rmgr: Heap        len (rec/tot):     54/    54, tx:        736, lsn: 0/04A51238, prev 0/04A51110, desc: LOCK off 10: xid 736: flags 0x01, blkref #0: rel 1663/16384/16397 blk 0
rmgr: Heap        len (rec/tot):     72/  8191, tx:        736, lsn: 0/04A51270, prev 0/04A51238, desc: UPDATE off 10 xmax 736 ; new off 24 xmax 0, blkref #0: rel 1663/16384/16397 blk 6557 FPW, blkref #1: rel 1663/16384/16397 blk 0
rmgr: Heap2       len (rec/tot):     64/    64, tx:          0, lsn: 0/04A51300, prev 0/04A51270, desc: PRUNE nredirected 0 ndead 1, blkref #0: rel 1663/16384/16398 blk 4
rmgr: XLOG        len (rec/tot):     49/  8200, tx:        736, lsn: 0/04A51310, prev 0/04A51300, desc: FPI_FOR_HINT , blkref #0: rel 1663/16384/16397 fork fsm blk 2 FPW
rmgr: Btree       len (rec/tot):     64/    64, tx:        738, lsn: 0/04A51320, prev 0/04A51310, desc: INSERT_LEAF off 12, blkref #0: rel 1663/16384/16405 blk 1
rmgr: Heap        len (rec/tot):     70/    70, tx:        740, lsn: 0/04A51330, prev 0/04A51320, desc: INSERT off 1, blkref #0: rel 1663/16384/16397 fork vm blk 0
rmgr: Transaction len (rec/tot):     34/    34, tx:        737, lsn: 0/04A51340, prev 0/04A51330, desc: COMMIT 2026-11-26 12:44:08.054515 UTC; subxacts: 738
rmgr: Transaction len (rec/tot):     34/    34, tx:        736, lsn: 0/04A51350, prev 0/04A51340, desc: ABORT 2026-11-26 12:44:08.054515 UTC
rmgr: Transaction len (rec/tot):     34/    34, tx:        741, lsn: 0/04A51360, prev 0/04A51350, desc: COMMIT 2026-11-26 12:44:08.054515 UTC
rmgr: Transaction len (rec/tot):     34/    34, tx:        742, lsn: 0/04A51370, prev 0/04A51360, desc: COMMIT_PREPARED 740: 2026-11-26 12:44:08.054515 UTC
"""


class TestWal:
    def test_records_become_events_of_their_transactions(self, tmp_path: Path):
        converter = script("wal_to_events")
        out = io.StringIO()
        lines = WAL.splitlines()
        found = converter.write_events(lines, converter.parents(lines), out)
        # 738 is part of 737; 740 is prepared, and 742 ends it; 741 changed nothing.
        assert out.getvalue().splitlines() == [
            "B 736",
            "U 736 0",
            "U 736 1",
            "U 736 0",
            "B 737",
            "U 737 2",
            "B 740",
            "U 740 3",
            "C 737",
            "A 736",
            "C 740",
        ]
        assert (found.committed, found.aborted, found.updates) == (2, 1, 5)
        assert (found.outside, len(found.pages), found.running) == (1, 4, set())
        assert found.update_bytes == 54 + 72 + 64 + 70
        path = tmp_path / "events.txt"
        path.write_text(out.getvalue(), encoding="ascii")
        replayed = replay_systems(path, ram_pages=1, database_pages=4)
        assert (replayed.events, replayed.transactions) == (11, 3)

    def test_a_line_that_is_no_record_is_named(self):
        converter = script("wal_to_events")
        with pytest.raises(SystemExit, match="line 2: `pg_waldump: error` is not"):
            converter.parents([WAL.splitlines()[0], "pg_waldump: error"])
