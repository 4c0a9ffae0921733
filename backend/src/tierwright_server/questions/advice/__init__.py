"""What to buy for a workload and how to run it."""
