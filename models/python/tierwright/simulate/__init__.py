"""The door to the core: replays, what can be replayed, and what their counters cost."""
