"""Documents of games for the viewer: by the rules with all hands open, and nothing but what it was sent for a seat."""

import json
import re
from base64 import b64decode
from functools import cache
from zlib import decompress

import pytest

from arena.conversation.rebuild import StoredGame, conversation
from arena.core.move_words import seat_names
from arena.core.replay import steps
from arena.registry import game
from arena.web.viewer.document import Document, Player, in_script, log_lines, packed, script_data
from arena.web.viewer.views import open_document, seat_document
from protocol.verdicts import Verdict
from tests.support.recording import Recording, play, stored
from tests.web.viewer_data import views_in

TABLES = [
    ("bread-basket", "tens", 2),
    ("bread-and-chocolate", "shram", 3),
    ("sandwich", "fr", 3),
    pytest.param("sandwich", "en", 4, marks=pytest.mark.slow),
    pytest.param("sandwich", "de", 5, marks=pytest.mark.slow),
    pytest.param("bread-and-chocolate", "pagat", 2, marks=pytest.mark.slow),
    pytest.param("bread-and-chocolate", "gamerules", 2, marks=pytest.mark.slow),
    pytest.param("bread-basket", "extra", 6, marks=pytest.mark.slow),
]
HOSTILE = "</script><script>alert(1)</script>\u202e\x1b[2J"


@cache
def played(
    name: str, ruleset: str, seats: int, fails_at: int | None = None
) -> tuple[StoredGame, list[Recording]]:
    """Return a stored game and the bots that played it, which know what they were sent."""
    bots = [Recording(seat, fails_at=fails_at if seat == 1 else None) for seat in range(seats)]
    return stored(play(game(name), ruleset, bots)), bots


def players_of(one: StoredGame) -> list[Player]:
    names = seat_names([entry["label"] for entry in one.body["entries"]])
    return [
        Player(
            seat.seat,
            names[seat.seat],
            names[seat.seat],
            False,
            seat.score,
            seat.rank,
            seat.verdict,
            seat.detail,
        )
        for seat in one.seats
    ]


def seat_doc(one: StoredGame, seat: int) -> Document:
    return seat_document(one.game, conversation(one, seat), players_of(one))


@pytest.mark.parametrize(("name", "ruleset", "seats"), TABLES)
def test_the_open_view_has_every_seats_view_of_every_step(name: str, ruleset: str, seats: int) -> None:
    one, _ = played(name, ruleset, seats)
    document = open_document(one, players_of(one))
    by_rules = list(steps(one.game, one.body))
    assert [step.seat_views for step in document.steps] == [
        tuple(one.game.view(step.after, seat) for seat in range(seats)) for step in by_rules
    ]
    assert [step.scores for step in document.steps] == [one.game.scores(step.after) for step in by_rules]
    assert sum(len(step.moves) for step in document.steps) == len(one.body["moves"])
    assert all(move.words for step in document.steps for move in step.moves)
    assert all(told.lines for step in document.steps for told in step.told)


@pytest.mark.parametrize(("name", "ruleset", "seats"), TABLES)
def test_a_script_gets_the_same_views_from_their_changes(name: str, ruleset: str, seats: int) -> None:
    one, _ = played(name, ruleset, seats)
    document = open_document(one, players_of(one))
    data = json.loads(in_script(script_data(document)))
    assert views_in(data) == [(step.view, list(step.seat_views)) for step in document.steps]


@pytest.mark.parametrize(("name", "ruleset", "seats"), TABLES)
def test_a_seat_is_shown_what_it_was_sent_and_nothing_else(name: str, ruleset: str, seats: int) -> None:
    one, bots = played(name, ruleset, seats)
    for bot in bots:
        document = seat_doc(one, bot.seat)
        messages = [json.loads(line) for line in bot.sent]
        asks = [message for message in messages if message["type"] == "ask"]
        assert [step.view for step in document.steps if step.view is not None] == [
            ask["view"] for ask in asks
        ]
        told = [event for message in messages for event in message.get("events", ())]
        assert [told.event for step in document.steps for told in step.told] == told
        assert not any(step.seat_views for step in document.steps)


def test_the_script_of_an_exported_game_holds_the_data_of_every_view_once() -> None:
    one, _ = played("bread-basket", "tens", 2)
    again = list(steps(one.game, one.body))
    documents = [open_document(one, players_of(one), again)]
    documents += [
        seat_document(one.game, conversation(one, seat, again), players_of(one)) for seat in range(2)
    ]
    assert documents == [open_document(one, players_of(one)), seat_doc(one, 0), seat_doc(one, 1)]
    script = packed(documents).decode("ascii")
    found = json.loads(decompress(b64decode(script.removeprefix('window.ARENA_GAME="').removesuffix('";\n'))))
    shared = found["shared"]
    assert len({json.dumps(value) for value in shared}) == len(shared)
    for eyes, document in zip(("all", "0", "1"), documents, strict=True):
        data = found["documents"][eyes]
        for step in data["steps"]:
            if "e" in step:
                step["e"] = [shared[number] for number in step["e"]]
            for part in (step, *step.get("s", {}).values()):
                if "v" in part:
                    part["v"] = {key: shared[number] for key, number in part["v"].items()}
        logs = [[shared[number] for number in step.pop("l", ())] for step in data["steps"]]
        assert data == json.loads(in_script(script_data(document)))
        if document.eyes is not None:
            assert logs == [[list(line) for line in log_lines(document, step)] for step in document.steps]


def test_no_card_of_another_hand_is_in_a_seats_document() -> None:
    one, bots = played("bread-and-chocolate", "shram", 3)
    last = list(steps(one.game, one.body))[-1]
    for bot in bots:
        document = seat_doc(one, bot.seat)
        start = max(
            at
            for at, step in enumerate(document.steps)
            if any(told.event["kind"] == "dealt" for told in step.told)
        )
        shown = json.dumps(script_data(document)["steps"][start + 1 :]) + str(
            [told.lines for step in document.steps[start + 1 :] for told in step.told]
        )
        own = json.dumps([json.loads(line) for line in bot.sent if b'"ask"' in line][start:])
        hidden = {
            card
            for seat in range(3)
            if seat != bot.seat
            for card in one.game.view(last.after, seat)["hand"]
            if f'"{card}"' not in own
        }
        assert hidden
        assert not {card for card in hidden if re.search(rf"\b{card}\b", shown)}


def test_a_seat_that_forfeits_is_shown_until_then() -> None:
    one, _ = played("bread-basket", "tens", 2, fails_at=3)
    document = seat_doc(one, 1)
    assert document.steps[-1].told[-1].event["kind"] == "forfeit"
    assert document.players[1].verdict == Verdict.ILLEGAL
    assert len([step for step in document.steps if step.view]) == 4


def test_times_come_with_the_limit_and_the_bank() -> None:
    one, _ = played("bread-basket", "tens", 2)
    document = open_document(one, players_of(one))
    times = [time for step in document.steps for time in step.times]
    assert len(times) == sum(seat.decisions for seat in one.seats)
    assert {time.limit_ms - (10 + 20) for time in times} - {time.bank_ms for time in times} <= {60_000}
    assert times[-1].bank_ms < 60_000


def test_nothing_ends_the_script_that_holds_a_document() -> None:
    text = str(in_script({"note": HOSTILE, HOSTILE: ["<!--", "\ud800", "\u2028"]}))
    assert "<" not in text
    assert "\u202e" not in text
    text.encode()
    assert json.loads(text)["note"].startswith("</script><script>alert(1)")


def test_composed_moves_are_told_in_words() -> None:
    one, _ = played("sandwich", "fr", 3)
    words = [move.words for step in open_document(one, players_of(one)).steps for move in step.moves]
    assert any(text.startswith("wants ") and ", then " in text for text in words)
    assert any(text.startswith("makes ") and " + " in text for text in words)


def test_a_document_is_small() -> None:
    one, _ = played("bread-and-chocolate", "shram", 3)
    document = open_document(one, players_of(one))
    assert len(in_script(script_data(document))) < 400 * len(document.steps)
