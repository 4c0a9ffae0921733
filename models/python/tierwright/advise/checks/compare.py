"""Model beside simulation, counter by counter."""

from typing import Any

from tierwright.evaluate.page_flow.results import Evaluation
from tierwright.hardware.device import Device
from tierwright.hardware.service_time import service_us

COUNTERS = (
    "ram_hits",
    "flash_hits",
    "flash_misses",
    "flash_writes",
    "hdd_reads",
    "hdd_writes",
)
"""Counters that a model predicts, in the order of display."""

IO_TIME = "io_time_us_per_access"


def model_of(found: Evaluation, flash: Device, disk: Device) -> dict[str, Any]:
    """Keep of an evaluation what a simulation is held against.

    Parameters
    ----------
    found : Evaluation
        All schemes at the point.
    flash, disk : Device
        Their service times price the simulated counters.

    Returns
    -------
    dict
        `times_us`: service time by device operation [µs]; `ram_pages_with_flash`: what the flash metadata leave of the RAM [pages]; `start`; `accesses`: that the counters are
        over; `schemes`: per scheme the counters, `io_time_us_per_access` and `exact`.
    """
    page_bytes = found.inputs["page_bytes"]
    return {
        "start": found.start,
        "accesses": found.inputs["accesses"],
        "ram_pages_with_flash": found.inputs["ram_pages_with_flash"],
        "times_us": {
            "flash_reads": service_us(flash, "read", page_bytes),
            "flash_writes": service_us(flash, "write", page_bytes),
            "hdd_reads": service_us(disk, "read", page_bytes),
            "hdd_writes": service_us(disk, "write", page_bytes),
        },
        "schemes": {
            name: {
                **{counter: getattr(result, counter) for counter in COUNTERS},
                # As a simulation counts, from the same start.
                "flash_writes": result.flash_writes_counted,
                IO_TIME: result.io_time_us_per_access,
                "exact": result.exact,
            }
            for name, result in found.schemes.items()
        },
    }


def compare(
    model: dict[str, Any], simulated: dict[str, dict[str, int]]
) -> list[dict[str, Any]]:
    """Make the rows: model, simulated, gap = model - simulated, gap / simulated.

    A cold model says nothing of a replay with a warm-up, and a steady one nothing of a cold
    replay: such rows have no model.

    The simulated I/O time is counters x service times / accesses: the same prices as the
    model's, on counted operations. Of a cold start the model charges an eviction for every
    RAM miss, so on a short trace the gap of the I/O time holds the warm-up. In the steady
    state the replay counts the accesses behind its warm-up, and the model's counts are those
    of as many accesses. So are those of production beside a replay of its recording, at other sizes
    (`replayed_at`): there no estimator is exact.
    """
    rows = []
    for scheme, counters in simulated.items():
        # Model and replay stand side by side where both begin alike.
        is_warm = counters.get("warm_up", 0) > 0
        alike = is_warm == (model.get("start", "cold") == "steady")
        predicted = dict(model["schemes"].get(scheme, {})) if alike else {}
        # A recording is shorter than the production that it was scaled to.
        part = counters["accesses"] / model["accesses"] if alike else 1.0
        for name in COUNTERS:
            if predicted.get(name) is not None:
                predicted[name] *= part
        exact = bool(predicted.get("exact", False)) and not model.get("replayed_at")
        values: dict[str, float] = {name: counters[name] for name in COUNTERS}
        values[IO_TIME] = io_time_us(model["times_us"], counters)
        for name, value in values.items():
            expected = predicted.get(name)
            gap = None if expected is None else expected - value
            rows.append(
                {
                    "scheme": scheme,
                    "counter": name,
                    "unit": "µs/access" if name == IO_TIME else _UNITS[name],
                    "model": expected,
                    "simulated": value,
                    "gap": gap,
                    "gap_relative": None if gap is None or value == 0 else gap / value,
                    "exact": exact and name != IO_TIME,
                }
            )
    return rows


_UNITS = {
    "ram_hits": "accesses",
    "flash_hits": "accesses",
    "flash_misses": "accesses",
    "flash_writes": "pages",
    "hdd_reads": "pages",
    "hdd_writes": "pages",
}


def io_time_us(times_us: dict[str, float], counters: dict[str, int]) -> float:
    """Price counted device operations. [µs per access]"""
    total = sum(counters[operation] * time for operation, time in times_us.items())
    return total / counters["accesses"]
