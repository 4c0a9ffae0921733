"""The command line `tierwright`."""

from tierwright.cli.app import main

__all__ = ["main"]
