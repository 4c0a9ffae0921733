"""Workloads described in a few numbers, or by a preset with data and load of one's own."""

import asyncio
import re
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.common.errors import BadInput as ModelError
from tierwright.evaluate.described.curve import ESTIMATOR
from tierwright.evaluate.described.workload import (
    about_description,
    described_finding,
    described_profile,
)
from tierwright.evaluate.page_flow.cautions import about_given
from tierwright.hardware.workload_presets import COMMAND, Preset, presets
from tierwright.profile.described.description import (
    KINDS,
    Description,
    description_from_mapping,
)
from tierwright.profile.document import Profile
from tierwright_server.common.errors import BadInput, of_model
from tierwright_server.common.schemas import WarningOut
from tierwright_server.http.context import Context
from tierwright_server.storage.tables import Workload
from tierwright_server.traces.workloads import given
from tierwright_server.traces.workloads.described_schemas import (
    DescribedPartOut,
    DescriptionIn,
    DescriptionKindOut,
    DescriptionPreviewOut,
)

_PREVIEW_POINTS = 120
_INDEX = re.compile(r"\[(\d+)\]")
_PRESET_NAME = "preset"


def description_kinds() -> list[DescriptionKindOut]:
    """List the kinds of components."""
    return [
        DescriptionKindOut(
            name=kind.name,
            title=kind.title,
            description=kind.description,
            needs=list(kind.needs),
        )
        for kind in KINDS.values()
    ]


def preview(body: DescriptionIn) -> DescriptionPreviewOut:
    """Compute the curve of a description, and store nothing.

    Raises
    ------
    BadInput
        With every problem, each with its field.
    """
    found = description_of(body)
    curve = described_profile(found, points=_PREVIEW_POINTS).curve
    backs = curve.write_backs_at
    assert curve.given is not None  # described_profile computes it from
    assert backs is not None  # a description, which has writes
    return DescriptionPreviewOut(
        finding=described_finding(curve),
        page_bytes=found.page_bytes,
        data_bytes=found.data_bytes,
        data_pages=found.data_pages,
        accesses_per_s=found.accesses_per_s,
        write_share=found.accesses_that_write,
        parts=[
            DescribedPartOut(
                kind=part.component.kind,
                access_share=part.access_share,
                pages=part.pages,
                write_share=part.write_share,
            )
            for part in found.parts
        ],
        pages=curve.pages.tolist(),
        hit_ratios=curve.hit_ratio(curve.pages).tolist(),
        write_backs_per_access=(backs / curve.accesses).tolist(),
        estimator=ESTIMATOR,
        assumptions=list(curve.given.assumptions),
        warnings=[
            WarningOut.model_validate(caution)
            for caution in (*about_given(curve), *about_description(found))
        ],
    )


async def create_from_description(
    session: AsyncSession, context: Context, name: str, body: DescriptionIn
) -> Workload:
    """Create a workload from a description; its profile is stored as a given curve is.

    Raises
    ------
    BadInput
        With every problem, each with its field.
    """
    profile = await asyncio.to_thread(_profile, body, name)
    return await given.create_from_profile(session, context, name, profile, None)


def _profile(body: DescriptionIn, name: str) -> Profile:
    return described_profile(description_of(body, name))


def description_of(body: DescriptionIn, name: str | None = None) -> Description:
    """Return the description that a request states.

    Parameters
    ----------
    body : DescriptionIn
        Its mix, or the preset that has one.
    name : str, optional
        What answers call it; that of the preset, or a general one.

    Raises
    ------
    BadInput
        With every problem, each with its field.
    """
    data = body.model_dump(exclude_none=True, exclude={"name"})
    preset = _preset(data.pop(_PRESET_NAME, None))
    if preset is not None:
        data = _with_preset(data, preset)
    if name is not None:
        data["name"] = name
    try:
        return description_from_mapping(data, place="body")
    except ModelError as error:
        raise of_model(error, _field) from error


def _preset(identifier: str | None) -> Preset | None:
    if identifier is None:
        return None
    known = presets()
    if identifier not in known:
        raise BadInput.at(
            "body.preset",
            identifier,
            f"is not one of {', '.join(known)}",
            hint=f"`GET /catalog/workload-presets`, or `{COMMAND}`, lists them.",
        )
    return known[identifier]


def _with_preset(stated: dict[str, Any], preset: Preset) -> dict[str, Any]:
    for key in ("components", "write_share"):
        if key in stated:
            raise BadInput.at(
                f"body.{key}",
                None,
                f"cannot be combined with the preset `{preset.id}`, which states its own",
                hint="Leave it out, or send the components of the preset without its name.",
            )
    return {**preset.described().to_dict(), **stated}


def _field(where: str) -> str:
    return "body." + _INDEX.sub(r".\1", where)
