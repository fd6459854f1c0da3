"""Tests of the package `bridgemaster`."""
