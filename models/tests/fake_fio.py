"""A program that answers like fio, for tests of what runs it; its first line is set by the tests.

`FAKE_FIO` chooses how it behaves: `steady` (default), `never` (a falling rate), `short` (too few
lines in the log), `fail`, `full`, `hang`, `mute` (no result).
"""

import json
import os
import sys
import time
from pathlib import Path

RATE = 10_000
SIDES = {"read": (1.0, 0.0), "write": (0.0, 1.0)}


def side(iops, block, seconds, latency_us):
    latency = {
        "mean": latency_us * 1000,
        "percentile": {
            "50.000000": latency_us * 900,
            "95.000000": latency_us * 2000,
            "99.000000": latency_us * 3000,
            "99.900000": latency_us * 4000,
        },
    }
    return {
        "io_bytes": int(iops * seconds) * block,
        "bw_bytes": int(iops * block),
        "iops": iops,
        "runtime": int(seconds * 1000),
        "total_ios": int(iops * seconds),
        "lat_ns": latency,
        "clat_ns": latency,
    }


def shares(options):
    pattern = options["rw"].removeprefix("rand")
    if pattern == "rw":
        reads = int(options["rwmixread"]) / 100
        return reads, 1 - reads
    return SIDES[pattern]


def say(text, file):
    file.write(text + "\n")
    return 1


def refused(behaviour, options):
    """Behave badly where that is chosen; return the exit code, or None to go on."""
    fill = options["name"] == "fill"
    data = Path(options["filename"])
    if fill:
        data.write_bytes(b"")
        os.truncate(data, int(options["size"]))
    elif not data.is_file():
        return say("fio: no data file", sys.stderr)
    if behaviour == "full":
        return say(
            "fio: io_u error on file data.bin: No space left on device", sys.stderr
        )
    if behaviour == "fail" and not fill:
        return say("fio: engine libaio not loadable", sys.stderr)
    if behaviour == "hang" and not fill:
        Path("hangs").write_text(str(os.getpid()))
        time.sleep(60)
    return None


def write_log(options, behaviour, rate, seconds, sides):
    lines = 3 if behaviour == "short" else 40
    log = []
    for at in range(lines):
        now = rate * (1.5 - at / lines if behaviour == "never" else 1.0)
        end = int((at + 1) * max(seconds, 0.1) * 1000 / lines)
        for direction, share in enumerate(sides):
            if share:
                log.append(
                    f"{end}, {int(now * share)}, {direction}, {options['bs']}, 0"
                )
    Path(options["write_iops_log"] + "_iops.1.log").write_text("\n".join(log) + "\n")


def main(arguments):
    if arguments == ["--version"]:
        return say("fio-3.33", sys.stdout) - 1
    if arguments == ["--enghelp"]:
        return say("Available IO engines:\n\tlibaio\n\tpsync", sys.stdout) - 1
    behaviour = os.environ.get("FAKE_FIO", "steady")
    options = dict(each.removeprefix("--").split("=", 1) for each in arguments)
    code = refused(behaviour, options)
    if code is not None:
        return code
    block, depth = int(options["bs"]), int(options["iodepth"])
    rate = RATE * depth**0.5
    seconds = float(options.get("runtime", "1000ms").removesuffix("ms")) / 1000
    if "io_size" in options:
        seconds = min(seconds, int(options["io_size"]) / block / rate)
    sides = shares(options)
    reads, writes = (
        side(rate * share, block, seconds, depth / rate * 1e6) for share in sides
    )
    job = {
        "jobname": options["name"],
        "groupid": 0,
        "error": 0,
        "job options": options,
        "read": reads,
        "write": writes,
    }
    if behaviour != "mute":
        result = {"fio version": "fio-3.33", "jobs": [job]}
        Path(options["output"]).write_text(json.dumps(result))
    if "write_iops_log" in options:
        write_log(options, behaviour, rate, seconds, sides)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
