"""The tries of the packages of a release."""
