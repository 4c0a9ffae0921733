"""Workloads: hit-ratio curves, what bounds them, and summaries of a trace."""
