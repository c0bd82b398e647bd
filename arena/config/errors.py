"""Errors of this room."""

from arena.core.errors import UsageError


class BadFile(UsageError):
    """A file has a mistake; the message names the file, and the line if there is one."""
