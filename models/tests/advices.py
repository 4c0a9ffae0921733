"""An advice that tests of reports share."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

from tierwright.advise import advice, scale
from tierwright.advise.advice.request import Candidates, Have, have_from_mapping
from tierwright.hardware import catalog
from tierwright.profile.measure import profile
from tierwright.profile.production import Production
from tierwright.trace.reading import Trace

ROOT = Path(__file__).resolve().parents[2]


@cache
def advised(*, feasible: bool = True, have: bool = True) -> str:
    """An advice as JSON: RAM and devices, with growth, what there is, and what is not known."""
    recorded = profile(Trace(ROOT / "fixtures" / "traces" / "tpcb-cut.csv.zst"))
    production = Production(2**42, 20_000.0, 50_000.0, growth_per_year=0.2)
    today: Have = have_from_mapping(
        {
            "machines": 2,
            "ram": "256GiB",
            "disk_device": "samsung-pm9a3-7.68tb-u2",
            "disks": 4,
            "bill": {"server": "aws-i4i.4xlarge", "machines": 2},
        },
        "file",
    )
    found = advice.answer(
        scale.answer(recorded, production).profile.curve,
        candidates=Candidates(
            kinds=("devices",),
            devices=(
                "solidigm-d7-p5810-800gb",
                "samsung-pm9a3-7.68tb-u2",
                "seagate-exos-x24-24tb",
            ),
            machine_usd=Decimal(5000),
        ),
        have=today if have else None,
        constraints={} if feasible else {"usd_per_month": 1},
        prices=catalog.default_price_book(),
    )
    return json.dumps(found.to_dict(derivation=True))


def document(**given: bool) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(advised(**given))
    return found
