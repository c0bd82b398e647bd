"""The process of one table: plays a game between a person on the other end of its pipes and bots, and stores it.

If the server goes away, the game is given up and nothing is stored: that was no player's fault.
"""

import os
import queue
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any

from arena.checking.trial_start import start_table
from arena.core.errors import ArenaError, MachineRefuses, UsageError
from arena.core.game import JSON, AnyGame
from arena.core.move_words import Asked as Decision
from arena.core.move_words import (
    Choice,
    Filled,
    Form,
    FormWording,
    Group,
    Unreadable,
    seat_names,
    spelled,
    told,
    with_names,
    wording_of,
    worth_of,
)
from arena.league.definition.bot_arguments import check_plays
from arena.league.definition.bots_of_commands import StagedBot, keep_files, read_bots, staged_bots, table_of
from arena.league.inbox.dispatch import leave_with
from arena.league.inbox.played_match import entering
from arena.league.running.league_isolation import confine
from arena.league.running.local_games import AtTable
from arena.league.single_match import MatchRules, play_match, resolve_match
from arena.players.person import Leaves, TimeUp
from arena.sandbox.confinement import Confinement
from arena.submissions.build import Builder
from arena.submissions.staging import staging_beside
from arena.web.play_tables.process_messages import (
    Answer,
    AnswerRefused,
    Asked,
    Begun,
    Ended,
    FromTable,
    Leave,
    Only,
    Opened,
    Place,
    Public,
    Result,
    Setup,
    Stored,
    ToTable,
    raw,
)
from arena.web.viewer.document import MARK, marked
from protocol.messages import Ask, End, Start
from results.base.children import Failed, Pipe, failed, to_parent
from results.base.isolation_levels import Wanted
from results.base.text import one_line
from results.store import files_beside, open_store

ABANDONED = 3
"""Exit code after the server has gone away."""


class Abandoned(BaseException):
    """The server has gone away."""


class Server:
    """The server, on the other end of the pipes."""

    def __init__(self, pipe: Pipe[ToTable]) -> None:
        self._pipe = pipe
        self.answers: queue.SimpleQueue[ToTable] = queue.SimpleQueue()
        self._playing = False

    def setup(self) -> Setup:
        """Return the first message. Raises Abandoned."""
        setup = self._pipe.receive()
        if not isinstance(setup, Setup):
            raise Abandoned
        return setup

    def send(self, message: FromTable) -> None:
        """Send a message. Raises Abandoned if nobody reads it."""
        if not self._pipe.send(message):
            raise Abandoned

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take answers until the end of the block. If the server goes away meanwhile, the block ends with Abandoned."""

        def gone(_signal: int, _frame: FrameType | None) -> None:
            if self._playing:
                self._playing = False
                raise Abandoned

        before = signal.signal(signal.SIGTERM, gone)
        self._playing = True
        self._pipe.listen(self.answers.put, self._end)
        try:
            yield
        finally:
            self._playing = False
            signal.signal(signal.SIGTERM, before or signal.SIG_DFL)

    def _end(self) -> None:
        while self._playing:  # once more if a signal came where its exception was lost
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(1)


def main() -> int:
    """Play the game that the first line describes; return the exit code."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a server that is stopped by Ctrl-C closes the pipe
    server = Server(to_parent(ToTable))
    try:
        _play(server.setup(), server)
    except Abandoned:
        return ABANDONED
    except ArenaError as error:
        return _failed(server, Failed(one_line(failed(error).words)))
    except Exception as error:  # noqa: BLE001 - the server tells the person, and logs it
        words = f"an error of Arena itself: {type(error).__name__}"
        return _failed(server, Failed(words, trace=traceback.format_exc()))
    return 0


def _failed(server: Server, message: Failed) -> int:
    try:
        server.send(message)
    except Abandoned:
        return ABANDONED
    return 1


def _play(setup: Setup, server: Server) -> None:
    path = Path(setup.store)
    rules = resolve_match(setup.game, setup.ruleset, setup.options, setup.seats, None, by_option=True)
    with server.listening(), _bots(path, setup, rules) as bots:
        table = table_of(bots)
        confinement = _confinement(path, setup.sandbox)
        start_table(table, rules, confinement, _log)
        person, labels = setup.person, [player.label for player in table.players]
        while person in labels:
            person += " (person)"
        table = table.with_person(person, setup.seat)
        names = seat_names([one_line(label) for label in table.seated()])
        server.send(Opened(rules.game.info.title, rules.ruleset.name, tuple(names)))
        until_s = time.monotonic() + setup.total_s
        face = PipeIO(rules.game, names, server.send, server.answers, until_s)
        at_table = AtTable(face, setup.move_s, face.watched)
        played = play_match(rules, table, None, confinement, at_table=at_table)
        places = (
            Place(seat.seat, seat.rank, seat.score, None if seat.verdict is None else str(seat.verdict))
            for seat in played.games[0].seats
        )
        server.send(Result(tuple(places)))
        keep_files(path, bots)
    # From here on the game is over: it is stored even if the server is gone.
    words = leave_with(path, *entering(rules, table, played), setup.command)
    server.send(Stored(words))


@contextmanager
def _bots(path: Path, setup: Setup, rules: MatchRules) -> Iterator[list[StagedBot]]:
    builder = Builder(files_beside(path), lambda: _confinement(path, setup.sandbox))
    with open_store(path, create=False, readonly=True) as store:
        bots = read_bots(path, store, setup.bots, Path())
        for name, bot in zip(setup.bots, bots, strict=True):
            check_plays(name, bot.games, rules.game.info.name)
        with staging_beside(path) as staging:
            yield staged_bots(path, store, bots, staging, builder)


@cache
def _confinement(path: Path, sandbox: Wanted) -> Confinement:
    try:
        return confine(path, sandbox)[0]
    except UsageError as error:
        sys.stderr.write(f"{error}; {error.hint}\n")  # nothing about the machine for people
        raise MachineRefuses("this server can't confine bots now", "tell its organiser") from error


def _log(line: str) -> None:
    sys.stderr.write(f"{line}\n")


_LOOK_S = 0.2
"""How often the bots that wait are looked at."""


class PipeIO:
    """A `PersonIO`. `send` tells the server something, `answers` has what it says."""

    def __init__(
        self,
        rules: AnyGame,
        names: Sequence[str],
        send: Callable[[FromTable], None],
        answers: "queue.SimpleQueue[ToTable]",
        until_s: float,
    ) -> None:
        """`names` are the players' by seat; at `until_s`, on the monotonic clock, the person's seat forfeits."""
        self._rules = rules
        self._names = names
        self._send = send
        self._answers = answers
        self._until_s = until_s
        self._wording = wording_of(rules)
        self._options: Mapping[str, Any] = {}
        self._told_before = 0
        """How many events of the next message have been told already, with a move that was the only one."""

    def begins(self, message: Start) -> None:
        """Send the start."""
        self._options = message.options
        known = self._wording.known(message.private) if message.private else ()
        self._send(Begun(raw(message), self._lines(known), worth_of(self._rules, message.private)))

    def decides(
        self, message: Ask, why_not: str, left_s: float | None, meanwhile: Callable[[], None]
    ) -> JSON:
        """Send a question, or why the last answer to it is refused, and return the move. Raises Leaves, TimeUp."""
        decision = self._decision(message)
        groups = self._groups(decision)
        begun_s = time.monotonic()
        ends_s = self._until_s if left_s is None else min(self._until_s, begun_s + left_s)
        if why_not:
            self._refuse(message, why_not)
        else:
            left_s = max(0.0, ends_s - begun_s)
            told_now = self._told(message.events)
            form, how = (
                (None, ())
                if groups
                else (
                    self._form(decision),
                    tuple(one_line(with_names(line, self._names)) for line in self._wording.how(decision)),
                )
            )
            self._send(Asked(raw(message), message.id, told_now, groups, form, how, left_s))
        while True:
            now_s = time.monotonic()
            if now_s >= ends_s:
                if ends_s >= self._until_s:
                    raise Leaves("the time for the whole game is up")
                raise TimeUp
            try:
                said = self._answers.get(timeout=min(_LOOK_S, ends_s - now_s))
            except queue.Empty:
                meanwhile()
                continue
            if isinstance(said, Leave):
                raise Leaves(said.why)
            if not isinstance(said, Answer) or said.ask != message.id:
                continue
            try:
                return self._move(said, decision, groups)
            except Unreadable as error:
                self._refuse(message, str(error))

    def has_no_choice(self, message: Ask) -> None:
        """Send the only legal move of a decision."""
        decision = self._decision(message)
        move = ""
        told_now = self._told(message.events)
        self._told_before = len(message.events)
        for group in self._groups(decision):
            for choice in group.choices[:1]:
                title = group.title.removeprefix("Or ")
                title = "" if "only" in title.split() else f"{title[:1].lower()}{title[1:]}: "
                key = choice.key if "card" in choice.move or not choice.text else ""
                move = title + f"{key} {choice.text}".strip()
        self._send(Only(raw(message), told_now, move))

    def ends(self, message: End) -> None:
        """Send the end."""
        self._send(Ended(raw(message), self._told(message.events)))

    def watched(self, view: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
        """Send what spectators see."""
        lines = tuple(line for event in events if (line := self._sentence(event)))
        drawn = tuple(raw(event) for event in events if event["kind"] in self._rules.info.drawn_events)
        self._send(Public(raw(view), lines, drawn))

    # Moves

    def _decision(self, message: Ask) -> Decision:
        legal = message.legal if isinstance(message.legal, list) else None
        return Decision(message.kind, message.view, self._options, legal, message.example, self._names)

    def _groups(self, decision: Decision) -> tuple[Group, ...]:
        """Return the listed moves with names; empty if the move is composed."""
        if decision.legal is None:
            return ()
        return tuple(
            Group(self._line(group.title), tuple(map(self._named, group.choices)))
            for group in self._wording.choices(decision)
        )

    def _form(self, decision: Decision) -> Form | None:
        """Return the form of a decision with names; None if the move has to be written."""
        form = self._wording.form(decision) if isinstance(self._wording, FormWording) else None
        if form is None:
            return None
        return Form(
            tuple(replace(slot, title=self._line(slot.title)) for slot in form.slots),
            tuple(
                replace(item, text=self._line(item.text), group=self._line(item.group)) for item in form.items
            ),
            form.send,
            tuple(map(self._named, form.instead)),
        )

    def _named(self, choice: Choice) -> Choice:
        return replace(
            choice, key=self._line(choice.key), text=self._line(choice.text), effect=self._line(choice.effect)
        )

    def _move(self, said: Answer, decision: Decision, groups: Sequence[Group]) -> JSON:
        """Return the move that an answer stands for, unchecked. Raises Unreadable."""
        if said.choice is not None:
            listed = [choice for group in groups for choice in group.choices]
            if (
                not groups
                and isinstance(self._wording, FormWording)
                and (form := self._wording.form(decision))
            ):
                listed = list(form.instead)
            if said.choice < len(listed):
                return listed[said.choice].move
            raise Unreadable("there is no such move: load the page again")
        if said.filled is not None and isinstance(self._wording, FormWording) and not groups:
            return self._wording.composed(Filled(said.filled.slots, said.filled.words), decision)
        if said.typed is not None:
            for group in groups:
                for choice in group.choices:
                    if choice.key.lower() == said.typed.strip().lower():
                        return choice.move
            return self._wording.read(said.typed, decision)
        raise Unreadable("this answer has no move: load the page again")

    def _refuse(self, message: Ask, why: str) -> None:
        self._send(AnswerRefused(message.id, self._line(why)))

    # Words

    def _told(self, events: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return events as sentences, without those that were told before."""
        new = events[self._told_before :]
        self._told_before = 0
        return tuple(line for event in new if (line := self._sentence(event)))

    def _sentence(self, event: Mapping[str, Any]) -> str:
        text = told(self._rules, event, marked(self._names), in_words=True)
        return MARK.join(map(one_line, text.split(MARK)))

    def _line(self, text: str) -> str:
        return one_line(with_names(spelled(self._rules, text), self._names))

    def _lines(self, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self._line, texts))


if __name__ == "__main__":
    sys.exit(main())
