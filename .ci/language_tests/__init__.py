"""What `.ci/languages` does: one module for each kind of test."""
