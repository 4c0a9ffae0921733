"""What garbage collection makes of the writes of a flash device."""
