"""The secrets of the seeds that tests give their leagues: deriving one takes as long as a dozen tests.

`tests/league/test_seeds.py` derives them anew.
"""

from unittest.mock import patch

from arena.league.definition import league_secret

SECRETS = {
    b"1": "3187833d0198f6c7e448c115b9f42b36322e3c18dcb8f6b7f5bfdd7693b26ecb",
    b"3": "3c5af55ef5b12a3ee62d714304be15a295a37eadff551adf8c07b6fedd371d14",
    b"5": "0742db96f7385c27123dc443d73178f79ed763fad13e6451ad38108e766e19d2",
    b"7": "12ddb5d292d79fcc8ae3ea2a9532e78873e33b1d30c9bed97c6e15a5d5269b38",
    b"8": "73e3ecabbefa90d4092000dd9a9a2089d955e9fcdd4282c205c585f3260bfb37",
    b"9": "e8256e4232b417c2e178030663f7f798bfff147cba998944e7807852c74952c5",
    b"11": "4924fb9ed1eceea47cba897406816bcce18b56d22a69c94aeba43187129ef2d8",
}
"""By seed, in hexadecimal digits."""
stretched = league_secret.stretched
"""Derives a secret without this table."""


def know_secrets() -> None:
    """Have leagues with these seeds get the secrets from here, from now on."""
    patch.object(league_secret, "stretched", _secret).start()


def _secret(seed: bytes) -> bytes:
    known = SECRETS.get(seed)
    return stretched(seed) if known is None else bytes.fromhex(known)
