"""Tests of the packages of a release."""
