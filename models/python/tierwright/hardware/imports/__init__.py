"""Quotes and price lists of others, read row by row: what was taken, what was not, and why."""
