"""Errors of the protocol. They know nothing about games or verdicts; the caller decides what to do."""


class ProtocolError(Exception):
    """Something wrong with a message or line; the text explains it to the bot's author."""


class MalformedLine(ProtocolError):
    """A line that is not a message of the protocol.

    `reason` says what is wrong; `excerpt` is a short printable piece of the line,
    safe to show in a terminal or on a page.
    """

    def __init__(self, reason: str, excerpt: str = "") -> None:
        super().__init__(f"{reason}: {excerpt}" if excerpt else reason)
        self.reason = reason
        self.excerpt = excerpt


class LineTooLong(ProtocolError):
    """A message from the arena that is too long for a line: the game or its limits are at fault."""


class NoCommonVersion(ProtocolError):
    """Arena and bot have no protocol version in common; the text lists the versions of both."""
