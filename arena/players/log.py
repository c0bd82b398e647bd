"""The head and the tail of what a bot writes to standard error."""

from arena.players.base import PlayerLog

HEAD_BYTES = 16_384
TAIL_BYTES = 49_152


class LogBuffer:
    """Keeps the first and the last bytes of a stream, within fixed limits, and counts the dropped ones between."""

    __slots__ = ("_dropped_bytes", "_head", "_tail")

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped_bytes = 0

    def write(self, data: bytes) -> None:
        """Add data to the log."""
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            excess = len(self._tail) - TAIL_BYTES
            if excess > 0:
                del self._tail[:excess]
                self._dropped_bytes += excess

    @property
    def head(self) -> bytes:
        """The first bytes of the log, at most `HEAD_BYTES`."""
        return bytes(self._head)

    def take(self) -> PlayerLog:
        """Return the log and start a new one."""
        log = PlayerLog(bytes(self._head), bytes(self._tail), self._dropped_bytes)
        self._head.clear()
        self._tail.clear()
        self._dropped_bytes = 0
        return log
