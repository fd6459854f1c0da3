"""Ports on the loopback address."""

import random
import socket

BELOW_EPHEMERAL = range(20_000, 32_000)
"""Ports that no system gives to who asks for any, so that no other test gets one meanwhile."""


def free_port() -> int:
    """Return a port that is free now."""
    while True:
        port = random.choice(BELOW_EPHEMERAL)
        with socket.socket() as listener:
            try:
                listener.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
