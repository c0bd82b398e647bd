"""Shows a finished game on the whole screen, turn by turn, forward and back by keys."""

import contextlib
import signal
import termios
import time
import tty
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

from msgspec import Struct
from rich.cells import cell_len, set_cell_size
from rich.live import Live
from rich.text import Text

from arena import registry
from arena.cli.display.game_lines import (
    board_lines,
    heading_of,
    known_lines,
    names_in,
    result_lines,
    step_lines,
)
from arena.cli.terminal.consoles import console
from arena.cli.terminal.typed_input import TYPED, TypedInput
from arena.conversation.narration import Eyes
from arena.core.game import AnyGame
from arena.core.replay import Body, Step, steps
from results.base.clock import NS_PER_MS, NS_PER_S
from results.base.text import one_line

_REST_OF_KEY_S = 0.05
"""The bytes of one key arrive together; after this long, Escape is a key by itself."""
END_OF_INPUT = "end of input"
STOP = "stop"
"""Ctrl-Z: restore the screen, then call `stop`."""
_KEYS = {
    b"\x1b[A": "up", b"\x1b[B": "down", b"\x1b[C": "right", b"\x1b[D": "left",
    b"\x1bOA": "up", b"\x1bOB": "down", b"\x1bOC": "right", b"\x1bOD": "left",
    b"\x1b[H": "home", b"\x1b[F": "end", b"\x1bOH": "home", b"\x1bOF": "end",
    b"\x1b[1~": "home", b"\x1b[4~": "end", b"\x1b[7~": "home", b"\x1b[8~": "end",
    b"\x1b[5~": "page up", b"\x1b[6~": "page down", b"\x1b": "escape",
}  # fmt: skip
_FINAL = range(0x40, 0x7F)
"""The byte that ends an escape sequence (ECMA-48, section 5.4)."""
_MOST_BYTES = 32


class Keyboard(TypedInput):
    """A context manager: the terminal passes keys on at once and doesn't show them. Ctrl-C still interrupts."""

    def __init__(self) -> None:
        super().__init__()
        self._settings: list[Any] = []
        self.handlers[signal.SIGWINCH] = lambda _number, _frame: None  # it interrupts the wait for a key

    def __enter__(self) -> Self:
        self._settings = termios.tcgetattr(TYPED)
        super().__enter__()
        try:
            tty.setcbreak(TYPED, termios.TCSADRAIN)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._restore()
        super().__exit__(*error)

    def key(self, wait_s: float | None) -> str:
        """Return the next key: a character, or a name such as `left`.

        Empty if none comes within `wait_s` seconds (None: no limit), or if the terminal has a new size. `STOP` for
        Ctrl-Z, `END_OF_INPUT` if the terminal is gone.
        """
        if not self.pending and not self.wants_stop:
            self.wait(wait_s)
            if self.ended:
                return END_OF_INPUT
        if self.wants_stop:
            return STOP
        return self._take() if self.pending else ""

    def stop(self) -> None:
        """Stop the process as by Ctrl-Z, until the shell continues it, with the terminal as it was."""
        self._restore()
        super().stop()
        tty.setcbreak(TYPED, termios.TCSADRAIN)

    def _take(self) -> str:
        """Take one key from what was read."""
        if self.pending[0] != 0x1B:
            return self._character()
        until_s = time.monotonic() + _REST_OF_KEY_S
        while not self.ended and not _is_whole(self.pending) and (left_s := until_s - time.monotonic()) > 0:
            self.wait(left_s)
        end = next((at + 1 for at in range(1, len(self.pending)) if _is_whole(self.pending[: at + 1])), 1)
        sequence = bytes(self.pending[:end])
        del self.pending[:end]
        return _KEYS.get(sequence, "unknown")

    def _character(self) -> str:
        first = self.pending[0]
        length = 1 if first < 0xC0 else 2 if first < 0xE0 else 3 if first < 0xF0 else 4
        character = bytes(self.pending[:length]).decode(errors="replace")
        del self.pending[:length]
        return character

    def _restore(self) -> None:
        with contextlib.suppress(termios.error):  # the terminal is gone
            termios.tcsetattr(TYPED, termios.TCSADRAIN, self._settings)


def _is_whole(typed: bytes | bytearray) -> bool:
    """Return whether bytes after Escape end an escape sequence, or can't be one."""
    if len(typed) < 2:
        return False
    if typed[1] not in b"[O":
        return True
    return len(typed) >= _MOST_BYTES or (len(typed) > 2 and typed[-1] in _FINAL)


SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
"""Steps in a second."""
WIDEST = 120
_HELP = (
    "← → step · n p turn · space play · + - speed · q quit",
    "← → step   n p turn   Home End   space play   + - speed   ↑ ↓ scroll   i known   q quit",
)
_PAGE = 10
_LEAST_TOLD = 3
"""Lines above the table, so that it stays in its place while little happens."""


class Watched(Struct, frozen=True):
    """A game to be watched."""

    title: str
    """Its name, such as `casual/3.0`."""
    body: Body
    timing: Mapping[str, Any]
    """The times of its decisions, as the ledger has them."""
    eyes: Eyes | int


class GamePlayer:
    """What is shown at the moment, and how keys change it. `screen` draws it."""

    def __init__(self, watched: Watched, rules: AnyGame, steps: Sequence[Step], speed: float = 1.0) -> None:
        """Start at the deal. `steps` are those of the body, the deal first; `speed` is in steps a second."""
        self._watched = watched
        self._rules = rules
        self._steps = steps
        self._names = names_in(watched.body)
        self._times: dict[int, list[tuple[int, int]]] = {}
        for decision, seat, wall_ns, _ in watched.timing["decisions"]:
            self._times.setdefault(decision, []).append((seat, wall_ns))
        self._at = 0
        self._scrolled = 0
        self._shows_known = False
        self.speed = min(SPEEDS, key=lambda one: abs(one - speed))
        self.is_playing = False

    @property
    def at(self) -> int:
        """The number of the step that is shown; 0 is the deal."""
        return self._at

    def press(self, key: str) -> bool:
        """Carry out a key; return whether to go on."""
        match key:
            case "i" if any(known_lines(self._rules, self._steps[0].after, self._watched.eyes, self._names)):
                self._shows_known = not self._shows_known
            case "q" | "Q" | "escape":
                return False
            case "right" | "l":
                self._go(self._at + 1)
            case "left" | "h":
                self._go(self._at - 1)
            case "n":
                self._go(self._next_turn())
            case "p":
                self._go(self._previous_turn())
            case "home" | "g":
                self._go(0)
            case "end" | "G":
                self._go(len(self._steps) - 1)
            case " ":
                if not self.is_playing and self._at == len(self._steps) - 1:
                    self._go(0)
                self.is_playing = not self.is_playing
            case "+" | "=":
                self.speed = next((one for one in SPEEDS if one > self.speed), self.speed)
            case "-":
                self.speed = next((one for one in reversed(SPEEDS) if one < self.speed), self.speed)
            case "down" | "page down":
                self._scrolled += 1 if key == "down" else _PAGE
            case "up" | "page up":
                self._scrolled = max(0, self._scrolled - (1 if key == "up" else _PAGE))
        return True

    def tick(self) -> None:
        """Show the next step, while playing."""
        if self.is_playing:
            self._go(self._at + 1)
            self.is_playing = self._at < len(self._steps) - 1

    def screen(self, width: int, height: int) -> list[Text]:
        """Return the lines of a whole screen."""
        width = max(1, min(width, WIDEST))
        body = list(self._lines(width))
        room = max(1, height - 3)
        self._scrolled = max(0, min(self._scrolled, len(body) - room))
        shown = body[self._scrolled : self._scrolled + room]
        shown += [Text()] * (room - len(shown))
        left = len(body) - self._scrolled - room
        return [
            Text(_fit(self._head(), width), "bold reverse"),
            *shown,
            Text(_fit(self._status(left), width), "dim"),
            Text(_fit(_HELP[cell_len(_HELP[1]) <= width], width), "dim"),
        ][:height]

    def _go(self, step: int) -> None:
        self._at = max(0, min(step, len(self._steps) - 1))
        self._scrolled = 0
        self._shows_known = False

    def _movers(self, step: int) -> set[int]:
        return {move["seat"] for move in self._steps[step].moves}

    def _next_turn(self) -> int:
        step = self._at + 1
        while step < len(self._steps) - 1 and self._movers(step) == self._movers(self._at):
            step += 1
        return step

    def _previous_turn(self) -> int:
        """Return the first step of the turn before this one, or of this one if it has begun earlier."""
        step = self._at - 1
        while step > 0 and self._movers(step - 1) == self._movers(step):
            step -= 1
        return step

    def _head(self) -> str:
        return f" {heading_of(self._rules, self._watched.body)} · {self._watched.title}"

    def _status(self, lines_below: int) -> str:
        last = len(self._steps) - 1
        parts = [f"step {self._at} of {last}"]
        if self._steps[self._at].moves:
            parts.append(f"decision {self._steps[self._at].decision}")
        parts.append(f"{'playing' if self.is_playing else 'paused'} {self.speed:g}/s")
        if lines_below > 0:
            parts.append(f"↓ {lines_below} more")
        return " · ".join(parts)

    def _lines(self, width: int) -> Iterator[Text]:
        step, eyes = self._steps[self._at], self._watched.eyes
        if self._shows_known:
            for line in known_lines(self._rules, step.after, eyes, self._names):
                yield from _wrapped(line.strip(), width)
            return
        told = [
            part
            for line in step_lines(self._rules, step, eyes, self._names)
            for part in _wrapped(line, width)
        ]
        told += _wrapped(self._took(step), width, "dim")
        yield from told
        for _ in range(_LEAST_TOLD - len(told)):
            yield Text()
        yield Text()
        for line in board_lines(self._rules, step.after, eyes, self._names, width):
            yield Text(one_line(line))
        if self._at == len(self._steps) - 1:
            yield Text()
            for line in result_lines(self._watched.body, self._names):
                yield from _wrapped(line, width, "bold")

    def _took(self, step: Step) -> str:
        """Return how long the decisions of a step took; empty if nobody was asked."""
        times = self._times.get(step.decision, ()) if step.moves else ()
        return ", ".join(f"{self._names[seat]} took {_duration(wall_ns)}" for seat, wall_ns in times)


def watch(watched: Watched, speed: float) -> None:
    """Show a game until the person quits. Standard input and output must be a terminal."""
    rules = registry.game(watched.body["game"])
    player = GamePlayer(watched, rules, list(steps(rules, watched.body)), speed)
    out = console()
    with Keyboard() as keyboard:
        going = True
        while going:
            with Live(console=out, screen=True, auto_refresh=False) as live:
                going = _until_stopped(player, keyboard, live)
            if going:
                keyboard.stop()


def _until_stopped(player: GamePlayer, keyboard: Keyboard, live: Live) -> bool:
    """Show the game until the person quits or presses Ctrl-Z; return whether it was Ctrl-Z."""
    shown_s = time.monotonic()
    while True:
        lines = player.screen(live.console.width, live.console.height)
        live.update(Text("\n").join(lines), refresh=True)
        due_s = shown_s + 1 / player.speed
        key = keyboard.key(max(0.0, due_s - time.monotonic()) if player.is_playing else None)
        if key == STOP:
            return True
        if key == END_OF_INPUT or (key and not player.press(key)):
            return False
        if not player.is_playing or key == " ":
            shown_s = time.monotonic()
        elif time.monotonic() >= due_s:
            shown_s = time.monotonic()
            player.tick()


def _wrapped(line: str, width: int, style: str = "") -> Iterator[Text]:
    text = Text(one_line(line), style)
    indent = len(text.plain) - len(text.plain.lstrip())
    if text.cell_len <= width:
        yield text
        return
    for number, part in enumerate(text.wrap(console(), max(1, width - indent - 2))):
        part.rstrip()
        yield Text(" " * (indent + 2 if number else 0)) + part


def _fit(line: str, width: int) -> str:
    """Return a line as one of exactly `width` cells."""
    line = one_line(line)
    if cell_len(line) > width:
        return set_cell_size(line, width - 1) + "…"
    return set_cell_size(line, width)


def _duration(wall_ns: int) -> str:
    if wall_ns < NS_PER_S:
        return f"{wall_ns / NS_PER_MS:.0f} ms"
    seconds = wall_ns / NS_PER_S
    return f"{seconds:.1f} s" if seconds < 60 else f"{seconds // 60:.0f} min {seconds % 60:.0f} s"
