"""Replays: what was refereed is accepted, and whatever is changed in it is refused."""

import copy
import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.core.chance import Stream
from arena.core.errors import CorruptReplay
from arena.core.game import AnyGame
from arena.core.replay import KEYS, canonical, check, fingerprint, steps
from arena.players.base import Fault, Reply
from arena.referee.referee import Referee
from arena.registry import game
from protocol.messages import Ask
from protocol.verdicts import Verdict
from tests.support.games import BIDS
from tests.support.tables import PATIENT, Recorder, body_of, first_move, play, reply, ticket

GAMES = {"bids": BIDS, "bread-basket": game("bread-basket")}


def faulting(at_ask: int, verdict: Verdict) -> Recorder:
    """Return a player that makes a fault at an ask, from 0."""

    def answer(ask: Ask, number: int) -> Reply | Fault:
        if number == at_ask:
            return Fault(verdict, "for the test")
        return reply(first_move(ask), note=f"move {number}")

    return Recorder(answer)


def late_starter() -> Recorder:
    return Recorder(on_start=lambda _: Fault(Verdict.STARTUP, "for the test"))


@cache
def bodies() -> dict[str, tuple[str, dict[str, Any]]]:
    """Return replays of all kinds, by name: the game's name and the body."""
    tables = {
        "whole": ("bids", [Recorder() for _ in range(3)]),
        "with the house": ("bids", [Recorder(), faulting(1, Verdict.CRASH), Recorder(), late_starter()]),
        "two faults at once": (
            "bids", [faulting(0, Verdict.TIMEOUT), faulting(0, Verdict.CRASH), Recorder(), Recorder()],
        ),
        "ended by a fault": ("bids", [Recorder(), faulting(1, Verdict.ILLEGAL)]),
        "never begun": ("bids", [late_starter(), Recorder()]),
        "nobody began": ("bids", [late_starter(), late_starter(), late_starter()]),
        "bread basket": ("bread-basket", [Recorder(), Recorder()]),
        "bread basket with the house": ("bread-basket", [Recorder(), faulting(3, Verdict.MALFORMED), Recorder()]),
    }  # fmt: skip
    made = {}
    at_fault = {
        "whole": 0,
        "bread basket": 0,
        "with the house": 2,
        "two faults at once": 2,
        "nobody began": 3,
    }
    for name, (rules, players) in tables.items():
        given = ticket(GAMES[rules], len(players), options={"hands": 1} if rules == "bread-basket" else None)
        made[name] = (rules, body_of(play(GAMES[rules], players, Referee(PATIENT), given)))
        assert len(made[name][1]["faults"]) == at_fault.get(name, 1)
    return made


NAMES = list(bodies())


def fresh(name: str) -> tuple[AnyGame, dict[str, Any]]:
    """Return a game and a body of one's own to change."""
    rules, body = bodies()[name]
    return GAMES[rules], copy.deepcopy(body)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_refereed_is_accepted(name: str) -> None:
    rules, body = fresh(name)
    check(rules, body)
    assert set(body) == KEYS
    events = [event for step in steps(rules, body) for event in step.events]
    assert len(events) == len(body["events"])
    assert [move for step in steps(rules, body) for move in step.moves] == body["moves"]


def paths(value: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value inside a JSON value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in items:
        yield (*here, key)
        yield from paths(inner, (*here, key))


def is_free(path: tuple[Any, ...], new: Any) -> bool:
    """Return whether something of the kind of `new` may stand there: who sat there, and what a bot noted."""
    named = path[0] == "entries" and len(path) == 3
    noted = path[0] == "moves" and path[-1] == "note"
    return (named or noted) and isinstance(new, str)


VALUES = (
    st.none()
    | st.booleans()
    | st.integers(-3, 60)
    | st.floats(-3, 60)
    | st.text("ab", max_size=2)
    | st.lists(st.integers(0, 3), max_size=2)
    | st.dictionaries(st.sampled_from(["type", "seat", "0"]), st.integers(0, 3), max_size=2)
)
OTHERS = {
    int: st.integers(-3, 60),
    str: st.sampled_from(
        ["bot", "house", "engine", "crash", "timeout", "bid", "plain", "play", "won", "hand"]
    ),
}


@settings(max_examples=4 * settings().max_examples)
@given(st.data())
def test_whatever_is_changed_in_one_place_is_refused(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(NAMES))
    rules, body = fresh(name)
    before = canonical(body)
    path = data.draw(st.sampled_from(list(paths(body))))
    holder = body
    for key in path[:-1]:
        holder = holder[key]
    old = holder[path[-1]]
    new = data.draw(VALUES | OTHERS.get(type(old), st.none()))
    how = data.draw(st.sampled_from(["replace", "remove", "repeat", "add"]))
    if how == "replace":
        holder[path[-1]] = new
    elif how == "remove":
        del holder[path[-1]]
    elif isinstance(holder, list):
        holder.insert(path[-1], old if how == "repeat" else new)
    else:
        holder["more"] = new
    is_note = path[0] == "moves" and path[-1] == "note" and how == "remove"
    if canonical(body) == before or is_note or (how == "replace" and is_free(path, new)):
        check(rules, body)
    else:
        with pytest.raises(CorruptReplay):
            check(rules, body)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda body: body.update(format=2), "format"),
        (lambda body: body.update(rules_version=0), "version of the rules"),
        (lambda body: body.update(game="whist"), "game"),
        (lambda body: body["moves"].append(dict(body["moves"][-1])), "the game is over after"),
        (lambda body: body["moves"].pop(1), "the seats that move"),
        (lambda body: body["moves"].pop(), "before the game does"),
        (lambda body: body["moves"].clear(), "ends after 0 moves, before the game does"),
        (lambda body: body["moves"][0]["move"].update(number=999), "only a card of one's own hand"),
        (lambda body: body["moves"][0].update(by="house"), "maker of move 0"),
        (lambda body: body["scores"].reverse(), "scores"),
        (lambda body: body["ranks"].reverse(), "ranks"),
        (lambda body: body["events"].pop(), "number of events"),
        (lambda body: body["events"][0]["data"].update(cards=4), "event 0"),
        (lambda body: body["events"][0]["private"].pop("0"), "event 0"),
        (lambda body: body["chance"].update(more=[1]), "chance"),
        (lambda body: body["faults"].append({"seat": 0, "verdict": "crash", "at_decision": 99}), "after the end"),
        (lambda body: body["faults"].append({"seat": 1, "verdict": "crash", "at_decision": 0}), "event 1|maker"),
        (lambda body: body.pop("entries"), "holds"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_is_wrong(change: Any, said: str) -> None:
    rules, body = fresh("whole")
    change(body)
    with pytest.raises(CorruptReplay, match=said):
        check(rules, body)


def test_a_fault_taken_away_together_with_its_event_is_missed_by_nobody() -> None:
    rules, body = fresh("with the house")
    fault = body["faults"].pop()
    body["events"] = [event for event in body["events"] if event["data"].get("verdict") != fault["verdict"]]
    body["verdicts"][fault["seat"]] = None
    with pytest.raises(CorruptReplay, match="maker of move"):
        check(rules, body)


def test_a_game_that_went_on_after_its_end_by_forfeit_is_refused() -> None:
    rules, body = fresh("ended by a fault")
    whole = body_of(play(rules, [Recorder(), Recorder()]))
    body["moves"] = whole["moves"]
    with pytest.raises(CorruptReplay, match="the game is over after"):
        check(rules, body)


@settings(max_examples=2 * settings().max_examples)
@given(
    st.sampled_from(sorted(KEYS)),
    st.recursive(VALUES, lambda inner: st.lists(inner) | st.dictionaries(st.text("seat"), inner)),
)
def test_no_json_whatever_is_more_than_a_corrupt_replay(key: str, value: Any) -> None:
    rules, body = fresh("with the house")
    body[key] = value
    with pytest.raises(CorruptReplay):
        check(rules, body)
    for other in (value, {key: value}):
        with pytest.raises(CorruptReplay):
            check(rules, other)
        with pytest.raises(CorruptReplay):
            list(steps(rules, other))


def test_canonical_json_is_sorted_compact_and_plain() -> None:
    assert canonical({"b": [1, 2.5, None], "a": "ü"}) == '{"a":"ü","b":[1,2.5,null]}'.encode()
    text = canonical(bodies()["bread basket"][1])
    assert canonical(json.loads(text)) == text
    assert fingerprint(b"abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"


def test_the_house_plays_by_a_stream_of_its_own() -> None:
    rules, body = fresh("with the house")
    house = [move["move"] for move in body["moves"] if move["by"] == "house" and move["seat"] == 1]
    given = ticket(rules, 4)
    stream = Stream(given.match_seed, "rotation/0/house/1")
    state = next(
        step
        for step in steps(rules, body)
        if any(move["by"] == "house" and move["seat"] == 1 for move in step.moves)
    ).state
    assert house[0] == rules.format_move(rules.sample_move(state, 1, stream))
