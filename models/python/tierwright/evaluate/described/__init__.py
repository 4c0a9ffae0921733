"""Curves of described workloads, by formula."""
