"""Formulas `fd.*` of the conformance vectors: from a vector's inputs to its expected fields."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tierwright.common.errors import Problems
from tierwright.evaluate.pool_split import belady, workload
from tierwright.evaluate.pool_split import costs as pool_split_costs
from tierwright.evaluate.pool_split import counts as pool_split_counts
from tierwright.evaluate.pool_split.counts import (
    CFLRU_WRR,
    DEFAULT_ESTIMATOR,
    check_request,
)
from tierwright.trace.tokens import parse_tokens, token_trace

Inputs = Mapping[str, Any]
Outputs = dict[str, Any]

TABLE_2: dict[str, Any] = {
    "trace": "WA WB RC RD RC RD RC WB RA",
    "M": 2,
    "M_c": 1,
    "initial_clean": ["X", "Y"],
}
"""The worked example of the paper's Table 2."""
ARGMIN_ASYMMETRY = 32
"""R of the fields `argmin_*_R32`."""


def _mattson(inputs: Inputs) -> Outputs:
    from tierwright.profile.measure import curves

    with token_trace(inputs["trace"]) as trace:
        found = curves(trace)
    accesses = found["accesses"]
    misses = np.concatenate(([accesses], found["misses"].astype(np.int64)))
    hits = (misses[:-1] - misses[1:]).tolist()
    last = int(misses[-1])
    rates = misses[1:].tolist() + [last] * (accesses - len(hits))
    return {
        "hit": {str(at): count for at, count in enumerate(hits, start=1) if count},
        "infinite": found["distinct_pages"],
        "miss_rate_at": {
            str(at): count / accesses for at, count in enumerate(rates, start=1)
        },
    }


def _eq2_eq3(inputs: Inputs) -> Outputs:
    found = pool_split_costs.io_cost(
        inputs["P_total"],
        inputs["E_dirty"],
        read_cost=inputs["C_read"],
        write_cost=inputs["C_write"],
    )
    return {"cost": found.cost, "R": found.asymmetry, "normalized": found.normalised}


def _split_costs(inputs: Inputs) -> pool_split_costs.SplitCosts:
    return pool_split_costs.split_costs(
        inputs["P_c"],
        inputs["P_d"],
        inputs["P_dw"],
        asymmetry=inputs["R"],
        write_share=inputs["w"],
    )


def _cost_variants(inputs: Inputs) -> Outputs:
    found = _split_costs(inputs)
    return {
        "eq4": float(found.eq4),
        "disjoint": float(found.disjoint),
        "flow": float(found.flow),
        "P_total_product": float(found.miss_rate_product),
        "P_total_disjoint": float(found.miss_rate_disjoint),
    }


def _argmin(inputs: Inputs) -> Outputs:
    rows = inputs["rows"]
    columns = {
        name: [row[name] for row in rows] for name in ("M_c", "P_c", "P_d", "P_dw")
    }
    found = _split_costs({**columns, "R": inputs["R"], "w": inputs["w"]})
    return {
        name: pool_split_costs.best_split(columns["M_c"], getattr(found, name))
        for name in pool_split_counts.ESTIMATORS
    }


def _initial_clean(inputs: Inputs) -> list[str]:
    """Pages of the buffer at the start: names in a list, or in a text between spaces."""
    given = inputs.get("initial_clean", [])
    names = given.split() if isinstance(given, str) else [str(page) for page in given]
    pages = int(inputs["M"])
    problems = Problems("split buffer", "name each page once, M pages at most")
    repeated = [name for name, times in Counter(names).items() if times > 1]
    problems.check(
        not repeated, "initial_clean", " ".join(repeated), "is named more than once"
    )
    problems.check(
        len(names) <= pages,
        "initial_clean",
        len(names),
        f"pages are more than the {pages} of the buffer",
    )
    problems.raise_if_any()
    return names


def _table2(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import simulate_splits

    initial = _initial_clean(inputs)
    offline = belady.belady(
        parse_tokens(inputs["trace"]), inputs["M"], clean_at_start=initial
    )
    # Reads fill the buffer with the clean pages; they are not counted.
    prefix = " ".join(f"R{page}" for page in initial)
    with token_trace(f"{prefix} {inputs['trace']}") as trace:
        found = simulate_splits(trace, inputs["M"], [inputs["M_c"]])[0]
    reads = found["reads"] - len(initial)
    online = {
        "reads": reads,
        "writes": found["writes"],
        "hits": found["hits_clean"] + found["hits_dirty"],
        "misses": reads,
    }
    return {
        "belady": {
            "reads": offline.reads,
            "writes": offline.writes,
            "hits": offline.hits,
            "misses": offline.misses,
        },
        "fd_buffer": online,
        "break_even_R": pool_split_costs.break_even_asymmetry(
            offline.reads, offline.writes, online["reads"], online["writes"]
        ),
    }


def _table2_costs(inputs: Inputs) -> Outputs:
    counts = _table2({**TABLE_2, **inputs})
    accesses = len(parse_tokens(TABLE_2["trace"]))
    cost = {
        name: pool_split_costs.normalised_cost(
            counts[name]["reads"],
            counts[name]["writes"],
            accesses=accesses,
            asymmetry=inputs["R"],
        )
        for name in ("belady", "fd_buffer")
    }
    if math.isclose(cost["belady"] or 0, cost["fd_buffer"] or 0):
        winner = "tie"
    else:
        winner = min(cost, key=lambda name: cost[name] or 0)
    return {**cost, "winner": winner}


def _break_even(inputs: Inputs) -> Outputs:
    found = pool_split_costs.break_even_asymmetry(
        inputs["reads_a"], inputs["writes_a"], inputs["reads_b"], inputs["writes_b"]
    )
    return {"R": found}


def _simulate(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import simulate_splits

    pages = inputs["M"]
    check_request(pages, 1.0, DEFAULT_ESTIMATOR, "raw")
    with token_trace(inputs["trace"]) as trace:
        found = simulate_splits(trace, pages, range(1, pages))
    return {
        str(row["clean_pages"]): {
            "reads": row["reads"],
            "writes": row["writes"],
            "hits": row["hits_clean"] + row["hits_dirty"],
            "hits_clean": row["hits_clean"],
            "hits_dirty": row["hits_dirty"],
            "write_hits_dirty": row["write_hits_dirty"],
        }
        for row in found
    }


def _two_stack(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import two_stack

    with token_trace(inputs["trace"]) as trace:
        found = two_stack(trace, inputs["M"])
    rates = pool_split_costs.pool_miss_rates(
        found["hits_clean"],
        found["hits_dirty"],
        found["write_hits_dirty"],
        accesses=found["accesses"],
        write_accesses=found["write_accesses"],
    )
    costs = pool_split_costs.split_costs(
        rates.p_c,
        rates.p_d,
        rates.p_dw,
        asymmetry=ARGMIN_ASYMMETRY,
        write_share=found["write_accesses"] / found["accesses"],
    )
    rows = zip(
        rates.clean_pages.tolist(),
        rates.p_c.tolist(),
        rates.p_d.tolist(),
        rates.p_dw.tolist(),
        strict=True,
    )
    return {
        "hits": {
            short: _by_index(found["by_index"][name])
            for short, name in (
                ("cr", "clean_reads"),
                ("cw", "clean_writes"),
                ("dr", "dirty_reads"),
                ("dw", "dirty_writes"),
            )
        },
        "rows": [
            dict(zip(("M_c", "P_c", "P_d", "P_dw"), row, strict=True)) for row in rows
        ],
        "argmin_eq4_R32": pool_split_costs.best_split(rates.clean_pages, costs.eq4),
        "argmin_flow_R32": pool_split_costs.best_split(rates.clean_pages, costs.flow),
    }


def _by_index(counted: Mapping[str, Any]) -> dict[str, int]:
    hits = counted["hits"].tolist()
    found = {str(at): count for at, count in enumerate(hits) if count}
    return {**found, "inf": counted["never"]}


def _two_stack_effective(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import two_stack

    with token_trace(inputs["trace"]) as trace:
        found = two_stack(trace, inputs["M"], distance="effective")
    names = ("hits_clean", "hits_dirty", "write_hits_dirty")
    rows = zip(*(found[name].tolist() for name in names), strict=True)
    return {
        "rows": [
            {"M_c": split, **dict(zip(names, row, strict=True))}
            for split, row in enumerate(rows, start=1)
        ]
    }


def _baselines(inputs: Inputs) -> Outputs:
    from tierwright.simulate.replay import replay

    pages = inputs["M"]
    ratio = {"wrr": str(inputs.get("WRR", CFLRU_WRR))}
    with token_trace(inputs["trace"]) as trace:
        found = {
            "lru": replay(trace, "buffer", "lru", pages),
            "cflru": replay(trace, "buffer", "cflru", pages, options=ratio),
        }
    return {
        **{
            name: {
                "reads": row["reads"],
                "writes": row["writes"],
                "hits": row["hits_clean"] + row["hits_dirty"],
            }
            for name, row in found.items()
        },
        "belady_misses": belady.belady(parse_tokens(inputs["trace"]), pages).misses,
    }


def _window_io_time(inputs: Inputs) -> Outputs:
    return {"io_time": pool_split_costs.window_io_time(inputs["Comp"], inputs["g"])}


def _dynamics(inputs: Inputs) -> Outputs:
    given = {}
    if "alt_factor" in inputs:
        given["alternating_factor"] = inputs["alt_factor"]
    found = workload.epoch(
        inputs["i"], write_share=inputs["w0"], asymmetry=inputs["R0"], **given
    )
    return {
        "WM1": found.wm1,
        "WM2": found.wm2,
        "RM1": found.rm1,
        "RM2": found.rm2,
    }


def _zipf_pmf(inputs: Inputs) -> Outputs:
    return {"p": workload.zipf_pmf(inputs["rank"], inputs["n"], inputs["alpha"])}


def _group_distance(inputs: Inputs) -> Outputs:
    found = pool_split_costs.group_distance(inputs["position"], inputs["group_size"])
    return {
        "group": found.group,
        "printed_distance": found.printed,
        "conservative_distance": found.conservative,
    }


def _estimation_error(inputs: Inputs) -> Outputs:
    found = pool_split_costs.estimation_error(inputs["measured"], inputs["estimated"])
    return {"error_pct": found}


FORMULAS: dict[str, Callable[[Inputs], Outputs]] = {
    "fd.mattson": _mattson,
    "fd.eq2_eq3": _eq2_eq3,
    "fd.cost_variants": _cost_variants,
    "fd.argmin": _argmin,
    "fd.table2": _table2,
    "fd.table2_costs": _table2_costs,
    "fd.break_even_R": _break_even,
    "fd.simulate": _simulate,
    "fd.two_stack": _two_stack,
    "fd.two_stack_effective": _two_stack_effective,
    "fd.baselines": _baselines,
    "fd.window_io_time": _window_io_time,
    "fd.dynamics": _dynamics,
    "fd.zipf_pmf": _zipf_pmf,
    "fd.group_distance": _group_distance,
    "fd.estimation_error": _estimation_error,
}
"""Formula name to function; one line a formula."""
