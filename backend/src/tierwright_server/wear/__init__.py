"""Wear and recovery: life of the flash, health of a drive, warm-up and restart."""
