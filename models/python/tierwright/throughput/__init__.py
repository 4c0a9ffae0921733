"""Throughput and response time of clients that share devices.

Operational laws give bounds from service demands alone; exact mean-value analysis (MVA)
gives throughput and response time of a closed network; `scheme_throughput` takes the
demands from the page-flow costs.
"""

from tierwright.throughput.laws import (
    Bounds,
    Stations,
    asymptotic_bounds,
    open_utilisation,
)
from tierwright.throughput.mva import ClosedNetwork, closed_network
from tierwright.throughput.schemes import (
    CLIENTS,
    SATURATED,
    STATIONS,
    BeyondBusy,
    SchemeThroughput,
    Setting,
    ThroughputStudy,
    beyond_busy,
    delay_terms,
    demand_terms,
    scheme_throughput,
)

__all__ = [
    "CLIENTS",
    "SATURATED",
    "STATIONS",
    "BeyondBusy",
    "Bounds",
    "ClosedNetwork",
    "SchemeThroughput",
    "Setting",
    "Stations",
    "ThroughputStudy",
    "asymptotic_bounds",
    "beyond_busy",
    "closed_network",
    "delay_terms",
    "demand_terms",
    "open_utilisation",
    "scheme_throughput",
]
