"""The check of filling and restart: a cache that crashes in the middle of the trace."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tierwright.advise.checks.checked import Checked, CheckedFigure, row
from tierwright.advise.checks.points import (
    Counters,
    Replay,
    ReplayedRestart,
    replayed_restart,
    restart_replays,
)
from tierwright.advise.recovery import (
    BY_MISSES,
    MEGABYTE,
    Recovery,
    Redone,
    page_flow_times,
)
from tierwright.common.wording import counted, percent
from tierwright.evaluate import recovery as model
from tierwright.evaluate.scale.replays import recorded_sizes
from tierwright.hardware.device import Device
from tierwright.profile.production import Scaled


@dataclass(frozen=True, slots=True)
class RestartCheck:
    """What is checked: an answer, what it was asked with, and the trace.

    Attributes
    ----------
    answer : Recovery
        Of the model.
    flash_pages, page_bytes : int
        f [pages], and a page [bytes].
    accesses : int
        Of the trace.
    flash, disk : Device
        Of the two lower tiers.
    checkpoint_interval_s, redo_writes, flash_share : float
        As the answer was asked with. [s], [pages], [1]
    redone : Redone or None
        What the trace writes in half a checkpoint interval, where that was counted.
    scaled : Scaled or None
        How the workload was scaled, where the trace is its recording: what takes as long as the flash is
        large is then replayed in proportion.
    """

    answer: Recovery
    flash_pages: int
    page_bytes: int
    accesses: int
    flash: Device
    disk: Device
    checkpoint_interval_s: float
    redo_writes: float
    flash_share: float
    redone: Redone | None = None
    scaled: Scaled | None = None

    @property
    def times(self) -> float:
        """By how many times the flash of the answer is larger than the one replayed. [1]"""
        if self.scaled is None or self.flash_pages == 0:
            return 1.0
        _, flash = recorded_sizes(
            self.scaled,
            self.answer.ram_pages_left,
            self.flash_pages,
            repeats_ram=True,
        )
        return self.flash_pages / flash

    @property
    def window(self) -> int:
        """Accesses of half an interval, as many as stand for them in the trace. [accesses]"""
        per_s = self.answer.accesses_per_s / self.times
        return round(self.checkpoint_interval_s / 2 * per_s)

    def replays(self) -> dict[str, Replay]:
        """Return what is replayed."""
        return restart_replays(
            ram_pages=self.answer.ram_pages_left,
            flash_pages=self.flash_pages,
            accesses=self.accesses,
            window=max(1, self.window),
        )

    def check(self, counters: Mapping[str, Counters]) -> Checked:
        """Put the answer beside the replays."""
        answer = self.answer
        seen = replayed_restart(counters, self.accesses)
        by_misses = answer.flash_bytes / answer.fill.rates_bytes_per_s[BY_MISSES]
        filled = None
        if seen.fill_accesses is not None and answer.accesses_per_s > 0:
            filled = seen.fill_accesses * self.times / answer.accesses_per_s
        what = "time to fill, by the misses of RAM"
        rows = [
            row("fill", "Filling", what, "s", by_misses, filled),
            *self._restart(seen),
        ]
        cut = min(self.window, self.accesses - self.accesses // 2)
        return Checked(
            finding=finding(rows, seen.flash_share, self.flash_share),
            rows=tuple(rows),
            basis="FaCE was replayed with flash that survives a crash in the middle of the "
            f"trace: the pages read in the {counted(cut, 'access')} after the crash stand for the "
            "pages that redo reads. It was replayed again with all contents lost at eight "
            "places, to see when the flash is full again. "
            + (
                "How many pages redo reads is taken from the answer: the trace does not contain "
                "the log of the database, "
                if self.redone is None
                else "The pages that redo reads are those that the trace writes in half a checkpoint "
                "interval, as in the answer: it does not contain the log of the database, "
            )
            + "nor checkpoints, which bring dirty pages to flash."
            + (
                ""
                if self.times == 1
                else " So is how long the metadata take to restore, which does not grow in "
                "proportion to the flash; accesses after the crash and until the flash is full "
                "count as many times as the flash is larger than the one replayed."
            ),
        )

    def _restart(self, seen: ReplayedRestart) -> Iterator[CheckedFigure]:
        restart = self.answer.restart
        bandwidth = self.flash.number("sequential_read_mb_per_s")
        if restart is None or bandwidth is None:
            return
        metadata_s = (
            seen.metadata_bytes / (bandwidth * MEGABYTE)
            if self.times == 1
            else restart.with_flash.metadata_s
        )
        share = seen.flash_share

        def about(
            figure: str, unit: str, said: float, replayed: float | None
        ) -> CheckedFigure:
            return row("restart", "Restart", figure, unit, said, replayed)

        if self.times == 1:
            said = restart.with_flash.metadata_s
            yield about("metadata restored", "s", said, metadata_s)
        yield about("pages found on flash", "share", self.flash_share, share)
        if share is None:
            return
        found = model.restart(
            metadata_s=metadata_s,
            redo_pages=restart.redo_pages,
            redo_writes=self.redo_writes,
            flash_share=share,
            **page_flow_times(self.flash, self.disk, self.page_bytes),
        )
        total_s = float(found.with_flash.total_s)
        yield about("with flash", "s", restart.with_flash.total_s, total_s)
        yield about("speed-up by flash", "1", restart.speedup, float(found.speedup))


def finding(rows: Sequence[CheckedFigure], share: float | None, assumed: float) -> str:
    """Say where the answer and the replay differ most for who waits for a restart."""
    if share is None:
        return (
            "After the crash, no page was read from flash or disk, so there is "
            "nothing to compare."
        )
    text = (
        "Of the pages read after the crash, the replayed flash held "
        f"{percent(share)}, where the answer assumes {percent(assumed)}"
    )
    filled = rows[0]
    if filled.simulated is None:
        return f"{text}; the flash does not fill within the recording."
    if filled.model is None or filled.gap_relative is None:
        return f"{text}."
    side = "longer" if filled.gap_relative < 0 else "less time"
    return (
        f"{text}; filling takes {percent(abs(filled.simulated / filled.model - 1))} {side} "
        "by replay than by the misses of RAM."
    )
