"""What can go wrong: verdicts on a game, the reasons for them, and the errors of a line or a handshake."""

from enum import StrEnum


class Verdict(StrEnum):
    """Why a seat was forfeited, or why a game has to be replayed."""

    STARTUP = "startup"
    """The bot did not start, shake hands or get ready in time."""
    TIMEOUT = "timeout"
    """No move within the time for the move, the bank and the margin."""
    CRASH = "crash"
    """The process exited, or closed its output, during its turn."""
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
    """A person resigned or left the table."""

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


class Reason(StrEnum):
    """What led to a verdict, as far as the verdict leaves it open. Hints to authors are chosen by it."""

    NOT_EXECUTABLE = "not_executable"
    """The system couldn't start the program: it has no right to."""
    NO_INTERPRETER = "no_interpreter"
    """Likewise: the program, or the one named in its first line or its header, isn't there."""
    WRONG_FORMAT = "wrong_format"
    """Likewise: the file is no program, or one for another kind of machine."""
    EXITED = "exited"
    """The process ended by itself, with code 0."""
    FAILED = "failed"
    """It ended with another code."""
    NOT_FOUND = "not_found"
    """It ended with code 127, as shells do that don't find a command, and programs that lack a library."""
    KILLED = "killed"
    """It was ended by SIGKILL."""
    CRASHED = "crashed"
    """It was ended by another signal."""
    CLOSED = "closed"
    """It closed its input or output and went on running."""

    COMPUTING = "computing"
    """No answer came in time, and it was computing for most of it."""
    BUSY_MACHINE = "busy_machine"
    """No answer came in time, and it mostly had no core, or nobody knows and the machine was overloaded."""
    READING = "reading"
    """No answer can come any more: it waits for the next message."""
    STUCK = "stuck"
    """No answer can come any more: all its processes and threads wait for each other."""
    IDLE = "idle"
    """No answer came in time, and it hardly computed."""
    UNREAD = "unread"
    """It didn't read the question."""
    LATE = "late"
    """The answer came, too late."""

    TEXT = "text"
    """A line that is no JSON and doesn't look like it."""
    BEGUN_MESSAGE = "begun_message"
    """A line that is the beginning of a message."""
    WITHOUT_QUOTES = "without_quotes"
    """Something like JSON as programs print their own objects: names without double quotes, or words such as None."""
    TRAILING_COMMA = "trailing_comma"
    NOT_A_NUMBER = "not_a_number"
    """Something like JSON with NaN or Infinity."""
    SEVERAL_MESSAGES = "several_messages"
    """A message in JSON, and more in the same line."""
    EMPTY_LINE = "empty_line"
    NOT_UTF8 = "not_utf8"
    """Text in another encoding, such as UTF-16."""
    BAD_JSON = "bad_json"
    """JSON, or something like it, that isn't allowed for another reason."""
    LONG_LINE = "long_line"
    BAD_FIELDS = "bad_fields"
    """An object that is no message, as a field is missing or wrong."""
    NO_OBJECT = "no_object"
    """JSON that is no object."""
    OTHER_MESSAGE = "other_message"
    """A message that doesn't answer the one that was sent."""
    WRONG_ID = "wrong_id"
    """A move with an id that was never asked."""


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
