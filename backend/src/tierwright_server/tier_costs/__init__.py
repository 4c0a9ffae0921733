"""Devices for one tier, side by side in money."""
