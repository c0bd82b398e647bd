"""The Python kit for arena bots: one file, the standard library only, Python 3.8 or newer.

Copy it next to your bot's program as `arena_kit.py`. A bot is either a function,

    from arena_kit import run

    def choose(ask, game):
        return game.rng.choice(ask["legal"])

    run(choose)

or a class with the hooks of `Bot` below; the kit creates a new object for each
game. `ask` is the arena's message as a dictionary: `legal` (every legal move) or
`example` (one legal move, if there are too many to list), `view`, `events`,
`kind`, `time`, `id`. `game` is a `Game`. Return a move, or a pair of a move and a
note for the replay.

The kit uses the real standard output for the protocol and redirects everything
else you print to standard error, the bot's log; so import it first. If your code
raises an exception, the process exits with code 1 and the log has the traceback.

`parameter("name")` returns a number of `[parameters]` in bot.toml, which `arena tune` can turn.
"""

from __future__ import annotations

import json
import os
import random
import stat
import sys
import traceback
from typing import Any, BinaryIO

LINES = "ARENA_KIT_LINES"
"""Environment variable with a file of messages from `arena step --save`, which are heard in place of Arena's."""

PROTOCOLS = (1,)
"""Protocol versions that this kit speaks, best first."""


class Game:
    """The current game, as far as the bot may know it. You can set your own attributes on it."""

    def __init__(self, start: dict[str, Any]) -> None:
        self.game: str = start["game"]
        """Name of the game, such as `bread-basket`."""
        self.ruleset: str = start["ruleset"]
        self.options: dict[str, Any] = start["options"]
        """Every option of the ruleset with its value."""
        self.seat: int = start["seat"]
        """Your own seat, counted from 0."""
        self.seats: int = start["seats"]
        self.private: dict[str, Any] = start["private"]
        """What only this seat knows and what stays the same for the whole game."""
        self.clock: dict[str, int] = start["clock"]
        self.limits: dict[str, int] = start["limits"]
        self.rng = random.Random(start["bot_seed"])  # noqa: S311  bots need no cryptographic randomness
        """A random generator that repeats its numbers when the same game is played again."""
        self.events: list[dict[str, Any]] = []
        """All events that this seat has seen so far in this game, in order."""


class Bot:
    """Base class for bots written as a class: override the hooks you need and pass the class to `run`.

    The kit creates one object per game, without arguments, and sets `self.game`. Keep
    anything that should outlive a game, such as a table that takes long to build, in
    the module instead of the object.
    """

    game: Game

    def start(self, game: Game) -> None:
        """Prepare for a new game, within `game.clock["ready_ms"]`."""

    def event(self, event: dict[str, Any]) -> None:
        """Handle one event. Events arrive in order, before the `move` or `end` they came with."""

    def move(self, ask: dict[str, Any]) -> Any:
        """Return the move for this decision, or a pair of a move and a note."""
        return ask["legal"][0] if "legal" in ask else ask["example"]

    def end(self, result: dict[str, Any]) -> None:
        """Handle the result: `ranks`, `scores` and `verdicts`, each by seat."""


def parameter(name: str, default: float | None = None) -> Any:
    """Return a number of `[parameters]` in bot.toml, with which the arena starts the bot as `--NAME=VALUE`.

    `default` is for a bot that runs without the arena, say in its tests. Raises KeyError if there is neither.
    """
    prefix = f"--{name}="
    for word in reversed(sys.argv[1:]):
        if word.startswith(prefix):
            return _number(word[len(prefix) :])
    if default is None:
        raise KeyError(
            f"no {prefix}VALUE in the arguments: name {name} in [parameters] of bot.toml, or pass a default"
        )
    return default


def _number(text: str) -> Any:
    value = float(text)
    return int(value) if value == int(value) and "." not in text else value


class BotError(Exception):
    """The bot returned something that can't be sent, or the arena sent something unexpected."""

    def __init__(self, message: str, function: Any = None) -> None:
        """Take the bot's own function if it is at fault; the log then names its file and line."""
        super().__init__(message)
        self.function = function


def run(bot: Any) -> None:
    """Play games until the arena sends `quit` or closes the input, then return.

    `bot` is a function (ask, game) → move, a class with the hooks of `Bot`, or an
    object with those hooks, which then plays all games. Exits with code 1 after an
    exception, or if the arena speaks none of `PROTOCOLS`.
    """
    if not hasattr(bot, "move") and (isinstance(bot, type) or not callable(bot)):
        raise TypeError(f"run() takes a function (ask, game) or a class or object with `move`, not {bot!r}")
    if sys.stdin is not None and sys.stdin.isatty() and not os.environ.get(LINES):
        _say("waiting for messages on standard input; to play a game, run: arena trace .")
    lines, out = _taken or _take_streams()
    session = _Session(bot, out)
    try:
        for line in lines:
            if not session.hear(json.loads(line)):
                break
    except _ArenaGone:
        pass
    except Exception as error:
        if os.environ.get(LINES):
            raise  # the debugger shows where
        _report(error, session.doing)
        sys.exit(1)


class _ArenaGone(Exception):
    """The arena closed the other end of standard output."""


class _Session:
    """One process's conversation with the arena."""

    def __init__(self, bot: Any, out: int) -> None:
        self._made = bot
        self._out = out
        self._bot: Any = None
        self._game: Game | None = None
        self.doing = "reading a message"

    def hear(self, message: dict[str, Any]) -> bool:
        """Handle one message; return whether to continue. Unknown messages are ignored."""
        self.doing = "reading a message"
        kind = message.get("type")
        if kind == "ask":
            self._ask(message)
        elif kind == "start":
            self._start(message)
        elif kind == "end":
            self._end(message)
        elif kind == "hello":
            self._hello(message["protocols"])
        return kind != "quit"

    def _hello(self, offered: list[int]) -> None:
        common = [version for version in offered if version in PROTOCOLS]
        self._send({"type": "hello", "protocol": common[0] if common else PROTOCOLS[0]})
        if not common:
            speaks = f"the arena speaks {_listed(offered)}; this kit speaks {_listed(PROTOCOLS)}"
            _say(f"no common protocol version: {speaks}. Put a newer arena_kit.py next to the bot.")
            sys.exit(1)

    def _start(self, message: dict[str, Any]) -> None:
        self._game = game = Game(message)
        self.doing = f"starting a game of {game.game}, seat {game.seat} of {game.seats}"
        random.seed(message["bot_seed"])
        made = self._made
        if isinstance(made, type):
            made = made()
        elif not hasattr(made, "move"):
            made = _Function(made)
        made.game = game
        self._bot = made
        self._hook("start", game)
        self._send({"type": "ready"})

    def _ask(self, message: dict[str, Any]) -> None:
        game = self._playing()
        self._tell(game, message["events"])
        self.doing = f"answering ask {message['id']} ({message['kind']}) in {game.game}, seat {game.seat}"
        if isinstance(self._bot, _Function):
            function, called = self._bot.choose, f"{_name(self._bot.choose)}(ask, game)"
            move = self._bot.move(message)
        else:
            function, called = self._bot.move, "move(ask)"
            move = _called(function, called, message)
        note = None
        if isinstance(move, tuple):
            if len(move) != 2 or not (move[1] is None or isinstance(move[1], str)):
                raise BotError(
                    f"{called} returned {move!r}; a tuple must be a move and a note (a string)", function
                )
            move, note = move
        if move is None:
            wanted = "one of ask['legal']" if "legal" in message else "a move like ask['example']"
            raise BotError(f"{called} returned None; it must return {wanted}", function)
        answer = {"type": "move", "id": message["id"], "move": move}
        if note is not None:
            answer["note"] = note
        try:
            self._send(answer)
        except (TypeError, ValueError) as error:
            raise BotError(
                f"{called} returned {move!r}, which can't be written as JSON ({error})", function
            ) from None

    def _end(self, message: dict[str, Any]) -> None:
        game = self._playing()
        self._tell(game, message["events"])
        self.doing = f"ending a game of {game.game}"
        self._hook("end", message)
        self._game = self._bot = None

    def _playing(self) -> Game:
        if self._game is None:
            raise BotError("the arena spoke of a game that it never started")
        return self._game

    def _tell(self, game: Game, events: list[dict[str, Any]]) -> None:
        self.doing = f"hearing of events in {game.game}, seat {game.seat}"
        told = getattr(self._bot, "event", None)
        for event in events:
            game.events.append(event)
            if told is not None:
                _called(told, "event(event)", event)

    def _hook(self, name: str, argument: Any) -> None:
        hook = getattr(self._bot, name, None)
        if hook is not None:
            _called(hook, f"{name}({'game' if name == 'start' else 'result'})", argument)

    def _send(self, message: dict[str, Any]) -> None:
        line = json.dumps(message, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        try:
            while line:
                line = line[os.write(self._out, line) :]
        except BrokenPipeError:
            raise _ArenaGone from None


class _Function:
    """Holds a function (ask, game) in place of a `Bot`."""

    game: Game

    def __init__(self, choose: Any) -> None:
        self.choose = choose

    def move(self, ask: dict[str, Any]) -> Any:
        return _called(self.choose, f"{_name(self.choose)}(ask, game)", ask, self.game)


def _called(function: Any, form: str, *arguments: Any) -> Any:
    """Call a function of the bot, written as in `form`. Raises BotError if it doesn't take these arguments."""
    try:
        return function(*arguments)
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise  # it was raised inside the function
        raise BotError(f"the kit calls {form}: {error}", function) from None


def _name(function: Any) -> str:
    return str(getattr(function, "__name__", "your function"))


def _take_streams() -> tuple[BinaryIO, int]:
    """Reserve the arena's pipes for the kit: other code reads nothing and prints to standard error.

    With a file of messages, standard input and output stay as they are: they belong to whoever debugs the bot.
    """
    saved = os.environ.get(LINES)
    if saved:
        reads = open(saved, "rb")  # noqa: PTH123, SIM115  closed by the end
        return reads, os.open(os.devnull, os.O_WRONLY)
    lines = os.fdopen(os.dup(0), "rb")
    out = os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    if sys.stdout is not None:
        sys.stdout.flush()
    sys.stdout = sys.stderr
    return lines, out


def _is_wire(descriptor: int) -> bool:
    """Return whether a descriptor is a pipe or a socket, which is what an arena gives a bot."""
    try:
        mode = os.fstat(descriptor).st_mode
    except OSError:
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)


def _report(error: Exception, doing: str) -> None:
    """Write the traceback of the bot's own code, without the kit's frames."""
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    _say(f"the bot failed while {doing}")
    code = getattr(getattr(error, "function", None), "__code__", None)
    if code is not None:  # written as in a traceback, so that tools find the line
        sys.stderr.write(f'  File "{code.co_filename}", line {code.co_firstlineno}, in {code.co_name}\n')
    traceback.print_exception(type(error), error, trace)
    sys.stderr.flush()


def _say(text: str) -> None:
    sys.stderr.write(f"arena_kit: {text}\n")
    sys.stderr.flush()


def _listed(versions: Any) -> str:
    return ", ".join(map(str, versions))


# On import, before the bot's own module prints anything; but not if someone only imports the bot to look at it.
_taken = _take_streams() if __name__ == "arena_kit" and _is_wire(0) and _is_wire(1) else None
