"""Cards of `mod.*`: economics of memory, flash and stores as published from 2022 to 2026."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tierwright.catalogue.card import (
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    numbers,
    optional,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate.modern import cache_control, carbon, drive

ZHANG = "Zhang and others (2026)"
PAPER = f"{ZHANG}, and others that the cards name"
PAGE_FILE = "modern-economics.md"
ALLISON = "Allison and others (2025)"
FOOTPRINT = "Cloud Carbon Footprint (2024)"
L2ARC = "OpenZFS, L2ARC of 2026, source code"
CACHELIB = "CacheLib, source code"
CACHESACK = "Yang and others, CacheSack (USENIX ATC 2022)"
ANNOUNCED = (
    "parts of drives that are announced, not sold; for a drive that exists use its "
    "measured I/Os per second"
)
WAF_VALIDITY = (
    "uniform random overwrites of single pages, full drive, steady state, one write "
    "frontier, no compression, free mapping, no wear levelling; a measured write "
    "amplification wins"
)
CAPITAL = "cost of capital only: no power, no wear, no rent"
FEES = (
    "fees and rents only; the rate limit and the latency of the store are not included"
)
COST = "cost"
"""Any one unit, such as dollars."""

_card = cards_of("mod", page_file=PAGE_FILE)
_ASKED = {
    "command": "break-even",
    "address": "/break-evens",
    "page": "DRAM or flash",
}

READS = number("read_to_write", "1", "G, reads per write of the host: 9 at 90:10")
PARTS = (
    READS,
    number("write_amplification", "1", "W, inside the drive; at least 1"),
    number("sense_s", "s", "time to read a NAND page"),
    number("program_s", "s", "time to program a NAND page"),
    number("nand_page_bytes", "bytes", "physical NAND page"),
    number("planes", "1", "planes per die"),
    number("channels", "1", "channels of the drive"),
    number("dies_per_channel", "1", "dies on one channel"),
    number("command_s", "s", "channel time of one command"),
    number("channel_bytes_per_s", "bytes/s", "bandwidth of one channel"),
    number("block_bytes", "bytes", "what one I/O fetches"),
)


def _more(name: str, unit: str, meaning: str) -> Parameter:
    return number(name, unit, meaning, required=False, otherwise="no such limit")


INSIDE = "(read_to_write + 2 write_amplification - 1)"
SPARE = number("spare", "1", "(physical - logical) / logical")
BLOCK_PAGES = integer("pages_per_block", "pages", "pages of an erase block")
DRIVE = (
    number("channels", "1", "channels of the drive"),
    number("peak_iops", "1/s", "peak of the drive"),
    number("sense_s", "s", "time to read a NAND page"),
)
PERCENTILE = number("percentile", "1", "such as 0.99")


def _about_peak(_: Inputs, __: Outputs) -> Iterator[Caution]:
    yield Caution(
        "rates_averaged",
        "the printed form averages rates where times add up, so it is never too low: by up to "
        "74 % for the parts of the paper",
        "use `mod.ssd_peak_iops_times` for an answer",
    )


def _about_queue(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["utilisation"] > 0:
        yield Caution(
            "waiting_understated",
            "waiting counts as exponential with its mean; simulated queues wait longer, by 7 to "
            "48 % at the 99th percentile",
            "use `mod.md1_tail` for an answer",
        )


def _about_host(_: Inputs, result: Outputs) -> Iterator[Caution]:
    if result["bandwidth_s"] > 0:
        yield Caution(
            "bandwidth_counted",
            "the bandwidth term is right only where DRAM bandwidth is scarce",
            "leave `dram_bytes_per_s` out where it is ample",
        )


def _about_expansion(_: Inputs, result: Outputs) -> Iterator[Caution]:
    if result["saving"] < 0:
        yield Caution(
            "expansion_costs_more",
            "the servers saved do not pay for the expansion: the saving is negative",
            "look for a cheaper or faster expansion",
        )


def _about_carbon(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if "host_bytes" not in inputs:
        yield Caution(
            "wear_limits_the_drive",
            "the printed form is right only if wear limits the life of the drive",
            "give the bytes written and the rated bytes",
        )


CARDS = (
    _card(
        "ssd_peak_iops",
        title="Peak of a drive from its parts, as printed",
        says="I/Os per second of a drive from NAND, channels and links, as the paper prints it.",
        formula=(
            "I_die = N_pl (R_r / t_s + R_w l_pg / (t_p l)); I_ch = R_r / (t_c + l / B_ch) + "
            "R_w / (t_c l / l_pg + l / B_ch); I_dev = (G + 1) / (G + 2W - 1) N_ch "
            "min(N_d I_die, I_ch)"
        ),
        source=f"{ZHANG}, section III-B",
        takes=(
            *PARTS,
            _more("dram_bytes_per_s", "bytes/s", "bandwidth of the drive's DRAM"),
            _more("ftl_entry_bytes", "bytes", "mapping entry, 4 to 8"),
            _more("link_bytes_per_s", "bytes/s", "bandwidth of the link"),
            _more("link_packets_per_s", "1/s", "packets that the link carries"),
            _more("packets_per_request", "1", "packets that a request needs"),
        ),
        gives=(
            Output(
                "read_share",
                "1",
                "reads among the operations inside",
                f"(read_to_write + write_amplification - 1) / {INSIDE}",
            ),
            Output(
                "write_share",
                "1",
                "writes among the operations inside",
                f"write_amplification / {INSIDE}",
            ),
            Output(
                "die_iops",
                "1/s",
                "operations of one die",
                "planes (read_share / sense_s + write_share nand_page_bytes / "
                "(program_s block_bytes))",
            ),
            Output("channel_iops", "1/s", "operations of one channel"),
            Output(
                "device_iops",
                "1/s",
                "I/Os of the host by dies and channels",
                f"(read_to_write + 1) / {INSIDE} channels "
                "min(dies_per_channel die_iops, channel_iops)",
            ),
            Output("peak_iops", "1/s", "within all limits given"),
            Output("bound", "", "the limit that binds"),
        ),
        validity=f"{ANNOUNCED}; reads that wait behind programs are not included",
        warn=_about_peak,
    ),
    _card(
        "ssd_peak_iops_times",
        title="Peak of a drive from its parts",
        says="I/Os per second of a drive whose dies and channels serve operations in turn.",
        formula=(
            "I_die = 1 / (R_r t_s / N_pl + R_w t_p l / (N_pl l_pg)); "
            "I_ch = 1 / (R_r (t_c + l / B_ch) + R_w (t_c l / l_pg + l / B_ch))"
        ),
        source=f"derived from {ZHANG}, section III-B: times averaged in place of rates",
        takes=PARTS,
        gives=(
            Output("die_iops", "1/s", "operations of one die"),
            Output("channel_iops", "1/s", "operations of one channel"),
            Output(
                "peak_iops",
                "1/s",
                "I/Os of the host",
                f"(read_to_write + 1) / {INSIDE} channels "
                "min(dies_per_channel die_iops, channel_iops)",
            ),
            Output("bound", "", "dies or channel"),
        ),
        validity=f"{ANNOUNCED}; reads that wait behind programs are not included",
    ),
    _card(
        "ssd_cost",
        title="Cost of a drive from its parts",
        says="Cost of controller, NAND and the DRAM that holds the mapping.",
        formula="K_ctrl + N K_die + ceil(N C_die b / (sector C_dram)) K_dram",
        source=f"{ZHANG}, section III-B and Table III",
        takes=(
            number("controller", COST, "controller"),
            number("die", COST, "one NAND die"),
            number("dies", "1", "NAND dies"),
            number("die_bytes", "bytes", "capacity of a NAND die"),
            number("dram_die", COST, "one DRAM die of the drive"),
            number("dram_die_bytes", "bytes", "its capacity"),
            number("ftl_entry_bytes", "bytes", "mapping entry, 4 to 8"),
            optional(
                number("sector_bytes", "bytes", "sector that one entry maps"),
                drive.SECTOR_BYTES,
            ),
        ),
        gives=(
            Output(
                "ftl_bytes",
                "bytes",
                "mapping",
                "dies die_bytes ftl_entry_bytes / sector_bytes",
            ),
            Output("dram_dies", "1", "DRAM dies", "ceil(ftl_bytes / dram_die_bytes)"),
            Output("cost", COST, "drive", "controller + dies die + dram_dies dram_die"),
        ),
        validity=(
            "the paper's table gives 102 to 109 dies, its intervals need 100; costs in one unit"
        ),
    ),
    _card(
        "break_even_host",
        title="Break-even interval with host and bandwidth",
        says="Interval between accesses at which keeping a block costs as much as fetching "
        "it, by the shares of host, DRAM bandwidth and drive.",
        formula="(K_core / I_core + l K_dram / B_dram + K_ssd / I_ssd) C_dram / (l K_dram)",
        source=f"{ZHANG}, Eq 1",
        takes=(
            number("core_cost", COST, "one host core"),
            number("core_iops", "1/s", "I/Os that a core drives"),
            number("block_bytes", "bytes", "what one I/O fetches"),
            number("dram_cost", COST, "one unit of DRAM"),
            number("dram_bytes", "bytes", "its capacity"),
            number(
                "dram_bytes_per_s",
                "bytes/s",
                "its bandwidth",
                required=False,
                otherwise="no bandwidth term",
            ),
            number("ssd_cost", COST, "one drive"),
            number("ssd_iops", "1/s", "its I/Os at this size and mix"),
        ),
        gives=(
            Output(
                "host_s",
                "s",
                "host",
                "core_cost / core_iops dram_bytes / (block_bytes dram_cost)",
            ),
            Output("bandwidth_s", "s", "DRAM bandwidth"),
            Output(
                "ssd_s",
                "s",
                "drive",
                "ssd_cost / ssd_iops dram_bytes / (block_bytes dram_cost)",
            ),
            Output(
                "interval_s",
                "s",
                "accessed at least this often, a block is cheaper to keep",
                "host_s + bandwidth_s + ssd_s",
            ),
        ),
        validity=f"{CAPITAL}; costs in one unit; the drive is kept busy",
        warn=_about_host,
        **_ASKED,
    ),
    _card(
        "read_latency",
        title="Latency of a read under load, as printed",
        says="Mean and tail of a read at a share of the drive's peak, waiting counted as "
        "exponential.",
        formula="s rho / (2 (1 - rho)) ln(1 / (1 - p)) + t_s, s = N_ch / I_peak",
        source=f"{ZHANG}, section IV",
        takes=(
            *DRIVE,
            number("utilisation", "1", "rho, share of the peak in use, below 1"),
            PERCENTILE,
        ),
        gives=(
            Output(
                "mean_s",
                "s",
                "mean",
                "channels / peak_iops utilisation / (2 (1 - utilisation)) + sense_s",
            ),
            Output(
                "tail_s",
                "s",
                "percentile",
                "channels / peak_iops utilisation / (2 (1 - utilisation)) "
                "ln(1 / (1 - percentile)) + sense_s",
            ),
        ),
        validity="Poisson arrivals, constant service; a lower bound where writes are mixed in",
        warn=_about_queue,
    ),
    _card(
        "max_utilisation",
        title="Load that keeps a limit of latency",
        says="Largest share of the peak at which mean and tail of reads stay within limits.",
        formula="x / (1 + x), x = 2 (limit - t_s) / (s f), f = 1 or ln(1 / (1 - p))",
        source=f"{ZHANG}, section IV",
        takes=(
            *DRIVE,
            number(
                "mean_limit_s",
                "s",
                "limit of the mean",
                required=False,
                otherwise="no limit",
            ),
            number(
                "tail_limit_s",
                "s",
                "limit of the tail",
                required=False,
                otherwise="no limit",
            ),
            replace(
                PERCENTILE, required=False, otherwise="needed with a limit of the tail"
            ),
        ),
        gives=(
            Output("rho_max", "1", "share of the peak"),
            Output("feasible", "", "whether the limits exceed the time of sensing"),
        ),
        validity="as `mod.read_latency`, which understates waiting: the load is an upper bound",
    ),
    _card(
        "md1_tail",
        title="Percentile of waiting at a constant service time",
        says="Percentile of waiting in a queue with Poisson arrivals and constant service.",
        formula=(
            "rho (e^theta - 1) = theta; A = (1 - rho) / (rho e^theta - 1); "
            "s max(0, ln(A / (1 - p)) / theta)"
        ),
        source="derived; simulated queues agree within 2 %",
        takes=(
            number("service_s", "s", "service time"),
            number("utilisation", "1", "rho, in (0, 1)"),
            PERCENTILE,
        ),
        gives=(
            Output("decay", "1", "theta"),
            Output(
                "constant", "1", "A", "(1 - utilisation) / (decay + utilisation - 1)"
            ),
            Output(
                "wait_s",
                "s",
                "percentile of waiting",
                "service_s max(0, ln(constant / (1 - percentile)) / decay)",
            ),
            Output(
                "heavy_traffic_s",
                "s",
                "the same with exponential waiting, as printed",
                "service_s utilisation / (2 (1 - utilisation)) ln(1 / (1 - percentile))",
            ),
        ),
        estimator="exponential tail of M/D/1",
        validity="99th percentile and above, loads from 0.3 to 0.9; a lower bound for writes",
    ),
    _card(
        "usable_iops",
        title="I/Os that a platform can use of a drive",
        says="I/Os per second of one drive within the latency promise and the host's share.",
        formula="min(rho_max I_peak, I_host / drives)",
        source=f"{ZHANG}, section IV",
        takes=(
            number("rho_max", "1", "share of the peak, of `mod.max_utilisation`"),
            number("peak_iops", "1/s", "peak of a drive"),
            number("host_iops", "1/s", "that the host drives in all"),
            number("ssds", "1", "drives"),
        ),
        gives=(
            Output(
                "iops",
                "1/s",
                "of one drive",
                "min(rho_max peak_iops, host_iops / ssds)",
            ),
            Output("bound", "", "device or host"),
        ),
        validity="load spread evenly over the drives",
    ),
    _card(
        "platform_thresholds",
        title="Whether a platform is viable and optimal",
        says="Which blocks must, can and should be cached, and what the platform lacks.",
        formula=(
            "T_B: load + Psi_d <= B_dram; T_S: Psi_d < B_ssd; T_C: interval of the last block "
            "that fits; viable: max(T_B, T_S) <= T_C"
        ),
        source=f"{ZHANG}, section V; a least threshold of 0 is ours",
        takes=(
            number("block_bytes", "bytes", "block"),
            numbers("intervals_s", "s", "access interval of each block"),
            number("dram_bytes", "bytes", "DRAM"),
            number("dram_bytes_per_s", "bytes/s", "bandwidth of DRAM"),
            number("ssd_bytes_per_s", "bytes/s", "bandwidth of all drives"),
            number(
                "break_even_s",
                "s",
                "break-even interval",
                required=False,
                otherwise="optimality is not judged",
            ),
            numbers(
                "blocks",
                "blocks",
                "blocks of each interval",
                required=False,
                otherwise="one each",
            ),
        ),
        gives=(
            Output("T_B", "s", "least threshold within DRAM bandwidth"),
            Output("T_S", "s", "least threshold within the drives' bandwidth"),
            Output("T_C", "s", "interval of the last block that fits"),
            Output("viable", "", "whether DRAM holds what must be cached"),
            Output("limit", "", "none, storage, dram_bandwidth or both"),
            Output("optimal", "", "whether the break-even lies between"),
        ),
        validity="the most frequently accessed blocks are cached; accesses spread evenly",
        **_ASKED,
    ),
    _card(
        "lognormal_intervals",
        title="Traffic of log-normal intervals",
        says="Blocks cached and traffic where the logarithm of access intervals is normal.",
        formula="z = (ln T - mu) / sigma; N Phi(z); load = l N e^(-mu + sigma^2 / 2); "
        "load Phi(z + sigma)",
        source=f"derived from {ZHANG}, section V",
        takes=(
            number("blocks", "blocks", "N"),
            number("block_bytes", "bytes", "block"),
            number("mu", "1", "mean of the logarithm of intervals in seconds"),
            number("sigma", "1", "its deviation: 1.2 strong, 0.4 weak locality"),
            number("threshold_s", "s", "intervals up to this are cached"),
        ),
        gives=(
            Output("cached_blocks", "blocks", "cached"),
            Output("total_bytes_per_s", "bytes/s", "traffic of all blocks"),
            Output("cached_bytes_per_s", "bytes/s", "of the cached"),
            Output(
                "uncached_bytes_per_s",
                "bytes/s",
                "of the rest",
            ),
            Output(
                "dram_bytes_per_s",
                "bytes/s",
                "traffic of DRAM",
                "total_bytes_per_s + uncached_bytes_per_s",
            ),
        ),
        validity="intervals are log-normal and constant over time",
    ),
    _card(
        "curve_break_even",
        title="Memory that pays on the workload's own curve",
        says="How much memory pays for itself: up to the size at which one more page saves "
        "too few misses.",
        formula="D (pages gained) / (misses saved) <= tau, on the lower convex hull",
        source="derived; minimises pages D / tau + misses",
        takes=(
            numbers("pages", "pages", "sizes, rising"),
            numbers("misses", "accesses", "misses of a cache of each size"),
            number("duration_s", "s", "over which they were counted"),
            number("break_even_s", "s", "break-even interval"),
        ),
        gives=(
            Output("hull_pages", "pages", "corners of the hull"),
            Output("interval_s", "s", "of each segment; null where it gains nothing"),
            Output("pages", "pages", "memory that pays for itself"),
        ),
        validity="misses are the I/Os saved: no prefetching, no batching",
        **_ASKED,
    ),
    _card(
        "memory_expansion",
        title="Servers saved by expanded memory",
        says="How many servers memory over CXL saves at equal time, and what that is worth.",
        formula="(1 - 1/R_d) / ((1 - 1/R_d) + (1 - 1/R_c) / C); 1 - K ratio",
        source="derived; the usual example is attributed to Tang and others (2024), unchecked",
        takes=(
            number("main_speed", "1", "R_d, main memory over flash; above 1"),
            number("expansion_speed", "1", "R_c, expansion over flash; at least 1"),
            number("main_to_expansion", "1", "C, main memory per byte of expansion"),
            number("server_cost_ratio", "1", "K, server with expansion over without"),
        ),
        gives=(
            Output(
                "servers_ratio",
                "1",
                "servers needed over servers without expansion",
                "(1 - 1 / main_speed) / ((1 - 1 / main_speed) + "
                "(1 - 1 / expansion_speed) / main_to_expansion)",
            ),
            Output("saving", "1", "share saved", "1 - server_cost_ratio servers_ratio"),
        ),
        validity="data beyond memory on flash; memory, not processors, sets the servers",
        warn=_about_expansion,
    ),
    _card(
        "near_memory_rate",
        title="Near or far memory",
        says="Loads per second from which a page belongs in the nearer, more expensive memory.",
        formula="page (p_near - p_far) / (stall core)",
        source="derived",
        takes=(
            number("page_bytes", "bytes", "page"),
            number("near_usd_per_gib_month", "USD/GiB/month", "rent of near memory"),
            number("far_usd_per_gib_month", "USD/GiB/month", "rent of far memory"),
            number("stall_s", "s", "extra latency of one load"),
            number("core_usd_per_hour", "USD/h", "rent of the core that stalls"),
        ),
        gives=(
            Output(
                "accesses_per_s",
                "1/s",
                "loads that miss the processor's caches",
                "page_bytes (near_usd_per_gib_month - far_usd_per_gib_month) / "
                "1,073,741,824 / 2,628,000 / (stall_s core_usd_per_hour / 3,600)",
            ),
        ),
        validity="nothing hides the stall; no I/O is paid; a month has 730 hours",
    ),
    _card(
        "cloud_break_even",
        title="Fetch or keep an object",
        says="Interval between accesses at which keeping an object costs as much as "
        "fetching it from a store with fees.",
        formula="(request + l byte fee) / (l rent)",
        source="derived",
        takes=(
            number("object_bytes", "bytes", "object"),
            number("request_usd", "USD", "fee of one request"),
            number("byte_usd", "USD/byte", "fee of one byte"),
            number("cache_usd_per_gib_month", "USD/GiB/month", "rent of the cache"),
        ),
        gives=(
            Output(
                "fetch_usd", "USD", "one fetch", "request_usd + object_bytes byte_usd"
            ),
            Output(
                "rent_usd_per_s",
                "USD/s",
                "of the object in the cache",
                "object_bytes cache_usd_per_gib_month / 1,073,741,824 / 2,628,000",
            ),
            Output(
                "interval_s",
                "s",
                "accessed at least this often, it is cheaper to keep",
                "fetch_usd / rent_usd_per_s",
            ),
        ),
        validity=f"{FEES}; a month has 730 hours",
    ),
    _card(
        "cloud_cache_rate",
        title="Requests that pay for a cache",
        says="Requests per second from which a cache saves its rent in fees.",
        formula="cache / (3600 hit ratio fetch)",
        source="derived; Duwe and others (2025), abstract, state 7 a second on AWS",
        takes=(
            number("cache_usd_per_hour", "USD/h", "rent of the cache"),
            number("hit_ratio", "1", "of the cache, above 0"),
            number("request_usd", "USD", "fee of one request"),
            optional(number("object_bytes", "bytes", "mean object"), 0.0),
            optional(number("byte_usd", "USD/byte", "fee of one byte"), 0.0),
        ),
        gives=(
            Output(
                "requests_per_s",
                "1/s",
                "requests",
                "cache_usd_per_hour / (3,600 hit_ratio (request_usd + object_bytes byte_usd))",
            ),
        ),
        validity=FEES,
    ),
    _card(
        "egress_crossover",
        title="Size from which bytes cost more than the request",
        says="Size of an object from which its bytes cost more than its request.",
        formula="fee / egress rate",
        source="Mandarapu and Kunkunuru (2026), abstract",
        takes=(
            number("request_usd", "USD", "fee of one request"),
            number("usd_per_gb", "USD/GB", "fee of 10^9 bytes"),
        ),
        gives=(
            Output(
                "bytes", "bytes", "size", "request_usd / (usd_per_gb / 1,000,000,000)"
            ),
        ),
        validity=FEES,
    ),
    _card(
        "disk_head_time",
        title="Work at the head of a disk",
        says="Busy time of a disk's head: what decides how many disks are bought.",
        formula="I/Os x seek + bytes / bandwidth",
        source="Wong and others (2024); 11.5 ms and 143 MiB/s in their simulator",
        takes=(
            number("ios", "1", "operations"),
            number("bytes", "bytes", "transferred", argument="size_bytes"),
            number("seek_s", "s", "mean seek and rotation"),
            number("bytes_per_s", "bytes/s", "bandwidth of the disk"),
        ),
        gives=(Output("seconds", "s", "time", "ios seek_s + bytes / bytes_per_s"),),
        validity="every operation seeks; look at the peak over time, not at the mean",
    ),
    _card(
        "embodied_carbon",
        title="Embodied carbon of a flash cache",
        says="Carbon of making the drives that a flash cache uses up.",
        formula="WAF capacity (T / L) carbon, or max(T / L, written WAF / rated) capacity carbon",
        source=f"{ALLISON}; the form with rated bytes is ours",
        takes=(
            number("waf", "1", "write amplification; at least 1"),
            number("device_gb", "GB", "capacity"),
            number("years", "years", "of the system"),
            number("warranty_years", "years", "of the drive"),
            number("kg_per_gb", "kg CO2e/GB", "embodied carbon: state its source"),
            number(
                "host_bytes",
                "bytes",
                "written by the host over these years",
                required=False,
                otherwise="wear is assumed to limit the drive",
            ),
            number(
                "rated_bytes",
                "bytes",
                "rated of the drive",
                required=False,
                otherwise="wear is assumed to limit the drive",
            ),
        ),
        gives=(Output("kg", "kg CO2e", "of all drives used up"),),
        validity="factors for SSDs span a factor of fourteen between sources: give a range",
        warn=_about_carbon,
    ),
    _card(
        "operational_energy",
        title="Energy of memory and drives",
        says="Energy in operation from sizes and coefficients per size.",
        formula="size x coefficient x hours x PUE",
        source=FOOTPRINT,
        takes=(
            number("memory_gb", "GB", "memory"),
            number("ssd_tb", "TB", "flash"),
            number("hdd_tb", "TB", "disk"),
            number("hours", "h", "time"),
            number("pue", "1", "of the data centre: 1.1 to 1.2 of large clouds"),
            optional(
                number("memory_kwh_per_gb_hour", "kWh/GB/h", "memory"),
                carbon.MEMORY_KWH_PER_GB_HOUR,
            ),
            optional(
                number("ssd_wh_per_tb_hour", "Wh/TB/h", "flash"),
                carbon.SSD_WH_PER_TB_HOUR,
            ),
            optional(
                number("hdd_wh_per_tb_hour", "Wh/TB/h", "disk"),
                carbon.HDD_WH_PER_TB_HOUR,
            ),
        ),
        gives=(
            Output(
                "memory_kwh",
                "kWh",
                "memory",
                "memory_gb memory_kwh_per_gb_hour hours pue",
            ),
            Output(
                "ssd_kwh", "kWh", "flash", "ssd_tb ssd_wh_per_tb_hour / 1,000 hours pue"
            ),
            Output(
                "hdd_kwh", "kWh", "disk", "hdd_tb hdd_wh_per_tb_hour / 1,000 hours pue"
            ),
            Output("kwh", "kWh", "in all", "memory_kwh + ssd_kwh + hdd_kwh"),
        ),
        validity="means over fleets of machines, idle and busy alike",
    ),
    _card(
        "waf_fifo",
        title="Write amplification, oldest block first",
        says="Write amplification of a drive that cleans blocks in the order of writing.",
        formula="1 / (1 - d), (1 + spare)(1 - d) = -ln d",
        source=f"arXiv 1110.4245; {ALLISON}",
        takes=(SPARE,),
        gives=(
            Output("survivors", "1", "d, share of a victim's pages still valid"),
            Output("waf", "1", "write amplification", "1 / (1 - survivors)"),
        ),
        estimator="mean field",
        validity=WAF_VALIDITY,
    ),
    _card(
        "waf_random",
        title="Write amplification, random block",
        says="Write amplification of a drive that cleans blocks at random.",
        formula="(1 + spare) / spare",
        source="derived",
        takes=(SPARE,),
        gives=(Output("waf", "1", "write amplification", "(1 + spare) / spare"),),
        estimator="mean field",
        validity=WAF_VALIDITY,
    ),
    _card(
        "waf_greedy",
        title="Write amplification, emptiest block",
        says="Write amplification of a drive that cleans the block with the fewest valid "
        "pages.",
        formula="b r; (1 + spare)/b = r (H_b - H_j) + (1 - r (b - j))/j",
        source="derived, in the theory of Desnoyers and of Van Houdt",
        takes=(SPARE, BLOCK_PAGES),
        gives=(
            Output("waf", "1", "write amplification"),
            Output(
                "victim_pages",
                "pages",
                "mean of a victim's valid pages",
                "pages_per_block (1 - 1 / waf)",
            ),
        ),
        estimator="mean field",
        validity=WAF_VALIDITY,
    ),
    _card(
        "waf_choices",
        title="Write amplification, best of some blocks",
        says="Write amplification of a drive that cleans the emptiest of some random blocks.",
        formula="c i p_i = 1 - (S_(i+1) + p_i)^d; WAF = (1 + spare) / c",
        source="derived: mean-field fixed point",
        takes=(SPARE, BLOCK_PAGES, integer("choices", "1", "d, blocks looked at")),
        gives=(Output("waf", "1", "write amplification"),),
        estimator="mean field",
        validity=WAF_VALIDITY,
    ),
    _card(
        "waf_trim",
        title="Write amplification with TRIM",
        says="Write amplification where a share of the requests gives pages back.",
        formula="u = (1 - 2q) / (1 - q); spare over what is in use; oldest block first",
        source="derived; model of Frankie and others (arXiv 1208.1794)",
        takes=(
            SPARE,
            number("trim_share", "1", "q, requests that trim; below 0.5"),
        ),
        gives=(
            Output(
                "in_use_share",
                "1",
                "of the logical space",
                "(1 - 2 trim_share) / (1 - trim_share)",
            ),
            Output("effective_spare", "1", "spare", "(1 + spare) / in_use_share - 1"),
            Output("waf", "1", "write amplification"),
        ),
        estimator="mean field",
        validity=WAF_VALIDITY,
    ),
    _card(
        "waf_streams",
        title="Write amplification of separate streams",
        says="Write amplification where streams never share an erase block.",
        formula="sum of write share x WAF of the stream",
        source=f"{ALLISON}; the sum is derived",
        takes=(
            Parameter(
                "streams",
                "rows",
                "",
                "streams; their write shares add up to 1",
                columns=(
                    number("write_share", "1", "share of all writes"),
                    number("logical_bytes", "bytes", "its data", required=False),
                    number("physical_bytes", "bytes", "its flash", required=False),
                    Parameter(
                        "sequential",
                        "flag",
                        "",
                        "written and invalidated in order",
                        required=False,
                    ),
                ),
            ),
        ),
        gives=(
            Output("each", "1", "of each stream"),
            Output("waf", "1", "of all"),
        ),
        estimator="mean field",
        validity=f"{WAF_VALIDITY}; skew inside a stream lowers it",
    ),
    _card(
        "admission_base",
        title="Base probability of admission",
        says="Probability with which an object of a size enters the cache before control.",
        formula="min(1, (bits(base) / bits(size))^decay)",
        source=CACHELIB,
        takes=(
            integer("size_bytes", "bytes", "object"),
            integer("base_bytes", "bytes", "size from which it falls: 4,096"),
            number("decay", "1", "in [0, 1]: 0.3"),
        ),
        gives=(Output("probability", "1", "before the factor"),),
        validity="as the source code stood in 2026",
    ),
    _card(
        "admission_factor",
        title="Control of the write rate by admission",
        says="Update of the factor that keeps a cache to a rate of writes.",
        formula=(
            "target_now = (target (elapsed + 1 day) - written) / 1 day; factor "
            "clamp(target_now / observed, 0.75, 1.25)"
        ),
        source=CACHELIB,
        takes=(
            number("factor", "1", "before"),
            integer("target_rate", "bytes/s", "target"),
            integer("elapsed_s", "s", "since the start"),
            integer("written_bytes", "bytes", "written since the start"),
            integer("written_last", "bytes", "the same at the last update"),
            integer("interval_s", "s", "since the last update"),
            integer("max_rate", "bytes/s", "most that is ever aimed at"),
            integer(
                "accepted_last",
                "bytes",
                "accepted since the last update; not part of the rule",
                required=False,
                otherwise="nothing",
            ),
            integer(
                "bypassed_last",
                "bytes",
                "bypassed since the last update; not part of the rule",
                required=False,
                otherwise="nothing",
            ),
        ),
        gives=(
            Output("target_now", "bytes/s", "rate aimed at"),
            Output("factor", "1", "from here on"),
        ),
        validity="as the source code stood in 2026; rates are whole numbers",
    ),
    _card(
        "larc_ghost",
        title="Ghost list of LARC",
        says="Length of LARC's ghost list after a hit or a miss.",
        formula="hit: max(0.1 C, g - C / (C - g)); miss: min(0.9 C, g + C / g)",
        source="LARC (2013), by an implementation that quotes its listing",
        takes=(
            number("capacity", "pages", "C, flash"),
            number("ghost", "pages", "g, within 0.1 and 0.9 of C"),
            Parameter("hit", "flag", "", "whether flash had the page"),
        ),
        gives=(Output("ghost", "pages", "after the access"),),
        validity="one access at a time; the length is a real number",
    ),
    _card(
        "dwpd_rate",
        title="Write rate that keeps drive writes per day",
        says="Rate at which L2ARC may write for the rest of a day.",
        formula="min(write_max, (device DWPD + carried + burst - written) / rest of the day)",
        source=L2ARC,
        takes=(
            integer("device_bytes", "bytes", "flash device"),
            number("dwpd_percent", "%", "drive writes per day; 100 is one"),
            integer("written_today_bytes", "bytes", "written since the day began"),
            integer("carried_bytes", "bytes", "unused from the day before"),
            number("elapsed_s", "s", "of the day, below 86,400"),
            integer("write_max", "bytes/s", "configured limit: 64 MiB/s in the code"),
            optional(
                integer("burst_bytes", "bytes", "allowed besides"),
                cache_control.BURST_BYTES,
            ),
        ),
        gives=(Output("bytes_per_s", "bytes/s", "rate"),),
        validity="once the ring is full and flash is at least twice the largest ARC",
    ),
    cards_of("mod", page_file="what-to-cache.md")(
        "caching_knapsack",
        title="What to cache: knapsack of categories",
        command="cachesack",
        address="/what-to-cache",
        page="What to cache",
        says="Which admission each category of requests gets, so that all fit into flash and cost least.",
        formula="along the lower convex hull of each category, steps in order of (fall of cost) / space until the "
        "capacity is used, the last one in part, or that is no more than the rent",
        source=f"{CACHESACK}; the steps are those of the fractional knapsack",
        takes=(
            Parameter(
                "options",
                "rows",
                "",
                "admissions, each with its category; the first one of a category takes no space",
                columns=(
                    integer(
                        "category",
                        "1",
                        "number; of equal ones one is chosen, or two are mixed",
                    ),
                    number("space", "pages", "flash that it holds"),
                    number(
                        "cost",
                        "USD",
                        "of its reads from the store and its writes to flash",
                    ),
                ),
            ),
            number("capacity", "pages", "flash"),
            optional(
                number(
                    "rent",
                    "USD/page",
                    "of flash where only what is held is paid for; else 0",
                ),
                0.0,
            ),
        ),
        gives=(
            Output(
                "shares",
                "1",
                "of each option, in their order: of the pages of its category",
            ),
            Output("space", "pages", "flash in use"),
            Output("cost", "USD", "of all categories, with rent"),
            Output(
                "price",
                "USD/page",
                "what one more page would save beyond its rent: the Lagrange multiplier",
            ),
        ),
        validity="costs and space of the admissions of one category do not depend on those of another",
    ),
)
"""In the order of the table."""
