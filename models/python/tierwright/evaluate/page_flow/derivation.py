"""How the I/O time of a page-flow scheme came about: the same at a point and on a map."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tierwright.common.answer import Step
from tierwright.common.derivation import Derivation, plain

IO_TIME = "io_time_us_per_access"


@dataclass(frozen=True, slots=True)
class SchemeDerivation:
    """How one scheme's I/O time came about.

    Attributes
    ----------
    scheme : str
        Name.
    io_time : Derivation
        C / N by the scheme's formula, with every number put in. [µs/access]
    hits : Derivation
        Flash hits. [accesses]
    terms : tuple of Derivation
        Cost terms, which add up to the I/O time. [µs/access]
    note : str
        What is particular here.
    """

    scheme: str
    io_time: Derivation
    hits: Derivation
    terms: tuple[Derivation, ...]
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        whole = self.io_time
        return {
            "scheme": self.scheme,
            "formula": whole.formula,
            "hits_formula": self.hits.formula,
            "hits": self.hits.value,
            "result": f"{IO_TIME} = C / N",
            "value_us_per_access": whole.value,
            "numbers": plain(whole.numbers),
            "terms": [
                {
                    "name": term.result,
                    "formula": term.formula,
                    "value_us_per_access": term.value,
                }
                for term in self.terms
            ],
            "note": self.note,
            "source": whole.source,
        }

    def steps(self) -> Iterator[Step]:
        """Give the numbers put in, the hits, the terms, and the whole."""
        whole = self.io_time
        note = f" ({self.note})" if self.note else ""
        rows = (
            *((n.symbol, n.meaning, n.value, n.unit) for n in whole.numbers),
            *(
                (part.result, part.formula, part.value, part.unit)
                for part in (self.hits, *self.terms)
            ),
            (whole.result, f"{whole.formula}{note}; C / N", whole.value, whole.unit),
        )
        for name, formula, value, unit in rows:
            yield Step(name, formula, value, unit, whole.source, self.scheme)
