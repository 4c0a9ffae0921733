"""The check of throughput."""

from tierwright.advise.check import replayed_throughput
from tierwright.common.wording import listed, three_digits
from tierwright_server.questions.replay_checks.check import (
    REPLAYED,
    Asking,
    Check,
    replayed,
    row,
    sentence,
)
from tierwright_server.questions.replay_checks.schemas import (
    CheckedAnswer,
    CheckedFigure,
)
from tierwright_server.questions.throughput import service as throughputs
from tierwright_server.questions.throughput.schemas import ThroughputIn
from tierwright_server.replays.sweeps.schemas import SweepOut

MS_PER_S = 1000.0
US_PER_MS = 1000.0
US_PER_S = 1e6
US_PER_S = 1e6


async def throughput(asking: Asking, body: ThroughputIn) -> CheckedAnswer | SweepOut:
    """Put throughput and response time of the present point beside those of replays."""
    asked = body.point().model_copy(update={"flash_metadata": body.flash_metadata})
    point, counted = await replayed(asking, asked)
    if isinstance(counted, SweepOut):
        return counted
    present = int(getattr(body, body.vary))
    answer = await throughputs.evaluate(
        asking.session, asking.context, body.model_copy(update={"points": [present]})
    )
    setting = throughputs.setting_of(body)
    rows = []
    for columns in answer.schemes:
        found = replayed_throughput(
            counted[columns.scheme],
            flash=point.flash[0],
            disk=point.disk[0],
            setting=setting,
        )
        for figure, unit, model, simulated in (
            (
                "throughput",
                "1/s",
                columns.throughput_per_s[answer.at],
                found.throughput_per_s,
            ),
            (
                "response time",
                "ms",
                columns.response_us[answer.at] / US_PER_MS,
                found.response_s * MS_PER_S,
            ),
        ):
            rows.append(
                row(columns.scheme, columns.title, figure, unit, model, simulated)
            )
    return CheckedAnswer(
        sentence=sentence(rows, "throughput", max),
        finding=finding(rows),
        rows=rows,
        basis=f"{REPLAYED} The network of queues is solved as in the answer: nothing "
        "replays how clients wait.",
    )


EQUAL = 0.01
"""Share of the throughput below which a lead does not matter."""


def finding(rows: list[CheckedFigure]) -> str | None:
    """Say which scheme reaches most by replay, and which others are equal for the purpose."""
    rates = {
        each.title: each.simulated
        for each in rows
        if each.figure == "throughput" and each.simulated is not None
    }
    if not rates:
        return None
    most = max(rates.values())
    ahead = [title for title, rate in rates.items() if rate > most * (1 - EQUAL)]
    ahead.sort(key=lambda title: -rates[title])
    rate = f"{three_digits(most)} transactions/s"
    if len(ahead) == 1:
        return f"{ahead[0]} reaches {rate}, decided by replay"
    return (
        f"{listed(ahead)} are equal for the purpose at about {rate}, decided by replay"
    )


CHECK = Check(
    "/throughputs/check",
    "check_throughput",
    "Throughput at the present point with demands from a replay of every scheme.",
    ThroughputIn,
    throughput,
)
