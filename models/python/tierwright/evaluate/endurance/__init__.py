"""Wear of flash: amplification, lifetime, and what it costs."""
