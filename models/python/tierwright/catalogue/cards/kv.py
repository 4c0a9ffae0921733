"""Cards of `kv.*`: page flow between RAM, flash and disk."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.advise import directories
from tierwright.catalogue.card import (
    REPLAY,
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    optional,
    trace,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate.page_flow import evaluation
from tierwright.evaluate.page_flow.cautions import about_curve
from tierwright.evaluate.page_flow.schemes import BY_NAME
from tierwright.profile.curve import Curve

PAPER = "Koltsidas and Viglas (2009)"
PAGE_FILE = "page-flow.md"
TIME = "time"
"""One unit of time throughout: results come in that of the inputs."""
COST_VALIDITY = (
    "busy times of devices, no queueing; every RAM miss evicts (no "
    "warm-up); h_f and m_f belong to the given scheme"
)
SHARED_COUNTS = Caution(
    "one_pair_of_counts",
    "all schemes are priced with one pair h_f, m_f; in reality each scheme has its "
    "own, inclusive the fewest flash hits and exclusive the most",
    "compare schemes with `kv.choose_scheme`, or give each its own counts",
)
RAM_WITHIN_FLASH = Caution(
    "flash_not_larger_than_ram",
    "flash is no larger than RAM, so inclusive caching has no flash hits",
    "give more flash than RAM, or leave inclusive out",
)


def _counts() -> tuple[Parameter, ...]:
    return (
        number("h_f", "accesses", "flash hits of the scheme", argument="flash_hits"),
        number(
            "m_f", "accesses", "flash misses of the scheme", argument="flash_misses"
        ),
    )


M_R = number(
    "m_r",
    "accesses",
    "RAM misses without flash, whose directory then takes no RAM",
    argument="ram_misses",
)
M_R_CHECK = number(
    "m_r",
    "accesses",
    "RAM misses, as a check",
    required=False,
    otherwise="h_f + m_f",
)
P_D = number("p_d", "1", "share of evicted pages that are dirty")
F_R = number("F_R", TIME, "flash read", argument="flash_read")
F_W = number("F_W", TIME, "flash write", argument="flash_write")
D_R = number("D_R", TIME, "disk read", argument="disk_read")
D_W = number("D_W", TIME, "disk write", argument="disk_write")
R_RAM = optional(
    number("R_RAM", TIME, "RAM replacement run once", argument="ram_replacement"), 0.0
)
R_FLASH = optional(
    number("R_FLASH", TIME, "flash replacement run once", argument="flash_replacement"),
    0.0,
)
LOOKUP = number("L", TIME, "one lookup in the flash directory", argument="lookup")
UPDATE = number("U", TIME, "one update of the flash directory", argument="update")
CURVE = Parameter(
    "curve", "curve", "[pages, 1]", "LRU hit ratio by size: [size, ratio] pairs, rising"
)
RAM = integer("r", "pages", "RAM", argument="ram_pages")
FLASH = integer("f", "pages", "flash", argument="flash_pages")
ACCESSES = integer(
    "N", "accesses", "accesses of the workload", also=("|W|",), argument="accesses"
)
S_R = integer("S_r", "bytes", "RAM", argument="ram_bytes")
S_F = integer("S_f", "bytes", "flash device", argument="flash_bytes")
B_R = integer("B_r", "bytes", "RAM page", argument="ram_page_bytes")
B_F = integer("B_f", "bytes", "flash page or block", argument="flash_page_bytes")
E_R = integer("b_r", "bytes", "RAM directory entry", argument="ram_entry_bytes")
E_F = integer("b_f", "bytes", "flash directory entry", argument="flash_entry_bytes")
TIMES = (F_R, F_W, D_R, D_W)


def _curve_of(inputs: Inputs) -> Curve:
    return Curve.from_hit_ratios(
        [(size, ratio) for size, ratio in inputs["curve"]], accesses=int(inputs["N"])
    )


def _about_curve(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    yield from about_curve(_curve_of(inputs), inputs["r"], inputs["f"])
    if inputs["f"] <= inputs["r"]:
        yield RAM_WITHIN_FLASH


def _about_ioflash(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["F_R"] >= inputs["D_R"]:
        yield Caution(
            "flash_read_not_faster",
            "a flash read does not take less time than a disk read, so a flash hit "
            "saves nothing",
            "check that all times have one unit",
        )


def _about_costs(inputs: Inputs, result: Outputs) -> Iterator[Caution]:
    yield SHARED_COUNTS
    yield from _about_ioflash(inputs, result)
    if inputs["h_f"] == 0 and inputs["m_f"] > 0:
        yield Caution(
            "no_flash_hits",
            "with no flash hit the formulas still charge flash writes",
            "use `kv.C0` for a machine without flash",
        )


def _about_directories(_: Inputs, __: Outputs) -> Iterator[Caution]:
    yield SHARED_COUNTS


def _about_trace(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["f"] <= inputs["r"]:
        yield RAM_WITHIN_FLASH


def _about_saving(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["C_k"] > inputs["C0"]:
        yield Caution(
            "flash_costs_more",
            "the scheme costs more than no flash: the saving is negative",
            "use another scheme, or no flash",
        )


_card = cards_of("kv", page_file=PAGE_FILE)


CARDS = (
    _card(
        "C0",
        title="Cost without flash",
        says="What the RAM misses of a machine without flash cost in I/O.",
        formula="C0 = m_r (R_RAM + D_R + p_d D_W)",
        source=f"{PAPER}, cost without flash; R_RAM added, as C1 to C3 charge it",
        takes=(M_R, D_R, D_W, P_D, R_RAM),
        gives=(
            Output(
                "C0", TIME, "I/O time of all RAM misses", "m_r (R_RAM + D_R + p_d D_W)"
            ),
        ),
        validity="busy times of devices, no queueing; every RAM miss evicts (no warm-up)",
        command="evaluate",
        address="/evaluations",
        page="Compare",
    ),
    _card(
        "costs",
        title="Cost of inclusive, exclusive and lazy",
        says="I/O time of the three page-flow schemes for one pair of flash hits and misses.",
        formula=(
            "C1 = h_f F_R + m_r (R_RAM + p_d F_W) + m_f (R_FLASH + p_dF D_W + D_R + F_W); "
            "C2 = h_f F_R + m_r (R_RAM + F_W) + m_f (R_FLASH + p_dF D_W + D_R); "
            "C3 = m_r C3V + h_f F_R + m_f D_R; m_r = h_f + m_f"
        ),
        source=f"{PAPER}, I/O cost of the three schemes; p_dF apart from p_d is derived",
        takes=(
            *_counts(),
            P_D,
            *TIMES,
            R_RAM,
            R_FLASH,
            number(
                "p_dF",
                "1",
                "share of flash victims that are dirty",
                required=False,
                otherwise="p_d",
                argument="p_d_flash",
            ),
            M_R_CHECK,
        ),
        gives=(
            Output(
                "C1",
                TIME,
                "inclusive",
                "h_f F_R + m_r (R_RAM + p_d F_W) + m_f (R_FLASH + p_dF D_W + D_R + F_W)",
            ),
            Output(
                "C2",
                TIME,
                "exclusive",
                "h_f F_R + m_r (R_RAM + F_W) + m_f (R_FLASH + p_dF D_W + D_R)",
            ),
            Output("C3", TIME, "lazy", "m_r C3V + h_f F_R + m_f D_R"),
            Output(
                "q", "1", "share of RAM victims that are on flash", "h_f / (h_f + m_f)"
            ),
            Output(
                "C3V",
                TIME,
                "one victim under lazy",
                "R_RAM + q p_d F_W + (1 - q)(R_FLASH + p_dF D_W + F_W)",
            ),
        ),
        estimator="C1 to C3 from given counts; q = h_f / m_r",
        validity=COST_VALIDITY,
        command="evaluate",
        address="/evaluations",
        page="Compare",
        warn=_about_costs,
    ),
    _card(
        "C3_clean_only",
        title="Cost of lazy with clean-only admission",
        says="I/O time of lazy when only clean victims enter flash.",
        formula=(
            "m_r [R_RAM + p_d D_W + (1 - p_d)(1 - q)(R_FLASH + F_W)] + h_f F_R + m_f D_R, "
            "q = h_f / m_r"
        ),
        source="derived from the lazy scheme of " + PAPER,
        takes=(*_counts(), P_D, *TIMES, R_RAM, R_FLASH, M_R_CHECK),
        gives=(
            Output(
                "C3_clean",
                TIME,
                "lazy, clean-only",
                "m_r [R_RAM + p_d D_W + (1 - p_d)(1 - q)(R_FLASH + F_W)] + h_f F_R + m_f D_R",
            ),
        ),
        estimator="C3 with clean-only admission; a clean victim is on flash with q = h_f / m_r",
        validity=f"{COST_VALIDITY}, counted with clean-only admission",
        command="simulate",
        address="/sweeps/{sweep_id}",
        page="Simulate",
        warn=_about_ioflash,
    ),
    _card(
        "directory_costs",
        title="Cost of the flash directory",
        says="Time that lookups and updates of the flash directory take under each scheme.",
        formula=(
            "C1d = m_r (L + U + p_d U) + m_f U; "
            "C2d = m_r L + exclusive_hit_updates h_f U + 2 m_f U; "
            "C3d = m_r (L + C3Vd) + h_f U, q = h_f / m_r"
        ),
        source=f"{PAPER}, directory maintenance",
        takes=(
            *_counts(),
            P_D,
            LOOKUP,
            UPDATE,
            optional(
                integer(
                    "exclusive_hit_updates",
                    "1",
                    "updates of an exclusive flash hit: 1 as printed, 2 as a swap",
                ),
                1,
            ),
            M_R_CHECK,
        ),
        gives=(
            Output("C1d", TIME, "inclusive", "m_r (L + U + p_d U) + m_f U"),
            Output(
                "C2d",
                TIME,
                "exclusive",
                "m_r L + exclusive_hit_updates h_f U + 2 m_f U",
            ),
            Output("C3d", TIME, "lazy", "m_r (L + C3Vd) + h_f U"),
            Output("C3Vd", TIME, "one victim under lazy", "L + q p_d U + 2 (1 - q) U"),
        ),
        estimator="C1d to C3d from given counts; q = h_f / m_r",
        validity=f"{COST_VALIDITY}; one cost for each lookup and each update",
        command="directories",
        address="/directories",
        page="Compare",
        warn=_about_directories,
    ),
    _card(
        "hits_from_curve",
        title="Hits of each scheme from an LRU curve",
        says="RAM and flash hits that each scheme gets from one LRU hit-ratio curve.",
        formula="h_r = N H(r); m_r = N (1 - H(r)); h_f = N [H(r + e_f) - H(r)]; m_f = m_r - h_f",
        source=f"derived; effective capacities of {PAPER}",
        takes=(CURVE, RAM, FLASH, ACCESSES),
        gives=(
            Output("h_r", "accesses", "RAM hits", "N H(r)"),
            Output("m_r", "accesses", "RAM misses", "N (1 - H(r))"),
            Output("e_f", "pages", "pages on flash that RAM does not hold"),
            Output("h_f", "accesses", "flash hits", "N [H(r + e_f) - H(r)]"),
            Output("m_f", "accesses", "flash misses", "N [1 - H(r + e_f)]"),
        ),
        estimator="; ".join(
            f"{scheme}: {BY_NAME[scheme].estimator}"
            for scheme in ("inclusive", "exclusive", "lazy")
        ),
        validity=evaluation.VALIDITY,
        command="evaluate",
        address="/evaluations",
        page="Compare",
        warn=_about_curve,
    ),
    _card(
        "choose_scheme",
        title="Cheapest scheme from an LRU curve",
        says="Total cost of each scheme at one pair of sizes, and the cheapest.",
        formula="Ck + Ckd with each scheme's own counts; ties in the order lazy, exclusive, inclusive",
        source=f"{PAPER}, costs; counts from the curve are derived",
        takes=(
            CURVE,
            RAM,
            FLASH,
            ACCESSES,
            P_D,
            *TIMES,
            optional(LOOKUP, 0.0),
            optional(UPDATE, 0.0),
        ),
        gives=(
            Output("inclusive", TIME, "C1 + C1d", "C1 + C1d"),
            Output("exclusive", TIME, "C2 + C2d", "C2 + C2d"),
            Output("lazy", TIME, "C3 + C3d", "C3 + C3d"),
            Output("best", "", "scheme of least cost"),
        ),
        estimator="C1 to C3 with directory costs; hits of each scheme from one LRU curve",
        validity=evaluation.VALIDITY,
        command="evaluate",
        address="/evaluations",
        page="Compare",
        warn=lambda inputs, result: (
            *_about_curve(inputs, result),
            *_about_ioflash(inputs, result),
        ),
    ),
    _card(
        "exclusive_minus_lazy_advantage",
        title="Exclusive against lazy",
        says="How much cheaper exclusive is than lazy; above 0 exclusive wins.",
        formula="C3 - C2 = Delta (R_FLASH + p_d D_W + D_R - F_R) - h3 (1 - p_d) F_W",
        source=f"derived from the costs of {PAPER}",
        takes=(
            number("h3", "accesses", "flash hits of lazy", argument="lazy_flash_hits"),
            number(
                "Delta",
                "accesses",
                "flash hits that exclusive has more than lazy",
                also=("Δ",),
                argument="extra_flash_hits",
            ),
            P_D,
            *TIMES,
            R_FLASH,
        ),
        gives=(
            Output(
                "advantage",
                TIME,
                "cost of lazy less cost of exclusive",
                "Delta (R_FLASH + p_d D_W + D_R - F_R) - h3 (1 - p_d) F_W",
            ),
        ),
        validity=f"{COST_VALIDITY}; both schemes have the same p_d",
        warn=_about_ioflash,
    ),
    _card(
        "iops_to_ms",
        title="Service times from IOPS",
        says="Busy time of one flash read and one flash write at stated rates.",
        formula="F_R = 1000 / read IOPS; F_W = 1000 / write IOPS",
        source=f"{PAPER}, Table 2",
        takes=(
            number("read_iops", "1/s", "random reads per second"),
            number("write_iops", "1/s", "random writes per second"),
        ),
        gives=(
            Output("F_R", "ms", "flash read", "1000 / read_iops"),
            Output("F_W", "ms", "flash write", "1000 / write_iops"),
        ),
        validity=(
            "busy time per operation at the load of the rates, not the latency of a "
            "single request"
        ),
        command="device import-fio",
        address="/device-imports/fio",
        page="Hardware",
    ),
    _card(
        "flash_directory_size",
        title="Size of the flash directory",
        says="Bits of a directory entry and MiB of the directory for larger flash pages.",
        formula=(
            "bits = ceil(64 - log2 B_f) + ceil(log2 floor(S_f / B_f)) + 65, and B_f / B_r "
            "validity bits when invalidating; MiB = blocks bits / 8 / 2^20"
        ),
        source=f"{PAPER}, Table 1",
        takes=(
            S_F,
            B_F,
            B_R,
            Parameter(
                "technique",
                "choice",
                "",
                "what fills a block when one of its pages enters flash: overwriting "
                "reads all of it from disk, invalidating marks the rest as absent",
                choices=directories.TECHNIQUES,
            ),
        ),
        gives=(
            Output("entry_bits", "bits", "one entry"),
            Output("MiB", "MiB", "the whole directory"),
        ),
        validity="64-bit offsets, 32-bit links; null where invalidating has nothing to mark (B_f = B_r)",
        command="directories",
        address="/directories",
        page="Compare",
    ),
    _card(
        "block_map",
        title="Block and offset of a page",
        says="Which flash block holds a RAM page, and where in it.",
        formula="block = floor(page B_r / B_f); offset = page B_r mod B_f; index = offset / B_r",
        source=f"{PAPER}, larger flash pages",
        takes=(integer("page", "1", "number of the RAM page"), B_R, B_F),
        gives=(
            Output("block", "1", "number of the block", "floor(page B_r / B_f)"),
            Output("offset_in_block", "bytes", "place in it", "page B_r mod B_f"),
            Output("index_in_block", "1", "page in it", "(page B_r mod B_f) / B_r"),
        ),
        validity="the block size is a multiple of the RAM page",
    ),
    _card(
        "directory_in_ram",
        title="Sizes with the flash directory in RAM",
        says="Pages that RAM and flash hold when RAM also holds the flash directory.",
        formula="f = floor(S_f / B_f); r = floor((S_r - b_f f) / (B_r + b_r))",
        source=f"{PAPER}, directory in RAM; b f in place of the printed b r",
        takes=(S_R, S_F, B_R, B_F, E_R, E_F),
        gives=(
            Output("f", "pages", "flash", "floor(S_f / B_f)"),
            Output("flash_dir_bytes", "bytes", "directory", "b_f f"),
            Output(
                "r_no_flash", "pages", "RAM without flash", "floor(S_r / (B_r + b_r))"
            ),
            Output(
                "r",
                "pages",
                "RAM; 0 if infeasible",
                "floor((S_r - b_f f) / (B_r + b_r))",
            ),
            Output("feasible", "", "whether a page of RAM is left"),
        ),
        validity="one entry per page; RAM holds nothing else",
        command="directories",
        address="/directories",
        page="Compare",
    ),
    _card(
        "directory_on_flash",
        title="Sizes with the flash directory on flash",
        says="Pages that RAM and flash hold when the directory lies on flash, partly buffered.",
        formula="f' = floor(S_f / (B_f + b_f)); r' = floor((S_r - n) / (B_r + b_r))",
        source=f"{PAPER}, directory on flash",
        takes=(
            S_R,
            S_F,
            B_R,
            B_F,
            E_R,
            E_F,
            integer(
                "n", "bytes", "directory buffered in RAM", argument="buffered_bytes"
            ),
        ),
        gives=(
            Output("f_prime", "pages", "flash", "floor(S_f / (B_f + b_f))"),
            Output("dir_bytes", "bytes", "directory", "b_f f'"),
            Output("r_prime", "pages", "RAM", "floor((S_r - n) / (B_r + b_r))"),
            Output(
                "lost_flash_pages",
                "pages",
                "flash the directory takes",
                "floor(S_f / B_f) - f'",
            ),
        ),
        validity="one entry per page; RAM holds nothing else",
        command="directories",
        address="/directories",
        page="Compare",
    ),
    _card(
        "directory_LU",
        title="Lookup and update of a directory on flash",
        says="Time of one lookup and one update of a directory that lies on flash.",
        formula="L = l ((1 - H_d) F_R + p_dd F_W); U = u ((1 - H_d) F_R + p_dd F_W)",
        source=f"{PAPER}, directory on flash; writing only on a miss is derived",
        takes=(
            number(
                "l", "pages", "directory pages of a lookup", argument="lookup_pages"
            ),
            number(
                "u", "pages", "directory pages of an update", argument="update_pages"
            ),
            number(
                "H_d", "1", "hit ratio of the directory's buffer", argument="hit_ratio"
            ),
            number(
                "p_dd",
                "1",
                "share of directory pages in RAM that are dirty",
                also=("p_d^d",),
                argument="p_d_directory",
            ),
            F_R,
            F_W,
        ),
        gives=(
            Output("L", TIME, "one lookup"),
            Output("U", TIME, "one update"),
        ),
        estimator="`printed` writes at every access, `write_on_eviction` only at a miss",
        validity="directory pages are read and written one by one, at the same times as pages",
        command="directories",
        address="/directories",
        page="Compare",
    ),
    _card(
        "flash_saving",
        title="Share of I/O time that flash saves",
        says="What a scheme saves of the cost without flash.",
        formula="1 - C_k / C0",
        source=f"{PAPER}, comparison with no flash",
        takes=(
            number(
                "C_k", TIME, "cost of the scheme", also=("Ck", "cost"), argument="cost"
            ),
            number("C0", TIME, "cost without flash", argument="no_flash"),
        ),
        gives=(Output("saving", "1", "share saved; null if C0 = 0", "1 - C_k / C0"),),
        validity="both costs are of the same accesses",
        command="evaluate",
        address="/evaluations",
        page="Compare",
        warn=_about_saving,
    ),
    _card(
        "price_performance",
        title="Price times time",
        says="Time of an access, and price x time to rank devices by; lower is better.",
        formula="time / accesses; price x time / accesses",
        source=f"{PAPER}, price-to-I/O-cost; as a product, since the quotient rewards "
        "expensive devices",
        takes=(
            number("cost", "ms", "I/O time of all accesses"),
            number("references", "accesses", "accesses", argument="accesses"),
            number("price", "USD", "of the device, or of a GB"),
        ),
        gives=(
            Output("ms_per_reference", "ms", "time of an access", "cost / references"),
            Output(
                "price_times_ms", "USD ms", "price x time", "price cost / references"
            ),
        ),
        validity="ranks devices on the same accesses; it is not an amount of money",
        command="choose-flash",
        address="/flash-choices",
        page="Compare",
    ),
    _card(
        "simulate",
        title="Replay of the three schemes",
        says="Hits and writes that a replay of a short trace counts under each scheme.",
        formula="replay of inclusive (global recency), exclusive and lazy; LRU in both tiers",
        source=f"{PAPER}, fetch algorithms",
        takes=(trace(), RAM, FLASH),
        gives=(
            Output("h_r", "accesses", "RAM hits"),
            Output("h_f", "accesses", "flash hits"),
            Output("m_f", "accesses", "flash misses, disk reads"),
            Output("flash_writes", "pages", "flash page writes"),
            Output("hdd_writes", "pages", "disk page writes"),
        ),
        estimator=REPLAY,
        validity="cold start; LRU in both tiers; pages dirty at the end are not written",
        command="simulate",
        address="/simulations",
        page="Compare",
        warn=_about_trace,
    ),
)
"""In the order of the table."""
