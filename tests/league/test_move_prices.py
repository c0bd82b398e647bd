# ruff: noqa: ARG001, ARG002 - members of a game that need not all they are given
"""Prices of moves: what is known of a decision, and nothing else, fixes them; a worse move costs what it loses."""

import random
import tomllib
from collections.abc import Iterator, Mapping
from itertools import takewhile
from pathlib import Path
from statistics import fmean
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena import registry
from arena.conversation.narration import Conversation
from arena.conversation.rebuild import StoredGame, conversation
from arena.core.chance import Chance, Rng
from arena.core.errors import UsageError
from arena.core.game import JSON, Decision, Event, Outcome, Seen
from arena.core.game_defaults import BaseGame, can_guess
from arena.core.ruleset import GameInfo, Ruleset
from arena.core.ruleset import ruleset as ruleset_of
from arena.league import move_prices
from arena.league.move_prices import Prices, estimate, price_moves, pricing, tasks_of
from protocol.verdicts import Verdict
from results.store.beside_store import Cache
from tests.support.outside import ROOT, beside, installed
from tests.support.recording import Recording, play, stored

TENS = ("bread-basket", "tens", 3)
MOST_TRIES, ENOUGH = 40, 3
"""Games that differ from a first one, until so many seats know no difference for a while."""
FEW = {"worlds": 8}


class Take(BaseGame[list[int], int]):
    """The first seat takes 0 to 3 points twice; the other's only move is to watch."""

    info = GameInfo(name="take", title="Take", version=1, summary="", rulesets={"plain": {}}, options=())

    def deal(self, seats: int, ruleset: Ruleset, chance: Chance) -> tuple[list[int], tuple[Event, ...]]:
        return [], (Event("dealt", {}),)

    def turn(self, state: list[int]) -> tuple[Decision[int], ...] | Outcome:
        return (Decision(0, "take", (0, 1, 2, 3)),) if len(state) < 2 else Outcome((sum(state), 0))

    def apply(self, state: list[int], moves: Mapping[int, int]) -> tuple[list[int], tuple[Event, ...]]:
        self.check(state, moves)
        return [*state, moves[0]], (Event("taken", {"points": moves[0]}),)

    def scores(self, state: list[int]) -> tuple[int, ...]:
        return sum(state), 0

    def view(self, state: list[int], seat: int | None) -> dict[str, JSON]:
        return {"taken": state[:]}

    def format_move(self, move: int) -> JSON:
        return {"type": "take", "points": move}

    def guess(self, seen: Seen, rng: Rng) -> list[int]:
        return list(seen.view["taken"])

    def policy(self, state: list[int], seat: int, rng: Rng) -> int:
        return 2


def game_of(name: str, ruleset: str, seats: int, fails_at: int | None = None) -> StoredGame:
    players = [Recording(0, fails_at=fails_at, verdict=Verdict.CRASH), *map(Recording, range(1, seats))]
    return stored(play(registry.game(name), ruleset, players))


@pytest.fixture
def take(monkeypatch: pytest.MonkeyPatch) -> StoredGame:
    """Return a game in which the first seat takes what the numbers of its asks say."""
    monkeypatch.setattr(registry, "game", lambda _: Take())
    monkeypatch.setattr("tests.support.recording.game_named", lambda _: Take())
    return stored(play(Take(), "plain", [Recording(0), Recording(1)]))


def test_a_move_costs_what_it_loses(take: StoredGame) -> None:
    prices = price_moves(take, 0, **FEW)  # type: ignore[arg-type]
    made = [record["move"]["points"] for record in take.body["moves"]]
    assert [one.made["points"] for one in prices.prices] == made
    assert [(one.price, one.low, one.high) for one in prices.prices] == [(3 - one,) * 3 for one in made]
    assert [one.is_significant for one in prices.prices] == [one < 3 for one in made]
    assert all(one.better["points"] == 3 for one in prices.prices)
    assert prices.policy
    assert fmean(one.price for one in prices.prices) == 3 - sum(made) / 2


def packages(group: str) -> dict[str, str]:
    """Return the packages in examples/ that add a game, by its name."""
    projects = {
        file.parent.name: tomllib.loads(file.read_text()) for file in ROOT.glob("examples/*/pyproject.toml")
    }
    return {
        name: folder
        for folder, file in projects.items()
        for name in file["project"].get("entry-points", {}).get(group, ())
    }


PLUGGED = packages("arena.games")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which all packages with games look installed."""
    return beside(tmp_path_factory.mktemp("packages") / "site", *PLUGGED.values())


class OtherDraw:
    """Changes one draw of chance, by its name and a number; keeps what is drawn."""

    def __init__(self, patch: pytest.MonkeyPatch, stream: str = "", number: int = 0) -> None:
        self.drawn: dict[str, int] = {}
        keep, integers = Chance._keep, Chance.integers
        rng, ends = random.Random(number), [0, 0]

        def between(chance: Chance, name: str, count: int, low: int, high: int) -> tuple[int, ...]:
            ends[:] = low, high
            found = integers(chance, name, count, low, high)
            ends[:] = 0, 0
            return found

        def changed(chance: Chance, name: str, drawn: list[Any]) -> None:
            self.drawn[name] = len(drawn)
            if name == stream:
                here, there = rng.randrange(len(drawn)), rng.randrange(len(drawn))
                drawn[here], drawn[there] = drawn[there], drawn[here]
                if ends[1] > ends[0]:
                    drawn[here] = ends[0] + (drawn[here] - ends[0] + 1) % (ends[1] - ends[0] + 1)
            keep(chance, name, drawn)

        patch.setattr(Chance, "integers", between)
        patch.setattr(Chance, "_keep", changed)


def told_alike(one: Conversation, other: Conversation) -> int:
    """Return at how many decisions a seat had been told the same in two games, and had answered the same."""
    if msgspec.json.encode(one.start) != msgspec.json.encode(other.start):
        return 0
    both = zip(one.questions, other.questions, strict=False)
    alike = takewhile(
        lambda two: (
            (two[0].ask, two[0].answer and two[0].answer.move)
            == (two[1].ask, two[1].answer and two[1].answer.move)
        ),
        both,
    )
    return len(list(alike))


def prices_with_other_hidden_cards(name: str, ruleset: str) -> Iterator[tuple[bytes, bytes]]:
    """Yield the prices of decisions in pairs of games that differ in a draw, which the seat hadn't been told of."""

    def played(stream: str = "", number: int = 0) -> tuple[StoredGame, list[str]]:
        with pytest.MonkeyPatch.context() as patch:
            other = OtherDraw(patch, stream, number)
            return game_of(name, ruleset, seats), list(other.drawn)

    game = registry.game(name)
    seats = game.seats(ruleset_of(game.info, ruleset))[0]
    first, streams = played()
    found = 0
    for number in range(MOST_TRIES if streams else 0):
        second, _ = played(streams[number % len(streams)], number)
        if second.body["chance"] == first.body["chance"]:
            continue
        for seat in range(seats):
            one, other = conversation(first, seat), conversation(second, seat)
            alike = told_alike(one, other)
            both = [
                list(move_prices.tasks_of(stored_game, replace(talk, questions=talk.questions[:alike]), 8))[
                    -1:
                ]
                for stored_game, talk in ((first, one), (second, other))
            ]
            found += bool(both[0])
            yield from ((priced(mine), priced(theirs)) for mine, theirs in zip(*both, strict=True))
        if found >= ENOUGH:
            return


def priced(task: move_prices.Task) -> bytes:
    return msgspec.json.encode(move_prices.price_of(task))


@pytest.mark.parametrize("others", [False, pytest.param(True, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", [*registry.games(), *PLUGGED])
def test_games_that_differ_in_what_a_seat_could_not_know_have_the_same_prices(
    name: str, others: bool, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the first ruleset of each game; in the others when `others`."""
    monkeypatch.setattr(move_prices, "_LONGEST", 5)
    with installed(site):
        game = registry.game(name)
        if not can_guess(game):
            assert name in ("roshambo", "kuhn-js", "hanabi"), "every other game can be analysed"
            return
        for ruleset in list(game.info.rulesets)[others : None if others else 1]:
            pairs = list(prices_with_other_hidden_cards(name, ruleset))
            assert pairs or name in ("nim", "tiles"), "nothing is hidden in them"
            assert all(mine == theirs for mine, theirs in pairs)


def test_an_analysis_that_knew_more_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A leak that changes nothing but the random numbers: the hidden cards are among what they are made of."""

    def leaking(stored_game: StoredGame, talk: Conversation, worlds: int) -> Iterator[move_prices.Task]:
        more = {"kind": "leaked", "chance": stored_game.body["chance"]}
        yield from (
            replace(task, events=[*task.events, more]) for task in tasks_of(stored_game, talk, worlds)
        )

    monkeypatch.setattr(move_prices, "_LONGEST", 5)
    monkeypatch.setattr(move_prices, "tasks_of", leaking)
    assert any(mine != theirs for mine, theirs in prices_with_other_hidden_cards("bread-basket", "tens"))


def test_two_processes_price_what_one_does() -> None:
    played = game_of("bread-basket", "none", 2)
    with pricing(2) as mapped:
        assert price_moves(played, 0, worlds=8, mapped=mapped) == price_moves(played, 0, worlds=8)


def test_what_a_seat_was_told_changes_the_prices_even_with_the_same_question() -> None:
    told = tasks_of(game := game_of(*TENS), conversation(game, 1), 8)
    task = list(told)[3]
    forgetful = replace(task, events=task.events[:-1])
    assert task.rng.random() != forgetful.rng.random()
    assert task.rng.random() == replace(task, made=None, worlds=99).rng.random()


def test_a_forfeit_is_no_move() -> None:
    prices = price_moves(game_of("bread-basket", "none", 3, fails_at=4), 0, **FEW)  # type: ignore[arg-type]
    assert len(prices.prices) == 4


def test_a_result_is_kept_and_a_damaged_one_made_anew(take: StoredGame, tmp_path: Path) -> None:
    cache, calls = Cache(tmp_path), []

    def tell(done: int, of: int) -> None:
        calls.append((done, of))

    def priced(**more: Any) -> Prices:
        return price_moves(take, 0, **{**FEW, "cache": cache, "tell": tell, **more})

    first = priced()
    assert calls == [(1, 2), (2, 2)]
    assert priced() == first
    assert len(calls) == 2
    priced(worlds=9)
    assert len(calls) == 4, "of other worlds nothing is kept"
    for file in (tmp_path / "fits").iterdir():
        file.write_bytes(file.read_bytes()[:-3])
    assert priced() == first
    assert len(calls) == 6


def test_a_full_disk_costs_nothing_but_the_time_next_time(
    take: StoredGame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    full = Path("/dev/full")
    with pytest.raises(OSError, match="No space left"), full.open("wb", 0) as file:
        file.write(b"prices")
    monkeypatch.setattr("results.store.beside_store.os.fdopen", lambda *_: full.open("wb", 0))
    assert price_moves(take, 0, **FEW, cache=Cache(tmp_path)).prices  # type: ignore[arg-type]
    assert not list((tmp_path / "fits").iterdir())


def test_seconds_fix_the_number_of_worlds(take: StoredGame) -> None:
    little, more = (price_moves(take, 0, seconds=seconds).worlds for seconds in (1e-9, 0.3))
    assert little == move_prices.FEWEST_WORLDS < more


def test_a_game_that_cannot_guess_is_told(monkeypatch: pytest.MonkeyPatch, take: StoredGame) -> None:
    monkeypatch.setattr(Take, "guess", BaseGame.guess)
    with pytest.raises(UsageError, match="Take can't be priced"):
        price_moves(take, 0)


def test_a_decision_without_worlds_has_no_price(monkeypatch: pytest.MonkeyPatch, take: StoredGame) -> None:
    def guess(_: object, seen: Seen, rng: Rng) -> list[int]:
        raise ValueError("nothing fits")

    monkeypatch.setattr(Take, "guess", guess)
    assert price_moves(take, 0, **FEW) == Prices(0, True, 8, (), 2)  # type: ignore[arg-type]


def test_the_interval_is_about_the_better_move_and_not_the_luckier() -> None:
    """Ten equal moves: the best of a sample seems better, yet hardly ever significantly."""
    rng = random.Random(7)
    wrong = 0
    for _ in range(400):
        leads = [[rng.gauss(0, 5) for _ in range(40)] for _ in range(10)]
        _, price, low, high = estimate(leads)
        wrong += low > 0
        assert low <= price <= high
        assert high >= 0
    assert wrong / 400 < 0.05


def test_a_clear_mistake_is_significant() -> None:
    rng, held = random.Random(8), 0
    for _ in range(50):
        luck = [rng.gauss(0, 5) for _ in range(40)]
        leads = [[one + worth + rng.gauss(0, 1) for one in luck] for worth in (0, 1, 3, 0.5)]
        best, price, low, high = estimate(leads)
        assert best == 2
        assert 1.5 < low < price < high < 4.5
        held += low <= 3 <= high
    assert held >= 45


def test_a_move_that_seems_best_may_still_be_worse_than_another() -> None:
    """Worked by hand: of the other's leads, the mean is -1/8, the standard deviation 1.315, 2.25 errors are 1.4794."""
    best, price, low, high = estimate([[0, 0, 0, 0], [1, -1, 1, -1.5]])
    assert (best, price) == (0, (0 + fmean((-1, -1.5, 0, 0))) / 2)
    assert low < price
    assert high == pytest.approx(-0.125 + 1.4794, abs=1e-4)


def test_intervals_hold_what_the_best_move_is_worth() -> None:
    """Five moves that differ by about as much as their errors, screening included; of 4,000 intervals, 96.8 % hold."""
    rng, held = random.Random(9), 0
    for _ in range(300):
        worths = [rng.gauss(0, 1) for _ in range(5)]
        few, more = (
            [[worth + rng.gauss(0, 5) for _ in range(count)] for worth in worths] for count in (8, 48)
        )
        _, _, low, high = estimate([more[place] for place in move_prices.rivals(few)])
        held += low <= max(worths) - worths[0] <= high
    assert 0.94 <= held / 300 <= 0.995


def test_more_worlds_compare_the_same_moves() -> None:
    """In decisions that list no moves, candidates come from guesses: which must not depend on how many follow."""
    game = game_of("sandwich", "fr", 4)
    tasks = [task for task in tasks_of(game, conversation(game, 1), 8) if task.legal is None][:4]
    assert len(tasks) == 4
    for task in tasks:
        few, many = (move_prices.Comparison(replace(task, worlds=worlds)) for worlds in (8, 200))
        assert few.moves == many.moves
        assert few.leads(2) == many.leads(2)
