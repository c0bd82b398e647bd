"""A person's place at a table whose other end is a server: sends what the seat is sent, and waits for answers."""

import queue
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from arena.core.game import JSON, AnyGame
from arena.core.wording import Asked as Decision
from arena.core.wording import (
    Choice,
    Filled,
    Form,
    FormWording,
    Group,
    Unreadable,
    told,
    with_names,
    wording_of,
)
from arena.players.person import Leaves, TimeUp
from arena.web.seats.wire import (
    Answer,
    Asked,
    Begun,
    Ended,
    FromTable,
    Leave,
    Only,
    Public,
    Refused,
    ToTable,
    raw,
)
from protocol.messages import Ask, End, Start
from results.base.text import one_line

_LOOK_S = 0.2
"""How often the bots that wait are looked at."""


class PipeFace:
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
        self._send(Begun(raw(message), self._lines(known)))

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
                (None, ()) if groups else (self._form(decision), self._lines(self._wording.how(decision)))
            )
            self._send(Asked(raw(message), message.id, told_now, groups, form, how, left_s))
        while True:
            now_s = time.monotonic()
            if now_s >= ends_s:
                if ends_s >= self._until_s:
                    raise Leaves("the time for the whole game is over")
                raise TimeUp
            try:
                said = self._answers.get(timeout=min(_LOOK_S, ends_s - now_s))
            except queue.Empty:
                meanwhile()
                continue
            if isinstance(said, Leave):
                raise Leaves(said.why)
            if said.ask != message.id:
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
                move = f"{title[:1].lower()}{title[1:]}: {choice.key} {choice.text}".rstrip()
        self._send(Only(raw(message), told_now, move))

    def ends(self, message: End) -> None:
        """Send the end."""
        self._send(Ended(raw(message), self._told(message.events)))

    def watched(self, view: Mapping[str, Any], events: Sequence[Mapping[str, Any]]) -> None:
        """Send what spectators see."""
        lines = tuple(line for event in events if (line := self._sentence(event)))
        self._send(Public(raw(view), lines))

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
        return replace(choice, text=self._line(choice.text))

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
        self._send(Refused(message.id, self._line(why)))

    # Words

    def _told(self, events: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
        """Return events as sentences, without those that were told before."""
        new = events[self._told_before :]
        self._told_before = 0
        return tuple(line for event in new if (line := self._sentence(event)))

    def _sentence(self, event: Mapping[str, Any]) -> str:
        return one_line(told(self._rules, event, self._names))

    def _line(self, text: str) -> str:
        return one_line(with_names(text, self._names))

    def _lines(self, texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(map(self._line, texts))
