"""The fragment cache of the SCE paper."""
