"""Workloads described in a few numbers, where there is neither a trace nor a curve."""
