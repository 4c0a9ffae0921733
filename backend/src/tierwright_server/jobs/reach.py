"""Which folders a process that reads files of others may see."""

from typing import TypedDict

from tierwright.hardware.facts import fixtures_folder
from tierwright_server.common.settings import Settings


class Reach(TypedDict):
    """What `confine` takes."""

    reads: list[str]
    writes: list[str]


def of_jobs(settings: Settings) -> Reach:
    """Return the folders of jobs: they read traces and the shipped catalogue, and write what is made of them."""
    return {
        "reads": [*of_previews(settings)["reads"], str(fixtures_folder().resolve())],
        "writes": [str(settings.work_dir), str(settings.contents_dir)],
    }


def of_previews(settings: Settings) -> Reach:
    """Return the folders of previews: they read traces, and write nothing."""
    folders = (
        settings.uploads_dir,
        settings.contents_dir,
        settings.example_trace.parent,
        *settings.trace_folders,
    )
    return {"reads": [str(folder.resolve()) for folder in folders], "writes": []}
