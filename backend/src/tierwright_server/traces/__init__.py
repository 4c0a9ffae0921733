"""Uploads, what they become, and their curves."""
