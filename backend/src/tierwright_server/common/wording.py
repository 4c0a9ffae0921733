"""Words of the models, as the user of the server knows the subject."""

from typing import Any


def without_path(report: dict[str, Any], path: str, shown_as: str) -> dict[str, Any]:
    """Name the file as its user does wherever a warning names it."""
    return {
        **report,
        "warnings": [
            {**one, "message": one["message"].replace(path, shown_as)}
            for one in report["warnings"]
        ],
    }
