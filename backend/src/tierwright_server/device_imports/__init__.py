"""Device profiles from measurements."""
