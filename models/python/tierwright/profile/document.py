"""The profile file: the summary of a trace and its curve, written and read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tierwright.common.arrays import FloatArray
from tierwright.common.documents import read_json
from tierwright.common.errors import BadInput, Problems
from tierwright.common.fields import is_count, is_number
from tierwright.common.wording import counted
from tierwright.trace.notes import NOTHING_NOTED, notes_from_mapping

if TYPE_CHECKING:
    from tierwright.profile.summaries import Summaries
from tierwright.profile import evidence as evidence_document
from tierwright.profile import production as production_document
from tierwright.profile import relations as relations_document
from tierwright.profile import windows as windows_document
from tierwright.profile.curve import SHARE_DIGITS, Curve, Given, _plain
from tierwright.profile.relations import RelationReuse

SCHEMA = "tierwright-profile"


SCHEMA_VERSION = 1
"""Of a profile that was measured from a trace."""


GIVEN_SCHEMA_VERSION = 2
"""Of one made of a given curve: its write-backs and write accesses may be null."""


SCALED_SCHEMA_VERSION = 3
"""Of one that was scaled to production; it lists the curve of the running system too."""


MAX_PROFILE_BYTES = 300_000
"""A profile file is never larger. [bytes]"""


_RELATIONS_KEY = len(', "relations": ') + 1
"""Bytes of the key of the relations, and of the end of the file."""


_VERSIONS = (SCHEMA_VERSION, GIVEN_SCHEMA_VERSION, SCALED_SCHEMA_VERSION)


_PROFILE_HINT = "make the file with `tierwright profile TRACE -o PROFILE.json`"


@dataclass(frozen=True, eq=False)
class Sampled:
    """How far an estimated curve may be off, at each listed size of its curve.

    Attributes
    ----------
    sample_rate : float
        Share of the pages that was asked for; of a sample of bounded size, the share that was
        followed in the end. [1]
    misses_low, misses_high : float64 array
        Ends of the 95 % interval of the misses.
    write_backs_low, write_backs_high : float64 array
        Ends of the 95 % interval of the write-backs.
    sample_pages : int or None
        Bound of a sample of bounded size; None of one at a fixed rate. [pages]
    hash_ranges : int or None
        Ranges of a hash into which the pages were divided, where the sample is some or all of these.
    """

    sample_rate: float
    misses_low: FloatArray
    misses_high: FloatArray
    write_backs_low: FloatArray
    write_backs_high: FloatArray
    sample_pages: int | None = None
    hash_ranges: int | None = None

    @property
    def estimator(self) -> str:
        """Name of how the counts were found."""
        if self.hash_ranges is not None:
            return "shards_hash_ranges"
        kind = "fixed_rate" if self.sample_pages is None else "fixed_size"
        return f"shards_{kind}_adjusted"

    def to_dict(self) -> dict[str, Any]:
        """Return the keys that a sampled profile has besides."""
        bound, ranges = self.sample_pages, self.hash_ranges
        return {
            "sample_rate": self.sample_rate,
            **({} if bound is None else {"sample_pages": bound}),
            **({} if ranges is None else {"hash_ranges": ranges}),
            "misses_interval95": _pairs(self.misses_low, self.misses_high),
            "write_backs_interval95": _pairs(
                self.write_backs_low, self.write_backs_high
            ),
        }


@dataclass(frozen=True, eq=False)
class Profile:
    """A profile file: the summary of a trace and its curve.

    Attributes
    ----------
    curve : Curve
        Hit-ratio and write-back curve, thinned to listed sizes.
    duration_s : float or None
        Time from the first to the last request; None when the trace has no times. [s]
    sampled : Sampled or None
        How far the curve may be off; None when it is exact.
    thinned_error : float or None
        How far a straight line between two listed sizes is off the whole curve at most, in
        misses or write-backs per access; None where the whole curve is not known. [1]
    summaries : Summaries or None
        What the trace is like beyond its curves, without names; None where nobody asked.
    relations : tuple of RelationReuse
        Reuse by relation, which a law needs to scale each by itself; empty where nobody asked.
    """

    curve: Curve
    duration_s: float | None
    sampled: Sampled | None = None
    thinned_error: float | None = None
    summaries: Summaries | None = None
    relations: tuple[RelationReuse, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `profile_from_mapping` reads."""
        curve = self.curve
        given = curve.given
        notes = curve.notes.without_content()
        return {
            "schema": SCHEMA,
            "schema_version": self._version,
            "accesses": curve.accesses,
            "distinct_pages": curve.distinct_pages,
            "write_accesses": curve.known_write_accesses,
            "page_bytes": curve.page_bytes,
            "duration_s": self.duration_s,
            "curve": curve.to_lists(),
            **({} if given is None else {"given": given.to_dict()}),
            **({} if self.sampled is None else self.sampled.to_dict()),
            **(
                {}
                if self.thinned_error is None
                else {"thinned_error": self.thinned_error}
            ),
            **(
                {}
                if notes.skipped_records == 0
                else {"skipped_records": notes.skipped_records}
            ),
            **({} if notes == NOTHING_NOTED else {"trace": notes.to_dict()}),
            **self._summaries(),
            **self._production(),
            **({} if curve.windows is None else {"windows": curve.windows.to_dict()}),
            **(
                {"relations": [one.to_dict() for one in self.relations]}
                if self.relations
                else {}
            ),
        }

    def _production(self) -> dict[str, Any]:
        curve = self.curve
        if curve.scaled is None:
            return {}
        running = {} if curve.given else {"steady": curve.steady().to_lists()}
        found = {**curve.scaled.to_dict(), **running}
        found["recorded"] |= {
            "sample_rate": curve.sample_rate,
            "new_pages": curve.new_pages,
        }
        pages, share = curve.sample_error()
        if len(pages):
            kept = curve.sample_knots()
            found["recorded"]["sample_error"] = {
                "pages": pages[kept].tolist(),
                "share": np.round(share[kept], SHARE_DIGITS).tolist(),
            }
        return found

    def with_relations(self, relations: Iterable[RelationReuse]) -> Profile:
        """Return the profile with the reuse of its relations, as many as its file has room for."""
        bare = replace(self, relations=())
        left = MAX_PROFILE_BYTES - len(json.dumps(bare.to_dict())) - _RELATIONS_KEY
        return replace(self, relations=relations_document.bounded(relations, left))

    @property
    def _version(self) -> int:
        if self.curve.scaled is not None:
            return SCALED_SCHEMA_VERSION
        return SCHEMA_VERSION if self.curve.given is None else GIVEN_SCHEMA_VERSION

    def _summaries(self) -> dict[str, Any]:
        if self.summaries is None:
            return {}
        from tierwright.profile.summaries_document import to_mapping

        return {"summaries": to_mapping(self.summaries)}

    def to_text(self) -> str:
        """Return the text of the profile file.

        Raises
        ------
        BadInput
            If it would be larger than `MAX_PROFILE_BYTES`.
        """
        text = json.dumps(self.to_dict(), allow_nan=False) + "\n"
        if len(text) > MAX_PROFILE_BYTES:
            raise BadInput(
                f"the profile lists {counted(len(self.curve.pages), 'size')} and would take "
                f"{len(text)} bytes; a profile file has at most {MAX_PROFILE_BYTES}",
                "name fewer sizes",
            )
        return text

    def write(self, path: Path) -> None:
        """Write the profile file, replacing it in one step.

        Raises
        ------
        BadInput
            If it would be too large.
        """
        text = self.to_text()
        partial = path.with_name(path.name + ".partial")
        partial.write_text(text, encoding="utf-8")
        partial.replace(path)


def read_profile(path: Path) -> Profile:
    """Read a profile file.

    Raises
    ------
    BadInput
        If the file is absent, is no JSON, or does not follow the format; names the key.
    """
    data = read_json(path, _PROFILE_HINT)
    return profile_from_mapping(data, place=str(path))


def profile_from_mapping(data: Any, *, place: str = "profile") -> Profile:
    """Make a profile from plain data, checking every key and value.

    Raises
    ------
    BadInput
        With every problem found, each with its key.
    """
    problems = Problems(place, _PROFILE_HINT)
    if not isinstance(data, Mapping):
        problems.add("document", type(data).__name__, "must be a JSON object")
        problems.raise_if_any()
    version = data.get("schema_version", SCHEMA_VERSION)
    problems.check(
        is_count(version) and version in _VERSIONS,
        "schema_version",
        version,
        f"must be one of {', '.join(map(str, _VERSIONS))}, the versions that this program reads",
    )
    given = _given(data, version, problems)
    writes_unknown = (
        given is not None
        and given.dirty_share is None
        and given.described_by is None
        and not (given.composed_of and data.get("write_accesses") is not None)
    )
    for key in ("accesses", "distinct_pages", "write_accesses"):
        value = data.get(key)
        if key == "write_accesses" and writes_unknown:
            problems.check(
                value is None, key, value, "must be null: no dirty share is stated"
            )
            continue
        problems.check(
            is_count(value), key, value, "must be a whole number, not negative"
        )
    page_bytes = data.get("page_bytes")
    problems.check(
        is_count(page_bytes) and page_bytes > 0,
        "page_bytes",
        page_bytes,
        "must be a positive whole number",
    )
    duration_s = data.get("duration_s")
    problems.check(
        duration_s is None or (is_number(duration_s) and duration_s >= 0),
        "duration_s",
        duration_s,
        "must be a number that is not negative, or null",
    )
    skipped = data.get("skipped_records", 0)
    problems.check(
        is_count(skipped),
        "skipped_records",
        skipped,
        "must be a whole number, not negative",
    )
    notes = notes_from_mapping(
        data.get("trace"), skipped if is_count(skipped) else 0, problems
    )
    lists = _curve_lists(
        data.get("curve"), problems, () if writes_unknown else ("write_backs",)
    )
    sampled = _sampled(data, len(lists.get("pages", [])), problems)
    thinned_error = data.get("thinned_error")
    problems.check(
        thinned_error is None or (is_number(thinned_error) and thinned_error >= 0),
        "thinned_error",
        thinned_error,
        "must be a number that is not negative, or null",
    )
    summaries = None
    if data.get("summaries") is not None:
        from tierwright.profile.summaries_document import from_mapping

        summaries = from_mapping(data["summaries"], data, problems)
    scaled = production_document.from_mapping(data, problems)
    problems.check(
        (version == SCALED_SCHEMA_VERSION) == (data.get("law") is not None),
        "law",
        data.get("law"),
        f"must stand in profiles of version {SCALED_SCHEMA_VERSION}, and only in these",
    )
    running = (
        _curve_lists(data.get("steady"), problems, ("write_backs",), "steady")
        if version == SCALED_SCHEMA_VERSION and given is None
        else {}
    )
    relations = relations_document.from_mapping(data.get("relations"), problems)
    rate, new_pages = None if sampled is None else sampled.sample_rate, 0
    error: tuple[list[int], list[float]] = [], []
    if scaled is not None:
        rate, new_pages = _recording(data, problems)
        error = _sample_error(data["recorded"].get("sample_error"), problems)
    windows = windows_document.from_mapping(
        data.get("windows"), problems, is_sampled=rate is not None
    )
    problems.raise_if_any()
    part = "curve"
    try:
        curve = Curve.from_lists(
            lists["pages"],
            lists["misses"],
            lists.get("write_backs"),
            accesses=data["accesses"],
            distinct_pages=data["distinct_pages"],
            page_bytes=data["page_bytes"],
            write_accesses=data["write_accesses"] or 0,
            given=given,
            sample_rate=rate,
            notes=notes,
            new_pages=new_pages,
            scaled=scaled,
        )
        curve = curve.with_windows(windows).with_sample_error(*error)
        if scaled is not None and given is None:
            part = "steady"
            curve = Curve.scaled_to(
                scaled,
                curve,
                (running["pages"], running["misses"], running["write_backs"]),
            )
    except BadInput as error:
        found = Problems(place, _PROFILE_HINT)
        found.found += [
            replace(one, where=one.where.replace("curve", part, 1))
            for one in error.problems
        ]
        found.raise_if_any()
        raise
    if sampled is not None:
        curve = replace(curve, interval=(sampled.misses_low, sampled.misses_high))
    return Profile(curve, duration_s, sampled, thinned_error, summaries, relations)


def _recording(data: Mapping[str, Any], problems: Problems) -> tuple[float | None, int]:
    """Read how a recording that was scaled had been sampled, and its new pages."""
    recorded = data["recorded"]
    rate, new_pages = recorded.get("sample_rate"), recorded.get("new_pages", 0)
    problems.check(
        rate is None or (is_number(rate) and 0 < rate <= 1),
        "recorded.sample_rate",
        rate,
        "must lie in (0, 1], or be null",
    )
    problems.check(
        is_count(new_pages)
        and is_count(data.get("distinct_pages"))
        and new_pages <= data["distinct_pages"],
        "recorded.new_pages",
        new_pages,
        "must be a whole number, at most distinct_pages",
    )
    return rate, new_pages


def _sample_error(found: Any, problems: Problems) -> tuple[list[int], list[float]]:
    """Read how far the sample of a recording that was scaled may be off; empty where it does not say."""
    if found is None:
        return [], []
    known = found if isinstance(found, Mapping) else {}
    pages: Any = known.get("pages")
    share: Any = known.get("share")
    good = (
        isinstance(pages, list)
        and isinstance(share, list)
        and len(pages) == len(share)
        and all(is_count(each) and each > 0 for each in pages)
        and all(one < two for one, two in pairwise(pages))
        and all(is_number(each) and each >= 0 for each in share)
    )
    problems.check(
        good,
        "recorded.sample_error",
        None,
        "must hold `pages`, whole numbers that increase, and as many of `share`, numbers that are not negative",
    )
    return (pages, share) if good else ([], [])


def _sampled(data: Mapping[str, Any], sizes: int, problems: Problems) -> Sampled | None:
    """Read what a sampled profile has besides; None for an exact one."""
    rate = data.get("sample_rate")
    if rate is None:
        return None
    problems.check(
        is_number(rate) and 0 < rate <= 1, "sample_rate", rate, "must lie in (0, 1]"
    )
    bound = data.get("sample_pages")
    problems.check(
        bound is None or (is_count(bound) and bound > 0),
        "sample_pages",
        bound,
        "must be a positive whole number, or absent",
    )
    ranges = data.get("hash_ranges")
    problems.check(
        ranges is None or (is_count(ranges) and ranges > 0),
        "hash_ranges",
        ranges,
        "must be a positive whole number, or absent",
    )
    ends = []
    for key in ("misses_interval95", "write_backs_interval95"):
        pairs = data.get(key)
        good = (
            isinstance(pairs, list)
            and len(pairs) == sizes
            and all(_is_interval(pair) for pair in pairs)
        )
        message = f"must be a list of [low, high] for each of {counted(sizes, 'size')}"
        problems.check(good, key, None, message)
        if good:
            ends.append(np.asarray(pairs, dtype=np.float64).reshape(-1, 2))
    if not problems.found:
        (misses, backs) = ends
        return Sampled(
            rate,
            misses[:, 0],
            misses[:, 1],
            backs[:, 0],
            backs[:, 1],
            bound,
            ranges,
        )
    return None


def _is_interval(pair: Any) -> bool:
    match pair:
        case [low, high]:
            return is_number(low) and is_number(high) and 0 <= low <= high
        case _:
            return False


def _pairs(low: FloatArray, high: FloatArray) -> list[list[int | float]]:
    return [list(pair) for pair in zip(_plain(low), _plain(high), strict=True)]


_MOST_ASSUMPTIONS = 50


_LONGEST_TEXT = 500


def _given(data: Mapping[str, Any], version: Any, problems: Problems) -> Given | None:
    """Read what stands behind a given curve; None for a measured one."""
    found = data.get("given")
    if version == SCALED_SCHEMA_VERSION and found is None:
        return None
    if version not in (GIVEN_SCHEMA_VERSION, SCALED_SCHEMA_VERSION):
        return None
    if not isinstance(found, Mapping):
        problems.add("given", found, "must be an object")
        return None
    source, known = found.get("source"), found.get("data_known")
    problems.check(
        isinstance(source, str) and 0 < len(source) <= _LONGEST_TEXT,
        "given.source",
        source,
        "must be the name of a kind of curve",
    )
    problems.check(
        isinstance(known, bool), "given.data_known", known, "must be true or false"
    )
    shares = {}
    for key in ("dirty_share", "write_share"):
        value = found.get(key)
        good = value is None or (is_number(value) and 0 <= value <= 1)
        problems.check(good, f"given.{key}", value, "must lie in [0, 1], or be null")
        shares[key] = value if good else None
    described = found.get("described_by")
    problems.check(
        described is None
        or (isinstance(described, str) and 0 < len(described) <= _LONGEST_TEXT),
        "given.described_by",
        described,
        "must be the name of a description, or absent",
    )
    composed = found.get("composed_of", [])
    problems.check(
        isinstance(composed, list)
        and len(composed) <= _MOST_ASSUMPTIONS
        and all(isinstance(one, str) and len(one) <= _LONGEST_TEXT for one in composed),
        "given.composed_of",
        None,
        f"must be a list of at most {_MOST_ASSUMPTIONS} names, or absent",
    )
    scaled = production_document.parts_from_mapping(found.get("scaled"), problems)
    problems.check(
        scaled is None or bool(composed),
        "given.scaled",
        None,
        "must stand beside `composed_of`",
    )
    evidence = evidence_document.from_mapping(found, problems)
    assumptions = found.get("assumptions", [])
    problems.check(
        isinstance(assumptions, list)
        and len(assumptions) <= _MOST_ASSUMPTIONS
        and all(isinstance(a, str) and len(a) <= _LONGEST_TEXT for a in assumptions),
        "given.assumptions",
        None,
        f"must be a list of at most {_MOST_ASSUMPTIONS} texts",
    )
    if problems.found:
        return None
    return Given(
        str(source),
        bool(known),
        **shares,
        assumptions=tuple(assumptions),
        described_by=described,
        composed_of=tuple(composed),
        scaled=scaled,
        evidence=evidence,
        dirty_counted=found.get("dirty_counted") is True,
        to_the_end=bool(composed) and found.get("to_the_end") is True,
    )


def _curve_lists(
    curve: Any, problems: Problems, backs: tuple[str, ...], name: str = "curve"
) -> dict[str, list[Any]]:
    lists: dict[str, list[Any]] = {}
    if not problems.check(
        isinstance(curve, Mapping), name, curve, "must be an object of three lists"
    ):
        return lists
    if not backs:
        problems.check(
            curve.get("write_backs") is None,
            f"{name}.write_backs",
            None,
            "must be null: no dirty share is stated",
        )
    for key in ("pages", "misses", *backs):
        values = curve.get(key)
        where = f"{name}.{key}"
        if not problems.check(
            isinstance(values, list), where, values, "must be a list"
        ):
            continue
        wanted = is_count if key == "pages" else is_number
        bad = next((i for i, value in enumerate(values) if not wanted(value)), None)
        if bad is None:
            lists[key] = values
        else:
            what = "a whole number" if key == "pages" else "a number"
            problems.add(f"{where}[{bad}]", values[bad], f"must be {what}")
    return lists
