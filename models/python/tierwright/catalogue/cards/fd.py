"""Cards of `fd.*`: a buffer split into clean and dirty pages."""

from __future__ import annotations

from collections.abc import Iterator

from tierwright.catalogue.card import (
    REPLAY,
    Inputs,
    Output,
    Outputs,
    Parameter,
    cards_of,
    integer,
    number,
    trace,
)
from tierwright.common.cautions import Caution
from tierwright.evaluate.pool_split import counts
from tierwright.evaluate.pool_split.counts import VALIDITY

PAPER = "FD-Buffer (clean and dirty pools)"
PAGE_FILE = "pool-split.md"
BUFFER = integer("M", "pages", "buffer", argument="pages")
ASYMMETRY = number("R", "1", "page write / page read", argument="asymmetry")
WRITE_SHARE = number("w", "1", "share of accesses that write", argument="write_share")
MISS_RATES = (
    number("P_c", "1", "misses of the clean pool / all accesses", argument="p_c"),
    number("P_d", "1", "misses of the dirty pool / all accesses", argument="p_d"),
    number(
        "P_dw",
        "1",
        "writes that miss the dirty pool / all writes",
        also=("P_d^w",),
        argument="p_dw",
    ),
)
SPLIT_ROW = (
    Output("M_c", "pages", "clean pool"),
    Output("P_c", "1", "misses of the clean pool / all accesses"),
    Output("P_d", "1", "misses of the dirty pool / all accesses"),
    Output("P_dw", "1", "writes that miss the dirty pool / all writes"),
)
COUNTS = (
    Output("reads", "pages", "page reads, misses"),
    Output("writes", "pages", "page writes, dirty evictions"),
    Output("hits", "accesses", "hits"),
)
STACK = (
    "one pass over two LRU stacks; hits are counted by raw stack distance, which entries that "
    "are not present lengthen"
)


def _about_eq4(inputs: Inputs, result: Outputs) -> Iterator[Caution]:
    del inputs
    flow, eq4 = result["flow"], result["eq4"]
    if flow > 0 and abs(eq4 - flow) > 0.25 * flow:
        yield Caution(
            "estimators_apart",
            f"eq4 is {abs(eq4 / flow - 1):.0%} {'above' if eq4 > flow else 'below'} "
            "flow: it treats the misses of disjoint pools as independent",
            "use flow for absolute costs; eq4 is the formula of the paper",
        )
    if result["P_total_disjoint"] < 0:
        yield Caution(
            "miss_rates_do_not_fit",
            "P_c + P_d is below 1: the pools together would hit more than every access",
            "compute P_c and P_d as misses of each pool over all accesses",
        )


def _about_argmin(inputs: Inputs, result: Outputs) -> Iterator[Caution]:
    del inputs
    if len(set(result.values())) > 1:
        yield Caution(
            "estimators_disagree",
            "the estimators choose different splits",
            "use flow, which is recommended, or replay both with `fd.simulate`",
        )


def _about_asymmetry(inputs: Inputs, _: Outputs) -> Iterator[Caution]:
    if inputs["C_write"] < inputs["C_read"]:
        yield Caution(
            "writes_cheaper_than_reads",
            "R is below 1: a buffer that saves writes is made for R of 1 and more",
            "check that both costs are of random pages",
        )


def _about_dynamics(inputs: Inputs, result: Outputs) -> Iterator[Caution]:
    if inputs["w0"] < 1 <= result["WM1"]:
        yield Caution(
            "write_share_capped",
            "the write share of WM1 has reached 1 and stays there",
            "choose an earlier epoch",
        )


def _about_break_even(_: Inputs, result: Outputs) -> Iterator[Caution]:
    value = result["R"]
    if value is None:
        yield Caution(
            "equal_writes",
            "both write the same number of pages: no R makes them cost the same",
            "choose the one with fewer reads: it is cheaper at every R",
        )
    elif value < 1:
        yield Caution(
            "break_even_below_one",
            "they break even below R = 1, where writes would be cheaper than reads",
            "choose the one with fewer writes: it is cheaper on every real device",
        )


_card = cards_of("fd", page_file=PAGE_FILE)


_COSTS = {
    "command": "pool-split",
    "address": "/pool-splits/{pool_split_id}/costs",
    "page": "Pool split",
}

CARDS = (
    _card(
        "mattson",
        title="LRU stack distances",
        says="Hits by stack distance, and the LRU miss rate at every size, in one pass.",
        formula="P(M) = 1 - sum of Hit[i], i = 1..M, / all accesses",
        source=f"{PAPER}, Eq 1 (repaired); Mattson et al. (1970)",
        takes=(trace(),),
        gives=(
            Output("hit", "accesses", "hits by stack distance, the top is 1"),
            Output("infinite", "accesses", "first accesses"),
            Output("miss_rate_at", "1", "LRU miss rate by size in pages"),
        ),
        validity="LRU from a cold start; first accesses count as misses",
        command="profile",
        address="/workloads/{workload_id}/curve",
        page="Workloads",
    ),
    _card(
        "eq2_eq3",
        title="Average I/O cost per access",
        says="I/O cost per access from miss rate and dirty evictions, absolute and in "
        "reads.",
        formula="cost = P_total C_read + P_total E_dirty C_write; normalised = cost / C_read",
        source=f"{PAPER}, Eq 2 and 3",
        takes=(
            number("P_total", "1", "miss rate", argument="miss_rate"),
            number(
                "E_dirty",
                "1",
                "dirty evictions / evictions",
                argument="dirty_share",
            ),
            number("C_read", "time", "page read", argument="read_cost"),
            number("C_write", "time", "random page write", argument="write_cost"),
        ),
        gives=(
            Output(
                "cost",
                "time",
                "of an access",
                "P_total C_read + P_total E_dirty C_write",
            ),
            Output("R", "1", "asymmetry", "C_write / C_read"),
            Output(
                "normalized", "page reads", "of an access", "P_total (1 + E_dirty R)"
            ),
        ),
        validity="after warm-up: the buffer is full and every miss evicts",
        warn=_about_asymmetry,
        **_COSTS,
    ),
    _card(
        "cost_variants",
        title="Cost of a split by three estimators",
        says="Normalised cost of a split from the pools' miss rates, by three estimators.",
        formula=(
            "eq4 = P_c P_d (1 + P_dw R); disjoint = (P_c + P_d - 1)(1 + P_dw R); "
            "flow = P_c + P_d - 1 + w P_dw R"
        ),
        source=f"{PAPER}, Eq 4; disjoint and flow are derived",
        takes=(
            *MISS_RATES,
            ASYMMETRY,
            WRITE_SHARE,
        ),
        gives=(
            Output("eq4", "page reads", "the paper's", "P_c P_d (1 + P_dw R)"),
            Output(
                "disjoint",
                "page reads",
                "disjoint pools",
                "(P_c + P_d - 1)(1 + P_dw R)",
            ),
            Output("flow", "page reads", "recommended", "P_c + P_d - 1 + w P_dw R"),
            Output("P_total_product", "1", "miss rate if independent", "P_c P_d"),
            Output(
                "P_total_disjoint", "1", "miss rate of disjoint pools", "P_c + P_d - 1"
            ),
        ),
        estimator="eq4 (the paper's), disjoint, flow (recommended for absolute cost)",
        validity=VALIDITY,
        warn=_about_eq4,
        **_COSTS,
    ),
    _card(
        "argmin",
        title="Best split of given rows",
        says="The clean pool of least cost among given splits, by each estimator.",
        formula="argmin over M_c of eq4, disjoint, flow; ties to the smallest M_c",
        source=f"{PAPER}, section on the policy advisor; tie rule ours",
        takes=(
            Parameter(
                "rows",
                "rows",
                "",
                "splits: objects with M_c, P_c, P_d, P_dw",
                columns=(
                    integer("M_c", "pages", "clean pool", argument="clean_pages"),
                    *MISS_RATES,
                ),
            ),
            ASYMMETRY,
            WRITE_SHARE,
        ),
        gives=tuple(
            Output(name, "pages", f"best clean pool by {name}")
            for name in counts.ESTIMATORS
        ),
        estimator="eq4 (the paper's), disjoint, flow (recommended for absolute cost)",
        validity=VALIDITY,
        warn=_about_argmin,
        **_COSTS,
    ),
    _card(
        "table2",
        title="Belady against the split buffer",
        says="Reads and writes of Belady's rule and of a split buffer on a short trace.",
        formula="replay of both; break-even R = (reads_b - reads_a) / (writes_a - writes_b), a Belady, b split",
        source=f"{PAPER}, Table 2 (one cell corrected)",
        takes=(
            trace(),
            BUFFER,
            integer("M_c", "pages", "clean pool", argument="clean_pages"),
            Parameter(
                "initial_clean",
                "names",
                "",
                "pages that are in the buffer at the start, clean",
                required=False,
                otherwise="an empty buffer",
            ),
        ),
        gives=(
            *COUNTS,
            Output("misses", "accesses", "misses"),
            Output("break_even_R", "1", "R at which both cost the same; null: at none"),
        ),
        estimator=REPLAY,
        validity="one short trace; ties of Belady to clean pages",
    ),
    _card(
        "table2_costs",
        title="Belady against the split buffer at an asymmetry",
        says="Normalised cost of both on the paper's example, and the cheaper one.",
        formula="(reads + writes R) / accesses",
        source=f"{PAPER}, Table 2",
        takes=(ASYMMETRY,),
        gives=(
            Output(
                "belady", "page reads", "an access under Belady's rule", "(6 + 2 R) / 9"
            ),
            Output(
                "fd_buffer",
                "page reads",
                "an access of the split buffer",
                "(8 + R) / 9",
            ),
            Output("winner", "", "the cheaper; a tie at R = 2"),
        ),
        validity="the nine accesses of the paper's example only",
    ),
    _card(
        "break_even_R",
        title="Asymmetry at which two policies cost the same",
        says="The R from which the policy with fewer writes is the cheaper.",
        formula="(reads_b - reads_a) / (writes_a - writes_b)",
        source=f"derived from Eq 3 of {PAPER}",
        takes=tuple(
            number(f"{op}_{which}", "pages", f"page {op} of policy {which}")
            for which in "ab"
            for op in ("reads", "writes")
        ),
        gives=(
            Output(
                "R",
                "1",
                "break-even; null with equal writes",
                "(reads_b - reads_a) / (writes_a - writes_b)",
            ),
        ),
        validity="counts of the same accesses; one cost for each read and each write",
        command="pool-gain",
        address="/pool-splits/{pool_split_id}/costs",
        page="Pool split",
        warn=_about_break_even,
    ),
    _card(
        "simulate",
        title="Replay of every split",
        says="Reads, writes and hits of the split buffer at every split of a short trace.",
        formula="replay of the buffer at M_c = 1 .. M - 1",
        source=f"{PAPER}, Algorithms 1 and 2 (repaired)",
        takes=(trace(), BUFFER),
        gives=(
            *COUNTS,
            Output("hits_clean", "accesses", "hits in the clean pool"),
            Output("hits_dirty", "accesses", "hits in the dirty pool"),
            Output("write_hits_dirty", "accesses", "writes that hit the dirty pool"),
        ),
        estimator=REPLAY,
        validity="cold start; LRU in both pools; pages dirty at the end are not written",
        command="simulate",
        address="/sweeps",
        page="Simulate",
    ),
    _card(
        "two_stack",
        title="Two-Stack estimate of all splits",
        says="Miss rates of both pools at every split, from one pass over the trace.",
        formula="hit index = max(distance, threshold) in each of two LRU stacks",
        source=f"{PAPER}, Algorithms 3 and 4, Eq 5 to 7 (repaired)",
        takes=(trace(), BUFFER),
        gives=(
            *SPLIT_ROW,
            Output("hits", "accesses", "hits by index: clean/dirty, reads/writes"),
            Output("argmin_eq4_R32", "pages", "best clean pool by eq4 at R = 32"),
            Output("argmin_flow_R32", "pages", "best clean pool by flow at R = 32"),
        ),
        estimator=f"Two-Stack, raw distance: {STACK}",
        validity=VALIDITY,
        command="pool-split",
        address="/pool-splits",
        page="Pool split",
    ),
    _card(
        "two_stack_effective",
        title="Two-Stack with effective distances",
        says="Hits of both pools at every split, counting only entries that are present.",
        formula="page hits at size s if threshold <= s and entries present above it < s",
        source=f"derived; refines Algorithms 3 and 4 of {PAPER}",
        takes=(trace(), BUFFER),
        gives=(
            Output("M_c", "pages", "clean pool"),
            Output("hits_clean", "accesses", "hits in the clean pool"),
            Output("hits_dirty", "accesses", "hits in the dirty pool"),
            Output("write_hits_dirty", "accesses", "writes that hit the dirty pool"),
        ),
        estimator="Two-Stack, effective distance: only entries present at the split count",
        validity=f"{VALIDITY}; takes time in proportion to accesses x pages",
        command="pool-split",
        address="/pool-splits",
    ),
    _card(
        "baselines",
        title="LRU, CFLRU and Belady on a trace",
        says="Reads, writes and hits of LRU and CFLRU, and the misses of Belady's rule.",
        formula="replay; CFLRU takes the oldest clean page outside its working region first",
        source=f"{PAPER}, baselines",
        takes=(
            trace(),
            BUFFER,
            number(
                "WRR",
                "1",
                "working region of CFLRU / buffer",
                required=False,
                otherwise="0.5",
                argument="wrr",
            ),
        ),
        gives=(*COUNTS, Output("belady_misses", "accesses", "misses of Belady's rule")),
        estimator=REPLAY,
        validity="cold start; pages dirty at the end are not written",
        **_COSTS,
    ),
    _card(
        "window_io_time",
        title="I/O time of an advisor's window",
        says="I/O time that a window must hold, so that estimating costs at most a share g of it.",
        formula="Comp / g",
        source=f"{PAPER}, policy advisor",
        takes=(
            number("Comp", "time", "one estimation", argument="estimation_time"),
            number(
                "g", "1", "estimation / I/O time, at most", argument="overhead_ratio"
            ),
        ),
        gives=(Output("io_time", "time", "I/O time of a window", "Comp / g"),),
        validity="the estimation takes as long in every window",
        command="pool-advisor",
        address="/pool-advisors/{pool_advisor_id}/epochs",
        page="Pool split",
    ),
    _card(
        "dynamics",
        title="Workloads that drift",
        says="Write share and asymmetry in an epoch of the four moving workloads.",
        formula=(
            "WM1 = min(1, w0 (1 + 0.01 i)); RM1 = R0 (1 + 0.1 i); WM2, RM2 = alt_factor x the "
            "first in odd epochs"
        ),
        source=f"{PAPER}, dynamic workloads (WM1 repaired)",
        takes=(
            integer("i", "1", "epoch, from 0", argument="number"),
            number("w0", "1", "write share of epoch 0", argument="write_share"),
            number("R0", "1", "asymmetry of epoch 0", argument="asymmetry"),
            number(
                "alt_factor",
                "1",
                "factor of odd epochs",
                required=False,
                otherwise="0.95",
                argument="alternating_factor",
            ),
        ),
        gives=(
            Output("WM1", "1", "write share, rising", "min(1, w0 (1 + 0.01 i))"),
            Output("WM2", "1", "write share, alternating"),
            Output("RM1", "1", "asymmetry, rising", "R0 (1 + 0.1 i)"),
            Output("RM2", "1", "asymmetry, alternating"),
        ),
        validity="epochs of about 5,000 accesses; the print of WM2 leaves the factor open",
        command="pool-advisor",
        address="/pool-advisors",
        page="Pool split",
        warn=_about_dynamics,
    ),
    _card(
        "zipf_pmf",
        title="Probability of a rank under Zipf",
        says="How likely the page of a rank is under a Zipf popularity.",
        formula="rank^(-alpha) / sum of j^(-alpha), j = 1..n",
        source=f"{PAPER}, synthetic workloads",
        takes=(
            integer("rank", "1", "of the page, from 1"),
            integer("n", "pages", "pages", argument="pages"),
            number("alpha", "1", "exponent; 0 is uniform"),
        ),
        gives=(
            Output(
                "p", "1", "probability", "rank^(-alpha) / sum of j^(-alpha), j = 1..n"
            ),
        ),
        validity="accesses independent of one another",
    ),
    _card(
        "group_distance",
        title="Distance of a group of pages",
        says="Stack distance that a page gets when distances are kept by groups.",
        formula="group = floor((position - 1) / size); printed = group size; conservative = (group + 1) size",
        source=f"{PAPER}, group optimisation",
        takes=(
            integer("position", "1", "in the stack, from 1"),
            integer("group_size", "pages", "of a group", argument="group_pages"),
        ),
        gives=(
            Output("group", "1", "from 0", "floor((position - 1) / group_size)"),
            Output("printed_distance", "pages", "as printed", "group group_size"),
            Output(
                "conservative_distance",
                "pages",
                "its far end",
                "(group + 1) group_size",
            ),
        ),
        estimator="one distance for all pages of a group",
        validity="off by a group at most; as printed, the first group always hits",
        command="pool-split",
        address="/pool-splits",
    ),
    _card(
        "estimation_error",
        title="Error of an estimate",
        says="How far an estimate is from the measured value.",
        formula="|measured - estimated| / measured x 100 %",
        source=f"{PAPER}, evaluation (repaired)",
        takes=(
            number("measured", "any", "measured value"),
            number("estimated", "any", "estimate of it"),
        ),
        gives=(
            Output("error_pct", "%", "error", "100 |measured - estimated| / measured"),
        ),
        validity="relative to the measured value",
        command="pool-gain",
    ),
)
"""In the order of the table."""
