"""Errors of the protocol. They know nothing about games or verdicts; the caller decides what to do."""

from protocol.verdicts import Reason


class ProtocolError(Exception):
    """Something wrong with a message or line; the text explains it to the bot's author."""


class MalformedLine(ProtocolError):
    """A line that is not a message of the protocol.

    `words` say what is wrong, and `reason` in one word; `excerpt` is a short printable piece of the line, safe to show
    in a terminal or on a page.
    """

    def __init__(self, words: str, excerpt: str = "", reason: Reason = Reason.BAD_JSON) -> None:
        super().__init__(f"{words}: {excerpt}" if excerpt else words)
        self.words = words
        self.excerpt = excerpt
        self.reason = reason


class LineTooLong(ProtocolError):
    """A message from the arena that is too long for a line: the game or its limits are at fault."""


class NoCommonVersion(ProtocolError):
    """Arena and bot have no protocol version in common; the text lists the versions of both."""
