"""A command: what somebody asks of the process that writes to a store, as plain data."""

import getpass
import os
import time
from typing import Annotated, Any
from uuid import uuid4

import msgspec
from msgspec import Meta, Struct

from arena.core.errors import ArenaError
from results.base.clock import utc_now

MOST_BYTES = 1_048_576
"""Largest file of a command."""

UUID = r"^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\Z"
"""Pattern of an id."""


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """A command in the inbox. Its file may come from anyone who can write there, so nothing in it is trusted."""

    id: Annotated[str, Meta(pattern=UUID)]
    """Identifies it: a command with an id that the ledger knows has no effect."""
    kind: Annotated[str, Meta(pattern=r"^[a-z][a-z-]{0,31}\Z")]
    """What it asks for: a kind in `arena.league.inbox.kinds`."""
    data: dict[str, Any]
    """The details, by kind."""
    by: Annotated[str, Meta(max_length=200)]
    """The user who left it."""
    submitted_at: Annotated[str, Meta(max_length=40)]
    """In the format of `clock.utc_text`; for people only."""


class NoCommand(ArenaError):
    """A file that isn't a command."""


def new_id() -> str:
    """Return an id for a new command."""
    return str(uuid4())


def new_command(kind: str, data: dict[str, Any], uuid: str | None = None) -> Command:
    """Return a new command of this user; `data` has the details, as the kind has them. `uuid`: from `new_id`."""
    return Command(uuid or new_id(), kind, data, _user(), utc_now())


def packed(command: Command) -> bytes:
    """Return a command as the content of its file. Raises ArenaError if it is too large."""
    content = msgspec.json.encode(command)
    if len(content) > MOST_BYTES:
        raise ArenaError(f"a command has {len(content):,} bytes; the limit is {MOST_BYTES:,}")
    return content


def unpacked(content: bytes) -> Command:
    """Return the command that a file contains. Raises NoCommand, with the reason."""
    try:
        return msgspec.json.decode(content, type=Command)
    except (msgspec.MsgspecError, ValueError) as error:
        raise NoCommand(f"not a command: {error}") from None
    except RecursionError:
        raise NoCommand("not a command: it is nested too deeply") from None


def file_name(command: Command) -> str:
    """Return a name for a command's file; names sort by the time of this call, to the nanosecond."""
    seconds, ns = divmod(time.time_ns(), 1_000_000_000)
    return f"{time.strftime('%Y%m%dT%H%M%S', time.gmtime(seconds))}.{ns:09}Z-{command.id}.json"


def _user() -> str:
    try:
        return getpass.getuser()[:200]
    except (KeyError, OSError):  # the system doesn't know this user's number
        return f"user {os.getuid()}"
