"""One formula in a process of its own: `python -m tierwright.catalogue.child`.

stdin: `{name, inputs}`. stdout: `{answer}`, `{error: {message, hint, problems}}`
or `{defect: {message, trace}}`.
"""

from __future__ import annotations

import json
import sys

from tierwright.catalogue.limited import document_of


def main() -> int:
    """Ask the formula that stdin names."""
    spec = json.load(sys.stdin)
    json.dump(document_of(spec["name"], spec["inputs"]), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
