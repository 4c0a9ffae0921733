"""Redis and Valkey: counters of `INFO`, and idle seconds and bytes of random keys, without the keys.

`OBJECT IDLETIME` gives whole seconds since the last access and is an error under the policies LFU, whose counters
have no ages. `MEMORY USAGE` gives the bytes of a key with its value and what the server adds.

Since Redis 6.2 `OBJECT IDLETIME` counts as a hit of the keyspace, though it does not touch the key (lookupKey of
db.c, flag NOTOUCH without NOSTATS). So the counters are read again after the keys, and what they count while keys
are looked at is left out.

Eviction is sampled: of `maxmemory-samples` random keys, and of a pool of candidates, the one that was idle the
longest goes (Redis, evict.c). Each eviction looks at as many keys as it samples and takes one, so that nearly all
evicted keys are of the oldest share 1 / samples; what is older than the youngest of these is not all there.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from tierwright.common.wording import counted, percent
from tierwright.profile.given.ages import MOST_ROWS, Rates, points_of
from tierwright.profile.given.cumulative import count_of, differences, increase
from tierwright.profile.given.moments import Moment, moments_of, samples_of
from tierwright.profile.given.reading import CurveOptions, Kind, Reading, Row
from tierwright.profile.working_set import Snapshot

CLOCK_S = 1.0
"""Step of the clock that stamps the keys. [s]"""
SAMPLES = 5
"""Keys that an eviction samples, unless it is stated."""
_COUNTERS = ("keyspace_hits", "keyspace_misses", "evicted_keys", "expired_keys")
_DATABASE = re.compile(r"db\d+")
_KEYS = re.compile(r"keys=(\d+)(?:,|$)")
_KEY = re.compile(
    r"idle=(\d{1,18}) (?:size=(\d{1,18})|keys=(\d{1,18}) bytes=(\d{1,18}))"
)
_NAMES = frozenset(
    {
        *_COUNTERS,
        *(f"db{at}" for at in range(16)),
        "maxmemory",
        "maxmemory_policy",
        "maxmemory_samples",
        "redis_version",
        "valkey_version",
    }
)
_LOOKED_AT = 400
_LRU = "allkeys-lru"
_KEEPS_ALL = "noeviction"
_FREQUENCIES = re.compile(r"\b(?:LFU|freq=|Hot key|hot key)")
_NO_AGES = (
    "counters of LFU are frequencies and no ages: no curve follows from them; read the counters as kind counters, or "
    "a server whose policy is allkeys-lru"
)


@dataclass(slots=True)
class _Sampled:
    """Keys of one reading."""

    idle_s: list[float] = field(default_factory=list)
    sizes: list[float] = field(default_factory=list)
    keys: list[float] = field(default_factory=list)


def score(rows: Sequence[Row]) -> float:
    """Say how well lines fit: by the counters of `INFO` and the lines of keys."""
    looked = [row.text for row in rows[:_LOOKED_AT]]
    if any(
        _KEY.fullmatch(text) or text.startswith("keyspace_hits:") for text in looked
    ):
        return 1.0
    return 0.9 if any(_FREQUENCIES.search(text) for text in looked) else 0.0


def read(rows: Sequence[Row], options: CurveOptions) -> Reading:
    """Read the curve below the present size."""
    found = Reading(size_unit="B", value="miss_ratio")
    for row in rows:
        if _FREQUENCIES.search(row.text):
            found.problem(row.line, row.text, _NO_AGES)
            return found
    moments = moments_of(found, rows, _NAMES)
    sampled = [_sampled(found, each) for each in moments]
    if found.problems:
        return found
    last = rows[-1].line
    dumped = [
        (moment, keys)
        for moment, keys in zip(moments, sampled, strict=True)
        if keys.keys
    ]
    if not dumped:
        found.problem(
            last,
            "",
            "has no lines `idle=... size=...` of keys: counters alone are one point, give them as kind counters",
        )
        return found
    if not _policy(found, moments):
        return found
    snapshots = [_snapshot(found, moment, keys) for moment, keys in dumped]
    rates = _rates(
        found, moments, sampled, [each for each in snapshots if each is not None]
    )
    if found.problems or rates is None:
        return found
    found.assumptions += [
        "A key that misses is stored again, as in a look-aside cache; requests for keys that are never stored are "
        "not in the curve.",
        "Sizes are those of the keys as MEMORY USAGE counts them, not the memory of the server.",
    ]
    points_of(
        found, [each for each in snapshots if each is not None], rates, options, last
    )
    return found


def _sampled(found: Reading, moment: Moment) -> _Sampled:
    """Read the lines of keys, one a key or one an idle second."""
    sampled = _Sampled()
    for row in moment.rows:
        match = _KEY.fullmatch(row.text)
        if match is None:
            found.problem(
                row.line,
                row.text,
                "is not a counter of INFO or a line `idle=SECONDS size=BYTES`",
            )
            return sampled
        idle, size, keys, content = match.groups()
        count = 1.0 if keys is None else float(keys)
        if count < 1:
            found.problem(row.line, row.text, "keys must be at least 1")
            return sampled
        # Whole seconds are rounded down: of a bin its upper end.
        sampled.idle_s.append(float(idle) + CLOCK_S)
        sampled.sizes.append(float(size or content))
        sampled.keys.append(count)
    return sampled


def _policy(found: Reading, moments: Sequence[Moment]) -> bool:
    """Refuse what does not evict what was idle the longest."""
    for moment in moments:
        line, policy = moment.values.get("maxmemory_policy", (moment.line, ""))
        if policy in (_KEEPS_ALL, _LRU):
            continue
        if not policy:
            found.problem(
                line,
                "maxmemory_policy",
                "is lacking: ages show nothing of other policies",
            )
        elif "lfu" in policy:
            found.problem(line, policy, _NO_AGES)
        else:
            found.problem(
                line,
                policy,
                f"does not evict what was idle the longest of all keys: only {_LRU} and {_KEEPS_ALL} give a curve",
            )
        return False
    return True


def _snapshot(found: Reading, moment: Moment, sampled: _Sampled) -> Snapshot | None:
    """Return the ages of all keys, of which some were looked at."""
    databases = [name for name in moment.values if _DATABASE.fullmatch(name)]
    if len(databases) != 1:
        found.problem(
            moment.line,
            ", ".join(databases),
            "must name the one database that has keys: hits and evictions count all of them together",
        )
        return None
    line, text = moment.values[databases[0]]
    match = _KEYS.search(text)
    total = count_of(found, line, databases[0], "" if match is None else match.group(1))
    looked_at = sum(sampled.keys)
    if not total:
        found.problem(line, text, f"{databases[0]}: must have keys=")
        return None
    # More samples than keys stand for less than one key each.
    weight = min(1.0, total / looked_at)
    return Snapshot(
        np.asarray(sampled.idle_s),
        np.asarray(sampled.sizes) * weight,
        np.asarray(sampled.keys) * weight,
        min(1.0, looked_at / total),
    )


def _rates(
    found: Reading,
    moments: Sequence[Moment],
    sampled: Sequence[_Sampled],
    snapshots: Sequence[Snapshot],
) -> Rates | None:
    """Return what was counted between readings, without the time in which keys were looked at."""
    samples, counters = samples_of(found, moments, _COUNTERS)
    intervals = differences(found, samples, counters)
    if found.problems:
        return None
    by_line = {
        moment.line: bool(keys.keys)
        for moment, keys in zip(moments, sampled, strict=True)
    }
    clean = [each for each in intervals if not by_line[each[0].line]]
    used = clean or intervals

    def total(name: str) -> float:
        return math.fsum(increase(each, name) for each in used)

    gets = None
    if clean and {"keyspace_hits", "keyspace_misses"} <= set(counters):
        gets = round(total("keyspace_hits") + total("keyspace_misses"))
    evicted = total("evicted_keys") if used and "evicted_keys" in counters else None
    if evicted is not None and "expired_keys" in counters:
        _say_expired(found, evicted, total("expired_keys"))
    age = _evicted_age_s(found, moments, snapshots)
    if math.isfinite(age):
        found.assumptions.append(
            f"Random samples evict some keys that were idle for {age:g} s already, so the curve ends there. For its "
            "check alone it is carried on to the present size, as a line in log size and log rate."
        )
    return Rates(
        gets,
        total("seconds"),
        evicted,
        "evictions were read once only"
        if not used
        else "the text does not count evictions",
        age,
        CLOCK_S,
        float(np.mean([each.sizes.sum() / each.share for each in snapshots])),
    )


def _say_expired(found: Reading, evicted: float, expired: float) -> None:
    if expired:
        found.assumptions.append(
            f"{counted(round(expired), 'key')} expired between the readings, "
            f"{percent(expired / (expired + evicted))} of those that left: they are misses of no size and not part of "
            "the check."
        )


def _evicted_age_s(
    found: Reading, moments: Sequence[Moment], snapshots: Sequence[Snapshot]
) -> float:
    """Return the least age at which an eviction is likely. [s]"""
    evicted = [each.count(found, "evicted_keys") for each in moments]
    policies = {each.values["maxmemory_policy"][1] for each in moments}
    evicts = policies != {_KEEPS_ALL} and any(each != 0 for each in evicted)
    if not evicts:
        return math.inf
    stated = [each.count(found, "maxmemory_samples") for each in moments]
    samples = min((each for each in stated if each), default=float(SAMPLES))
    least = min(_quantile(each, 1.0 - 1.0 / max(samples, 1.0)) for each in snapshots)
    return max(least, CLOCK_S)


def _quantile(snapshot: Snapshot, share: float) -> float:
    """Return the age below which this share of the items lies. [s]"""
    order = np.argsort(snapshot.ages_s, kind="stable")
    items = np.cumsum(snapshot.items[order])
    at = int(np.searchsorted(items, share * items[-1], side="right"))
    return float(snapshot.ages_s[order][min(at, len(order) - 1)])


def _example() -> str:
    """Return what a server prints that evicts two keys per second, the oldest idle for four hours."""
    idle = [round(1.06**at) for at in range(60, 165)]
    keys = [2 * (one - before) for before, one in pairwise([0, *idle])]
    total = sum(keys)

    def counters(at: int, second: int, looked_at: int) -> str:
        return (
            f"time:{1764100000 + second}\n"
            "maxmemory_policy:allkeys-lru\n"
            "maxmemory_samples:5\n"
            f"keyspace_hits:{918273645 + 3500000 * at + 20000 * looked_at}\n"
            f"keyspace_misses:{81726354 + 7200 * at}\n"
            f"evicted_keys:{1200000 + 7200 * at}\n"
            "expired_keys:0\n"
            f"db0:keys={total},expires=0,avg_ttl=0\n"
        )

    lines = "".join(
        " ".join((f"idle={second}", f"keys={count}", f"bytes={150 * count}\n"))
        for second, count in zip(idle, keys, strict=True)
    )
    return "".join(
        counters(at, 3605 * at, at) + lines + counters(at, 3605 * at + 5, at + 1)
        for at in range(3)
    )


KIND = Kind(
    "redis",
    "Redis and Valkey idle times",
    "Counters of INFO, and idle seconds and bytes of random keys without the keys, three times or more: ages that "
    "give the curve below the present size.",
    _example(),
    score,
    read,
    (
        "Sizes beyond the present one, and those of which evictions of random samples took a part.",
        "What expired: its misses are of no size. Keys differ in size, and eviction is sampled, not LRU.",
    ),
    MOST_ROWS,
)
