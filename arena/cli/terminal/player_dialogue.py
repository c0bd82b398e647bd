"""A person's place at the table in a terminal: shows what the seat is sent, and reads its moves."""

import re
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from rich.text import Text

from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import print_prose
from arena.cli.terminal.typed_input import MOST_BYTES, Gone, LineInput, NoTimeLeft, TooLong
from arena.core.game import JSON, AnyGame, Sides
from arena.core.game_files import rules_page
from arena.core.move_words import Asked, Choice, Group, Unreadable, drawn, told, with_names, wording_of
from arena.players.person import Leaves, TimeUp
from protocol.messages import Ask, End, Start
from results.base.text import counted, one_line

WIDEST = 100
"""Columns used of a wide terminal."""
_COMMANDS = "? help   h history   i what you know   q resign   Enter the table again"
_OUT_OF_IT = "you are out"


class Dialogue:
    """A `PersonIO` in the terminal."""

    def __init__(
        self, rules: AnyGame, names: Sequence[str], seat: int, lines: LineInput, sides: Sides = ()
    ) -> None:
        """`names` are the players' by seat, as they are shown; `sides`, if some are partners, those of the seats."""
        self._rules = rules
        self._names = names
        self._seat = seat
        self._partners = [
            name for at, name in enumerate(names) if at != seat and sides and sides[at] == sides[seat]
        ]
        self._lines = lines
        self._out = console()
        self._wording = wording_of(rules)
        self._start: Start | None = None
        self._history: list[str] = []
        self._told_before = 0
        """How many events of the next message have been told already, with a move that was the only one."""

    # What `PersonIO` asks for

    def begins(self, message: Start) -> None:
        """Print the title and the players."""
        self._start = message
        self._say(
            f"{self._rules.info.title} · {message.ruleset} · {counted(message.seats, 'player')}", "bold"
        )
        others = [f"{name} (you)" if seat == self._seat else name for seat, name in enumerate(self._names)]
        if len(others) > 1:
            self._say(f"At the table, clockwise: {', '.join(others)}.")
        if self._partners:
            self._say(f"You play together with {' and '.join(self._partners)}.")
        self._say(_COMMANDS, "dim")

    def decides(
        self, message: Ask, why_not: str, left_s: float | None, meanwhile: Callable[[], None]
    ) -> JSON:
        """Show what has happened and the table, and return the person's move. Raises Leaves, TimeUp."""
        if self._lines.gone:
            raise Leaves(self._lines.gone)
        asked = self._asked(message)
        groups = self._wording.choices(asked) if asked.legal is not None else ()
        if why_not:
            self._refuse(with_names(why_not, self._names))
        else:
            self._tell(message.events)
            self._show_table(asked, groups)
        prompt = "your move> " if left_s is None else f"your move, {left_s:.0f} s> "
        try:
            while True:
                try:
                    typed = self._lines.read(lambda: self._prompt(prompt), left_s, meanwhile).strip()
                except TooLong:
                    self._refuse(f"a line has at most {MOST_BYTES} characters")
                    continue
                if (move := self._done_with(typed, asked, groups, meanwhile)) is not None:
                    return move
        except Gone as gone:
            self._leave(str(gone))
        except NoTimeLeft:
            self._out.print()
            self._refuse(f"your time is up: {_OUT_OF_IT}")
            raise TimeUp from None

    def has_no_choice(self, message: Ask) -> None:
        """Tell what has happened, and the only move, which the game makes. A person who has left isn't told."""
        if self._lines.gone:
            return
        self._tell(message.events)
        self._told_before = len(message.events)
        groups = self._wording.choices(self._asked(message))
        listed = [(group.title, choice) for group in groups for choice in group.choices]
        for group_title, choice in listed[:1]:
            title = group_title.removeprefix("Or ")
            title = "" if "only" in title.split() else f"{title[:1].lower()}{title[1:]}: "
            move = f"{title}{choice.key} {choice.text}".rstrip()
            self._say(f"your only move: {with_names(move, self._names)}", "dim")

    def ends(self, message: End) -> None:
        """Tell what happened last."""
        self._tell(message.events)

    # What people type

    def _done_with(
        self, typed: str, asked: Asked, groups: Sequence[Group], meanwhile: Callable[[], None]
    ) -> JSON:
        """Carry out what was typed; return the move, None if it wasn't one. Raises Gone, Leaves."""
        match typed.lower():
            case "":
                self._show_table(asked, groups)
            case "?" | "help":
                self._help(asked)
            case "h" | "history":
                self._print_lines(self._history or ["nothing has happened yet"])
            case "i" | "info":
                self._print_lines(self._known() or ["only what is on the table and in your hand"])
            case "q" | "quit" | "resign":
                self._resign(meanwhile)
            case _:
                return self._move(typed, asked, groups)
        return None

    def _move(self, typed: str, asked: Asked, groups: Sequence[Group]) -> JSON:
        listed = [choice for group in groups for choice in group.choices]
        for written in ("key", "text"):
            named = [one for one in listed if getattr(one, written).lower() == typed.lower()]
            if len(named) == 1:
                return named[0].move
        if groups:
            if found := matching(groups, typed, self._names):
                self._print_texts(choice_lines(found, self._width, self._names))
            else:
                self._refuse(f"{one_line(typed[:40])!r} is not among your moves; Enter shows them again")
            return None
        try:
            return self._wording.read(typed, asked)
        except Unreadable as error:
            self._refuse(with_names(str(error), self._names))
            return None

    def _resign(self, meanwhile: Callable[[], None]) -> None:
        """Ask whether the person means it. Raises Leaves, Gone."""
        self._say("Resign? Your seat forfeits the game.")
        try:
            typed = self._lines.read(lambda: self._prompt("type y or yes to resign> "), None, meanwhile)
        except TooLong:
            return
        if typed.strip().lower() in ("y", "yes"):
            raise Leaves("resigned")
        self._say("The game goes on.")

    def _leave(self, why: str) -> NoReturn:
        self._out.print()
        self._refuse(f"{why}: {_OUT_OF_IT}")
        raise Leaves(why)

    # What people see

    @property
    def _width(self) -> int:
        return min(self._out.width, WIDEST)

    def _asked(self, message: Ask) -> Asked:
        if self._start is None:
            raise AssertionError("asked before the game began")
        return Asked(
            message.kind,
            message.view,
            self._start.options,
            message.legal if isinstance(message.legal, list) else None,
            message.example,
            self._names,
        )

    def _tell(self, events: Sequence[dict[str, Any]]) -> None:
        """Print events, and keep them for the history."""
        lines = [told(self._rules, event, self._names) for event in events[self._told_before :]]
        self._told_before = 0
        lines = [line for line in lines if line]
        self._history += lines
        if lines:
            self._out.print()
        self._print_lines(lines)

    def _show_table(self, asked: Asked, groups: Sequence[Group]) -> None:
        self._out.print()
        for line in drawn(self._rules, asked.view, self._width, self._names):
            self._out.print(Text(one_line(line)), no_wrap=True)
        self._out.print()
        self._print_texts(choice_lines(groups, self._width, self._names))
        if not groups:
            self._print_lines(self._wording.how(asked))

    def _help(self, asked: Asked) -> None:
        """Print the rules in short, how to move, and the commands."""
        self._print_lines(in_short(self._rules))
        self._out.print()
        how = self._wording.how(asked) if asked.legal is None else ["Type what precedes a move."]
        self._print_lines([*how, _COMMANDS])
        self._say(f"All rules: arena games show {self._rules.info.name}", "dim")

    def _known(self) -> list[str]:
        private = self._start.private if self._start is not None else {}
        return list(self._wording.known(private)) if private else []

    def _prompt(self, text: str) -> None:
        self._out.print(Text(text, "bold"), end="")
        self._out.file.flush()

    def _say(self, line: str, style: str = "") -> None:
        print_prose(self._out, Text(one_line(line), style))

    def _refuse(self, why: str) -> None:
        self._say(why, "yellow")

    def _print_lines(self, lines: Sequence[str]) -> None:
        for line in lines:
            self._say(with_names(line, self._names))

    def _print_texts(self, lines: Sequence[Text]) -> None:
        for line in lines:
            print_prose(self._out, line)


def in_short(rules: AnyGame) -> list[str]:
    """Return the rules of a game in a few lines: the section `In short` of its page, or its summary."""
    page = rules_page(rules) or ""
    section = re.search(r"^## In short\n+(.*?)(?=^## |\Z)", page, re.MULTILINE | re.DOTALL)
    text = section[1] if section else rules.info.summary
    return [re.sub(r"[*`]", "", line) for line in text.strip().splitlines()]


MOST_SHOWN = 40
"""Of longer lists, people see only the moves that match what they type."""
_GAP = "   "


def choice_lines(groups: Sequence[Group], width: int, names: Sequence[str]) -> list[Text]:
    """Return the choices of all groups, at most `MOST_SHOWN`, each group below its title."""
    lines: list[Text] = []
    room = MOST_SHOWN
    for group in groups:
        shown = group.choices[:room]
        room -= len(shown)
        if shown:
            lines.append(Text(f"{with_names(one_line(group.title), names)}:"))
            lines += _rows([_shown(choice, names) for choice in shown], width)
    left = sum(len(group.choices) for group in groups) - (MOST_SHOWN - room)
    if left:
        lines.append(Text(f"and {left} more: type part of a move to see those that match", "dim"))
    return lines


def matching(groups: Sequence[Group], typed: str, names: Sequence[str]) -> list[Group]:
    """Return the choices that contain every word that was typed."""
    words = typed.lower().split()

    def matches(group: Group, choice: Choice) -> bool:
        text = with_names(f"{group.title} {choice.key} {choice.words}", names).lower()
        return all(word in text for word in words)

    found = [
        Group(group.title, tuple(choice for choice in group.choices if matches(group, choice)))
        for group in groups
    ]
    return [group for group in found if group.choices]


def _shown(choice: Choice, names: Sequence[str]) -> Text:
    text = with_names(one_line(choice.words), names)
    return Text.assemble((one_line(choice.key), "bold"), f" {text}" if text else "")


def _rows(items: Sequence[Text], width: int) -> list[Text]:
    """Return items side by side, two cells in."""
    rows: list[Text] = []
    for item in items:
        if rows and rows[-1].cell_len + len(_GAP) + item.cell_len <= width:
            rows[-1].append(_GAP).append_text(item)
        else:
            rows.append(Text("  ").append_text(item))
    return rows
