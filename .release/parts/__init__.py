"""The parts of a release, each in a module of its own."""
