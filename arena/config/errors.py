"""Errors of this room."""

from arena.core.errors import UsageError


class BadFile(UsageError):
    """A file that cannot be used as it stands; the message names it, and the line where one is at fault."""
