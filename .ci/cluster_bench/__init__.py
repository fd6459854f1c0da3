"""Costs of one server and of three: CPU time, latency, memory and traffic."""
