"""Bots for Bridgemaster, written from its .proto files alone.

To write your own, derive from `bridgemaster_bot.bot.Bot` and hand it to
`bridgemaster_bot.program.run`, or to `bridgemaster_bot.connection.play` for its result.
"""

import os

# gRPC writes notes on every connection that ends to standard error, unless told otherwise before
# it is imported. What a bot has to know of them, `connection` reports.
os.environ.setdefault("GRPC_VERBOSITY", "ERROR")
