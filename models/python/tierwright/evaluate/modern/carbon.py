"""Carbon and energy of memory and storage.

Sources: Allison and others (EuroSys 2025) for the embodied form; Cloud Carbon Footprint (2024)
for energy. Embodied factors of SSDs span a factor of fourteen between sources, so there is no
default.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from tierwright.common.arrays import FloatArray
from tierwright.common.errors import BadInput
from tierwright.evaluate.modern._checked import numbers, one

MEMORY_KWH_PER_GB_HOUR = 0.000392
SSD_WH_PER_TB_HOUR = 1.2
HDD_WH_PER_TB_HOUR = 0.65


@dataclass(frozen=True, slots=True)
class Energy:
    """Energy in operation, losses of the data centre included. [kWh]

    Attributes
    ----------
    memory_kwh, ssd_kwh, hdd_kwh, kwh : float64 array
        By part, and in all. [kWh]
    """

    memory_kwh: FloatArray
    ssd_kwh: FloatArray
    hdd_kwh: FloatArray
    kwh: FloatArray


def embodied_carbon(
    *,
    waf: ArrayLike,
    device_gb: ArrayLike,
    years: ArrayLike,
    warranty_years: ArrayLike,
    kg_per_gb: ArrayLike,
    host_bytes: ArrayLike | None = None,
    rated_bytes: ArrayLike | None = None,
) -> FloatArray:
    """Embodied carbon of the drives that a flash cache uses up.

    As printed: WAF capacity (T / L) carbon per GB, right only if wear limits the drive. With the
    bytes written and the rated bytes: max(T / L, written WAF / rated) drives (repaired).

    Parameters
    ----------
    waf : array_like
        Write amplification of the drive; at least 1. [1]
    device_gb : array_like
        Capacity. [GB]
    years, warranty_years : array_like
        T of the system, L of the drive. [years]
    kg_per_gb : array_like
        Embodied carbon. [kg CO2e/GB]
    host_bytes, rated_bytes : array_like, optional
        Written by the host over T, and rated of a drive; together. [bytes]

    Returns
    -------
    float64 array
        [kg CO2e]

    Raises
    ------
    BadInput
        If an input is out of its domain, or one of the pair is missing.
    """
    subject = "embodied carbon"
    given = {
        "waf": waf,
        "device_gb": device_gb,
        "years": years,
        "warranty_years": warranty_years,
        "kg_per_gb": kg_per_gb,
    }
    if (host_bytes is None) != (rated_bytes is None):
        raise BadInput(
            f"{subject}: `host_bytes` and `rated_bytes` belong together",
            "give both or neither",
        )
    if host_bytes is not None and rated_bytes is not None:
        given |= {"host_bytes": host_bytes, "rated_bytes": rated_bytes}
    positive = [name for name in given if name in ("warranty_years", "rated_bytes")]
    v = numbers(subject, positive, **given)
    least = float(np.min(v["waf"]))
    one(subject, "waf", least, good=least >= 1, message="must be at least 1")
    lives = v["years"] / v["warranty_years"]
    devices = (
        np.maximum(lives, v["host_bytes"] * v["waf"] / v["rated_bytes"])
        if "host_bytes" in v
        else v["waf"] * lives
    )
    return np.asarray(devices * v["device_gb"] * v["kg_per_gb"])


def operational_energy(
    *,
    memory_gb: ArrayLike,
    ssd_tb: ArrayLike,
    hdd_tb: ArrayLike,
    hours: ArrayLike,
    pue: ArrayLike,
    memory_kwh_per_gb_hour: ArrayLike = MEMORY_KWH_PER_GB_HOUR,
    ssd_wh_per_tb_hour: ArrayLike = SSD_WH_PER_TB_HOUR,
    hdd_wh_per_tb_hour: ArrayLike = HDD_WH_PER_TB_HOUR,
) -> Energy:
    """Energy in operation: size x coefficient x hours x PUE.

    Coefficients of Cloud Carbon Footprint: means over fleets, not of one device; idle and busy
    alike.

    Parameters
    ----------
    memory_gb, ssd_tb, hdd_tb : array_like
        [GB], [TB]
    hours : array_like
        [h]
    pue : array_like
        Energy of the data centre over that of its computers; at least 1. [1]
    memory_kwh_per_gb_hour, ssd_wh_per_tb_hour, hdd_wh_per_tb_hour : array_like
        Coefficients. [kWh/GB/h], [Wh/TB/h]

    Returns
    -------
    Energy
        Broadcast shape.

    Raises
    ------
    BadInput
        If an input is out of its domain.
    """
    subject = "energy"
    v = numbers(
        subject,
        memory_gb=memory_gb,
        ssd_tb=ssd_tb,
        hdd_tb=hdd_tb,
        hours=hours,
        pue=pue,
        memory_kwh_per_gb_hour=memory_kwh_per_gb_hour,
        ssd_wh_per_tb_hour=ssd_wh_per_tb_hour,
        hdd_wh_per_tb_hour=hdd_wh_per_tb_hour,
    )
    least = float(np.min(v["pue"]))
    one(subject, "pue", least, good=least >= 1, message="must be at least 1")
    time = v["hours"] * v["pue"]
    memory = v["memory_gb"] * v["memory_kwh_per_gb_hour"] * time
    ssd = v["ssd_tb"] * v["ssd_wh_per_tb_hour"] / 1000 * time
    hdd = v["hdd_tb"] * v["hdd_wh_per_tb_hour"] / 1000 * time
    return Energy(
        np.asarray(memory),
        np.asarray(ssd),
        np.asarray(hdd),
        np.asarray(memory + ssd + hdd),
    )
