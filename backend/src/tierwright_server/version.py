"""The version of the server."""

from importlib.metadata import version

VERSION = version("tierwright-server")
