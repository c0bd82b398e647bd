"""The head and the tail of what a bot writes to standard error."""

from arena.players.base import PlayerLog

HEAD_BYTES = 16_384
TAIL_BYTES = 49_152


class LogBuffer:
    """Keeps the first and the last of a stream of bytes within fixed bounds; the middle is counted."""

    __slots__ = ("_dropped_bytes", "_head", "_tail")

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped_bytes = 0

    def write(self, data: bytes) -> None:
        """Take in what was written."""
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
        """What came first."""
        return bytes(self._head)

    def take(self) -> PlayerLog:
        """Return what was kept, and begin anew."""
        log = PlayerLog(bytes(self._head), bytes(self._tail), self._dropped_bytes)
        self._head.clear()
        self._tail.clear()
        self._dropped_bytes = 0
        return log
