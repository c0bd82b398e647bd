"""A store in which authors have written what is to fool whoever looks at it."""

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from arena import registry
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Fault, Reply
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from protocol.messages import Ask
from protocol.verdicts import Verdict
from results.records import AttemptRecord, EntrySpec, GameRecord, LeagueRecord, LogRecord, RulesetRecord
from results.store import Store
from tests.support.ledgers import NOW, add_version, new_store
from tests.support.tables import PATIENT, Recorder, first_move

LEAGUE = "spring"
FORGED = "FORGED"
"""Begins a line of its own where line breaks get through."""
HOSTILE = f"=1+1|`x`<b>*y*</b>\x1b[31m\u202e\u2066\u200b\x9b\n{FORGED} | a |\r\n{FORGED}\u2028{FORGED} [z](http://e.org)"
LABELS = [HOSTILE, "+" + HOSTILE, "@\t" + HOSTILE]


def hostile_store(
    folder: Path, labels: Sequence[str] = LABELS, text: str = HOSTILE, name: str = HOSTILE
) -> None:
    """Make a league of three whose second bot crashes; labels, texts and the name of bot and author are
    what authors wrote.

    Part of it a store would refuse today. It is put there past the store, as by a program before that.
    """
    with new_store(folder) as store:
        manifest = {
            "name": "bot",
            "author": "author",
            "command": ["./bot"],
            "games": ["*"],
            "description": text,
        }
        version = add_version(store, "author", "bot", "ab" * 32, manifest, {}, deterministic=True)
        league = _league(store, version.id)
        game = registry.game("bread-basket")
        rules = game.resolve(ruleset(game.info, None, {"hands": 1}), 2)
        games = []
        for match_no, table in enumerate([(0, 1), (1, 2), (2, 0)]):
            store.matches.plan_next(league.uuid, table, 2, why=text)
            for rotation in range(2):
                seated = table if rotation == 0 else table[::-1]
                ticket = Ticket(league.uuid, match_no, rotation, seated, rules, bytes(range(32)))
                games.append(_played(ticket, labels, text))
        store.append(games, [AttemptRecord(league.uuid, 0, 0, 1, Verdict.HOST, text, text, NOW)])
        store.leagues.set_state(league.uuid, "finished")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as past, past:
        for entry_no, label in enumerate(labels):
            past.execute("UPDATE entry SET label = ? WHERE entry_no = ?", (label, entry_no))
        past.execute("UPDATE author SET name = ?", (name,))
        past.execute("UPDATE bot SET name = ?", (name,))
        past.execute("UPDATE game SET worker = ?", (text,))


def _league(store: Store, version: int) -> LeagueRecord:
    config = {
        "name": LEAGUE,
        "game": "bread-basket",
        "seats": 2,
        "bots": [{"path": "a"}, {"path": "b"}, {"path": "c"}],
        "schedule": {"kind": "swiss"},
        "options": {"hands": 1},
    }
    return store.leagues.create(
        LEAGUE,
        config=config,
        traits=registry.schedule("swiss").traits,
        ruleset=RulesetRecord(
            "bread-basket", registry.game("bread-basket").info.version, "tens+hands=1", "{}"
        ),
        entries=[EntrySpec(name, version) for name in "abc"],
    )


def _played(ticket: Ticket, labels: Sequence[str], text: str) -> GameRecord:
    """Return a game in which entry 1 crashes at its second move, and whoever moves says why."""

    def talk(ask: Ask, _: int) -> Reply | Fault:
        return Reply(first_move(ask), text, 1_000_000, 900_000)

    def crash(ask: Ask, number: int) -> Reply | Fault:
        return Fault(Verdict.CRASH, text) if number else talk(ask, number)

    players = [Recorder(crash if entry == 1 else talk) for entry in ticket.entries]
    entrants = [Entrant(labels[entry], "ab" * 32) for entry in ticket.entries]
    record = Referee(clock=PATIENT).play(registry.game("bread-basket"), players, entrants, ticket)
    logs = tuple(LogRecord(seat, b"", (text + "\n").encode(), 0) for seat in range(len(players)))
    return msgspec.structs.replace(record, logs=logs)


LISTINGS: dict[str, list[list[str]]] = {
    "why": [[], ["--bot", LABELS[1]]],
    "bots": [["--all"]],
    "rankings": [[], ["--fit"], ["--against", LABELS[0], "--movement", "1d"]],
    "history": [[], ["--bot", LABELS[0]]],
    "matrix": [[]],
    "stats": [["--view", view] for view in ("seats", "tables", "faults", "time", "luck")],
    "faults": [[], ["--log"], ["--platform"]],
    "league list": [[]],
    "league show": [[LEAGUE]],
    "league events": [[]],
    "replay list": [[]],
    "games": [[]],
    "queue": [[]],
    "db segments": [[]],
    "bots show": [["ababab"]],
    "doctor": [[]],
}
"""Every command that has `--format`, with arguments that make it show all it can."""


PLAYING = {"match", "compare", "race", "tune"}
"""These play first; what they list goes the way of all listings."""


OF_THE_SITE = {"accounts list"}
"""It reads the site's file, in which names are plain; what it lists goes the way of all listings."""


OF_THE_RUNNER = {"host list"}
"""It reads the notes of a runner that plays on hosts; what it lists goes the way of all listings."""
