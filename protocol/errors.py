"""Errors of the wire. They know nothing of games or verdicts; whoever catches them decides what follows."""


class ProtocolError(Exception):
    """Anything wrong with what went over the wire; the text says what, in words for a bot's author."""


class MalformedLine(ProtocolError):
    """A line that is not a message of the protocol.

    `reason` says in words what is wrong; `excerpt` is a short printable piece of
    the line, safe to show in a terminal or on a page.
    """

    def __init__(self, reason: str, excerpt: str = "") -> None:
        super().__init__(f"{reason}: {excerpt}" if excerpt else reason)
        self.reason = reason
        self.excerpt = excerpt


class LineTooLong(ProtocolError):
    """A message of the arena's own that does not fit in a line: a fault of the game or of its limits."""


class NoCommonVersion(ProtocolError):
    """Arena and bot speak no version of the protocol in common; the text names what both speak."""
