"""What to cache: which categories of requests enter flash, and when."""
