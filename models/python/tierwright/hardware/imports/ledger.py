"""What an import shows: rows read, taken and left out, units as printed and as understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tierwright.common.wording import counted, listed

Row = int | str
"""A row as its format counts it, from 1, or the key by which a file names it."""

MOST_LISTED = 1000
"""Rows left out, units and unresolved rows that are listed; all of them are counted."""
_MOST_SHOWN = 80
DATES = ("published", "effective_first", "effective_last", "valid_until")


class Skip(Exception):
    """A row cannot be taken without guessing.

    Parameters
    ----------
    reason : str
        What is wrong with it, with the value in backticks.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def shown(value: object) -> str:
    r"""Return a value of a file as it can be shown: short, and without what a terminal would obey.

    Examples
    --------
    >>> shown("16\x1b GiB"), shown("x" * 90)[-3:]
    ('16\ufffd GiB', 'xx…')
    """
    # The text of nested values may be as deep as they are.
    if isinstance(value, (dict, list)):
        return "{…}" if isinstance(value, dict) else "[…]"
    text = str(value)
    if len(text) > _MOST_SHOWN:
        text = text[: _MOST_SHOWN - 1] + "…"
    return "".join(each if each.isprintable() else "\ufffd" for each in text)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import found in a file.

    Attributes
    ----------
    id : str
        SHA-256 of the content, in hexadecimal: the same file is the same import.
    format, format_version : str
        Name of the reader, and the version that the file states; the version is None where it states none.
    currency : str or None
        ISO 4217; None where the rows taken have several, or there are none.
    read, taken : int
        Rows; `read` is those taken and those left out.
    skipped : tuple of dict
        `row` and `reason` of the first rows left out, at most `MOST_LISTED`.
    units : tuple of dict
        Each unit as `printed` and as `understood`, of rows taken.
    dates : dict
        YYYY-MM-DD or None of `DATES`: the publication, the first and the last day from which a price
        applies, the earliest day on which a quote ends.
    unresolved : tuple of dict
        `row`, `name` and `reason` of what no exact rule identifies.
    warnings : tuple of dict
        `name`, `message`, `hint`.
    """

    id: str
    format: str
    format_version: str | None
    currency: str | None
    read: int
    taken: int
    skipped: tuple[dict[str, Any], ...]
    units: tuple[dict[str, str], ...]
    dates: dict[str, str | None]
    unresolved: tuple[dict[str, Any], ...]
    warnings: tuple[dict[str, str], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {
            "id": self.id,
            "format": self.format,
            "format_version": self.format_version,
            "currency": self.currency,
            "read": self.read,
            "taken": self.taken,
            "skipped": list(self.skipped),
            "units": list(self.units),
            "dates": dict(self.dates),
            "unresolved": list(self.unresolved),
            "warnings": list(self.warnings),
        }


class Ledger:
    """Collects what a reader finds, in bounded memory.

    Parameters
    ----------
    refuse : callable, optional
        Called with the quote, the row and the reason of each row that is left out; the quote is empty where the
        row does not tell it.
    knows : callable, optional
        Whether the mapping of the user states what a row is: such a row is not unresolved.
    """

    def __init__(
        self,
        refuse: Callable[[str, Row, str], object] | None = None,
        knows: Callable[[Any], bool] | None = None,
    ) -> None:
        self._refuse = refuse
        self._knows = knows
        self.format_version: str | None = None
        self.read = 0
        self.taken = 0
        self._skipped: list[dict[str, Any]] = []
        self._units: dict[tuple[str, str], None] = {}
        self._more_units = False
        self._currencies: Counter[str] = Counter()
        self._dates: dict[str, str | None] = dict.fromkeys(DATES)
        self._unresolved: list[dict[str, Any]] = []
        self._unresolved_count = 0
        self._warnings: dict[str, dict[str, str]] = {}

    def take(self, currency: str, printed: str, understood: str) -> None:
        """Count a row that is taken; of a sum without a unit `printed` is empty, of what has no price `currency`."""
        self.read += 1
        self.taken += 1
        if currency:
            self._currencies[currency] += 1
        self.note_unit(printed, understood)

    def note_unit(self, printed: str, understood: str) -> None:
        """Note a unit as printed, where it is not empty, and as understood."""
        if printed and (key := (shown(printed), understood)) not in self._units:
            if len(self._units) < MOST_LISTED:
                self._units[key] = None
            else:
                self._more_units = True

    def skip(self, row: Row, reason: str, quote_id: str = "") -> None:
        """Count a row that is left out, with the reason, and the quote that it is of where that is known."""
        self.read += 1
        if self._refuse is not None:
            self._refuse(quote_id, row, reason)
        if len(self._skipped) < MOST_LISTED:
            where = shown(row) if isinstance(row, str) else row
            self._skipped.append({"row": where, "reason": reason})

    def is_known(self, line: object) -> bool:
        """Say whether the mapping states what a row is."""
        return self._knows is not None and self._knows(line)

    def leave_unresolved(self, row: Row, name: str, reason: str) -> None:
        """Note a row that no exact rule identifies."""
        self._unresolved_count += 1
        if len(self._unresolved) < MOST_LISTED:
            where = shown(row) if isinstance(row, str) else row
            self._unresolved.append(
                {"row": where, "name": shown(name), "reason": reason}
            )

    def warn(self, name: str, message: str, hint: str = "") -> None:
        """Note what to know of the file as a whole; of one name the first stays."""
        self._warnings.setdefault(
            name, {"name": name, "message": message, "hint": hint}
        )

    def published(self, date: str) -> None:
        """Note the day on which the list was published."""
        self._dates["published"] = date

    def effective(self, date: str) -> None:
        """Note a day from which a price applies."""
        first, last = self._dates["effective_first"], self._dates["effective_last"]
        self._dates["effective_first"] = date if first is None else min(first, date)
        self._dates["effective_last"] = date if last is None else max(last, date)

    def valid_until(self, date: str) -> None:
        """Note the last day on which a quote is valid."""
        earliest = self._dates["valid_until"]
        self._dates["valid_until"] = date if earliest is None else min(earliest, date)

    def imported(self, content_id: str, name: str) -> Imported:
        """Return what was found, once all has been read."""
        self._warn_of_the_whole()
        return Imported(
            id=content_id,
            format=name,
            format_version=self.format_version,
            currency=next(iter(self._currencies))
            if len(self._currencies) == 1
            else None,
            read=self.read,
            taken=self.taken,
            skipped=tuple(self._skipped),
            units=tuple(
                {"printed": printed, "understood": understood}
                for printed, understood in self._units
            ),
            dates=dict(self._dates),
            unresolved=tuple(self._unresolved),
            warnings=tuple(self._warnings.values()),
        )

    def _warn_of_the_whole(self) -> None:
        if self.read > self.taken:
            count = self.read - self.taken
            listed_here = (
                ""
                if count == len(self._skipped)
                else f" The first {len(self._skipped):,} are listed."
            )
            self.warn(
                "rows_left_out",
                f"{counted(count, 'row was', 'rows were')} left out of {self.read:,}: "
                f"a sum over the rows taken is not the sum of the file.{listed_here}",
                "correct the rows in the file, or ask its sender, and import it again",
            )
        if len(self._currencies) > 1:
            self.warn(
                "several_currencies",
                f"The rows are priced in {listed(sorted(self._currencies))}: nothing was converted.",
                "sums over them need exchange rates with a date",
            )
        if self._unresolved_count > len(self._unresolved):
            self.warn(
                "more_unresolved",
                f"{counted(self._unresolved_count, 'row is', 'rows are')} unresolved; the first "
                f"{len(self._unresolved):,} are listed.",
            )
        if self._more_units:
            self.warn(
                "more_units",
                f"The file has more than {MOST_LISTED:,} units; the first "
                f"{MOST_LISTED:,} are listed.",
            )
