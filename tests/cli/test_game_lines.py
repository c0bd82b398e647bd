"""What is shown of a finished game in lines, with any eyes."""

import json
import zlib
from collections.abc import Mapping
from functools import cache
from typing import Any

import pytest

from arena import registry
from arena.cli.display.finished_game_text import last_lines, lines_of
from arena.cli.display.message_text import seat_names
from arena.conversation.narration import Eyes, event_lines
from arena.core.game import Event
from arena.core.move_words import with_names, wording_of
from arena.core.replay import Body
from arena.core.ruleset import ruleset
from arena.core.ticket import Ticket
from arena.players.base import Reply, ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from protocol.messages import Ask
from tests.support.tables import LEAGUE, PATIENT, SEED, first_move

HOSTILE = "\x1b[2J\x07evil\u202e\nseat 0"
LABELS = ("ann", "bob", "ann", HOSTILE)
TABLES: dict[str, tuple[int, dict[str, object]]] = {
    "bread-basket": (3, {"hands": 1}),
    "bread-and-chocolate": (2, {"hands": 1}),
    "sandwich": (4, {"rounds": 1, "open": True, "tasting": "free"}),
}


def _reply(ask: Ask) -> Reply:
    move = first_move(ask)
    if ask.kind == "serve":
        move = {**move, "words": [HOSTILE] * 3}
    return Reply(move, HOSTILE, 1_500_000, 0)


@cache
def game_of(game: str) -> Body:
    """Return a game played by the first legal move, with notes and labels that no terminal should get."""
    rules = registry.game(game)
    seats, options = TABLES[game]
    chosen = rules.resolve(ruleset(rules.info, None, options), seats)
    ticket = Ticket(LEAGUE, 0, 0, tuple(range(seats)), chosen, SEED)
    players = [ScriptedPlayer(_reply) for _ in range(seats)]
    entrants = [Entrant(label, "person" if label == "bob" else "f" * 64) for label in LABELS[:seats]]
    record = Referee(clock=PATIENT).play(rules, players, entrants, ticket)
    body: Body = json.loads(zlib.decompress(record.body))
    return body


@pytest.mark.parametrize("game", TABLES)
def test_the_whole_game_reads_well(game: str) -> None:
    lines = list(lines_of(game_of(game), Eyes.ALL, boards=True, width=80))
    text = "\n".join(lines)
    assert "seat 1: bob (a person)" in text
    assert "bob" in text.partition("\n\n")[2]
    body = text[text.index("bob (a person)") :].replace("seat 2: ann 2", "").replace("evil", "")
    assert "{" not in body, "no JSON is left"


@pytest.mark.parametrize(
    ("eyes", "own", "others"), [(Eyes.PUBLIC, False, False), (1, True, False), (Eyes.ALL, True, True)]
)
def test_eyes_see_no_more_than_they_may(eyes: Any, own: bool, others: bool) -> None:
    shown = game_of("bread-basket")
    (dealt,) = [event for event in shown["events"] if event["kind"] == "dealt"]
    text = "\n".join(lines_of(shown, eyes, boards=False, width=80))
    hands = [" ".join(dealt["private"][str(seat)]["hand"]) for seat in range(3)]
    assert (hands[1] in text, hands[0] in text or hands[2] in text) == (own, others)


def test_names() -> None:
    assert seat_names(["ann", "bob", "ann"]) == ["ann 1", "bob", "ann 2"]
    assert with_names("Seat 1 to seat 0, seat 7; seats 1; seat 10", ["a", "seat 0"]) == (
        "seat 0 to a, seat 7; seats 1; seat 10"
    )


def test_the_end_of_a_game_shows_what_was_hidden() -> None:
    body = game_of("sandwich")
    lines = list(last_lines(body, seat_names(LABELS), 100))
    assert sum(" likes: " in line for line in lines) == len(LABELS), "palates are the players' secrets"
    assert not any("likes: " in line for line in last_lines(game_of("bread-basket"), LABELS[:3], 100))


@pytest.mark.parametrize("width", [60, 80, 100])
def test_what_players_know_is_broken_between_words(width: int) -> None:
    body, names = game_of("sandwich"), seat_names(LABELS)
    whole = [line.strip() for line in last_lines(body, names, 10_000) if " likes: " in line]
    for lines in (
        list(last_lines(body, names, width)),
        list(lines_of(body, Eyes.ALL, boards=False, width=width)),
    ):
        told = " ".join(line.strip() for line in lines)
        assert len(whole) == len(LABELS)
        assert all(line in told for line in whole), "no word is broken"
        for number, line in enumerate(lines):
            if " likes: " in line:
                assert len(line) <= width
                assert len(lines[number + 1]) <= width


def test_a_game_words_what_several_seats_learnt(monkeypatch: pytest.MonkeyPatch) -> None:
    rules = registry.game("bread-basket")
    seen = {0: {"hand": ["ace of spades", "5"]}, 1: {"table": ["Phase: Draw", "| 2s  5s |"]}}
    event = Event("forfeit", {"seat": 1, "verdict": "crash"}, seen)
    names = ["ann", "bob"]
    _, *told = event_lines(rules, event, Eyes.ALL, names)
    assert told == ["    ann: hand ace of spades 5", "    bob: table Phase: Draw | 2s  5s |"]

    def learnt(private: Mapping[str, Any]) -> str:
        return "a new hand" if "hand" in private else ""

    monkeypatch.setattr(wording_of(rules), "learnt", learnt, raising=False)
    _, *told = event_lines(rules, event, Eyes.ALL, names)
    assert told == ["    ann: a new hand"]
