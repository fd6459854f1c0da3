"""Checks of the files in deploy/."""
