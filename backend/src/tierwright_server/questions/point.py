"""A point: workload, sizes, devices and prices, found by their names in a request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Protocol

from sqlalchemy.ext.asyncio import AsyncSession

from tierwright.advise.point import budget_sentence
from tierwright.common.errors import BadInput as ModelBadInput
from tierwright.evaluate.metadata import RamBudget
from tierwright.evaluate.page_flow import dirty_range
from tierwright.hardware.device import Device
from tierwright.hardware.prices import PriceBook
from tierwright.hardware.running_tiers import IDS as RUNNING_IDS
from tierwright.hardware.running_tiers import running_devices
from tierwright.profile.curve import Curve
from tierwright.profile.steady_state import Start
from tierwright_server.common.errors import BadInput
from tierwright_server.hardware.catalog import service as catalog
from tierwright_server.hardware.catalog.schemas import DeviceOut, PriceBookOut
from tierwright_server.hardware.flash_metadata import metadata_preset
from tierwright_server.http.context import Context
from tierwright_server.questions.point_schemas import (
    DirtyShareIn,
    DirtyShareOut,
    DirtyShareState,
    EvaluationIn,
    RamBudgetOut,
)
from tierwright_server.storage.tables import Content, Workload
from tierwright_server.traces.curves import knowing_new_pages
from tierwright_server.traces.workloads import service as workloads


@dataclass(frozen=True)
class Point:
    """Everything that an evaluation is made of."""

    workload: Workload
    content: Content
    curve: Curve
    flash: tuple[Device, DeviceOut]
    disk: tuple[Device, DeviceOut]
    ram: tuple[Device, DeviceOut] | None
    prices: tuple[PriceBook, PriceBookOut] | None


class MayAskForRange(Protocol):
    """Body of a request that may ask for both ends of an unknown dirty share."""

    @property
    def dirty_share_range(self) -> bool: ...


def dirty_ends(body: MayAskForRange, point: Point) -> tuple[Point, Point] | None:
    """Return the point with as few and with as many dirty pages as can be.

    None where the dirty share is known: measured, or stated.

    Raises
    ------
    BadInput
        If it is not known and both ends were not asked for.
    """
    if point.curve.write_backs_at is not None:
        return None
    if not body.dirty_share_range:
        raise BadInput.at(
            "body.dirty_share",
            None,
            f"must be given: workload `{point.workload.name}` is a given curve, which does "
            "not contain it",
            hint="State the dirty share of the evicted pages; or set "
            "`dirty_share_range` for both ends of its possible range.",
        )
    least, most = dirty_range.dirty_ends(point.curve)
    return replace(point, curve=least), replace(point, curve=most)


@contextmanager
def of_body() -> Iterator[None]:
    """Say of a value that the models refuse which field of the body holds it."""
    try:
        yield
    except ModelBadInput as error:
        if len(error.problems) != 1:
            raise
        [problem] = error.problems
        raise BadInput.at(
            f"body.{problem.where}",
            problem.value,
            problem.message,
            hint=f"{error.hint[:1].upper()}{error.hint[1:]}.",
        ) from error


class StatesDirtyShare(Protocol):
    """Body of a request that states the start and, of a given curve, the dirty share."""

    @property
    def start(self) -> Start: ...
    @property
    def dirty_share(self) -> float | None: ...


async def find_curve(
    session: AsyncSession,
    context: Context,
    workload_id: str,
    body: StatesDirtyShare,
    *,
    may_lack_writes: bool = False,
) -> Curve:
    """Find the curve of a workload, with the dirty share that was stated.

    Parameters
    ----------
    session, context, workload_id, body
    may_lack_writes : bool
        Whether the question is answered without it.

    Raises
    ------
    BadInput
        If neither the curve nor the request contains it, and it is needed.
    """
    workload, content = await workloads.find_ready(session, workload_id)
    curve = await workloads.load_curve(context, workload, content, body.start)
    if body.dirty_share is not None:
        return curve.with_dirty_share(body.dirty_share)
    if curve.write_backs_at is None and not may_lack_writes:
        raise BadInput.at(
            "body.dirty_share",
            None,
            "must be given: a curve does not contain the share of evicted pages that "
            "are dirty",
            "State the dirty share of the evicted pages.",
        )
    return curve


class StatesNewPages(Protocol):
    """Body of a request that may state how many pages are new."""

    @property
    def new_pages(self) -> int: ...


class Inputs(Protocol):
    """What names a workload and its hardware in the body of a request."""

    @property
    def workload_id(self) -> str: ...
    @property
    def flash_device_id(self) -> str: ...
    @property
    def disk_device_id(self) -> str: ...
    @property
    def ram_device_id(self) -> str | None: ...
    @property
    def price_book_id(self) -> str | None: ...
    @property
    def start(self) -> Start: ...


async def find_point(
    session: AsyncSession, context: Context, body: EvaluationIn
) -> Point:
    """Find what a point is made of, its curve with the dirty share that was stated."""
    return with_dirty_share(body, await find_inputs(session, context, body))


def with_dirty_share(body: DirtyShareIn, point: Point) -> Point:
    """Return the point with the dirty share that was stated, if one was."""
    if body.dirty_share is None:
        return point
    return replace(point, curve=point.curve.with_dirty_share(body.dirty_share))


def with_new_pages(body: StatesNewPages, point: Point) -> Point:
    """Return the point with the new pages that were stated.

    Raises
    ------
    BadInput
        If they exceed the first touches of the workload, or it is a given curve.
    """
    return replace(point, curve=knowing_new_pages(body.new_pages, point.curve))


async def find_inputs(session: AsyncSession, context: Context, body: Inputs) -> Point:
    """Find workload, devices and prices; the error names the one that is missing."""
    workload, content = await workloads.find_kept(context, body.workload_id)
    curve = await workloads.load_curve(context, workload, content, body.start)

    running = running_devices(curve)

    async def device(where: str, device_id: str) -> tuple[Device, DeviceOut]:
        if device_id in RUNNING_IDS:
            found = running.get(device_id)
            if found is None:
                raise BadInput.at(
                    f"body.{where}",
                    device_id,
                    f"workload `{workload.name}` has no tier whose reads were timed",
                    hint="Name a device of the catalogue, or give counters with the time of reads of each tier.",
                )
            return found, catalog.device_out(found, page_bytes=curve.page_bytes)
        return await catalog.find_device(
            session, context, device_id, where, page_bytes=curve.page_bytes
        )

    flash = await device("flash_device_id", body.flash_device_id)
    disk = await device("disk_device_id", body.disk_device_id)
    ram = (
        await device("ram_device_id", body.ram_device_id)
        if body.ram_device_id
        else None
    )
    prices = (
        await catalog.find_price_book(session, context, body.price_book_id)
        if body.price_book_id
        else None
    )
    return Point(workload, content, curve, flash, disk, ram, prices)


def unknown_dirty_share(
    curve: Curve, at_least: str | None, at_most: str | None
) -> DirtyShareOut:
    """Say that nobody knows the dirty share, and what is best at both ends."""
    return DirtyShareOut(
        state=DirtyShareState.UNKNOWN,
        value=None,
        write_share=None if curve.given is None else curve.given.write_share,
        best_at_least=at_least,
        best_at_most=at_most,
    )


def known_dirty_share(curve: Curve) -> DirtyShareOut:
    """Say where the dirty share is from: measured, stated, or of a description."""
    given = curve.given
    if given is None:
        state = DirtyShareState.MEASURED
    elif given.described_by is not None:
        state = DirtyShareState.DESCRIBED
    elif given.composed_of and given.dirty_share is None:
        state = DirtyShareState.COMPOSED
    else:
        state = DirtyShareState.STATED
    return DirtyShareOut(
        state=state,
        value=None if given is None else given.dirty_share,
        write_share=None if given is None else given.write_share,
        best_at_least=None,
        best_at_most=None,
    )


def ram_budget_out(name: str | None, found: RamBudget | None) -> RamBudgetOut | None:
    """Say how much RAM the metadata of a preset take and leave; None where none are charged."""
    preset = metadata_preset(name)
    if found is None or preset is None:
        return None
    return RamBudgetOut(
        flash_metadata=preset.name,
        title=preset.title,
        ram_bytes=found.ram_bytes,
        metadata_bytes=found.metadata_bytes,
        ram_pages_left=found.left_pages,
        share=found.share,
        sentence=budget_sentence(preset, found),
        estimator=found.estimator,
        validity=found.validity,
    )
