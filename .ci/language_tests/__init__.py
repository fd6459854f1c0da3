"""The tests of `.ci/languages`: one module for each kind."""
