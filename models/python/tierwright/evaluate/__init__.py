"""Cost models: pure formulas on curves, devices and prices; no files, no core."""
