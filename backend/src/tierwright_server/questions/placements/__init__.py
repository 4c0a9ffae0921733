"""Which of several workloads share a system, and what each system is."""
