"""What can go wrong in a game, one word each: the bot's own faults and the platform's."""

from enum import StrEnum


class Verdict(StrEnum):
    """Why a seat was forfeited, or why a game has to be replayed."""

    STARTUP = "startup"
    """The bot did not start, shake hands or get ready in time."""
    TIMEOUT = "timeout"
    """No move within the time for the move, the bank and the margin."""
    CRASH = "crash"
    """The process exited, or closed its output, while it owed a move."""
    ILLEGAL = "illegal"
    """A well-formed move that the rules don't allow."""
    MALFORMED = "malformed"
    """A line that isn't a message of the protocol."""
    OUTPUT = "output"
    """More output than a bot may write."""
    MEMORY = "memory"
    """More memory than a bot may use."""
    PONDERING = "pondering"
    """Computing during other players' turns where that isn't allowed."""
    RESIGNED = "resigned"
    """A person gave the game up, or left the table."""

    OVERLOAD = "overload"
    """Platform: the machine, not the bot, was late or out of memory."""
    LOST_WORKER = "lost_worker"
    """Platform: the process refereeing the game died."""
    HOST = "host"
    """Platform: the machine refused something a game needs (disk, memory, processes)."""
    INTERNAL = "internal"
    """Platform: an error of the arena itself."""

    @property
    def is_platform(self) -> bool:
        """Whether the arena is to blame: the game is replayed and never rated."""
        return self in _PLATFORM


_PLATFORM = frozenset({Verdict.OVERLOAD, Verdict.LOST_WORKER, Verdict.HOST, Verdict.INTERNAL})
