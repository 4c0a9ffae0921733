"""Curves that are given in place of a trace, one module a kind."""
