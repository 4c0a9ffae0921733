"""Tierwright's HTTP API, jobs and page."""
