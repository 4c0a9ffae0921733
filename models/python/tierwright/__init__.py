"""Tierwright: cost-model advisor for memory hierarchies."""
