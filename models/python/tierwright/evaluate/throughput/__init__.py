"""Throughput and response time of clients that share devices."""
