"""Tests of the bots; README.md says how to run them."""

# Sets up gRPC before a test imports it.
import bridgemaster_bot  # noqa: F401
