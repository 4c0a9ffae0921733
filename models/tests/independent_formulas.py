"""Second opinion: every formula of the catalogue computed again, without the product.

Written from the text of the models alone, in the plainest way and with the standard
library only: lists searched from the front, sums over all entries, a bisection to the
last digits. Run it to write `fixtures/vectors/independent.json`:

    python models/tests/independent_formulas.py
"""

from __future__ import annotations

import json
import math
import random
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any

Trace = list[tuple[str, str]]
VECTORS: list[dict[str, Any]] = []


# Numbers as the files write them: 12 significant digits, whole ones as integers.


def plain(value: Any) -> Any:
    if value is None or isinstance(value, (bool, str, int)):
        return value
    if isinstance(value, dict):
        return {str(key): plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner) for inner in value]
    rounded = float(f"{float(value):.12g}")
    return int(rounded) if rounded.is_integer() else rounded


def add(formula: str, inputs: dict[str, Any], expected: Any, note: str = "") -> None:
    number = 1 + sum(vector["formula"] == formula for vector in VECTORS)
    VECTORS.append(
        {
            "id": f"I-{formula}-{number:02d}",
            "formula": formula,
            "inputs": inputs,
            "expected": plain(expected),
            "note": note,
        }
    )


def refuse(formula: str, inputs: dict[str, Any], note: str) -> None:
    add(formula, inputs, {"error": "domain"}, note)


def tokens(text: str) -> Trace:
    return [(token[0], token[1:]) for token in text.split()]


def random_trace(seed: int, length: int, pages: int, write_share: float) -> str:
    """A skewed trace: the smaller of two draws is referenced."""
    draw = random.Random(seed)
    found = []
    for _ in range(length):
        page = min(draw.randrange(pages), draw.randrange(pages))
        found.append(("W" if draw.random() < write_share else "R") + str(page))
    return " ".join(found)


# Page flow (Koltsidas and Viglas)


def kv_costs(i: dict[str, Any]) -> dict[str, Any]:
    h, m, p = i["h_f"], i["m_f"], i["p_d"]
    p_flash = i.get("p_dF", p)
    r_ram, r_flash = i.get("R_RAM", 0), i.get("R_FLASH", 0)
    q = h / (h + m) if h + m else 0.0
    leave = r_flash + p_flash * i["D_W"]
    c1 = h * (i["F_R"] + r_ram + p * i["F_W"]) + m * (
        r_ram + p * i["F_W"] + leave + i["D_R"] + i["F_W"]
    )
    c2 = h * (r_ram + i["F_R"] + i["F_W"]) + m * (r_ram + i["F_W"] + leave + i["D_R"])
    victim = r_ram + q * p * i["F_W"] + (1 - q) * (leave + i["F_W"])
    c3 = (h + m) * victim + h * i["F_R"] + m * i["D_R"]
    return {"C1": c1, "C2": c2, "C3": c3, "q": q, "C3V": victim}


def kv_clean_only(i: dict[str, Any]) -> dict[str, Any]:
    h, m, p = i["h_f"], i["m_f"], i["p_d"]
    q = h / (h + m) if h + m else 0.0
    victim = i["R_RAM"] + p * i["D_W"] + (1 - p) * (1 - q) * (i["R_FLASH"] + i["F_W"])
    return {"C3_clean": (h + m) * victim + h * i["F_R"] + m * i["D_R"]}


def kv_directory(i: dict[str, Any]) -> dict[str, Any]:
    h, m, p, look, update = i["h_f"], i["m_f"], i["p_d"], i["L"], i["U"]
    ram_misses = h + m
    q = h / ram_misses if ram_misses else 0.0
    victim = look + q * p * update + 2 * (1 - q) * update
    hits = i.get("exclusive_hit_updates", 1)
    return {
        "C1d": ram_misses * (look + p * update) + h * update + 2 * m * update,
        "C2d": ram_misses * look + hits * h * update + 2 * m * update,
        "C3d": ram_misses * (look + victim) + h * update,
        "C3Vd": victim,
    }


def ratio_at(curve: list[list[float]], size: float) -> float:
    points = [[0, 0], *curve] if curve[0][0] > 0 else curve
    if size >= points[-1][0]:
        return float(points[-1][1])
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= size <= x1:
            return float(y0 + (y1 - y0) * (size - x0) / (x1 - x0))
    raise ValueError(size)


def kv_counts(curve: list[list[float]], r: int, f: int, n: int) -> dict[str, Any]:
    at_ram = ratio_at(curve, r)

    def level(extra: float) -> dict[str, float]:
        whole = ratio_at(curve, r + extra)
        return {"e_f": extra, "h_f": n * (whole - at_ram), "m_f": n * (1 - whole)}

    low, high = float(max(0, f - r)), float(f)
    if at_ram == 1:  # nothing misses RAM: nothing is held twice
        low = high
    while at_ram < 1 and high - low > 1e-11 * f:
        middle = (low + high) / 2
        copies = r * (ratio_at(curve, r + middle) - at_ram) / (1 - at_ram)
        if middle < f - min(f, copies):
            low = middle
        else:
            high = middle
    return {
        "h_r": n * at_ram,
        "m_r": n * (1 - at_ram),
        "inclusive": level(max(0, f - r)),
        "exclusive": level(f),
        "lazy": level((low + high) / 2),
    }


def kv_choice(i: dict[str, Any]) -> dict[str, Any]:
    counts = kv_counts(i["curve"], i["r"], i["f"], i["N"])
    totals = {}
    for scheme, cost, directory in (
        ("lazy", "C3", "C3d"),
        ("exclusive", "C2", "C2d"),
        ("inclusive", "C1", "C1d"),
    ):
        own = {**i, "h_f": counts[scheme]["h_f"], "m_f": counts[scheme]["m_f"]}
        totals[scheme] = kv_costs(own)[cost] + kv_directory(own)[directory]
    best = min(totals, key=lambda scheme: totals[scheme])  # first of equals
    return {**totals, "best": best}


def whole_log2(number: int) -> int:
    """⌈log2⌉ of a whole number, without a float."""
    return (number - 1).bit_length()


def kv_directory_size(i: dict[str, Any]) -> dict[str, Any]:
    invalidating = i["technique"] == "invalidating"
    if invalidating and i["B_f"] == i["B_r"]:
        return {"entry_bits": None, "MiB": None}
    blocks = i["S_f"] // i["B_f"]
    identity = math.ceil(64 - math.log2(i["B_f"]))
    bits = identity + whole_log2(blocks) + 1 + 32 + 32
    if invalidating:
        bits += i["B_f"] // i["B_r"]
    return {"entry_bits": bits, "MiB": Fraction(blocks * bits, 8 * 2**20)}


def kv_in_ram(i: dict[str, Any]) -> dict[str, Any]:
    flash_pages = i["S_f"] // i["B_f"]
    directory = i["b_f"] * flash_pages
    frame = i["B_r"] + i["b_r"]
    left = i["S_r"] - directory
    return {
        "f": flash_pages,
        "flash_dir_bytes": directory,
        "r_no_flash": i["S_r"] // frame,
        "r": left // frame if left >= frame else 0,
        "feasible": left >= frame,
    }


def kv_on_flash(i: dict[str, Any]) -> dict[str, Any]:
    pages = i["S_f"] // (i["B_f"] + i["b_f"])
    return {
        "f_prime": pages,
        "dir_bytes": i["b_f"] * pages,
        "r_prime": (i["S_r"] - i["n"]) // (i["B_r"] + i["b_r"]),
        "lost_flash_pages": i["S_f"] // i["B_f"] - pages,
    }


def kv_lookup(i: dict[str, Any]) -> dict[str, Any]:
    miss = 1 - i["H_d"]
    printed = miss * i["F_R"] + i["p_dd"] * i["F_W"]
    evicting = miss * (i["F_R"] + i["p_dd"] * i["F_W"])
    return {
        name: {"L": i["l"] * each, "U": i["u"] * each}
        for name, each in (("printed", printed), ("write_on_eviction", evicting))
    }


class Level:
    """An LRU list, most recent last, of pages with a dirty bit."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.order: list[str] = []
        self.dirty: dict[str, bool] = {}

    def full(self) -> bool:
        return len(self.order) >= self.capacity

    def put(self, page: str, dirty: bool) -> None:
        self.order.append(page)
        self.dirty[page] = dirty

    def take(self, page: str) -> bool:
        self.order.remove(page)
        return self.dirty.pop(page)

    def touch(self, page: str) -> None:
        self.order.remove(page)
        self.order.append(page)


class PageFlow:
    """RAM and flash under one scheme, LRU at both levels."""

    def __init__(self, r: int, f: int) -> None:
        self.ram, self.flash = Level(r), Level(f)
        names = ("h_r", "h_f", "m_f", "flash_writes", "hdd_writes")
        self.count = dict.fromkeys(names, 0)

    def write_flash(self, page: str, dirty: bool) -> None:
        self.flash.put(page, dirty)
        self.count["flash_writes"] += 1

    def drop_from_flash(self, page: str) -> None:
        self.count["hdd_writes"] += self.flash.take(page)

    def leave_ram(self) -> tuple[str, bool]:
        victim = self.ram.order[0]
        return victim, self.ram.take(victim)

    def exclusive(self, page: str, hit: bool) -> bool:
        """Make room in RAM; return whether the newcomer is dirty already."""
        carried = self.flash.take(page) if hit else False
        if self.ram.full():
            if self.flash.full():
                self.drop_from_flash(self.flash.order[0])
            self.write_flash(*self.leave_ram())
        return carried

    def lazy(self, page: str, hit: bool) -> bool:
        if hit:
            self.flash.touch(page)
        if self.ram.full():
            victim, dirty = self.leave_ram()
            if victim not in self.flash.dirty:
                if self.flash.full():
                    self.drop_from_flash(self.flash.order[0])
                self.write_flash(victim, dirty)
            elif dirty:
                self.flash.take(victim)
                self.write_flash(victim, True)
        return False

    def inclusive_global(self, page: str, hit: bool) -> bool:
        if hit:
            self.flash.touch(page)
        if self.ram.full():
            victim, dirty = self.leave_ram()
            if dirty:
                self.flash.dirty[victim] = True
                self.count["flash_writes"] += 1
        if not hit:
            if self.flash.full():
                held = self.ram.dirty
                self.drop_from_flash(next(p for p in self.flash.order if p not in held))
            self.write_flash(page, False)
        return False


def kv_replay(trace: Trace, r: int, f: int, scheme: str) -> dict[str, int]:
    flow = PageFlow(r, f)
    for op, page in trace:
        write = op == "W"
        if page in flow.ram.dirty:
            flow.count["h_r"] += 1
            flow.ram.touch(page)
            flow.ram.dirty[page] |= write
            if scheme == "inclusive_global":
                flow.flash.touch(page)
            continue
        hit = page in flow.flash.dirty
        flow.count["h_f" if hit else "m_f"] += 1
        carried = getattr(flow, scheme)(page, hit)
        flow.ram.put(page, write or carried)
    return flow.count


# Pool split (FD-Buffer)


def mattson(trace: Trace) -> tuple[dict[int, int], int]:
    stack: list[str] = []
    hits: dict[int, int] = {}
    first = 0
    for _, page in trace:
        if page in stack:
            distance = stack.index(page) + 1
            hits[distance] = hits.get(distance, 0) + 1
            stack.remove(page)
        else:
            first += 1
        stack.insert(0, page)
    return dict(sorted(hits.items())), first


def fd_variants(i: dict[str, Any]) -> dict[str, float]:
    product = i["P_c"] * i["P_d"]
    disjoint = i["P_c"] + i["P_d"] - 1
    return {
        "eq4": product * (1 + i["P_dw"] * i["R"]),
        "disjoint": disjoint * (1 + i["P_dw"] * i["R"]),
        "flow": disjoint + i["w"] * i["P_dw"] * i["R"],
        "P_total_product": product,
        "P_total_disjoint": disjoint,
    }


def fd_argmin(i: dict[str, Any]) -> dict[str, int]:
    found = {}
    for estimator in ("eq4", "disjoint", "flow"):
        costs = [
            (fd_variants({**row, "R": i["R"], "w": i["w"]})[estimator], row["M_c"])
            for row in i["rows"]
        ]
        found[estimator] = min(costs)[1]
    return found


def fd_replay(
    trace: Trace, m: int, m_c: int, clean_at_start: tuple[str, ...] = ()
) -> dict[str, int]:
    clean, dirty = list(clean_at_start), []  # most recent first
    names = ("reads", "writes", "hits_clean", "hits_dirty", "write_hits_dirty")
    count = dict.fromkeys(names, 0)
    for op, page in trace:
        if page in clean:
            count["hits_clean"] += 1
            clean.remove(page)
            (dirty if op == "W" else clean).insert(0, page)
        elif page in dirty:
            count["hits_dirty"] += 1
            count["write_hits_dirty"] += op == "W"
            dirty.remove(page)
            dirty.insert(0, page)
        else:
            count["reads"] += 1
            if len(clean) + len(dirty) >= m:
                from_dirty = len(clean) <= m_c if op == "W" else len(dirty) > m - m_c
                (dirty if from_dirty else clean).pop()
                count["writes"] += from_dirty
            (dirty if op == "W" else clean).insert(0, page)
    return {**count, "hits": count["hits_clean"] + count["hits_dirty"]}


def next_use(trace: Trace, start: int, page: str) -> float:
    for place in range(start, len(trace)):
        if trace[place][1] == page:
            return place
    return math.inf


def belady(
    trace: Trace, m: int, clean_at_start: tuple[str, ...] = ()
) -> dict[str, int]:
    """Farthest next use leaves, among equals a clean page."""
    held = dict.fromkeys(clean_at_start, False)
    count = {"reads": 0, "writes": 0, "hits": 0, "misses": 0}
    for place, (op, page) in enumerate(trace):
        if page in held:
            count["hits"] += 1
        else:
            count["misses"] += 1
            count["reads"] += 1
            if len(held) >= m:
                victim = max(
                    held, key=lambda p: (next_use(trace, place, p), not held[p])
                )
                count["writes"] += held.pop(victim)
            held[page] = False
        held[page] |= op == "W"
    return count


def clean_first(trace: Trace, m: int, working: int) -> dict[str, int]:
    """CFLRU; with a working region of all m pages it is LRU."""
    order: list[str] = []  # most recent first
    dirty: set[str] = set()
    count = {"reads": 0, "writes": 0, "hits": 0}
    for op, page in trace:
        if page in order:
            count["hits"] += 1
            order.remove(page)
        else:
            count["reads"] += 1
            if len(order) >= m:
                region = order[working:]
                clean = [p for p in region if p not in dirty]
                victim = clean[-1] if clean else order[-1]
                order.remove(victim)
                count["writes"] += victim in dirty
                dirty.discard(victim)
        order.insert(0, page)
        if op == "W":
            dirty.add(page)
    return count


def two_stack(trace: Trace, m: int) -> dict[str, Any]:
    c: list[str] = []
    d: list[str] = []
    t_c: dict[str, int] = {}
    t_d: dict[str, int] = {}
    hits: dict[str, dict[Any, int]] = {name: {} for name in ("cr", "cw", "dr", "dw")}

    def tally(name: str, index: Any) -> None:
        hits[name][index] = hits[name].get(index, 0) + 1

    for op, page in trace:
        kind = op.lower()
        in_c, in_d = page in c, page in d
        d_c = c.index(page) + 1 if in_c else 0
        d_d = d.index(page) + 1 if in_d else 0
        tally("c" + kind, max(d_c, t_c[page]) if in_c else "inf")
        tally("d" + kind, max(d_d, t_d[page]) if in_d else "inf")
        if in_c:
            c.remove(page)
        if in_d:
            d.remove(page)
        if op == "W":
            d.insert(0, page)
            t_d[page] = 0
            continue
        c.insert(0, page)
        if in_d:
            d.insert(0, page)
            loaded = m - d_d + 1
            t_c[page] = max(0, min(t_c[page], loaded) if in_c else loaded)
            t_d[page] = max(t_d[page], d_d)
        else:
            t_c[page] = 0
    n = len(trace)
    writes = sum(op == "W" for op, _ in trace)

    def within(names: tuple[str, ...], size: int) -> int:
        return sum(
            number
            for name in names
            for index, number in hits[name].items()
            if index != "inf" and index <= size
        )

    rows = [
        {
            "M_c": m_c,
            "P_c": 1 - within(("cr", "cw"), m_c) / n,
            "P_d": 1 - within(("dr", "dw"), m - m_c) / n,
            "P_dw": 1 - within(("dw",), m - m_c) / writes if writes else 0.0,
        }
        for m_c in range(1, m)
    ]
    best = fd_argmin({"rows": rows, "R": 32, "w": writes / n})
    ordered = {
        name: dict(
            sorted(found.items(), key=lambda kv: math.inf if kv[0] == "inf" else kv[0])
        )
        for name, found in hits.items()
    }
    return {
        "hits": ordered,
        "rows": rows,
        "argmin_eq4_R32": best["eq4"],
        "argmin_flow_R32": best["flow"],
    }


def two_stack_effective(trace: Trace, m: int) -> dict[str, Any]:
    c: list[str] = []
    d: list[str] = []
    t_c: dict[str, int] = {}
    t_d: dict[str, int] = {}

    def holds(stack: list[str], limit: dict[str, int], page: str, size: int) -> bool:
        if page not in stack or limit[page] > size:
            return False
        above = stack[: stack.index(page)]
        return sum(limit[other] <= size for other in above) + 1 <= size

    rows = [
        {"M_c": m_c, "hits_clean": 0, "hits_dirty": 0, "write_hits_dirty": 0}
        for m_c in range(1, m)
    ]
    for op, page in trace:
        for row in rows:
            row["hits_clean"] += holds(c, t_c, page, row["M_c"])
            in_dirty = holds(d, t_d, page, m - row["M_c"])
            row["hits_dirty"] += in_dirty
            row["write_hits_dirty"] += in_dirty and op == "W"
        in_c, in_d = page in c, page in d
        x = next((s for s in range(1, m + 1) if holds(d, t_d, page, s)), m + 1)
        if in_c:
            c.remove(page)
        if in_d:
            d.remove(page)
        if op == "W":
            d.insert(0, page)
            t_d[page] = 0
            continue
        c.insert(0, page)
        if in_d:
            d.insert(0, page)
            t_d[page] = max(t_d[page], x)
            t_c[page] = max(0, m - t_d[page] + 1)
        else:
            t_c[page] = 0
    return {"rows": rows}


# Flash cache (FaCE)


def theta(c_disk: float, c_flash: float, deltas: Any) -> dict[str, Any]:
    exponent = c_disk / (c_disk - c_flash)
    if isinstance(deltas, list):
        return {
            "exponent": exponent,
            "theta": [(1 + delta) ** exponent - 1 for delta in deltas],
        }
    return {"exponent": exponent, "theta": (1 + deltas) ** exponent - 1}


def theta_mixed(i: dict[str, Any]) -> dict[str, Any]:
    x = i["read_fraction"]
    disk = x / i["disk_read_iops"] + (1 - x) / i["disk_write_iops"]
    flash = x / i["flash_read_iops"] + (1 - x) / i["flash_write_iops"]
    return theta(disk, flash, i["delta"])


def theta_curve(i: dict[str, Any]) -> dict[str, Any]:
    curve, base = i["curve"], i["B"]
    exponent = i["C_disk"] / (i["C_disk"] - i["C_flash"])
    at_base = ratio_at(curve, base)
    gain = ratio_at(curve, (1 + i["delta"]) * base) - at_base
    target = at_base + exponent * gain
    if gain == 0:
        return {"target_hit": target, "theta": 0.0}
    if target > curve[-1][1]:
        return {"target_hit": target, "theta": None}
    for (x0, y0), (x1, y1) in pairwise(curve):
        if y0 < target <= y1:
            size = x0 + (target - y0) / (y1 - y0) * (x1 - x0)
            return {"target_hit": target, "theta": size / base - 1}
    raise ValueError(target)


def roi_log(i: dict[str, Any]) -> dict[str, Any]:
    flash = (i["C_disk"] - i["C_flash"]) * math.log(1 + i["added_flash"] / i["base"])
    dram = i["C_disk"] * math.log(1 + i["added_dram"] / i["base"])
    return {
        "flash_to_dram_gain_ratio": flash / dram,
        "winner": "flash" if flash > dram else "dram",
    }


def lifetime(i: dict[str, Any]) -> dict[str, float]:
    host = i["nand_bytes"] * i["pe_cycles"] / i["WAF"]
    seconds = host / i["host_bytes_per_s"]
    return {
        "seconds": seconds,
        "years": seconds / (365 * 86400),
        "host_TB_written": host / 1e12,
        "drive_writes_per_day_for_5y": host / i["nand_bytes"] / (5 * 365),
    }


def recovery(i: dict[str, Any]) -> dict[str, Any]:
    pages = i["flash_bytes"] // i["page_bytes"]
    segments = -(-pages // i["entries_per_segment"])
    kept = max(0, segments - i["scan_segments"])
    segment_bytes = i["entries_per_segment"] * i["entry_bytes"]
    scan = (
        min(segments, i["scan_segments"]) * i["entries_per_segment"] * i["page_bytes"]
    )
    rate = i["seq_read_bytes_per_s"]
    return {
        "pages": pages,
        "segments": segments,
        "segments_read": kept,
        "directory_bytes": segments * segment_bytes,
        "persisted_bytes_read": kept * segment_bytes,
        "scan_bytes": scan,
        "restore_seconds": (kept * segment_bytes + scan) / rate,
        "full_scan_seconds": i["flash_bytes"] / rate,
    }


def chain(i: dict[str, Any]) -> dict[str, float]:
    k, disk, flash = i["k"], i["C_disk_write"], i["C_flash_write"]
    return {
        "no_cache": k * disk,
        "write_back": k * flash + disk,
        "write_through": k * (disk + flash),
        "break_even_k": disk / (disk - flash),
    }


def bottleneck(i: dict[str, Any]) -> dict[str, Any]:
    one = (
        i["disk_reads"] / i["disk_read_iops"] + i["disk_writes"] / i["disk_write_iops"]
    )
    disk = one / i["n_disks"]
    flash = (
        i["flash_reads"] / i["flash_read_iops"]
        + i["flash_writes"] / i["flash_write_iops"]
    )
    limits = {"disk": 1 / disk, "flash": 1 / flash, "cpu": i["cpu_cap"]}
    name = min(limits, key=lambda part: limits[part])
    return {
        "disk_demand_s": disk,
        "flash_demand_s": flash,
        "throughput": limits[name],
        "disk_utilisation": limits[name] * disk,
        "flash_utilisation": limits[name] * flash,
        "bottleneck": name,
        "knee_disks": one / flash,
    }


class FlashCache:
    """mvFIFO of FaCE; with a scan depth, its group second chance."""

    def __init__(
        self,
        dram: int,
        slots: int,
        admission: str = "mixed",
        sync: str = "write_back",
        scan_depth: int = 0,
        clear: bool = False,
    ) -> None:
        self.dram_pages, self.slots = dram, slots
        self.admission, self.sync = admission, sync
        self.scan_depth, self.clear = scan_depth, clear
        self.dram: dict[str, dict[str, bool]] = {}  # least recent first
        self.fetched: tuple[str, dict[str, bool]] | None = None  # on its way to DRAM
        self.queue: list[dict[str, Any]] = []
        names = (
            "dram_hits flash_hits disk_reads disk_writes flash_page_writes "
            "dirty_evictions clean_evictions requeued forced_out pulled"
        )
        self.count = dict.fromkeys(names.split(), 0)

    def valid_slot(self, page: str) -> dict[str, Any] | None:
        for slot in self.queue:
            if slot["page"] == page and slot["valid"]:
                return slot
        return None

    def write_disk(self, slot: dict[str, Any]) -> None:
        """A valid dirty slot leaves the queue."""
        self.count["disk_writes"] += 1
        copy = self.dram.get(slot["page"])
        if self.fetched is not None and self.fetched[0] == slot["page"]:
            copy = self.fetched[1]
        if self.clear and copy is not None and not copy["fdirty"]:
            copy["dirty"] = False

    def append(self, page: str, dirty: bool) -> None:
        self.queue.append({"page": page, "dirty": dirty, "valid": True, "ref": False})
        self.count["flash_page_writes"] += 1

    def evict(self, page: str) -> None:
        flags = self.dram.pop(page)
        self.count["dirty_evictions" if flags["fdirty"] else "clean_evictions"] += 1
        old = self.valid_slot(page)
        if self.admission == "clean" and flags["dirty"]:
            self.count["disk_writes"] += 1
            if old is not None:
                old["valid"] = False
            return
        if self.admission == "dirty" and not flags["dirty"]:
            return
        dirty = flags["dirty"]
        if self.sync == "write_through" and flags["fdirty"]:
            self.count["disk_writes"] += 1
            dirty = False
        if not flags["fdirty"] and old is not None:
            return
        if old is not None:
            old["valid"] = False
        if len(self.queue) < self.slots:
            self.append(page, dirty)
        elif self.scan_depth:
            self.group(page, dirty)
        else:
            front = self.queue.pop(0)
            if front["valid"] and front["dirty"]:
                self.write_disk(front)
            self.append(page, dirty)

    def group(self, page: str, dirty: bool) -> None:
        batch = self.queue[: self.scan_depth]
        del self.queue[: self.scan_depth]
        survivors = [slot for slot in batch if slot["valid"] and slot["ref"]]
        if len(survivors) == len(batch):
            forced = survivors.pop(0)
            self.count["forced_out"] += 1
            if forced["dirty"]:
                self.write_disk(forced)
        for slot in batch:
            if slot["valid"] and not slot["ref"] and slot["dirty"]:
                self.write_disk(slot)
        for slot in survivors:
            slot["ref"] = False
            self.queue.append(slot)
            self.count["requeued"] += 1
            self.count["flash_page_writes"] += 1
        self.append(page, dirty)
        for _ in range(self.slots - len(self.queue)):
            if not self.dram:
                break
            self.count["pulled"] += 1
            self.evict(next(iter(self.dram)))

    def run(self, trace: Trace) -> dict[str, Any]:
        for op, page in trace:
            if page in self.dram:
                self.count["dram_hits"] += 1
                flags = self.dram.pop(page)
            else:
                slot = self.valid_slot(page)
                flags = {"dirty": False, "fdirty": False}
                if slot is None:
                    self.count["disk_reads"] += 1
                else:
                    self.count["flash_hits"] += 1
                    slot["ref"] = True
                    flags["dirty"] = slot["dirty"]
                self.fetched = (page, flags)
                if len(self.dram) >= self.dram_pages:
                    self.evict(next(iter(self.dram)))
                self.fetched = None
            if op == "W":
                flags = {"dirty": True, "fdirty": True}
            self.dram[page] = flags
        left = self.count["dirty_evictions"]
        reduction = 1 - self.count["disk_writes"] / left if left else None
        old = sum(not slot["valid"] for slot in self.queue)
        return {
            **self.count,
            "slots_used": len(self.queue),
            "old_versions": old,
            "write_reduction": reduction,
        }


MVFIFO_FIELDS = [
    "dram_hits",
    "flash_hits",
    "disk_reads",
    "disk_writes",
    "flash_page_writes",
    "dirty_evictions",
    "clean_evictions",
    "slots_used",
    "old_versions",
    "write_reduction",
]
GSC_FIELDS = [*MVFIFO_FIELDS[:-1], "requeued", "forced_out", "pulled"]


# Fragment cache (SCE)


def sce_metadata(i: dict[str, Any]) -> dict[str, Any]:
    mapping = i["map_entry_bytes"] * Fraction(i["source_bytes"], i["fragment_bytes"])
    descriptor = i["descriptor_bytes"] * Fraction(i["cache_bytes"], i["fragment_bytes"])
    total = mapping + descriptor
    return {
        "mapping_bytes": mapping,
        "descriptor_bytes": descriptor,
        "total_bytes": total,
        "total_MiB": total / 2**20,
        "with_buffers_MiB": (total + i["buffer_bytes"]) / 2**20,
    }


def sce_blocks(i: dict[str, Any]) -> dict[str, Any]:
    blocks = i["cache_bytes"] // i["block_bytes"]
    size = blocks * i["bytes_per_block"]
    return {"blocks": blocks, "bytes": size, "MiB": Fraction(size, 2**20)}


def sce_threads(miss: float, free: float) -> int:
    groups = ((4, 0.35, 0.10), (3, 0.15, 0.0), (1, 0.0, 0.0))
    return sum(
        number
        for number, target, least in groups
        if miss >= target and (least == 0 or free > least)
    )


def sce_clock(i: dict[str, Any]) -> dict[str, Any]:
    frames: list[str] = []
    counters: list[int] = []
    hand = hits = decrements = 0
    evicted = []
    for page in i["accesses"].split():
        if page in frames:
            hits += 1
            place = frames.index(page)
            counters[place] = min(i["ceiling"], counters[place] + 1)
        elif len(frames) < i["frames"]:
            frames.append(page)
            counters.append(i["initial_count"])
        else:
            while counters[hand] > 0:
                counters[hand] -= 1
                decrements += 1
                hand = (hand + 1) % i["frames"]
            evicted.append(frames[hand])
            frames[hand] = page
            counters[hand] = i["initial_count"]
            hand = (hand + 1) % i["frames"]
    return {
        "hits": hits,
        "evicted": evicted,
        "frames": frames,
        "counters": counters,
        "decrements": decrements,
    }


def hottest(accesses: str, window: int) -> dict[str, Any]:
    seen = accesses.split()
    recent: list[str] = []
    for fragment in reversed(seen):
        if fragment not in recent and len(recent) < window:
            recent.append(fragment)
    top = max(seen.count(fragment) for fragment in recent)
    promote = next(fragment for fragment in recent if seen.count(fragment) == top)
    return {"promote": promote, "candidates_mru_first": recent}


# Zhou, Meng and Liang: transactions


def aat(transactions: dict[str, list[int]]) -> dict[str, Any]:
    found = {name: Fraction(sum(a), len(a)) for name, a in transactions.items()}
    return {
        "AAT": found,
        "eviction_order": sorted(found, key=lambda name: (found[name], name)),
    }


def leaving_order(transactions: dict[str, Any]) -> dict[str, Any]:
    def rank(name: str) -> tuple[Any, ...]:
        entry = transactions[name]
        if entry["commit"] is not None:
            return (0, entry["commit"], name)
        return (1, Fraction(sum(entry["access"]), len(entry["access"])), name)

    return {"order": sorted(transactions, key=rank)}


def log_write(i: dict[str, Any]) -> dict[str, Any]:
    pages = -(-i["dirty_pages"] * i["log_bytes_per_page"] // i["page_bytes"])
    data, log = 200 * i["dirty_pages"], 200 * pages
    return {
        "log_pages": pages,
        "data_write_us": data,
        "log_write_us": log,
        "write_saving_us": data - log,
        "break_even_extra_reads": Fraction(data - log, 25),
    }


# The vectors


CURVE = [[0, 0], [500, 0.31], [1500, 0.52], [3000, 0.66], [9000, 0.81], [20000, 0.88]]
STEEP = [[0, 0], [64, 0.25], [128, 0.7], [256, 0.85]]


def page_flow() -> None:
    add("kv.C0", {"m_r": 731, "D_R": 4.5, "D_W": 6.25, "p_d": 0.4}, {"C0": 731 * 7.0})
    inputs: dict[str, Any] = {"m_r": 250, "R_RAM": 0.5, "D_R": 3, "D_W": 9, "p_d": 1}
    add("kv.C0", inputs, {"C0": 250 * 12.5}, "KV-E2: R_RAM belongs to C0 too")
    refuse("kv.C0", {"m_r": -1, "D_R": 3, "D_W": 9, "p_d": 0.5}, "negative count")
    refuse("kv.C0", {"m_r": 1, "D_R": 3, "D_W": 9, "p_d": 1.5}, "no probability")
    times = {"F_R": 0.11, "F_W": 0.73, "D_R": 5.2, "D_W": 6.1}
    for h, m, p, ram, flash in (
        (12345, 6789, 0.37, 0, 0),
        (900, 100, 0.05, 0.02, 0.03),
        (1, 999_999, 0.99, 0, 0.5),
        (0, 0, 0.5, 1, 1),
    ):
        inputs = {"h_f": h, "m_f": m, "p_d": p, **times, "R_RAM": ram, "R_FLASH": flash}
        add("kv.costs", inputs, kv_costs(inputs))
        add("kv.C3_clean_only", inputs, kv_clean_only(inputs))
    inputs = {"h_f": 70, "m_f": 30, "p_d": 0.2, "p_dF": 0.6, **times}
    add("kv.costs", inputs, kv_costs(inputs), "KV-E10: p_dF for the victim of flash")
    inputs = {"h_f": 70, "m_f": 30, "p_d": -0.2, **times}
    refuse("kv.costs", inputs, "no probability")
    refuse("kv.costs", {**inputs, "p_d": 0.2, "D_R": -1}, "negative cost")
    inputs = {"h_f": 4321, "m_f": 1234, "p_d": 0.62, "L": 0.013, "U": 0.021}
    add("kv.directory_costs", inputs, kv_directory(inputs))
    inputs = {**inputs, "exclusive_hit_updates": 2}
    add("kv.directory_costs", inputs, kv_directory(inputs), "KV-E12: a swap is two")
    for curve, r, f, n in (
        (CURVE, 700, 5000, 400_000),
        (CURVE, 2000, 2500, 123_456),
        (CURVE, 4000, 1000, 1_000_000),
        (STEEP, 100, 90, 5000),
        (STEEP, 30, 1000, 777),
        ([[0, 0], [40, 0.8], [90, 1]], 100, 60, 1000),
    ):
        inputs = {"curve": curve, "r": r, "f": f, "N": n}
        add("kv.hits_from_curve", inputs, kv_counts(curve, r, f, n))
    falling = {"curve": [[0, 0], [10, 0.5], [20, 0.4]], "r": 5, "f": 9, "N": 100}
    refuse("kv.hits_from_curve", falling, "a hit ratio falls")
    above = {"curve": [[0, 0], [10, 1.2]], "r": 5, "f": 9, "N": 100}
    refuse("kv.hits_from_curve", above, "a hit ratio above 1")
    for r, f, p, look, update in (
        (700, 5000, 0.3, 0.01, 0.02),
        (700, 1400, 0.95, 0, 0),
        (1500, 6000, 0.1, 0.4, 0.6),
    ):
        inputs = {"curve": CURVE, "r": r, "f": f, "N": 50_000, "p_d": p, **times}
        inputs |= {"L": look, "U": update}
        add("kv.choose_scheme", inputs, kv_choice(inputs))
    h3, delta, p = 5000, 800, 0.15
    gain = delta * (p * 6.1 + 5.2 - 0.11) - h3 * (1 - p) * 0.73
    inputs = {"h3": h3, "Delta": delta, "p_d": p, **times}
    add("kv.exclusive_minus_lazy_advantage", inputs, {"advantage": gain})
    inputs = {"read_iops": 61_000, "write_iops": 730}
    add("kv.iops_to_ms", inputs, {"F_R": 1000 / 61_000, "F_W": 1000 / 730})
    refuse("kv.iops_to_ms", {"read_iops": 0, "write_iops": 9}, "no rate")
    for size, block, technique in (
        (100 * 10**9, 8192, "overwriting"),
        (100 * 10**9, 8192, "invalidating"),
        (2**33, 65536, "invalidating"),
        (2**33, 4096, "invalidating"),
        (3 * 2**30, 4096, "overwriting"),
    ):
        inputs = {"S_f": size, "B_f": block, "B_r": 4096, "technique": technique}
        add("kv.flash_directory_size", inputs, kv_directory_size(inputs))
    inputs = {"S_f": 2**30, "B_f": 6000, "B_r": 4096, "technique": "overwriting"}
    refuse("kv.flash_directory_size", inputs, "a block holds whole RAM pages")
    for page, small, large in ((1001, 2048, 16384), (64, 4096, 4096), (5, 8192, 65536)):
        place = page * small
        inputs = {"page": page, "B_r": small, "B_f": large}
        expected: dict[str, Any] = {
            "block": place // large,
            "offset_in_block": place % large,
            "index_in_block": place % large // small,
        }
        add("kv.block_map", inputs, expected)
    for ram, flash, block in (
        (3 * 10**9, 10**11, 8192),
        (2**20, 2**36, 4096),
        (10**9, 10**10, 4096),
    ):
        inputs = {
            "S_r": ram,
            "S_f": flash,
            "B_r": 4096,
            "B_f": block,
            "b_r": 40,
            "b_f": 22,
        }
        add("kv.directory_in_ram", inputs, kv_in_ram(inputs))
    inputs = {
        "S_r": 10**9,
        "S_f": 10**10,
        "B_r": 4096,
        "B_f": 8192,
        "b_r": 40,
        "b_f": 22,
    }
    add(
        "kv.directory_on_flash",
        {**inputs, "n": 10**6},
        kv_on_flash({**inputs, "n": 10**6}),
    )
    inputs = {"l": 3, "u": 1.5, "H_d": 0.65, "p_dd": 0.2, "F_R": 0.08, "F_W": 0.9}
    add("kv.directory_LU", inputs, kv_lookup(inputs))
    add("kv.directory_LU", {**inputs, "H_d": 1}, kv_lookup({**inputs, "H_d": 1}))
    add("kv.flash_saving", {"C_k": 31, "C0": 124}, {"saving": 0.75})
    add(
        "kv.flash_saving",
        {"C_k": 150, "C0": 120},
        {"saving": -0.25},
        "flash costs more",
    )
    inputs = {"cost": 4321.5, "references": 8643, "price": 129.9}
    add(
        "kv.price_performance",
        inputs,
        {"ms_per_reference": 0.5, "price_times_ms": 64.95},
    )
    for seed, r, f, share in ((11, 4, 9, 0.3), (12, 2, 20, 0.7), (13, 6, 7, 0.5)):
        text = random_trace(seed, 150, 24, share)
        found = {
            scheme: kv_replay(tokens(text), r, f, scheme)
            for scheme in ("exclusive", "inclusive_global", "lazy")
        }
        add("kv.simulate", {"trace": text, "r": r, "f": f}, found)


def pool_split() -> None:
    text = random_trace(21, 120, 18, 0.4)
    hits, first = mattson(tokens(text))
    rates = {
        size: 1 - sum(n for d, n in hits.items() if d <= size) / 120
        for size in (1, 2, 6, 10)
    }
    expected: dict[str, Any] = {"hit": hits, "infinite": first, "miss_rate_at": rates}
    add("fd.mattson", {"trace": text}, expected)
    inputs: dict[str, Any] = {
        "P_total": 0.31,
        "E_dirty": 0.45,
        "C_read": 90,
        "C_write": 711,
    }
    add(
        "fd.eq2_eq3",
        inputs,
        {
            "cost": 0.31 * 90 + 0.31 * 0.45 * 711,
            "R": 7.9,
            "normalized": 0.31 * (1 + 0.45 * 7.9),
        },
    )
    for p_c, p_d, p_dw, r, w in (
        (0.93, 0.41, 0.77, 5.8, 0.33),
        (1, 0.2, 0, 121.3, 0.05),
    ):
        inputs = {"P_c": p_c, "P_d": p_d, "P_dw": p_dw, "R": r, "w": w}
        add("fd.cost_variants", inputs, fd_variants(inputs))
    refuse("fd.cost_variants", {**inputs, "R": 0}, "no asymmetry")
    refuse("fd.cost_variants", {**inputs, "P_c": 1.1}, "no probability")
    rows = [
        {"M_c": k, "P_c": 1 - 0.07 * k, "P_d": 0.35 + 0.05 * k, "P_dw": 0.1 * k * k / 4}
        for k in range(1, 7)
    ]
    for r, w in ((1.5, 0.8), (40, 0.2), (4, 0.05)):
        inputs = {"rows": plain(rows), "R": r, "w": w}
        add("fd.argmin", inputs, fd_argmin(inputs))
    text, m, m_c = "WA RB RC WA RD RB WE RA RB WC RD RA", 3, 1
    start = ("X", "Y", "Z")
    best = belady(tokens(text), m, start)
    own = fd_replay(tokens(text), m, m_c, start)
    own_row = {
        "reads": own["reads"],
        "writes": own["writes"],
        "hits": own["hits"],
        "misses": own["reads"],
    }
    saved = best["writes"] - own["writes"]
    even = (own["reads"] - best["reads"]) / saved if saved else None
    add(
        "fd.table2",
        {"trace": text, "M": m, "M_c": m_c, "initial_clean": list(start)},
        {"belady": best, "fd_buffer": own_row, "break_even_R": even},
    )
    for r in (1.5, 5.8, 121.3):
        ideal, split = (6 + 2 * r) / 9, (8 + r) / 9
        winner = "belady" if ideal < split else "fd_buffer"
        expected = {"belady": ideal, "fd_buffer": split, "winner": winner}
        add("fd.table2_costs", {"R": r}, expected)
    inputs = {"reads_a": 100, "writes_a": 60, "reads_b": 137, "writes_b": 40}
    add("fd.break_even_R", inputs, {"R": 1.85})
    add("fd.break_even_R", {**inputs, "writes_b": 60}, {"R": None}, "equal writes")
    for seed, m, share in ((31, 4, 0.25), (32, 7, 0.6), (33, 6, 0.0)):
        text = random_trace(seed, 140, 20, share)
        found = {m_c: fd_replay(tokens(text), m, m_c) for m_c in range(1, m)}
        add("fd.simulate", {"trace": text, "M": m}, found, "cold, one result per M_c")
        add("fd.two_stack", {"trace": text, "M": m}, two_stack(tokens(text), m))
        found = two_stack_effective(tokens(text), m)
        add("fd.two_stack_effective", {"trace": text, "M": m}, found)
    for seed, m, share, wrr in ((41, 8, 0.5, 0.25), (42, 5, 0.3, 0.7), (43, 6, 0.4, 1)):
        text = random_trace(seed, 130, 22, share)
        trace = tokens(text)
        expected = {
            "lru": clean_first(trace, m, m),
            "cflru": clean_first(trace, m, math.floor(m * wrr)),
            "belady_misses": belady(trace, m)["misses"],
        }
        add("fd.baselines", {"trace": text, "M": m, "WRR": wrr}, expected)
    add("fd.window_io_time", {"Comp": 0.042, "g": 0.05}, {"io_time": 0.84})
    refuse("fd.window_io_time", {"Comp": 1, "g": 0}, "no overhead ratio")
    for w0, r0, i in ((0.3, 10, 7), (0.6, 8, 90), (0.2, 40, 12)):
        odd = i % 2 == 1
        expected = {
            "WM1": min(1.0, w0 * (1 + 0.01 * i)),
            "WM2": 0.95 * w0 if odd else w0,
            "RM1": r0 * (1 + 0.1 * i),
            "RM2": 0.95 * r0 if odd else r0,
        }
        add("fd.dynamics", {"w0": w0, "R0": r0, "i": i}, expected)
    for alpha, n, rank in ((0.8, 500, 3), (2.0, 40, 40), (1.0, 10, 1)):
        p = rank**-alpha / math.fsum(k**-alpha for k in range(1, n + 1))
        add("fd.zipf_pmf", {"alpha": alpha, "n": n, "rank": rank}, {"p": p})
    refuse("fd.zipf_pmf", {"alpha": -0.5, "n": 10, "rank": 1}, "falls the wrong way")
    for position, size in ((200, 64), (64, 64), (17, 16)):
        group = (position - 1) // size
        expected = {
            "group": group,
            "printed_distance": group * size,
            "conservative_distance": (group + 1) * size,
        }
        add("fd.group_distance", {"position": position, "group_size": size}, expected)
    inputs = {"measured": 0.8, "estimated": 0.62}
    add("fd.estimation_error", inputs, {"error_pct": 22.5})


def flash_cache() -> None:
    for disk, flash, deltas in ((230, 8_400, [0.1, 0.25, 2, 9]), (5_166, 6_094, [1])):
        inputs: dict[str, Any] = {
            "disk_iops": disk,
            "flash_iops": flash,
            "delta": deltas,
        }
        add("face.theta", inputs, theta(1 / disk, 1 / flash, deltas))
    refuse("face.theta", {"disk_iops": 500, "flash_iops": 400, "delta": [1]}, "slower")
    refuse("face.theta", {"disk_iops": 0, "flash_iops": 400, "delta": [1]}, "no rate")
    refuse(
        "face.theta", {"disk_iops": 5, "flash_iops": 400, "delta": [-1]}, "delta < 0"
    )
    for x, delta in ((0.4, 0.5), (0, 3), (1, 2)):
        inputs = {
            "read_fraction": x,
            "disk_read_iops": 180,
            "disk_write_iops": 150,
            "flash_read_iops": 9_000,
            "flash_write_iops": 1_100,
            "delta": delta,
        }
        add("face.theta_mixed", inputs, theta_mixed(inputs))
    refuse("face.theta_mixed", {**inputs, "read_fraction": 1.01}, "no share")
    for base, delta, disk, flash in (
        (500, 1.5, 0.008, 0.0004),
        (1500, 0.25, 0.005, 0.001),
        (3000, 5, 0.005, 0.001),
        (25_000, 1, 0.005, 0.001),
    ):
        inputs = {
            "curve": CURVE,
            "B": base,
            "delta": delta,
            "C_disk": disk,
            "C_flash": flash,
        }
        add("face.theta_curve", inputs, theta_curve(inputs))
    for dram, flash in ((64, 640), (512, 600)):
        inputs = {"base": 128, "added_dram": dram, "added_flash": flash}
        inputs |= {"C_disk": 0.006, "C_flash": 0.0021}
        add("face.roi_log", inputs, roi_log(inputs))
    inputs = {
        "C_flash_write": 0.07,
        "dirty_displacement": 0.35,
        "C_disk_write": 6.2,
        "C_disk_read": 5.1,
        "C_flash_read": 0.1,
    }
    add(
        "face.clean_admission_threshold", inputs, {"threshold": (0.07 + 0.35 * 6.2) / 5}
    )
    add("face.waf", {"physical_bytes": 77_000, "logical_bytes": 28_000}, {"WAF": 2.75})
    inputs = {
        "nand_bytes": 1.2e12,
        "pe_cycles": 3000,
        "WAF": 2.4,
        "host_bytes_per_s": 3.3e7,
    }
    add("face.lifetime", inputs, lifetime(inputs))
    refuse("face.lifetime", {**inputs, "WAF": 0}, "no amplification")
    inputs = {"WAF_a": 1.08, "writes_a": 1.4, "WAF_b": 2.47, "writes_b": 0.9}
    add("face.lifetime_ratio", inputs, {"ratio_a_over_b": 2.47 * 0.9 / (1.08 * 1.4)})
    inputs = {"W_disk": 731, "D_flash": 2000}
    add("face.write_reduction", inputs, {"write_reduction": 0.6345})
    add("face.write_reduction", {"W_disk": 0, "D_flash": 0}, {"write_reduction": None})
    inputs = {"capacity_GB": 12.5, "old_pct": 18.4}
    add("face.effective_capacity", inputs, {"effective_GB": 10.2})
    for size, page, entries, scan in (
        (37 * 10**9, 8192, 64_000, 2),
        (2**34, 4096, 10_000, 3),
        (10**8, 4096, 64_000, 2),
    ):
        inputs = {
            "flash_bytes": size,
            "page_bytes": page,
            "entries_per_segment": entries,
            "entry_bytes": 24,
            "scan_segments": scan,
            "seq_read_bytes_per_s": 5.5e8,
        }
        add("face.recovery", inputs, recovery(inputs))
    inputs = {"entries_per_segment": 10_000, "enqueue_rate": 640}
    add("face.metadata_flush_interval", inputs, {"seconds": 15.625})
    add("face.restart_speedup", {"other": 201, "face": 50}, {"speedup": 4.02})
    for k in (2, 9):
        inputs = {"k": k, "C_disk_write": 0.0071, "C_flash_write": 0.0009}
        add("face.writeback_chain", inputs, chain(inputs))
    for disks, cap in ((3, 900), (40, 900), (40, 1e6)):
        inputs = {
            "disk_reads": 1.5,
            "disk_writes": 0.75,
            "flash_reads": 12,
            "flash_writes": 5,
            "disk_read_iops": 160,
            "disk_write_iops": 140,
            "flash_read_iops": 48_000,
            "flash_write_iops": 9_500,
            "n_disks": disks,
            "cpu_cap": cap,
        }
        add("face.bottleneck", inputs, bottleneck(inputs))
    inputs = {"seq_bytes_per_s": 2.2e9, "random_iops": 41_000, "page_bytes": 8192}
    rate = 2.2e9 / 8192
    expected: dict[str, Any] = {"ratio": rate / 41_000, "seq_pages_per_s": rate}
    add("face.seq_to_random_write_ratio", inputs, expected)


def flash_cache_replays() -> None:
    inputs: dict[str, Any]
    for seed, dram, slots, share in ((51, 3, 11, 0.35), (52, 5, 6, 0.65)):
        text = random_trace(seed, 160, 26, share)
        for admission, sync, clear in (
            ("mixed", "write_back", False),
            ("dirty", "write_back", False),
            ("clean", "write_back", False),
            ("mixed", "write_through", False),
            ("mixed", "write_back", True),
        ):
            cache = FlashCache(dram, slots, admission, sync, clear=clear)
            found = cache.run(tokens(text))
            inputs = {"trace": text, "dram_pages": dram, "flash_slots": slots}
            inputs |= {"admission": admission, "sync": sync}
            if clear:
                inputs["clear_dram_dirty_on_stage_out"] = True
            chosen = {name: found[name] for name in MVFIFO_FIELDS}
            add("face.simulate_mvfifo", inputs, chosen)
    for seed, dram, slots, scan, share in (
        (61, 5, 12, 5, 0.3),
        (62, 8, 10, 2, 0.5),
        (63, 3, 9, 9, 0.6),
        (64, 2, 6, 1, 0.4),
    ):
        text = random_trace(seed, 200, 28, share)
        found = FlashCache(dram, slots, scan_depth=scan).run(tokens(text))
        inputs = {"trace": text, "dram_pages": dram, "flash_slots": slots}
        chosen = {name: found[name] for name in GSC_FIELDS}
        add("face.simulate_gsc", {**inputs, "scan_depth": scan}, chosen)


def fragment_cache() -> None:
    sizes = {
        "source_bytes": 7 * 2**40,
        "cache_bytes": 3 * 2**38,
        "fragment_bytes": 2**19,
        "map_entry_bytes": 8,
        "descriptor_bytes": 56,
        "buffer_bytes": 5 * 2**20,
    }
    add("sce.metadata", sizes, sce_metadata(sizes))
    refuse("sce.metadata", {**sizes, "fragment_bytes": 5000}, "no whole 4 KiB pages")
    blocks = {"cache_bytes": 3 * 2**38, "block_bytes": 8192, "bytes_per_block": 40}
    add("sce.block_metadata", blocks, sce_blocks(blocks))
    for fragment in (2**17, 2**23):
        pages = fragment // 4096
        expected: dict[str, Any] = {
            "pages": pages,
            "bitmap_bytes": pages // 8,
            "descriptor_bytes": 40 + pages // 8,
        }
        add("sce.fragment_descriptor", {"fragment_bytes": fragment}, expected)
    inputs: dict[str, Any] = {"cache_bytes": 300 * 2**30, "unit_bytes": 2**17}
    add("sce.warmup_units", inputs, {"units": 300 * 2**13})
    for threads, period in ((4, 0.2), (1, 0.5)):
        inputs = {"fill_bytes": 75 * 2**30, "threads": threads, "period_s": period}
        inputs["fragment_bytes"] = 2**21
        rate = threads * 2**21 / period
        seconds = 75 * 2**30 / rate
        expected = {"bytes_per_s": rate, "seconds": seconds, "hours": seconds / 3600}
        add("sce.population_rate", inputs, expected)
    for miss, free in (
        (0.4, 0.2),
        (0.35, 0.1),
        (0.15, 0),
        (0.2, 1),
        (0.05, 0.9),
        (1, 0),
    ):
        inputs = {"read_miss_rate": miss, "free_fraction": free}
        add("sce.threads", inputs, {"threads": sce_threads(miss, free)})
    refuse("sce.threads", {"read_miss_rate": 1.2, "free_fraction": 0}, "no share")
    for seed, frames, ceiling, first in ((71, 5, 4, 1), (72, 3, 2, 0), (73, 4, 3, 3)):
        draw = random.Random(seed)
        names = [
            min(draw.choice("ABCDEFGHIJ"), draw.choice("ABCDEFGHIJ")) for _ in range(60)
        ]
        inputs = {"frames": frames, "ceiling": ceiling, "initial_count": first}
        inputs["accesses"] = " ".join(names)
        add("sce.clock", inputs, sce_clock(inputs))
    refuse("sce.clock", {**inputs, "ceiling": 0}, "no ceiling")
    for text, window in (("P Q R Q S P T U T V R", 4), ("x y x z z y", 2)):
        inputs = {"accesses": text, "window": window}
        add("sce.hottest_of_mru", inputs, hottest(text, window))
    ratio = 87.9 / 17.3
    expected = {"ratio": ratio, "gain_pct": 100 * (ratio - 1)}
    add("sce.speedup", {"base": 17.3, "x": 87.9}, expected)
    block_bytes = sce_blocks({**blocks, "cache_bytes": sizes["cache_bytes"]})["bytes"]
    own = sce_metadata(sizes)["total_bytes"] + sizes["buffer_bytes"]
    inputs = {**sizes, "block_bytes": 8192, "bytes_per_block": 40}
    add("sce.memory_ratio", inputs, {"ratio": block_bytes / own})


def transactions() -> None:
    stamps = {"T1": [9, 1, 4], "T2": [7], "T3": [3, 3, 8, 5], "T4": [5, 4]}
    add("zhou.aat", {"transactions": stamps}, aat(stamps))
    refuse("zhou.aat", {"transactions": {"T1": [3], "T2": []}}, "no resident page")
    running: dict[str, Any] = {
        "T1": {"commit": 12, "access": [1, 2]},
        "T2": {"commit": None, "access": [9, 10]},
        "T3": {"commit": 4, "access": [11]},
        "T4": {"commit": None, "access": [2, 16]},
        "T5": {"commit": 12, "access": [3]},
    }
    add("zhou.eviction_order", {"transactions": running}, leaving_order(running))
    inputs: dict[str, Any] = {"reads": 4321, "writes": 987, "erases": 65}
    add("zhou.io_time_us", inputs, {"us": 25 * 4321 + 200 * 987 + 1500 * 65})
    refuse("zhou.io_time_us", {**inputs, "reads": -1}, "negative count")
    for dirty, size, page in ((40, 333, 4096), (7, 512, 2048), (9, 2048, 2048)):
        inputs = {"dirty_pages": dirty, "log_bytes_per_page": size, "page_bytes": page}
        add("zhou.log_write", inputs, log_write(inputs))
    add("zhou.log_read_cost", {"pages": 23, "k": 2}, {"us": 23 * 3 * 25})
    inputs = {"read_slowdown": 0.4, "write_saving": 0.6, "total_saving": 0.25}
    add("zhou.implied_read_share", inputs, {"read_share": 0.35})
    inputs = {
        "blocks": 3000,
        "pages_per_block": 128,
        "page_bytes": 4096,
        "ram_bytes": 5 * 2**24,
        "pages_per_txn": 24,
    }
    frames = 5 * 2**24 // 4096
    expected: dict[str, Any] = {
        "flash_bytes": 3000 * 128 * 4096,
        "ram_pages": frames,
        "ram_blocks": frames // 128,
        "resident_txns": frames // 24,
    }
    add("zhou.capacities", inputs, expected)
    inputs = {"disk_ms": 6, "read_us": 40, "write_us": 500, "erase_us": 3000}
    inputs["pages_per_block"] = 256
    expected = {
        "read_speedup": 150,
        "write_speedup": 12,
        "write_over_read": 12.5,
        "erase_us_per_page": Fraction(3000, 256),
    }
    add("zhou.ratios", inputs, expected)


# Economics of today: restated from the text, by sums, bisection and search.


def halved(fits: Any, low: float, high: float) -> float:
    """Root of a falling test: `fits` holds below it."""
    for _ in range(300):
        middle = (low + high) / 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return (low + high) / 2


def drive_rates(i: dict[str, Any], *, times: bool) -> dict[str, Any]:
    """Count the operations behind each write of the host, and the time of each."""
    g, w = Fraction(i["read_to_write"]), Fraction(i["write_amplification"])
    reads, writes = g + w - 1, w
    block = Fraction(i["block_bytes"])
    page = Fraction(i["nand_page_bytes"])
    move = block / Fraction(i["channel_bytes_per_s"])
    command = Fraction(i["command_s"])
    die_times = (
        Fraction(i["sense_s"]) / i["planes"],
        Fraction(i["program_s"]) * block / page / i["planes"],
    )
    channel_times = (command + move, command * block / page + move)

    def rate(pair: tuple[Fraction, Fraction]) -> Fraction:
        if times:
            return (reads + writes) / (reads * pair[0] + writes * pair[1])
        return (reads / pair[0] + writes / pair[1]) / (reads + writes)

    die, channel = rate(die_times), rate(channel_times)
    whole = i["channels"] * (g + 1) / (reads + writes)
    limits = {"dies": whole * i["dies_per_channel"] * die, "channel": whole * channel}
    device = min(limits.values())
    if "ftl_entry_bytes" in i:
        limits["translation"] = Fraction(i["dram_bytes_per_s"]) / i["ftl_entry_bytes"]
    if "link_bytes_per_s" in i:
        limits["link_bandwidth"] = Fraction(i["link_bytes_per_s"]) / block
    if "packets_per_request" in i:
        packets = Fraction(i["link_packets_per_s"])
        limits["link_packets"] = packets / i["packets_per_request"]
    bound = min(limits, key=lambda name: limits[name])
    found = {
        "die_iops": die,
        "channel_iops": channel,
        "peak_iops": limits[bound],
        "bound": bound,
    }
    if times:
        return found
    shares = {"read_share": reads / (reads + writes)}
    return {
        **shares,
        "write_share": 1 - shares["read_share"],
        "device_iops": device,
        **found,
    }


def host_terms(i: dict[str, Any]) -> dict[str, Any]:
    """Cost of one access over the rent of the block a second, term by term."""
    rent = Fraction(i["block_bytes"]) * Fraction(i["dram_cost"]) / i["dram_bytes"]
    host = Fraction(i["core_cost"]) / Fraction(i["core_iops"]) / rent
    drive = Fraction(i["ssd_cost"]) / Fraction(i["ssd_iops"]) / rent
    moved = Fraction(0)
    if "dram_bytes_per_s" in i:
        share = Fraction(i["block_bytes"]) / Fraction(i["dram_bytes_per_s"])
        moved = share * Fraction(i["dram_cost"]) / rent
    total = host + moved + drive
    return {"host_s": host, "bandwidth_s": moved, "ssd_s": drive, "interval_s": total}


def read_times(i: dict[str, Any]) -> dict[str, Any]:
    service, load = i["channels"] / i["peak_iops"], i["utilisation"]
    wait = service * load / 2 / (1 - load)
    tail = i["sense_s"] + wait * math.log(1 / (1 - i["percentile"]))
    return {"mean_s": i["sense_s"] + wait, "tail_s": tail}


def most_load(i: dict[str, Any]) -> dict[str, Any]:
    """Search for the load at which a limit is met."""
    limits = {
        "mean_s": i.get("mean_limit_s", math.inf),
        "tail_s": i.get("tail_limit_s", math.inf),
    }
    if min(limits.values()) <= i["sense_s"]:
        return {"rho_max": 0, "feasible": False}

    def keeps(load: float) -> bool:
        found = read_times({"percentile": 0.5, **i, "utilisation": load})
        return all(found[name] <= limit for name, limit in limits.items())

    return {"rho_max": halved(keeps, 0.0, 1.0 - 2**-52), "feasible": True}


def waiting(i: dict[str, Any]) -> dict[str, Any]:
    load, service = i["utilisation"], i["service_s"]
    upper = 1.0
    while load * (math.exp(upper) - 1) < upper:
        upper *= 2
    theta = halved(lambda t: load * (math.exp(t) - 1) < t, 1e-3, upper)
    constant = (1 - load) / (load * math.exp(theta) - 1)
    left = 1 - i["percentile"]
    return {
        "decay": theta,
        "constant": constant,
        "wait_s": service * max(0.0, math.log(constant / left) / theta),
        "heavy_traffic_s": service * load / 2 / (1 - load) * math.log(1 / left),
    }


def thresholds(i: dict[str, Any]) -> dict[str, Any]:
    """Try every threshold: none cached, then up to each block."""
    size = i["block_bytes"]
    each = [Fraction(tau) for tau in sorted(i["intervals_s"])]

    def uncached(t: Fraction) -> Fraction:
        return sum((size / tau for tau in each if tau > t), Fraction(0))

    load = uncached(Fraction(0))
    tries = [Fraction(0), *each]
    fits_dram = [t for t in tries if load + uncached(t) <= i["dram_bytes_per_s"]]
    fits_ssd = [t for t in tries if uncached(t) < i["ssd_bytes_per_s"]]
    least_b = min(fits_dram) if fits_dram else None
    least_s = min(fits_ssd) if fits_ssd else None
    room = int(i["dram_bytes"] // size)
    last = each[min(room, len(each)) - 1] if room else Fraction(0)
    no_b = least_b is None or least_b > last
    no_s = least_s is None or least_s > last
    names = {(0, 0): "none", (1, 0): "dram_bandwidth", (0, 1): "storage"}
    found = {
        "T_B": least_b,
        "T_S": least_s,
        "T_C": last,
        "viable": not no_b and not no_s,
        "limit": names.get((no_b, no_s), "both"),
    }
    if "break_even_s" in i:
        inside = not no_b and not no_s
        if inside and least_b is not None and least_s is not None:
            inside = max(least_b, least_s) <= i["break_even_s"] <= last
        found["optimal"] = inside
    return found


def normal_below(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def lognormal(i: dict[str, Any]) -> dict[str, Any]:
    """Sum over slices of the distribution in place of the closed form."""
    n, size, mu, sigma = i["blocks"], i["block_bytes"], i["mu"], i["sigma"]
    z = (math.log(i["threshold_s"]) - mu) / sigma

    def traffic(low: float, high: float) -> float:
        steps = 4000
        wide = (high - low) / steps
        found = []
        for at in range(steps + 1):
            x = low + at * wide
            weight = 1 if at in (0, steps) else 4 if at % 2 else 2
            density = math.exp(-x * x / 2 - mu - sigma * x)
            found.append(weight * density)
        slices = math.fsum(found) * wide / 3 / math.sqrt(2 * math.pi)
        return n * size * slices

    cached, rest = traffic(-14 - sigma, z), traffic(z, 14 - sigma)
    return {
        "cached_blocks": n * normal_below(z),
        "total_bytes_per_s": cached + rest,
        "cached_bytes_per_s": cached,
        "uncached_bytes_per_s": rest,
        "dram_bytes_per_s": cached + 2 * rest,
    }


def curve_bought(i: dict[str, Any]) -> dict[str, Any]:
    """Corners by looking for the steepest way on; the size by least cost over all sizes."""
    points = list(zip(i["pages"], i["misses"], strict=True))
    at, hull = 0, [points[0]]
    while at < len(points) - 1:
        x0, y0 = points[at]
        slopes = {
            k: Fraction(y - y0, x - x0) for k, (x, y) in enumerate(points) if k > at
        }
        best = min(slopes.values())
        at = max(k for k, slope in slopes.items() if slope == best)
        hull.append(points[at])
    intervals = [
        Fraction(i["duration_s"]) * (x1 - x0) / (y0 - y1) if y1 < y0 else None
        for (x0, y0), (x1, y1) in pairwise(hull)
    ]
    rent = Fraction(i["duration_s"]) / Fraction(i["break_even_s"])
    bought = min(points, key=lambda point: (point[0] * rent + point[1], -point[0]))[0]
    corners = [size for size, _ in hull]
    return {"hull_pages": corners, "interval_s": intervals, "pages": bought}


def fifo_waf(spare: float) -> tuple[float, float]:
    alpha = 1 + spare
    low, high = 1e-12, 1 / alpha
    survivors = halved(lambda d: alpha * (1 - d) < -math.log(d), low, high)
    return survivors, 1 / (1 - survivors)


def greedy_waf(spare: float, b: int) -> tuple[float, float]:
    """Walk the levels with exact harmonic numbers until the rest fits."""
    want = Fraction(1) + Fraction(spare).limit_denominator(10**6)
    for j in range(1, b):
        above = sum((Fraction(1, k) for k in range(j + 1, b + 1)), Fraction(0))
        rate = (want / b - Fraction(1, j)) / (above - Fraction(b - j, j))
        rest = 1 - rate * (b - j)
        if 0 <= rest <= rate:
            waf = b * rate
            return float(waf), float(b * (1 - 1 / waf))
    raise ValueError(spare)


def choices_waf(spare: float, b: int, d: int) -> float:
    """Bisect every level, and the rate at which the mean is that of the space in use."""
    used = b / (1 + spare)

    def levels(c: float) -> list[float]:
        tail, found = 0.0, [0.0] * (b + 1)
        for i in range(b, 0, -1):

            def small(p: float, i: int = i, tail: float = tail) -> bool:
                return c * i * p < 1 - (tail + p) ** d

            found[i] = halved(small, 0.0, 1 - tail)
            tail += found[i]
        return found

    def full(c: float) -> bool:
        return math.fsum(i * p for i, p in enumerate(levels(c))) > used

    c = halved(full, spare / 2, 2 * (1 + spare))
    shares = levels(c)
    tails = [math.fsum(shares[i:]) for i in range(b + 1)] + [0.0]
    victim = math.fsum(i * (tails[i] ** d - tails[i + 1] ** d) for i in range(1, b + 1))
    return b / (b - victim)


MONTH_S = 730 * 3600


def drives_of_today() -> None:
    slc = {
        "read_to_write": 4,
        "write_amplification": 2,
        "sense_s": 4e-6,
        "program_s": 8e-5,
        "nand_page_bytes": 8192,
        "planes": 5,
        "channels": 18,
        "dies_per_channel": 6,
        "command_s": 2e-7,
        "channel_bytes_per_s": 3_000_000_000,
        "block_bytes": 1024,
    }
    tlc = {**slc, "sense_s": 5e-5, "program_s": 8e-4, "read_to_write": 1}
    add("mod.ssd_peak_iops", slc, drive_rates(slc, times=False))
    add("mod.ssd_peak_iops", tlc, drive_rates(tlc, times=False))
    for more in (
        {"dram_bytes_per_s": 40_000_000, "ftl_entry_bytes": 8},
        {"link_bytes_per_s": 2_000_000_000},
        {"link_packets_per_s": 3_000_000, "packets_per_request": 4},
    ):
        inputs = {**slc, **more}
        add("mod.ssd_peak_iops", inputs, drive_rates(inputs, times=False))
    refuse("mod.ssd_peak_iops", {**slc, "write_amplification": 0.5}, "below 1")
    refuse("mod.ssd_peak_iops", {**slc, "ftl_entry_bytes": 8}, "half of a pair")
    for inputs in (slc, tlc):
        add("mod.ssd_peak_iops_times", inputs, drive_rates(inputs, times=True))
    refuse("mod.ssd_peak_iops_times", {**slc, "planes": 0}, "no plane")
    inputs = {
        "controller": 12,
        "die": 1.5,
        "dies": 64,
        "die_bytes": 64_000_000_000,
        "dram_die": 2,
        "dram_die_bytes": 2_000_000_000,
        "ftl_entry_bytes": 5,
        "sector_bytes": 4096,
    }
    expected: dict[str, Any] = {
        "ftl_bytes": 64 * 64_000_000_000 * 5 // 4096,
        "dram_dies": 3,
        "cost": 12 + 96 + 6,
    }
    add("mod.ssd_cost", inputs, expected)
    refuse("mod.ssd_cost", {**inputs, "dies": 0}, "no die")
    inputs = {
        "core_cost": 30,
        "core_iops": 500_000,
        "block_bytes": 4096,
        "dram_cost": 200,
        "dram_bytes": 2**35,
        "dram_bytes_per_s": 2**34,
        "ssd_cost": 900,
        "ssd_iops": 1_200_000,
    }
    add("mod.break_even_host", inputs, host_terms(inputs))
    without = {name: v for name, v in inputs.items() if name != "dram_bytes_per_s"}
    add("mod.break_even_host", without, host_terms(without), "no bandwidth term")
    refuse("mod.break_even_host", {**inputs, "dram_cost": 0}, "DRAM for nothing")
    queue = {"channels": 16, "peak_iops": 4_000_000, "sense_s": 3e-5}
    for load in (0.25, 0.75):
        inputs = {**queue, "utilisation": load, "percentile": 0.999}
        add("mod.read_latency", inputs, read_times(inputs))
    refuse("mod.read_latency", {**inputs, "percentile": 1}, "no such percentile")
    for limits in (
        {"mean_limit_s": 4e-5},
        {"tail_limit_s": 6e-5, "percentile": 0.95},
        {"mean_limit_s": 3.1e-5, "tail_limit_s": 9e-5, "percentile": 0.99},
        {"mean_limit_s": 3e-5},
    ):
        inputs = {**queue, **limits}
        add("mod.max_utilisation", inputs, most_load(inputs))
    refuse("mod.max_utilisation", {**queue, "tail_limit_s": 1e-4}, "no percentile")
    for load, share in ((0.4, 0.999), (0.85, 0.99), (0.2, 0.5)):
        inputs = {"service_s": 2e-5, "utilisation": load, "percentile": share}
        add("mod.md1_tail", inputs, waiting(inputs))
    inputs = {"rho_max": 0.5, "peak_iops": 3e6, "host_iops": 8e6, "ssds": 4}
    add("mod.usable_iops", inputs, {"iops": 1_500_000, "bound": "device"})
    inputs = {**inputs, "ssds": 8}
    add("mod.usable_iops", inputs, {"iops": 1_000_000, "bound": "host"})
    refuse("mod.usable_iops", {**inputs, "rho_max": 1.5}, "more than the peak")


def platforms_of_today() -> None:
    times = [0.25, 0.25, 0.5, 3, 3, 16]
    for dram, bandwidth, storage, tau in (
        (4000, 20_000, 2000, 3),
        (2000, 20_000, 500, 3),
        (1000, 14_000, 20_000, 0.5),
        (1000, 11_000, 100, 1),
        (6000, 9000, 2000, 2),
        (3000, 90_000, 90_000, 0.5),
    ):
        inputs = {
            "block_bytes": 1000,
            "intervals_s": times,
            "dram_bytes": dram,
            "dram_bytes_per_s": bandwidth,
            "ssd_bytes_per_s": storage,
            "break_even_s": tau,
        }
        add("mod.platform_thresholds", inputs, thresholds(inputs))
    refuse("mod.platform_thresholds", {**inputs, "intervals_s": [1, 0]}, "interval 0")
    for mu, sigma, at in ((2.0, 0.8, 4), (-1.0, 1.5, 0.1)):
        inputs = {
            "blocks": 50_000_000,
            "block_bytes": 8192,
            "mu": mu,
            "sigma": sigma,
            "threshold_s": at,
        }
        add("mod.lognormal_intervals", inputs, lognormal(inputs))
    refuse("mod.lognormal_intervals", {**inputs, "sigma": 0}, "no spread")
    sizes, counts = [0, 10, 30, 60, 100, 200], [9000, 8000, 3000, 2900, 900, 900]
    for tau in (1, 7, 9, 30):
        inputs = {
            "pages": sizes,
            "misses": counts,
            "duration_s": 400,
            "break_even_s": tau,
        }
        add("mod.curve_break_even", inputs, curve_bought(inputs))
    refuse("mod.curve_break_even", {**inputs, "pages": sizes[::-1]}, "falling sizes")


def stores_of_today() -> None:
    inputs: dict[str, Any] = {
        "main_speed": 20,
        "expansion_speed": 5,
        "main_to_expansion": 4,
        "server_cost_ratio": 1.05,
    }
    ratio = Fraction(19, 20) / (Fraction(19, 20) + Fraction(4, 5) / 4)
    saving = 1 - Fraction(105, 100) * ratio
    add("mod.memory_expansion", inputs, {"servers_ratio": ratio, "saving": saving})
    refuse("mod.memory_expansion", {**inputs, "main_speed": 1}, "as slow as flash")
    inputs = {
        "page_bytes": 2**20,
        "near_usd_per_gib_month": 3,
        "far_usd_per_gib_month": 1,
        "stall_s": 2e-7,
        "core_usd_per_hour": 0.05,
    }
    rent = Fraction(2, 1024 * MONTH_S)
    stall = Fraction(2, 10**7) * Fraction(5, 100) / 3600
    add("mod.near_memory_rate", inputs, {"accesses_per_s": rent / stall})
    refuse(
        "mod.near_memory_rate",
        {**inputs, "near_usd_per_gib_month": 0.5},
        "near cheaper",
    )
    inputs = {
        "object_bytes": 2**18,
        "request_usd": 4e-7,
        "byte_usd": 1e-12,
        "cache_usd_per_gib_month": 3,
    }
    fetch = Fraction(4, 10**7) + Fraction(2**18, 10**12)
    rent = Fraction(3, 4096 * MONTH_S)
    expected: dict[str, Any] = {
        "fetch_usd": fetch,
        "rent_usd_per_s": rent,
        "interval_s": fetch / rent,
    }
    add("mod.cloud_break_even", inputs, expected)
    refuse("mod.cloud_break_even", {**inputs, "object_bytes": 0}, "no object")
    inputs = {
        "cache_usd_per_hour": 0.36,
        "hit_ratio": 0.5,
        "request_usd": 4e-7,
        "object_bytes": 1_000_000,
        "byte_usd": 6e-13,
    }
    add("mod.cloud_cache_rate", inputs, {"requests_per_s": 200})
    refuse("mod.cloud_cache_rate", {**inputs, "hit_ratio": 0}, "never hits")
    add(
        "mod.egress_crossover",
        {"request_usd": 5e-7, "usd_per_gb": 0.05},
        {"bytes": 1e4},
    )
    inputs = {"ios": 250, "bytes": 50_000_000, "seek_s": 0.008, "bytes_per_s": 2e8}
    add("mod.disk_head_time", inputs, {"seconds": 2.25})
    refuse("mod.disk_head_time", {**inputs, "bytes_per_s": 0}, "no bandwidth")
    inputs = {
        "waf": 2.5,
        "device_gb": 4000,
        "years": 4,
        "warranty_years": 5,
        "kg_per_gb": 0.01,
    }
    add("mod.embodied_carbon", inputs, {"kg": 80})
    worn = {**inputs, "host_bytes": 2 * 10**16, "rated_bytes": 10**16}
    add("mod.embodied_carbon", worn, {"kg": 200}, "five drives are worn out")
    idle = {**inputs, "host_bytes": 10**14, "rated_bytes": 10**16}
    add("mod.embodied_carbon", idle, {"kg": 32}, "time decides")
    refuse("mod.embodied_carbon", {**inputs, "rated_bytes": 1}, "half of a pair")
    inputs = {"memory_gb": 100, "ssd_tb": 10, "hdd_tb": 50, "hours": 1000, "pue": 1.2}
    expected = {"memory_kwh": 47.04, "ssd_kwh": 14.4, "hdd_kwh": 39, "kwh": 100.44}
    add("mod.operational_energy", inputs, expected)
    refuse("mod.operational_energy", {**inputs, "pue": 0.9}, "below 1")


def cleaning_of_today() -> None:
    for spare in (0.05, 0.15, 0.4, 2.0):
        survivors, waf = fifo_waf(spare)
        add("mod.waf_fifo", {"spare": spare}, {"survivors": survivors, "waf": waf})
        add("mod.waf_random", {"spare": spare}, {"waf": 1 + 1 / Fraction(spare)})
    refuse("mod.waf_fifo", {"spare": -0.1}, "less than the data")
    refuse("mod.waf_random", {"spare": 0}, "no spare")
    for spare, b in ((0.1, 32), (0.25, 128), (0.8, 64)):
        waf, victim = greedy_waf(spare, b)
        inputs: dict[str, Any] = {"spare": spare, "pages_per_block": b}
        add("mod.waf_greedy", inputs, {"waf": waf, "victim_pages": victim})
    expected: dict[str, Any] = {"waf": 1, "victim_pages": 0}
    add("mod.waf_greedy", {"spare": 5, "pages_per_block": 8}, expected, "empty victims")
    refuse("mod.waf_greedy", {"spare": 0.1, "pages_per_block": 0}, "no page")
    for spare, b, d in ((0.2, 16, 3), (0.5, 24, 2), (0.1, 32, 1)):
        inputs = {"spare": spare, "pages_per_block": b, "choices": d}
        add("mod.waf_choices", inputs, {"waf": choices_waf(spare, b, d)})
    refuse("mod.waf_choices", {**inputs, "choices": 0}, "no block looked at")
    for spare, trims in ((0.1, 0.25), (0.4, 0.1)):
        used = (1 - 2 * trims) / (1 - trims)
        more = (1 + spare) / used - 1
        expected = {
            "in_use_share": used,
            "effective_spare": more,
            "waf": fifo_waf(more)[1],
        }
        add("mod.waf_trim", {"spare": spare, "trim_share": trims}, expected)
    streams: list[dict[str, Any]] = [
        {"write_share": 0.5, "logical_bytes": 40, "physical_bytes": 50},
        {"write_share": 0.25, "logical_bytes": 10, "physical_bytes": 30},
        {"write_share": 0.25, "sequential": True},
    ]
    each = [fifo_waf(0.25)[1], fifo_waf(2.0)[1], 1]
    expected = {"each": each, "waf": each[0] / 2 + each[1] / 4 + each[2] / 4}
    add("mod.waf_streams", {"streams": streams}, expected)
    refuse("mod.waf_streams", {"streams": streams[:2]}, "shares do not add up")


def control_of_today() -> None:
    for size, share in ((512, 1), (4095, 1), (65_536, (13 / 17) ** 0.5)):
        inputs: dict[str, Any] = {"size_bytes": size, "base_bytes": 4096, "decay": 0.5}
        add("mod.admission_base", inputs, {"probability": share})
    refuse("mod.admission_base", {**inputs, "decay": 2}, "decay above 1")
    inputs = {
        "factor": 0.8,
        "target_rate": 2000,
        "elapsed_s": 13_600,
        "written_bytes": 27_200_000,
        "written_last": 27_080_000,
        "interval_s": 60,
        "max_rate": 10**6,
    }
    add("mod.admission_factor", inputs, {"target_now": 2000, "factor": 0.8})
    slow = {**inputs, "written_last": 27_104_000}
    add("mod.admission_factor", slow, {"target_now": 2000, "factor": 1.0}, "1600 seen")
    idle = {**inputs, "written_last": 27_200_000}
    add("mod.admission_factor", idle, {"target_now": 2000, "factor": 0.8}, "no write")
    most = {**inputs, "max_rate": 1900}
    add("mod.admission_factor", most, {"target_now": 1900, "factor": 0.76}, "limited")
    refuse(
        "mod.admission_factor", {**inputs, "written_last": 10**9}, "fewer than before"
    )
    for length, hit, then in (
        (50, False, 54),
        (50, True, 46),
        (20, True, 20),
        (178, False, 179.123595505618),
    ):
        inputs = {"capacity": 200, "ghost": length, "hit": hit}
        expected = then
        if (length, hit) == (50, True):
            expected = 50 - Fraction(200, 150)
        add("mod.larc_ghost", inputs, {"ghost": expected})
    refuse("mod.larc_ghost", {"capacity": 200, "ghost": 190, "hit": True}, "too long")
    inputs = {
        "device_bytes": 864_000_000_000,
        "dwpd_percent": 50,
        "written_today_bytes": 232_000_000_000,
        "carried_bytes": 16_000_000_000,
        "elapsed_s": 21_600,
        "write_max": 2**26,
        "burst_bytes": 0,
    }
    add("mod.dwpd_rate", inputs, {"bytes_per_s": 216_000_000_000 // 64_800})
    add("mod.dwpd_rate", {**inputs, "write_max": 1000}, {"bytes_per_s": 1000})
    refuse("mod.dwpd_rate", {**inputs, "elapsed_s": 86_400}, "the day is over")
    caching_knapsacks()


def best_mixture(
    options: list[tuple[int, Fraction, Fraction]], capacity: Fraction
) -> tuple[Fraction, Fraction]:
    """Try all choices of one option for each category, and all pairs of them that share the space left.

    The optimum of the linear programme is at a vertex: at most one category mixes two of its options.
    """
    names = sorted({category for category, _, _ in options})
    of = {name: [each[1:] for each in options if each[0] == name] for name in names}
    best: tuple[Fraction, Fraction] | None = None
    for chosen in product(*(of[name] for name in names)):
        space = sum((each[0] for each in chosen), Fraction())
        cost = sum((each[1] for each in chosen), Fraction())
        found = [(cost, space)] if space <= capacity else []
        for at, name in enumerate(names):
            for other in of[name]:
                wide = other[0] - chosen[at][0]
                if space <= capacity < space + wide:
                    part = (capacity - space) / wide
                    found.append((cost + part * (other[1] - chosen[at][1]), capacity))
        for each in found:
            best = each if best is None or each < best else best
    assert best is not None
    return best


def caching_knapsacks() -> None:
    hand = [(1, 0, 9), (1, 4, 1), (2, 0, 5), (2, 2, 3)]
    one = [(7, 0, 10), (7, 3, 4), (7, 4, 6), (7, 9, 1)]
    uneven = [
        (0, 0, 20),
        (0, 5, 8),
        (0, 8, 5),
        (1, 0, 6),
        (1, 2, 1),
        (2, 0, 3),
        (2, 1, 3),
    ]
    for options, capacity, shares, price in (
        (hand, 5, [0, 1, Fraction(1, 2), Fraction(1, 2)], 1),
        (hand, 100, [0, 1, 0, 1], 0),
        (hand, 0, [1, 0, 1, 0], 2),
        (one, 6, [0, Fraction(1, 2), 0, Fraction(1, 2)], Fraction(1, 2)),
        (uneven, 8, [0, Fraction(2, 3), Fraction(1, 3), 0, 1, 1, 0], 1),
    ):
        exact = [
            (name, Fraction(space), Fraction(cost)) for name, space, cost in options
        ]
        cost, space = best_mixture(exact, Fraction(capacity))
        add(
            "mod.caching_knapsack",
            {
                "options": [
                    {"category": name, "space": space_, "cost": cost_}
                    for name, space_, cost_ in options
                ],
                "capacity": capacity,
            },
            {"shares": shares, "space": space, "cost": cost, "price": price},
        )
    # The first step saves 2 a page, the second 1: at 3/2 a page the second is not worth its rent, and 12 = 1 + 5 + 4 * 3/2.
    add(
        "mod.caching_knapsack",
        {
            "options": [
                {"category": name, "space": space_, "cost": cost_}
                for name, space_, cost_ in hand
            ],
            "capacity": 5,
            "rent": 1.5,
        },
        {"shares": [0, 1, 1, 0], "space": 4, "cost": 12, "price": 0},
    )
    refuse(
        "mod.caching_knapsack",
        {
            "options": [
                {"category": 1, "space": 1, "cost": 2},
                {"category": 1, "space": 2, "cost": 1},
            ],
            "capacity": 5,
        },
        "the first option takes space",
    )


def build() -> dict[str, Any]:
    """Compute the whole document."""
    VECTORS.clear()
    for family in (
        page_flow,
        pool_split,
        flash_cache,
        flash_cache_replays,
        fragment_cache,
        transactions,
        drives_of_today,
        platforms_of_today,
        stores_of_today,
        cleaning_of_today,
        control_of_today,
    ):
        family()
    return {
        "schema_version": 1,
        "set": "independent",
        "provenance": (
            "Our own: computed by models/tests/independent_formulas.py from the text of the "
            "models, without the product. Inputs are made up; figures of papers in them "
            "are facts."
        ),
        "tolerance": {"relative": 1e-9, "absolute": 1e-12},
        "vectors": VECTORS,
    }


if __name__ == "__main__":
    text = json.dumps(build(), ensure_ascii=False, indent=1) + "\n"
    root = Path(__file__).resolve().parents[2]
    target = root / "fixtures" / "vectors" / "independent.json"
    target.write_text(text, encoding="utf-8")
