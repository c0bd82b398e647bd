"""What real bots are sent, byte by byte: it follows from what they may know, and from nothing else."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.core.chance import Chance
from arena.core.game import AnyGame
from arena.core.seatings import seatings
from arena.core.ticket import Ticket
from arena.players.pool import BotPool, PoolLimits
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import game
from results.records import GameRecord
from tests.support.bots.programs import logging_bot, program, python_bot
from tests.support.games import BIDS
from tests.support.tables import PATIENT, body_of, entrants, new_token, ticket

Deal = Mapping[str, Sequence[Any]]


class Dealt:
    """A game whose deal is given. Everything else is the game's own."""

    def __init__(self, rules: AnyGame, deal: Deal) -> None:
        self._rules = rules
        self._deal = deal

    def deal(self, seats: int, ruleset: Any, chance: Chance) -> Any:
        chance.record.update({name: list(drawn) for name, drawn in self._deal.items()})
        return self._rules.deal(seats, ruleset, Chance(record=self._deal))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rules, name)


def lines(record: GameRecord) -> list[list[bytes]]:
    """Return the lines that each seat was sent from the start of the game on, as its bot logged them."""
    logged = {log.seat: log.head + log.tail for log in record.logs}
    assert all(log.dropped_bytes == 0 for log in record.logs)
    return [
        [line for line in logged[seat].splitlines(keepends=True) if b'"type":"hello"' not in line]
        for seat in range(len(record.seats))
    ]


def refereed(
    place: Path, rules: Any, given: Ticket, names: Sequence[Entrant] | None = None
) -> list[list[bytes]]:
    """Play a game between bots that log what they get; return it by seat, up to the last ask.

    The end is not always in the log of its own game: nobody waits for a bot to have read it.
    """
    bot = logging_bot(place / "bot")
    seats = len(given.entries)
    with BotPool(dict.fromkeys(range(seats), bot), place / "pool", new_token(), PoolLimits(60_000)) as pool:
        players = [pool.take(seat, (given.league, given.match_no), seat) for seat in range(seats)]
        record = Referee(PATIENT).play(rules, players, names or entrants(seats), given)
        for seat, player in enumerate(players):
            pool.give_back(seat, player, seat)
    assert [seat.verdict for seat in record.seats] == [None] * seats
    return [[line for line in told if b'"type":"end"' not in line] for told in lines(record)]


def deal_of(rules: AnyGame, given: Ticket) -> dict[str, list[Any]]:
    chance = Chance(seed=given.match_seed)
    rules.deal(len(given.entries), given.ruleset, chance)
    return {name: list(drawn) for name, drawn in chance.record.items()}


def test_cards_that_stay_hidden_change_no_byte(tmp_path: Path) -> None:
    given = ticket(BIDS, 3)
    deal = deal_of(BIDS, given)
    other = {"deck": deal["deck"][:9] + deal["deck"][9:][::-1]}
    told = refereed(tmp_path / "1", Dealt(BIDS, deal), given)
    told_other = refereed(tmp_path / "2", Dealt(BIDS, other), given)
    peeked = [b'"card":%d}' % deal["deck"][9 + turn] for turn in range(3)]
    peekers = {seat for seat in range(3) if any(card in line for card in peeked for line in told[seat])}
    assert peekers
    assert peekers != {0, 1, 2}, "somebody must not have been shown any of those cards"
    for seat in range(3):
        assert (told[seat] == told_other[seat]) == (seat not in peekers)


def test_the_hands_of_others_change_no_byte_before_they_are_shown(tmp_path: Path) -> None:
    given = ticket(BIDS, 3)
    deal = deal_of(BIDS, given)
    deck = deal["deck"]
    other = {"deck": deck[:3] + deck[6:9] + deck[12:15] + deck[3:6] + deck[9:12] + deck[15:]}
    told = refereed(tmp_path / "1", Dealt(BIDS, deal), given)
    told_other = refereed(tmp_path / "2", Dealt(BIDS, other), given)
    assert told[0][:2] == told_other[0][:2], "the start and the first ask"
    assert [json.loads(line)["type"] for line in told[0][:2]] == ["start", "ask"]
    assert told[1][:1] != told_other[1][:1]
    assert told[0] != told_other[0]


def test_bread_basket_shows_no_card_of_the_stock_or_of_later_hands(tmp_path: Path) -> None:
    rules = game("bread-basket")
    given = ticket(rules, 2)
    deal = deal_of(rules, given)
    other = {"deck/0": deal["deck/0"][:-2] + deal["deck/0"][:-3:-1], "deck/1": deal["deck/1"][::-1]}
    assert other["deck/0"][:-2] == deal["deck/0"][:-2]
    told = refereed(tmp_path / "1", Dealt(rules, deal), given)
    told_other = refereed(tmp_path / "2", Dealt(rules, other), given)
    for seat in (0, 1):
        first_hand = [line for line in told[seat] if b'"hand_no":1' not in line]
        assert len(first_hand) > 5
        assert told_other[seat][: len(first_hand)] == first_hand
        assert told_other[seat] != told[seat]


def test_league_match_and_names_are_in_no_byte(tmp_path: Path) -> None:
    given = ticket(BIDS, 3)
    told = refereed(tmp_path / "1", BIDS, given)
    other = replace(given, league="another-league", match_no=77_777, attempt=3, entries=(5, 6, 7))
    names = [Entrant(name, f"{name}-sha") for name in ("Ariadne", "Beatrix", "Cleopatra")]
    bot = logging_bot(tmp_path / "bot")
    with BotPool(dict.fromkeys((5, 6, 7), bot), tmp_path / "pool", new_token(), PoolLimits(60_000)) as pool:
        players = [pool.take(entry, ("another-league", 77_777), seat) for seat, entry in enumerate((5, 6, 7))]
        record = Referee(PATIENT, worker="a-worker").play(BIDS, players, names, other)
    told_other = [[line for line in seat if b'"type":"end"' not in line] for seat in lines(record)]
    assert told_other == told
    everything = b"".join(line for seat in told for line in seat)
    assert given.match_seed.hex().encode() not in everything


def test_another_rotation_changes_seeds_and_examples_and_nothing_else(tmp_path: Path) -> None:
    given = ticket(BIDS, 3)
    told = refereed(tmp_path / "1", BIDS, given)
    told_other = refereed(tmp_path / "2", BIDS, replace(given, rotation=1))

    def known(line: bytes) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(line)
        message.pop("example", None)
        message.pop("bot_seed", None)
        # The bots say the examples.
        message["events"] = [event for event in message.get("events", []) if event["kind"] != "said"]
        return message

    assert [list(map(known, seat)) for seat in told] == [list(map(known, seat)) for seat in told_other]
    assert {json.loads(seat[0])["bot_seed"] for seat in told}.isdisjoint(
        json.loads(seat[0])["bot_seed"] for seat in told_other
    )


def test_forced_moves_look_like_chosen_ones(tmp_path: Path) -> None:
    told = refereed(tmp_path / "1", BIDS, ticket(BIDS, 3))
    for seat in told:
        asks = [json.loads(line) for line in seat[1:]]
        assert [ask["id"] for ask in asks] == list(range(1, len(asks) + 1))
        bids = [event for ask in asks for event in ask["events"] if event["kind"] == "bid"]
        assert {tuple(bid) for bid in bids} == {("kind", "seat", "card")}
        assert not any(len(ask.get("legal", ("", ""))) == 1 for ask in asks)


REMEMBERS = """
places = [os.environ["TMPDIR"], os.environ["HOME"], "."]
memory = []

def recall():
    seen = list(memory)
    for place in places:
        try:
            seen += json.load(open(place + "/memory"))
        except OSError:
            pass
    return seen

def keep(events, seats):
    shown = {}
    for event in events:
        if event["kind"] == "bid":
            shown.setdefault(event["seat"], []).append(event["card"])
    memory.extend(sorted(cards) for cards in shown.values())
    for place in places:
        json.dump(memory, open(place + "/memory", "w"))

def start(message):
    global events, known, seats
    events, known, seats = [], None, message["seats"]
    send(type="ready")

def ask(message):
    global known
    events.extend(message["events"])
    if known is None:
        known = sorted(message["view"]["hand"]) in recall()
    move(message, note="I know this deal" if known else "new to me")

def end(message):
    events.extend(message["events"])
    keep(events, seats)
"""


def notes_over_a_match(place: Path, match_of_rotation: Sequence[int]) -> list[set[str]]:
    """Play all rotations of one deal by turns with other deals; return the notes made in each."""
    seats = 3
    bot = program(place / "bot", {"bot.py": python_source(place)}, ("python3", "-S", "-E", "bot.py"))
    notes = []
    with BotPool(dict.fromkeys(range(seats), bot), place / "pool", new_token(), PoolLimits(60_000)) as pool:
        for rotation, seating in enumerate(seatings(tuple(range(seats)), "cyclic")):
            for match_no, seed in ((match_of_rotation[rotation], bytes(32)), (9, bytes([rotation]) * 32)):
                given = replace(
                    ticket(BIDS, seats, seed=seed), match_no=match_no, rotation=rotation, entries=seating
                )
                players = [
                    pool.take(entry, (given.league, match_no), seat) for seat, entry in enumerate(seating)
                ]
                record = Referee(PATIENT).play(BIDS, players, entrants(seats), given)
                for seat, player in enumerate(players):
                    pool.give_back(seating[seat], player, seat)
                if match_no != 9:
                    notes.append({move["note"] for move in body_of(record)["moves"] if "note" in move})
    return notes


def python_source(place: Path) -> str:
    python_bot(place / "source", REMEMBERS)
    return (place / "source" / "bot.py").read_text()


@pytest.mark.parametrize(
    ("match_of_rotation", "known"),
    [
        pytest.param((0, 0, 0), False, id="one match"),
        pytest.param((0, 1, 2), True, id="the same deal in three matches: such a bot would know it"),
    ],
)
def test_a_bot_that_remembers_deals_gains_nothing_in_a_match(
    match_of_rotation: Sequence[int], known: bool, tmp_path: Path
) -> None:
    first, *later = notes_over_a_match(tmp_path, match_of_rotation)
    assert first == {"new to me"}
    assert ("I know this deal" in set.union(*later)) == known
