"""Names of options: of their hardware with the page flow that they run, or with a flash cache and the admission before it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tierwright.advise.advice.found import Option
from tierwright.advise.point import scheme_titles
from tierwright.evaluate.page_flow.schemes import NO_FLASH


def with_admission(title: str, admission_by: str | None) -> str:
    """Name a flash cache with what tells the categories apart that decide what enters it; by itself where nothing does."""
    return (
        title if admission_by is None else f"{title} with admission by {admission_by}"
    )


_LONGEST = 400
"""Characters of an assignment that is written out; a longer one is in the JSON of the answer."""


def run_so(name: str, options: Mapping[str, str]) -> str:
    """Say with which options a simulation of a flash cache runs behind an assignment.

    Examples
    --------
    >>> run_so("larc", {"categories": "hour", "assignment": "never+0:miss"})
    'Run larc so: categories=hour, assignment=never+0:miss'
    """
    stated = ", ".join(f"{key}={value}" for key, value in options.items())
    if len(stated) > _LONGEST:
        stated = (
            f"categories={options['categories']}, and the assignment that the JSON of this answer has in "
            "recommendation.options"
        )
    return f"Run {name} so: {stated}"


def with_flow(name: str, scheme: str | None, admission_by: str | None = None) -> str:
    """Name an option with its page flow, where it has one, or with its flash cache and the admission before it."""
    if scheme is None or scheme == NO_FLASH:
        return name
    titles = scheme_titles()
    if scheme not in titles:
        from tierwright.simulate.contenders import flash_cache_titles

        cache = flash_cache_titles().get(scheme, scheme)
        return f"{name}, under {with_admission(cache, admission_by)}"
    return f"{name}, page flow {titles[scheme]}"


def with_flows(name: str, schemes: Sequence[str]) -> str:
    """Name an option with page flows of which one is as good as the other.

    Examples
    --------
    >>> with_flows("1 x a", ("none",)), with_flows("1 x a", ("none", "lazy"))
    ('1 x a', '1 x a, page flow Lazy or no flash cache')
    >>> with_flows("1 x a", ("lazy", "inclusive", "exclusive"))
    '1 x a, page flow Lazy, Inclusive or Exclusive'
    """
    if len(schemes) == 1:
        return with_flow(name, schemes[0])
    titles = scheme_titles()
    flows = [titles.get(each, each) for each in schemes if each != NO_FLASH]
    if len(flows) < len(schemes):
        flows.append("no flash cache")
    *others, last = flows
    return f"{name}, page flow {', '.join(others)} or {last}"


def named(option: Option) -> str:
    """Name an option with its page flow."""
    return with_flow(option.name, option.scheme, option.admission_by)
