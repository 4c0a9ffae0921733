"""Analyses of a workload that take a job, each made once and kept."""
