"""Ports on the loopback address."""

import random
import socket

BELOW_EPHEMERAL = range(20_000, 32_000)
"""Ports outside the ephemeral range, so that no other process gets one by chance."""


def free_port() -> int:
    """Return a port that is currently free."""
    while True:
        port = random.choice(BELOW_EPHEMERAL)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
