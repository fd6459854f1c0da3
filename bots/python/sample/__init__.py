"""The sample bot, with one module for each game."""

from .bot import SampleBot

__all__ = ["SampleBot"]
