"""Finalists of an advice replayed in the reference simulator, and what the replay says of them.

`places` finds where the recording is replayed for an option, `replays` replays it, and `wear` says how busy and how worn the
devices are then. `limits` holds what a replay counted against the limits, `settling` replays until nothing could be
better, `by_replay` puts what was counted into tables and options, `refutation` says which limits conflict by the
replays, and `words` says all that.
"""

from __future__ import annotations

from tierwright.advise.advice._checked.by_replay import (
    as_replayed,
    checked_option,
    identity,
    option_by_replay,
    tiers_as_replayed,
)
from tierwright.advise.advice._checked.limits import (
    COUNTED,
    breaks,
    broken,
    broken_limits,
    held_by_model,
    limits_by_replay,
    with_replays,
)
from tierwright.advise.advice._checked.places import (
    Planned,
    can_be_replayed,
    has_recording,
    point_of,
)
from tierwright.advise.advice._checked.refutation import refuted
from tierwright.advise.advice._checked.replays import (
    Replayed,
    about_production,
    by_trace,
    replayed,
    warnings_of,
)
from tierwright.advise.advice._checked.settling import (
    MOST_FINALISTS,
    MOST_MORE,
    MOST_ROUNDS,
    Settled,
    better,
    decided,
    devices_more,
    settled,
)
from tierwright.advise.advice._checked.wear import (
    bands,
    least_life,
    life,
    lives,
    peak_busy,
)
from tierwright.advise.advice._checked.words import (
    about_refusal,
    about_replays,
    as_counted,
    flowing,
    named_by_model,
    sentence,
)

__all__ = [
    "COUNTED",
    "MOST_FINALISTS",
    "MOST_MORE",
    "MOST_ROUNDS",
    "Planned",
    "Replayed",
    "Settled",
    "about_production",
    "about_refusal",
    "about_replays",
    "as_counted",
    "as_replayed",
    "bands",
    "better",
    "breaks",
    "broken",
    "broken_limits",
    "by_trace",
    "can_be_replayed",
    "checked_option",
    "decided",
    "devices_more",
    "flowing",
    "has_recording",
    "held_by_model",
    "identity",
    "least_life",
    "life",
    "limits_by_replay",
    "lives",
    "named_by_model",
    "option_by_replay",
    "peak_busy",
    "point_of",
    "refuted",
    "replayed",
    "sentence",
    "settled",
    "tiers_as_replayed",
    "warnings_of",
    "with_replays",
]
