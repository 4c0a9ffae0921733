"""How a system goes over time, window by window."""
