"""The tokens of this user, by server: from the environment, or from a file that only the user can read."""

import json
import os
import re
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

from arena.client.address import Address
from arena.core.errors import UsageError

VARIABLE = "ARENA_TOKEN"
MOST_CHARS = 200
_TOKEN = re.compile(rf"[A-Za-z0-9._~+/=-]{{8,{MOST_CHARS}}}")
_MOST_BYTES = 1_048_576


def checked(token: str) -> str:
    """Return a token without the blanks around it. Raises UsageError if it can't be one, without quoting it."""
    token = token.strip()
    if not _TOKEN.fullmatch(token):
        raise UsageError(
            "this is not a token", "copy the whole token that an organiser gave you, and nothing else"
        )
    return token


def token_for(address: Address) -> str | None:
    """Return the token for a server: `ARENA_TOKEN` if it is set, else the one that was kept; None if there is none.

    Raises UsageError.
    """
    if given := os.environ.get(VARIABLE):
        try:
            return checked(given)
        except UsageError as error:
            raise UsageError(f"{VARIABLE}: {error}", error.hint) from None
    return _kept().get(str(address))


def keep(address: Address, token: str) -> Path:
    """Keep the token for a server; return the file. Raises UsageError."""
    return _write({**_kept(), str(address): checked(token)})


def forget(address: Address) -> bool:
    """Forget the token for a server; return whether there was one. Raises UsageError."""
    kept = _kept()
    if str(address) not in kept:
        return False
    del kept[str(address)]
    _write(kept)
    return True


def tokens_path() -> Path:
    """Return the file with the tokens: `arena/tokens.json` in the user's folder for configuration."""
    base = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(base) if base.startswith("/") else Path.home() / ".config"
    return folder / "arena" / "tokens.json"


def _kept() -> dict[str, str]:
    path = tokens_path()
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", "remove it, then sign in again") from None
    with os.fdopen(descriptor, "rb") as file:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise UsageError(f"{path} is not a file", "remove it, then sign in again")
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise UsageError(
                f"other users of this machine can read {path}", f"make it yours alone: chmod 600 {path}"
            )
        content = file.read(_MOST_BYTES + 1)
    try:
        kept = json.loads(content) if len(content) <= _MOST_BYTES else None
    except (ValueError, RecursionError):
        kept = None
    if not isinstance(kept, dict) or not all(isinstance(token, str) for token in kept.values()):
        raise UsageError(f"{path} is damaged", "remove it, then sign in again")
    return kept


def _write(kept: dict[str, str]) -> Path:
    path = tokens_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, part = tempfile.mkstemp(prefix=".tokens-", dir=path.parent)  # only its owner can read it
        try:
            with os.fdopen(descriptor, "w") as file:
                json.dump(kept, file, indent=1)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            Path(part).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(part).unlink()
            raise
    except OSError as error:
        raise UsageError(
            f"{path} can't be written: {error.strerror}", f"or set {VARIABLE} for each command"
        ) from None
    return path
