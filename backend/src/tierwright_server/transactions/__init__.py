"""Transactions over raw flash."""
