"""The version of the product: that of its models, which the answers come from."""

from importlib.metadata import version

VERSION = version("tierwright")
