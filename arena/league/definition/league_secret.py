"""Derives a league's secret from the seed in its file, and estimates the cost of searching for the seed.

A league without a seed has a secret of 32 random bytes. One with a seed can be repeated on any machine, so its secret
depends on the seed alone: anyone can try seeds and compare the deals with what a bot sees.
"""

import hashlib
from functools import lru_cache

from arena.config.deal_suites import Suite
from arena.config.league_file import LeagueFile
from arena.core.errors import UsageError

SCRYPT_N = 1 << 17
SCRYPT_R = 8
SCRYPT_P = 1
"""Cost, block size and parallelism of scrypt (RFC 7914): each try takes 128 MiB and about 0.4 s of one core."""
SCRYPT_SALT = b"arena/seed/2"
"""Fixed, because a seed must give the same league on every machine."""
SCRYPT_BYTES = 128 * SCRYPT_N * SCRYPT_R
SEARCH_S = 0.4
"""Cost of one try, in seconds of one core."""
SHORT_SEED_CHARACTERS = 20
"""A seed with fewer characters counts as searchable: 20 random digits are 66 bits."""

WORDS = 500_000
"""Words in the dictionary that a search might use."""


@lru_cache(maxsize=64)
def secret_of_seed(seed: int | str) -> bytes:
    """Return the secret of 32 bytes that follows from a seed; `7` and `"7"` give the same. Raises as `stretched`."""
    return stretched(str(seed).encode(errors="surrogateescape"))


def secret_of(file: LeagueFile) -> bytes | None:
    """Return the secret of a league that can be repeated, by its seed or its suite; None for one that is sealed."""
    if file.seed is not None:
        return secret_of_seed(file.seed)
    return hashlib.sha256(file.deals.sha256.encode()).digest() if isinstance(file.deals, Suite) else None


def stretched(seed: bytes) -> bytes:
    """Return 32 bytes that take time and memory to derive. Raises UsageError if this Python's OpenSSL has no scrypt."""
    if not hasattr(hashlib, "scrypt"):
        raise UsageError(
            "seeds don't work with this Python: its OpenSSL was built without scrypt",
            "remove `seed`, or use a Python with OpenSSL 1.1.1 or newer",
        )
    # OpenSSL also counts its own working memory, a few KiB beyond the formula.
    return hashlib.scrypt(
        seed, salt=SCRYPT_SALT, n=SCRYPT_N, r=SCRYPT_R, p=SCRYPT_P, maxmem=2 * SCRYPT_BYTES, dklen=32
    )


def search_warning(seed: int | str) -> str:
    """Return a warning about a seed short enough to be searched, with figures; otherwise an empty string."""
    text = str(seed)
    if len(text) >= SHORT_SEED_CHARACTERS:
        return ""
    if text.isascii() and text.isdigit():
        tries, kind = 10 ** len(text), f"number of {len(text)} digit{'s' * (len(text) > 1)}"
    elif text.isalpha():
        tries, kind = min(WORDS, 26 ** len(text)), "word of a large dictionary"
    else:
        tries, kind = 36 ** len(text), f"text of {len(text)} letters and digits (often found much sooner)"
    return (
        f"a short seed can be guessed: trying every {kind}, {tries:,} in all, takes "
        f"{_duration(tries * SEARCH_S)} on one core, and works for every league at once"
    )


def _duration(seconds: float) -> str:
    for unit, unit_s in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("minutes", 60)):
        if seconds >= 2 * unit_s:
            return f"about {seconds / unit_s:,.0f} {unit}"
    return f"about {max(1, seconds):.0f} seconds"
