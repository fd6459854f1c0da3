"""The server's commitment to the seed of a match."""

import hashlib


def seed_commitment(seed: str, seed_salt: str) -> str | None:
    """Compute the commitment to a seed; None if the salt is not valid hex."""
    try:
        salt = bytes.fromhex(seed_salt)
    except ValueError:
        return None
    return hashlib.sha256(salt + seed.encode()).hexdigest()
