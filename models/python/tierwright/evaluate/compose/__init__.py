"""Several workloads on one machine: one shared cache, or a cache for each."""
