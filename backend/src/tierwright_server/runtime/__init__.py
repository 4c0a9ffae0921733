"""Processes and the embedded Postgres: started, watched, ended."""
