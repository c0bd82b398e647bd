"""Errors of this room."""

from arena.core.errors import ArenaError


class SiteFileError(ArenaError):
    """The site's file can't be used."""


class SiteFileUnwritable(SiteFileError):
    """The site's file can't be written to: the folder is read-only or the disk is full."""
