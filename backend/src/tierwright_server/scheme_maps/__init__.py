"""Scheme maps: which page-flow scheme wins where."""
