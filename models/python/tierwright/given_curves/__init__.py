"""Hit-ratio curves that somebody gives instead of a trace.

`examine` reads a pasted or uploaded text and says everything it found: points, problems with their
lines, questions whose answers are not guessed, assumptions, and what such a curve cannot tell.
`import_curve` makes a profile of it, or raises. One kind of input is one file with a `Kind` and one
line in `KINDS`, from which the command line, the API and the page are read.
"""

from tierwright.given_curves.examine import (
    CANNOT_TELL,
    Examined,
    GivenPoint,
    examine,
    import_curve,
)
from tierwright.given_curves.kinds import KINDS
from tierwright.given_curves.reading import (
    MOST_POINTS,
    MOST_TEXT_BYTES,
    SCALES,
    SIZE_UNITS,
    VALUES,
    CurveOptions,
    Kind,
    Question,
)

__all__ = [
    "CANNOT_TELL",
    "KINDS",
    "MOST_POINTS",
    "MOST_TEXT_BYTES",
    "SCALES",
    "SIZE_UNITS",
    "VALUES",
    "CurveOptions",
    "Examined",
    "GivenPoint",
    "Kind",
    "Question",
    "examine",
    "import_curve",
]
