"""Answers beside replays of the trace: what is replayed, and what the counters say."""
