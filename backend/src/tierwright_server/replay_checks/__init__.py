"""Checks by replay of the questions beside the comparison: throughput, wear, choice of flash."""
