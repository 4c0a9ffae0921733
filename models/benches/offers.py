"""The bench of price lists: an offer file of 500 MB through the reader of imports, and through plain `json.load`.

Each reads the same file in a process of its own, one after the other. Prints a line for each: seconds, processor time,
rate and peak memory, and the load of the machine before and after.

    python models/benches/offers.py [--mb 500] [--runs 2]
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

CAP_MIB = 512
_SKU_BYTES = 3200
"""Less than those of an SKU with its prices, so that the file is at least as long as asked."""
_READ = """
import sys
from tierwright.hardware.imports.readers import PRICES, read_rows
with open(sys.argv[1], "rb") as stream:
    print(read_rows(stream, "offer", PRICES, lambda _: None).taken)
"""
_PLAIN = """
import json, sys
with open(sys.argv[1], "rb") as stream:
    found = json.load(stream)
print(sum(len(t["priceDimensions"]) for s in found["terms"]["OnDemand"].values() for t in s.values()))
"""
_PEAK = """
import re
print(re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())[1])
"""


def pieces(most_bytes: int) -> Iterator[bytes]:
    """Yield an offer of about so many bytes, piece by piece: eight prices a SKU, of an hour each."""
    names = [f"{at:016}" for at in range(most_bytes // _SKU_BYTES)]
    yield b'{"formatVersion":"v1.0","offerCode":"AmazonEC2","version":"1","publicationDate":"2023-03-02T10:00:00Z","products":{'
    for at, sku in enumerate(names):
        product = {
            "sku": sku,
            "productFamily": "Compute Instance",
            "attributes": {
                "regionCode": "us-east-2",
                "instanceType": f"x{at % 97}.large",
                "operatingSystem": "Linux",
            },
        }
        yield f"{',' if at else ''}{json.dumps(sku)}:{json.dumps(product)}".encode()
    yield b'},"terms":{"OnDemand":{'
    for at, sku in enumerate(names):
        rates = {
            f"{sku}.T.{tier}": {
                "rateCode": f"{sku}.T.{tier}",
                "description": "d" * 200,
                "unit": "Hrs",
                "beginRange": "0",
                "endRange": "Inf",
                "pricePerUnit": {"USD": f"0.{at % 9999 + 1:04}{tier}00000"},
                "appliesTo": [],
            }
            for tier in range(8)
        }
        term = {
            f"{sku}.T": {
                "offerTermCode": "T",
                "sku": sku,
                "effectiveDate": "2023-03-01T00:00:00Z",
                "priceDimensions": rates,
                "termAttributes": {},
            }
        }
        yield f"{',' if at else ''}{json.dumps(sku)}:{json.dumps(term)}".encode()
    yield b"}}}"


def run(code: str, file: Path) -> tuple[int, float, float, float]:
    """Return rows, seconds, processor seconds and peak memory [MiB] of a process that reads the file."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-c", code + _PEAK, str(file)],
        capture_output=True,
        text=True,
        check=True,
    )
    after = os.times()
    rows, peak_kib = re.findall(r"\d+", done.stdout)
    processor_s = (
        after.children_user
        + after.children_system
        - before.children_user
        - before.children_system
    )
    return int(rows), after.elapsed - before.elapsed, processor_s, int(peak_kib) / 1024


def tell(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> None:
    """Write the file, read it both ways, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--mb", type=int, default=500)
    parser.add_argument("--runs", type=int, default=2)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "offer.json"
        with file.open("wb") as out:
            out.writelines(pieces(asked.mb * 10**6))
        megabytes = file.stat().st_size / 1e6
        tell(f"{megabytes:.0f} MB, load {os.getloadavg()[0]:.1f}")
        for number in range(1, asked.runs + 1):
            for name, code in (("tierwright", _READ), ("json.load", _PLAIN)):
                rows, seconds, processor_s, peak_mib = run(code, file)
                tell(
                    f"run {number}, {name}: {rows:,} prices, {seconds:.1f} s, {processor_s:.1f} s of processor time, "
                    f"{megabytes / processor_s:.1f} MB per second of it, {peak_mib:.0f} MiB, load {os.getloadavg()[0]:.1f}"
                )
                if name == "tierwright" and peak_mib >= CAP_MIB:
                    raise SystemExit(f"{peak_mib:.0f} MiB is not below {CAP_MIB} MiB")


if __name__ == "__main__":
    main()
