"""Sweeps: many configurations replayed over one workload."""
