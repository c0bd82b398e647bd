"""Tokens and session ids: 32 random bytes each, of which the file keeps only the SHA-256.

A hash without salt or stretching is enough for random texts of this length: there is nothing to guess from.
"""

import secrets
from hashlib import sha256

PREFIX = "arena_"
"""Of tokens, so that people and programs that look for leaked secrets recognise them."""
MOST_CHARS = 200
"""Longest text that is compared with the stored hashes."""


def new_token() -> str:
    """Return a new token: `arena_` and 43 characters."""
    return PREFIX + secrets.token_urlsafe(32)


def new_session_id() -> str:
    """Return a new session id: 43 characters."""
    return secrets.token_urlsafe(32)


def hashed(secret: str) -> str:
    """Return what the file keeps of a secret."""
    return sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
