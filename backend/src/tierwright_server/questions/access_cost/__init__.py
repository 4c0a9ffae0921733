"""What a random access costs on each device."""
