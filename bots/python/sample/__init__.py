"""The sample bot: one module a game."""

from .bot import SampleBot

__all__ = ["SampleBot"]
