"""The JSON of `tierwright advise --json`, checked: every key that a report reads is there, with its type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from tierwright.advise.advice._as_stated import KIND
from tierwright.common.currency import read_amount, without_beside
from tierwright.common.errors import Problems
from tierwright.common.fields import is_count, is_number
from tierwright.common.parameters import Door, spelled

HINT = "give the JSON that `tierwright advise` wrote, unchanged"
PLACEMENT_HINT = "give the JSON that `tierwright place` wrote, unchanged"
_MOST_TEXT = 20_000
"""Characters of one text: longer ones are of no advice."""
_MOST_ASSIGNED = 200_000
"""Characters of an assignment: of each category that is told apart its number and rules."""
_MOST_ROWS = 2000
_LARGEST = 1e30
"""Far above every figure of an advice, and far below what sums and products of them overflow at."""
_MOST_PROBLEMS = 10
"""Problems that are listed; a foreign file has many of the same kind."""

_NAMED_BY_DATA = ("constraints", "rejected_counts", "least_totals", "nearest")
"""Tables whose keys are names of constraints."""

Reader = Callable[[Any, str, Problems], Any]
_ABSENT = object()


def checked(document: object, place: str) -> dict[str, Any]:
    """Return an advice with all keys that a report reads: amounts as Decimals, what is left out as None or empty.

    Parameters
    ----------
    document : object
        Plain data, as `Advice.to_dict` returns it.
    place : str
        Named in errors.

    Raises
    ------
    BadInput
        If it is not an advice, a value has another type than in one, or a bill does not add up.
    """
    problems = Problems(place, HINT)
    found: Any = _ADVICE(_without_neighbours(document), "", problems)
    if not problems.found:
        _check_sums(found, problems)
        _without_stated_rows(found)
        _check_scenarios(found["scenarios"], problems)
    del problems.found[_MOST_PROBLEMS:]
    problems.raise_if_any()
    return dict(found)


def _check_scenarios(found: Mapping[str, Any] | None, problems: Problems) -> None:
    """Check that every choice has a regret in each scenario."""
    if found is None:
        return
    wanted = len(found["columns"])
    for at, row in enumerate(found["rows"]):
        problems.check(
            len(row["regret"]) == wanted,
            f"scenarios.rows[{at}].regret",
            len(row["regret"]),
            f"must be one of each scenario, {wanted} in all",
        )


def is_placement(document: object) -> bool:
    """Whether a document says which of several workloads share a system."""
    return isinstance(document, Mapping) and "placement_id" in document


def checked_placement(document: object, place: str) -> dict[str, Any]:
    """Return a placement with all keys that a report reads, as `checked` an advice.

    Parameters
    ----------
    document : object
        Plain data, as `Placement.to_dict` returns it.
    place : str
        Named in errors.

    Raises
    ------
    BadInput
        If it is not a placement, a value has another type than in one, or the bills do not add up.
    """
    problems = Problems(place, PLACEMENT_HINT)
    found: Any = _PLACEMENT(_without_neighbours(document), "", problems)
    if not problems.found:
        options = [each["option"] for each in found["systems"]]
        _check_bills(
            [(f"systems[{at}].option", one) for at, one in enumerate(options)],
            problems,
        )
        for key in ("usd_per_month", "purchase_usd"):
            parts = sum((one[key] or Decimal(0) for one in options), Decimal(0))
            problems.check(
                found[key] is None or found[key] == parts,
                key,
                found[key],
                f"is not the sum of the systems, {parts}",
            )
    del problems.found[_MOST_PROBLEMS:]
    problems.raise_if_any()
    return dict(found)


def _check_sums(found: Mapping[str, Any], problems: Problems) -> None:
    named = [
        ("recommendation", found["recommendation"]),
        ("option_zero", found["option_zero"]),
        *((f"alternatives[{at}]", one) for at, one in enumerate(found["alternatives"])),
        *((f"pareto[{at}]", one) for at, one in enumerate(found["pareto"])),
    ]
    _check_bills(named, problems)


def _without_stated_rows(found: Mapping[str, Any]) -> None:
    """Leave out the row of an option that states its cost as one amount: a report says that, and has no line for it."""
    options = [found["recommendation"], found["option_zero"]]
    for option in (*options, *found["alternatives"], *found["pareto"]):
        if option is not None and [row["kind"] for row in option["bill"]] == [KIND]:
            option["bill"] = []


def _check_bills(
    named: Sequence[tuple[str, Mapping[str, Any] | None]], problems: Problems
) -> None:
    for where, option in named:
        if option is None or not option["bill"]:
            continue
        for key in ("usd_per_month", "purchase_usd"):
            total = option[key]
            rows = sum((row[key] for row in option["bill"]), Decimal(0))
            problems.check(
                total is None or rows == total,
                f"{where}.{key}",
                total,
                f"is not the sum of the rows of its bill, {rows}",
            )


def _without_neighbours(document: object) -> object:
    """Leave out what `--currency` puts beside the amounts of dollars in tables whose keys are data."""
    if not isinstance(document, Mapping):
        return document
    rate = document.get("exchange_rate")
    currency = rate.get("currency") if isinstance(rate, Mapping) else None
    if not isinstance(currency, str):
        return document
    return {
        name: without_beside(value, currency)
        if name in _NAMED_BY_DATA and isinstance(value, Mapping)
        else value
        for name, value in document.items()
    }


def _text(value: Any, where: str, problems: Problems) -> Any:
    return _text_up_to(_MOST_TEXT, value, where, problems)


def _assignment(value: Any, where: str, problems: Problems) -> Any:
    return _text_up_to(_MOST_ASSIGNED, value, where, problems)


def _text_up_to(most: int, value: Any, where: str, problems: Problems) -> Any:
    good = isinstance(value, str) and len(value) <= most
    if not problems.check(good, where, _shown(value), "must be a text"):
        return ""
    # A lone half of a pair of UTF-16 can be written in JSON, and in no file of UTF-8.
    return spelled(value.encode("utf-8", "replace").decode("utf-8"), Door.COMMAND)


def _number(value: Any, where: str, problems: Problems) -> Any:
    good = is_number(value) and abs(value) <= _LARGEST
    problems.check(good, where, _shown(value), f"must be a number up to {_LARGEST:g}")
    return value


def _count(value: Any, where: str, problems: Problems) -> Any:
    if isinstance(value, str) and value.isdecimal() and value.isascii():
        # Files of before wrote counts under a key of money as texts.
        value = int(value[:20])
    problems.check(
        is_count(value) and value <= _LARGEST,
        where,
        _shown(value),
        f"must be a whole number from 0 to {_LARGEST:g}",
    )
    return value


def _flag(value: Any, where: str, problems: Problems) -> Any:
    problems.check(
        isinstance(value, bool), where, _shown(value), "must be true or false"
    )
    return value


def _amount(value: Any, where: str, problems: Problems) -> Any:
    found = read_amount(value, where, problems)
    if found is not None:
        problems.check(
            abs(found) <= _LARGEST,
            where,
            value,
            f"must be an amount up to {_LARGEST:g}",
        )
    return found


def _shown(value: Any) -> object:
    return "null" if value is None else value


def _optional(reader: Reader) -> Reader:
    def read(value: Any, where: str, problems: Problems) -> Any:
        return (
            None
            if value is None or value is _ABSENT
            else reader(value, where, problems)
        )

    return read


def _list(reader: Reader) -> Reader:
    def read(value: Any, where: str, problems: Problems) -> Any:
        if value is _ABSENT or value is None:
            return []
        if not problems.check(
            isinstance(value, list | tuple), where, _shown(value), "must be a list"
        ):
            return []
        problems.check(
            len(value) <= _MOST_ROWS,
            where,
            len(value),
            f"must have at most {_MOST_ROWS:,} entries",
        )
        return [
            reader(entry, f"{where}[{at}]", problems)
            for at, entry in enumerate(value[:_MOST_ROWS])
        ]

    return read


_ENDS = 2


def _ends(value: Any, where: str, problems: Problems) -> Any:
    """Read both ends of a range."""
    found = _list(_maybe_number)(value, where, problems)
    good = problems.check(len(found) == _ENDS, where, len(found), "must have two ends")
    return found if good else [None] * _ENDS


def _named(reader: Reader) -> Reader:
    """Read a table whose keys are data."""

    def read(value: Any, where: str, problems: Problems) -> Any:
        if value is _ABSENT or value is None:
            return {}
        if not problems.check(
            isinstance(value, Mapping), where, _shown(value), "must be a table of keys"
        ):
            return {}
        return {
            _text(key, where, problems): reader(entry, f"{where}.{key}", problems)
            for key, entry in list(value.items())[:_MOST_ROWS]
        }

    return read


def _table(**readers: Reader) -> Reader:
    """Read a table of these keys; others, which a later version may have, are left alone."""

    def read(value: Any, where: str, problems: Problems) -> Any:
        if value is _ABSENT:
            problems.add(where, None, "is missing")
            return {}
        if not problems.check(
            isinstance(value, Mapping),
            where or "document",
            _shown(value),
            "must be a table of keys",
        ):
            return {}
        found = {}
        for key, reader in readers.items():
            inside = f"{where}.{key}" if where else key
            entry = value.get(key, _ABSENT)
            if entry is _ABSENT and reader in _NEEDED:
                problems.add(inside, None, "is missing")
            else:
                found[key] = reader(entry, inside, problems)
        return found

    return read


_NEEDED: frozenset[Reader] = frozenset({_text, _number, _count, _flag, _amount})
_maybe_text, _maybe_number = _optional(_text), _optional(_number)
_maybe_flag = _optional(_flag)
_maybe_count, _maybe_amount = _optional(_count), _optional(_amount)

_ROW = _table(
    what=_text,
    kind=_maybe_text,
    quantity=_number,
    unit=_maybe_text,
    unit_price=_maybe_amount,
    date=_maybe_text,
    usd_per_month=_amount,
    purchase_usd=_amount,
    source=_maybe_text,
    note=_maybe_text,
)
_OPTION = _table(
    name=_text,
    kind=_maybe_text,
    machines=_count,
    ram_bytes=_number,
    flash_bytes=_number,
    flash_device=_maybe_text,
    disk_device=_maybe_text,
    flash_devices=_maybe_count,
    disks=_maybe_count,
    server=_maybe_text,
    scheme=_text,
    admission=_maybe_text,
    admission_by=_maybe_text,
    clean_share=_maybe_number,
    options=_named(_assignment),
    usd_per_month=_maybe_amount,
    purchase_usd=_maybe_amount,
    io_time_us_per_access=_maybe_number,
    replayed_io_time_us_per_access=_maybe_number,
    response_mean_us=_maybe_number,
    response_p50_us=_maybe_number,
    response_p99_us=_maybe_number,
    response_mean_mean_us=_maybe_number,
    response_p50_mean_us=_maybe_number,
    response_p99_mean_us=_maybe_number,
    response_reason=_maybe_text,
    on_existing=_maybe_flag,
    without_machine=_maybe_flag,
    peak_busy=_maybe_number,
    throughput_accesses_per_s=_maybe_number,
    flash_life_years=_maybe_number,
    restart_s=_maybe_number,
    power_watts=_maybe_number,
    rack_units=_maybe_number,
    ram_hit_share=_maybe_number,
    flash_hit_share=_maybe_number,
    disk_share=_maybe_number,
    months_until_too_small=_maybe_number,
    bill=_list(_ROW),
    ranges=_named(_ends),
)
_MAYBE_OPTION = _optional(_OPTION)
_MAYBE_NEIGHBOUR = _optional(
    _table(
        name=_text, value=_number, usd_per_month_more=_amount, io_time_us_more=_number
    )
)
_BROKEN = {
    "constraint": _text,
    "value": _maybe_number,
    "limit": _maybe_number,
    "relaxation": _maybe_number,
}
_QUOTE = {
    "supplier": _maybe_text,
    "valid_until": _maybe_text,
    "lead_time_days": _maybe_count,
    "cautions": _list(_table(code=_text, message=_text, hint=_maybe_text)),
}
_CAUTION = _table(
    code=_text,
    message=_text,
    hint=_maybe_text,
    effect=_maybe_text,
    could_change_choice=_optional(_flag),
)
_NOTE = _table(message=_text, hint=_maybe_text)
_STEP = _table(
    name=_text,
    formula=_text,
    value=_maybe_number,
    unit=_maybe_text,
    source=_maybe_text,
)
_EXCHANGE_RATE = _optional(
    _table(currency=_text, per_usd=_amount, date=_text, source=_text)
)
_ADVICE = _table(
    advice_id=_text,
    status=_maybe_text,
    finding=_text,
    decision=_maybe_text,
    because=_maybe_text,
    reservations=_list(_text),
    objective=_text,
    constraints=_named(_amount),
    evaluated=_maybe_count,
    near_misses_replayed=_maybe_count,
    pruned=_maybe_count,
    suitable=_maybe_count,
    recommendation=_MAYBE_OPTION,
    verdict=_table(viable=_flag, text=_text, limited_by=_maybe_text),
    option_zero=_MAYBE_OPTION,
    saving_usd_per_month=_maybe_amount,
    alternatives=_list(_OPTION),
    pareto=_list(_OPTION),
    pareto_in_all=_maybe_count,
    rejected=_list(
        _table(
            option=_OPTION,
            text=_maybe_text,
            also=_list(_table(**_BROKEN)),
            **_BROKEN,
        )
    ),
    rejected_counts=_named(_count),
    infeasible=_optional(
        _table(
            conflict=_list(_text),
            text=_text,
            heading=_maybe_text,
            more=_maybe_text,
        )
    ),
    confidence=_optional(
        _table(
            probability_best=_maybe_number,
            expected_regret_usd_per_month=_maybe_amount,
            tornado=_list(
                _table(
                    about=_text,
                    low=_text,
                    high=_text,
                    usd_per_month_low=_maybe_amount,
                    usd_per_month_high=_maybe_amount,
                    best_low=_maybe_text,
                    best_high=_maybe_text,
                    changes=_flag,
                    flip=_maybe_text,
                    usd_per_month_flip=_maybe_amount,
                    io_time_us_low=_maybe_number,
                    io_time_us_high=_maybe_number,
                    io_time_us_flip=_maybe_number,
                )
            ),
            value_of_information=_list(
                _table(about=_text, usd_per_month=_maybe_amount, text=_text)
            ),
            reason=_maybe_text,
            text=_maybe_text,
            headline=_maybe_text,
            about_bars=_maybe_text,
            intervals=_list(_table(figure=_text, low=_number, high=_number)),
        )
    ),
    checked=_list(
        _table(
            option=_OPTION,
            model=_maybe_number,
            simulated=_maybe_number,
            gap=_maybe_number,
            is_beyond_band=_flag,
            reason=_maybe_text,
            warnings=_list(_NOTE),
            flash_life_years=_maybe_number,
        )
    ),
    flash_caches=_list(
        _table(
            title=_text,
            hardware=_maybe_text,
            usd_per_month=_maybe_amount,
            page_flow_breaks=_list(_text),
            admission_by=_maybe_text,
            assignment=_maybe_text,
            io_time_us_per_access=_maybe_number,
            saving=_maybe_number,
            peak_busy=_maybe_number,
            flash_writes_per_access=_maybe_number,
            flash_life_years=_maybe_number,
            ram_tax_bytes=_maybe_number,
            pace=_maybe_text,
            breaks=_list(_text),
            is_chosen=_flag,
            reason=_maybe_text,
            warnings=_list(_NOTE),
        )
    ),
    when=_optional(
        _table(
            growth_per_year=_number,
            months_until_too_small=_maybe_number,
            steps=_list(
                _table(
                    month=_number,
                    month_before=_maybe_number,
                    name=_maybe_text,
                    scheme=_maybe_text,
                    usd_per_month=_maybe_amount,
                )
            ),
            text=_text,
            basis=_maybe_text,
        )
    ),
    waiting=_optional(
        _table(
            text=_text,
            months=_count,
            usd_now=_maybe_amount,
            usd_later=_maybe_amount,
            trends=_list(
                _table(
                    kind=_text,
                    purchase_usd=_amount,
                    change_per_year=_maybe_number,
                    series=_maybe_text,
                    first=_maybe_text,
                    last=_maybe_text,
                    first_usd_per_gb=_maybe_amount,
                    last_usd_per_gb=_maybe_amount,
                )
            ),
        )
    ),
    flat=_list(
        _table(
            size=_text,
            value=_number,
            low=_number,
            high=_number,
            less=_MAYBE_NEIGHBOUR,
            more=_MAYBE_NEIGHBOUR,
        )
    ),
    staircases=_list(
        _table(
            constraint=_text,
            limit=_maybe_number,
            steps=_list(
                _table(
                    value=_maybe_number,
                    name=_text,
                    scheme=_text,
                    usd_per_month=_amount,
                    io_time_us_per_access=_number,
                )
            ),
            tightest_known=_maybe_number,
            loosest_known=_maybe_number,
            reason=_maybe_text,
        )
    ),
    scenarios=_optional(
        _table(
            columns=_list(
                _table(
                    title=_text,
                    definition=_text,
                    best=_maybe_text,
                    best_usd_per_month=_maybe_amount,
                )
            ),
            rows=_list(
                _table(
                    name=_text,
                    title=_maybe_text,
                    role=_text,
                    is_rented=_maybe_flag,
                    regret=_list(
                        _table(
                            breaks=_list(_text),
                            regret_usd_per_month=_maybe_amount,
                            regret_io_time_us=_maybe_number,
                            reason=_maybe_text,
                        )
                    ),
                    most_regret_usd_per_month=_maybe_amount,
                    most_regret_io_time_us=_maybe_number,
                    is_robust=_flag,
                )
            ),
            text=_text,
            basis=_text,
        )
    ),
    next_dollar=_optional(
        _table(
            steps=_list(
                _table(
                    name=_text,
                    usd_per_month_more=_amount,
                    io_time_us_saved=_number,
                    usd_per_month_per_us=_amount,
                )
            ),
            text=_text,
        )
    ),
    rules_of_thumb=_list(
        _table(
            title=_text,
            ram_bytes=_maybe_number,
            flash_bytes=_maybe_number,
            option=_MAYBE_OPTION,
            regret_usd_per_month=_maybe_amount,
            regret_io_time_us=_maybe_number,
            reason=_maybe_text,
        )
    ),
    cautions=_list(_CAUTION),
    quotes=_optional(
        _table(
            ranking_id=_text,
            recommended=_maybe_text,
            day=_text,
            ranked=_list(
                _table(
                    quote_id=_text,
                    rank=_count,
                    usd_per_month=_amount,
                    purchase_usd=_amount,
                    option=_MAYBE_OPTION,
                    **_QUOTE,
                )
            ),
            rejected=_list(
                _table(
                    quote_id=_text,
                    text=_maybe_text,
                    option=_MAYBE_OPTION,
                    **_BROKEN,
                    **_QUOTE,
                )
            ),
            unreadable=_list(_table(index=_count, code=_text, detail=_text)),
            switching=_list(
                _table(
                    input=_text,
                    unit=_text,
                    used=_maybe_number,
                    value=_maybe_number,
                    best=_maybe_text,
                    text=_text,
                )
            ),
        )
    ),
    statements=_optional(
        _table(
            need=_maybe_text,
            uplift_source=_maybe_text,
            today_cost=_maybe_text,
            holds=_named(_text),
            validity=_named(_text),
        )
    ),
    data_bytes=_maybe_number,
    accesses_per_s=_maybe_number,
    peak_accesses_per_s=_maybe_number,
    horizon_months=_maybe_count,
    question=_optional(
        _table(
            candidates=_assignment,
            accesses_per_s=_maybe_number,
            flash_device=_maybe_text,
            disk_device=_maybe_text,
            start=_maybe_text,
            is_scaled=_maybe_flag,
            growth_per_year=_maybe_number,
            pool_split=_maybe_flag,
            new_pages=_maybe_count,
        )
    ),
    versions=_named(_text),
    validity=_maybe_text,
    estimator=_maybe_text,
    derivation=_list(_STEP),
    exchange_rate=_EXCHANGE_RATE,
)
_SHARING = _table(
    groups=_list(_list(_text)),
    in_parts=_list(_flag),
    usd_per_month=_amount,
    io_time_us_per_access=_maybe_number,
    ranges=_named(_ends),
    machines_left_out=_list(_count),
)
_PLACEMENT = _table(
    placement_id=_text,
    finding=_text,
    objective=_text,
    constraints=_named(_amount),
    systems=_list(
        _table(
            workloads=_list(
                _table(
                    name=_text,
                    accesses_per_s=_number,
                    ram_bytes=_number,
                    hit_share=_number,
                    part_bytes=_maybe_number,
                    part_hit_share=_maybe_number,
                )
            ),
            option=_OPTION,
            accesses_per_s=_number,
            peak_accesses_per_s=_number,
            data_bytes=_number,
            in_parts=_maybe_flag,
            parts_save_share=_maybe_number,
        )
    ),
    usd_per_month=_maybe_amount,
    purchase_usd=_maybe_amount,
    io_time_us_per_access=_maybe_number,
    ranges=_named(_ends),
    separate=_optional(_SHARING),
    together=_optional(_SHARING),
    without_parts=_optional(_SHARING),
    alternatives=_list(_SHARING),
    optimality_gap=_maybe_number,
    groups=_maybe_count,
    evaluated=_maybe_count,
    horizon_months=_maybe_count,
    versions=_named(_text),
    cautions=_list(_CAUTION),
    validity=_maybe_text,
    estimator=_maybe_text,
    derivation=_list(_STEP),
    exchange_rate=_EXCHANGE_RATE,
)
