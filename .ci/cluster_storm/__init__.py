"""Matches on three servers with one database, with injected failures, and the checks of the run."""
