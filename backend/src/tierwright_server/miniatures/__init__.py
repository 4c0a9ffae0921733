"""Miniatures: one policy at many sizes, estimated from scaled caches over samples."""
