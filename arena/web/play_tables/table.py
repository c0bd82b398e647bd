"""One table as the server knows it: what its process has said, and what the person and spectators are shown of that."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any, Literal

import msgspec

from arena.core.ruleset import name_in_words
from arena.league.inbox.played_match import number_of
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
    Public,
    Result,
    Setup,
    Stored,
    ToTable,
)
from results.base.children import Failed, Pipe

Phase = Literal["opening", "playing", "asking", "over", "failed"]
"""The process gets ready · bots move · the person is asked · the game has ended · it broke off, and isn't stored."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Who sits at a table."""

    key: str
    """Unique: `account ann`, or `guest ` and a hash."""
    name: str
    """At the table."""
    is_guest: bool = False


class NotAsked(Exception):
    """An answer to a question that isn't open; the message tells the person."""


@dataclass(slots=True)
class Table:
    """One table. Safe to use from several threads."""

    id: str
    owner: Owner
    setup: Setup
    started_at: str
    """UTC, in the format of the store."""
    form: str = ""
    """The id of the form that opened it, so that sending it twice opens one table."""
    pipe: Pipe[FromTable] | None = None
    """To the process, once it is started."""
    is_live: bool = True
    """Whether the process still runs, or is being started, as far as is known."""
    phase: Phase = "opening"
    number: int = 0
    """Increases whenever there is something new."""
    begun_s: float = 0.0
    seen_s: float = 0.0
    """When the person's browser last asked for news."""
    ended_s: float | None = None
    opened: Opened | None = None
    begun: Begun | None = None
    asked: Asked | None = None
    """The last question to the person."""
    refused: str = ""
    """Why the last answer to it broke a rule."""
    typed: str = ""
    """What was typed as the last answer, so that it can be corrected."""
    is_out: bool = False
    """Whether the time for a move has run out, so that the seat forfeits."""
    refusals: int = 0
    """How many answers of the game broke a rule; tells two refusals for the same reason apart."""
    answered: bool = False
    """Whether an answer to it is on its way."""
    ends_s: float = 0.0
    """When the time for it is over."""
    only: Only | None = None
    ended: Ended | None = None
    result: Result | None = None
    stored: str | None = None
    """Its name, such as `casual/12`; empty if it waits in the inbox, None before."""
    failed: str = ""
    """Why the game broke off, for people."""
    leaving: str = ""
    """Why the person gives the game up."""
    told: list[str] = field(default_factory=list)
    """What happened, as far as the person could see it: a sentence each."""
    public: Public | None = None
    public_told: list[str] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)

    def __post_init__(self) -> None:
        self.begun_s = self.seen_s = time.monotonic()

    # What the process says

    def heard(self, message: FromTable) -> None:
        """Take up a message of the process."""
        with self.lock:
            self.number += 1
            match message:
                case Opened():
                    self.opened = message
                case Begun():
                    self.begun = message
                    self.phase = "playing"
                case Asked():
                    self.asked, self.only, self.refused, self.answered = message, None, "", False
                    self.typed = ""
                    self.ends_s = time.monotonic() + message.left_s
                    self.phase = "asking"
                    self.told += message.told
                case AnswerRefused():
                    self.refused, self.answered = message.why, False
                    self.refusals += 1
                    self.phase = "asking"
                case Only():
                    self.only, self.phase = message, "playing"
                    self.told += message.told
                    if message.move:
                        self.told.append(f"Your only move: {message.move}")
                case Ended():
                    self.ended = message
                    self.told += message.told
                case Public():
                    self.public = message
                    self.public_told += message.told
                    if self.phase == "asking":  # the time for the question is over, or the person has left
                        self.is_out = not self.answered and not self.leaving
                        self.phase = "playing"
                case Result():
                    self.result, self.phase = message, "over"
                case Stored():
                    self.stored = message.words
                case Failed():
                    self.failed, self.phase = message.why, "failed"

    def gone(self, why: str) -> None:
        """Note that the process has ended. `why` the game broke off, if it did and hasn't said so itself."""
        with self.lock:
            self.stop()
            self.ended_s = time.monotonic()
            self.number += 1
            if self.stored is None and self.phase != "failed":
                self.failed, self.phase = why, "failed"

    def found(self, match: int) -> None:
        """Note the number of its match, which somebody else has entered into the ledger."""
        with self.lock:
            if self.match is None:
                self.stored, self.failed, self.phase = f"casual/{match}", "", "over"
                self.number += 1

    # What the person does

    def answer(self, said: Answer) -> None:
        """Pass an answer on to the process. The same question can be answered once. Raises NotAsked."""
        with self.lock:
            if self.phase == "asking" and self.asked is not None and said.ask == self.asked.number:
                if not self.answered:
                    self.answered, self.refused, self.typed = True, "", said.typed or ""
                    self.number += 1
                    self._send(said)
                return  # a second click
        raise NotAsked(
            "The game has moved on without this answer: its question was answered before, or its time was up."
        )

    def leave(self, why: str) -> None:
        """Give the game up, if it isn't over."""
        with self.lock:
            if not self.leaving and self.result is None and self.is_live:
                self.leaving = why
                self.number += 1
                self._send(Leave(why))

    def stop(self) -> None:
        """Make the process give the game up at once, without storing it."""
        with self.lock:
            self.is_live = False
            if self.pipe is not None:
                self.pipe.close()

    def _send(self, message: ToTable) -> None:
        if not self.is_live:
            raise NotAsked("The table is closed.")
        if self.pipe is not None:
            self.pipe.send(message)  # if the process has ended, `gone` says why

    # What is shown

    def news(self, after: int, told: int) -> bytes | None:
        """Return what the person is shown, as JSON; None if nothing is newer than number `after`.

        `told` is how many sentences the browser has already.
        """
        with self.lock:
            self.seen_s = time.monotonic()
            if after == self.number:
                return None
            asked = self.asked if self.phase == "asking" else None
            return msgspec.json.encode(
                {
                    **self._common(),
                    "seat": self.setup.seat,
                    "start": self.begun.start if self.begun else None,
                    "known": self.begun.known if self.begun else (),
                    "worth": self.begun.worth if self.begun else {},
                    "ask": self.asked.ask if self.asked else None,
                    "only": self.only.ask if self.only else None,
                    "end": self.ended.end if self.ended else None,
                    "last_view": self.public.view if self.public and self.result else None,
                    "question": None
                    if asked is None
                    else {
                        "number": asked.number,
                        "groups": asked.groups,
                        "form": asked.form,
                        "how": asked.how,
                        "since": len(self.told) - len(asked.told),
                        "left_ms": max(0, round(1000 * (self.ends_s - time.monotonic()))),
                    },
                    "answered": self.answered,
                    "refused": self.refused,
                    "refusals": self.refusals,
                    "typed": self.typed if self.refused else "",
                    "leaving": self.leaving,
                    "out": self.is_out,
                    "told": self.told[told:],
                    "told_from": min(told, len(self.told)),
                }
            )

    def public_news(self, after: int, told: int) -> bytes | None:
        """Return what spectators are shown, as JSON; None if nothing is newer than number `after`."""
        with self.lock:
            if after == self.number:
                return None
            return msgspec.json.encode(
                {
                    **self._common(),
                    "view": self.public.view if self.public else None,
                    "events": self.public.events if self.public else (),
                    "told": self.public_told[told:],
                    "told_from": min(told, len(self.public_told)),
                }
            )

    def _common(self) -> dict[str, Any]:
        phase: str = self.phase
        return {
            "number": self.number,
            "phase": phase,
            "game": self.setup.game,
            "ruleset": name_in_words(self.opened.ruleset if self.opened else self.setup.ruleset),
            "names": self.opened.names if self.opened else (),
            "person": self.setup.seat,
            "result": self.result.places if self.result else None,
            "stored": self.stored,
            "match": self.match,
            "failed": self.failed,
            "live": self.is_live,
        }

    @property
    def match(self) -> int | None:
        """The number of its match in the league `casual`; None if it isn't there, or not yet."""
        return number_of(self.stored) if self.stored else None
