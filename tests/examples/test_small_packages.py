"""The small packages of examples/: Nim without chance, Pig with dice, a game in under 60 lines, whist, a schedule."""

import json
import re
import shutil
from collections import Counter
from functools import partial
from itertools import chain, permutations
from pathlib import Path
from typing import Any

import pytest

from arena.core.chance import Chance, Stream
from arena.core.errors import IllegalMove, UsageError
from arena.core.game import Event, Outcome, Recorder, Roll, Seen, play_chance
from arena.core.ruleset import ruleset
from arena.league.definition.read import read_plan
from arena.schedules.base import Field, Summary
from results.store import open_store
from tests.support.outside import ROOT, arena, arena_json, beside, install, installed, kit, load, write_bot
from tests.support.points import Points, offer

RANDOM = "bots/any_game/random"
GAMES = ("kuhn", "nim", "pig", "roshambo", "whist")
KUHN = load("kuhn", "kuhn.py")
NIM = load("nim", "nim/game.py")
PIG = load("pig", "pig/game.py")
ROSHAMBO = load("roshambo", "roshambo.py")
WHIST = load("whist", "whist/game.py")
RING = load("ring", "ring.py")


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which all of them look installed."""
    return beside(tmp_path_factory.mktemp("packages") / "site", *GAMES, "ring")


# The kit


@pytest.mark.slow
def test_a_part_of_the_kit_passes(packages: Path) -> None:
    games = [f"--game={name}" for name in GAMES]
    done = kit(packages, *games, "--", "-k", "random_play and not json or secrets")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_kit_says_what_it_skips_and_why(packages: Path) -> None:
    done = kit(packages, "--game=kuhn", "--", "-k", "page or playthrough or explained")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "this game has no page of rules to test: rules.md next to its module" in done.stdout
    assert "no playthroughs are stored: --playthroughs FOLDER --update writes them" in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize("name", [*GAMES, "ring"])
def test_the_whole_kit_passes_once_it_is_installed(tmp_path: Path, name: str) -> None:
    installed = install(tmp_path, ROOT / "examples" / name)
    done = kit(installed, "--all")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_kit_knows_a_schedule(packages: Path) -> None:
    done = kit(packages, "--schedule", "ring", "--", "-k", "it_ends_when_it_says")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("name", "lines"), [("roshambo", 60), ("kuhn", 70)])
def test_the_small_games_are_small(name: str, lines: int) -> None:
    assert len((ROOT / "examples" / name / "src" / f"{name}.py").read_text().splitlines()) < lines


# Leagues and replays


@pytest.mark.slow
def test_late_dice_are_in_the_replay_and_follow_from_the_secret(packages: Path, tmp_path: Path) -> None:
    league = 'name = "pigs"\ngame = "pig"\nseats = 2\n[options]\ntarget = 20\n[schedule]\nkind = "ring"\nlaps = 2\n'
    league += f'[[bots]]\npath = "{RANDOM}"\nlabel = "a"\n[[bots]]\npath = "{RANDOM}"\nlabel = "b"\n'
    (tmp_path / "league.toml").write_text(league)
    arena("league", "create", "league.toml", cwd=tmp_path, installed=packages)
    arena("run", "pigs", "--workers", "1", cwd=tmp_path, installed=packages)
    body = json.loads(arena("replay", "export", "0.0", cwd=tmp_path, installed=packages).stdout)
    assert {name.partition("/")[0] for name in body["chance"]} == {"start", "die"}
    assert "verify" in arena("replay", "verify", cwd=tmp_path, installed=packages).stdout
    arena("db", "verify", cwd=tmp_path, installed=packages)
    arena("league", "reveal", cwd=tmp_path, installed=packages)
    arena("league", "verify-deals", cwd=tmp_path, installed=packages)
    told = arena("replay", "show", "pigs/0.0", cwd=tmp_path, installed=packages).stdout
    assert re.search(r"^ +\d+  a cast: [1-6]\.$", told, re.MULTILINE)
    rows = json.loads(arena("rankings", "--format", "json", cwd=tmp_path, installed=None).stdout)
    assert {row["matches"] for row in rows} == {4}, "what is stored is readable without the packages"


# Nim


def test_nim_ends_with_the_last_one() -> None:
    state, _ = NIM.GAME.deal(2, ruleset(NIM.GAME.info, "small"), Chance(seed=b"nothing"))
    for heap, count in ((2, 3), (1, 2), (0, 1)):
        state, events = NIM.GAME.apply(state, {state.seat: NIM.Take(heap, count)})
    assert events[0].data["left"] == 0
    assert NIM.GAME.turn(state) == Outcome((1, 0))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"type": "take", "heap": 0, "count": 4}, '"take" is not legal now with heap 0, count 4'),
        ({"type": "take", "heap": True, "count": 1}, "not legal now with heap true"),
        ({"type": "take", "heap": 0}, 'needs "count"'),
        ({"type": "take", "heap": 0, "count": 1, "more": 1}, 'no key "more"'),
        ([], "a move is a JSON object"),
    ],
)
def test_what_is_no_move_is_refused_in_words(raw: object, message: str) -> None:
    state, _ = NIM.GAME.deal(2, ruleset(NIM.GAME.info), Chance(seed=b"nothing"))
    with pytest.raises(IllegalMove, match=message):
        NIM.GAME.parse_move(state, 0, raw)
    with pytest.raises(IllegalMove, match="seat 1 has nothing to decide"):
        NIM.GAME.parse_move(state, 1, raw)


# Pig


def test_who_shares_the_highest_die_casts_again_to_begin() -> None:
    state, _ = PIG.GAME.deal(3, ruleset(PIG.GAME.info), Chance(seed=b"pig"))
    assert PIG.GAME.due(state) == Roll("start", 3, 1, 6)
    state, _ = PIG.GAME.drawn(state, (5, 2, 5))
    assert PIG.GAME.due(state) == Roll("start", 2, 1, 6)
    state, _ = PIG.GAME.drawn(state, (3, 3))
    state, _ = PIG.GAME.drawn(state, (1, 4))
    assert PIG.GAME.due(state) is None
    assert PIG.GAME.view(state, None) == {"banked": [0, 0, 0], "turn": 2, "pot": 0}


def test_a_one_costs_the_pot() -> None:
    state = PIG.State(50, (0, 0), ())
    for die, pot, seat in ((6, 6, 0), (3, 9, 0), (1, 0, 1)):
        state, _ = PIG.GAME.apply(state, {0: "cast"})
        state, _ = PIG.GAME.drawn(state, (die,))
        assert (state.pot, state.seat) == (pot, seat)


def test_the_same_seed_casts_the_same_dice() -> None:
    def start(seed: bytes) -> object:
        chance = Chance(seed=seed)
        state, _ = PIG.GAME.deal(6, ruleset(PIG.GAME.info), chance)
        return play_chance(PIG.GAME, state, Recorder(chance))[1]

    assert start(b"a") == start(b"a")
    assert len({repr(start(bytes([number]))) for number in range(20)}) > 10


# Rock, paper, scissors


@pytest.mark.parametrize(("hands", "won"), [("rs", (1, 0)), ("rp", (0, 1)), ("sp", (1, 0)), ("pp", (0, 0))])
def test_who_beats_whom(hands: str, won: tuple[int, int]) -> None:
    game = ROSHAMBO.GAME
    full = {hand[0]: hand for hand in ROSHAMBO.HANDS}
    state, _ = game.deal(2, ruleset(game.info), Chance(seed=b"hands"))
    after, events = game.apply(state, {seat: full[hand] for seat, hand in enumerate(hands)})
    assert game.scores(after) == won
    assert game.describe(events[0].seen_by(None)) == f"Thrown: hands {full[hands[0]]} {full[hands[1]]}."
    assert game.sample_move(state, 1, Stream(b"x", "y")) in ROSHAMBO.HANDS
    game.advance(state, {seat: full[hand] for seat, hand in enumerate(hands)})
    assert state == after


# Kuhn poker


def kuhn(deck: str, moves: str) -> tuple[Any, list[Event]]:
    """Return the state after some moves with a deck such as `JKQ`, and everything that happened."""
    game = KUHN.GAME
    state, dealt = game.deal(2, ruleset(game.info), Chance(record={"deck": list(deck)}))
    events = list(dealt)
    for move in moves.split():
        state, more = game.apply(state, {game.turn(state)[0].seat: move})
        events += more
    return state, events


@pytest.mark.parametrize(
    ("deck", "moves", "scores", "shown"),
    [
        ("KQJ", "check check", (1, -1), True),
        ("JQK", "check check", (-1, 1), True),
        ("JKQ", "bet fold", (1, -1), False),
        ("KJQ", "check bet fold", (-1, 1), False),
        ("QJK", "bet call", (2, -2), True),
        ("QKJ", "check bet call", (-2, 2), True),
    ],
)
def test_who_folds_loses_a_chip_and_shows_nothing(
    deck: str, moves: str, scores: tuple[int, int], shown: bool
) -> None:
    state, events = kuhn(deck, moves)
    assert KUHN.GAME.turn(state) == Outcome(scores)
    assert KUHN.GAME.scores(state) == scores
    assert [event.data["cards"] for event in events if event.kind == "shown"] == [list(deck[:2])] * shown
    hidden = "" if shown else deck[1]
    assert (
        hidden not in repr([event.seen_by(0) for event in events]) + repr(KUHN.GAME.view(state, 0)) or shown
    )


@pytest.mark.parametrize("moves", ["", "check", "bet", "check bet"])
@pytest.mark.parametrize("own", KUHN.CARDS)
def test_guesses_are_the_deals_that_fit_and_each_is_as_likely(moves: str, own: str) -> None:
    """Against all deals in which the seat would have been told the same, over all orders that `shuffle` can make."""
    game, seat = KUHN.GAME, len(moves.split()) % 2
    truth, heard = kuhn(
        next(deck for deck in map("".join, permutations(KUHN.CARDS)) if deck[seat] == own), moves
    )
    seen = Seen(ruleset(game.info), 2, seat, {}, game.view(truth, seat), [one.seen_by(seat) for one in heard])
    fitting = []
    for deck in permutations(KUHN.CARDS):
        state, events = kuhn("".join(deck), moves)
        if [one.seen_by(seat) for one in events] == seen.events and game.view(state, seat) == seen.view:
            fitting.append(deck)
    assert len(fitting) == 2

    class Shuffler:
        """Makes the given order of two items."""

        def __init__(self, turned: bool) -> None:
            self.turned = turned

        def shuffle(self, items: list[Any]) -> None:
            items[:] = items[:: -1 if self.turned else 1]

    guesses = [game.guess(seen, Shuffler(turned)) for turned in (False, True)]
    assert sorted(guess.deck for guess in guesses) == sorted(fitting)
    assert {guess.made for guess in guesses} == {truth.made}


THINKER = """\
from arena_engine import ForwardModel
from arena_kit import run
from kuhn import GAME

def choose(ask, game):
    deals = [ForwardModel(game, GAME).guess(ask) for _ in range(20)]
    def worth(move):
        total = 0
        for deal in deals:
            after = deal.copy()
            after.play(move)
            total += after.simulate()[game.seat]
        return total
    return max(ask["legal"], key=worth)

run(choose)
"""


@pytest.mark.slow
def test_bots_play_it_and_one_of_them_thinks_ahead(packages: Path, tmp_path: Path) -> None:
    arena("new", "mine", "--game", "*", cwd=tmp_path, installed=packages)
    write_bot(tmp_path / "thinker", THINKER, "kuhn")
    match = ("match", "./mine", "./thinker", "--game", "kuhn", "--rotate")
    for number in range(3):
        arena(*match, "--seed", str(number), cwd=tmp_path, installed=packages)
    assert (
        "6 of 6 replays verify"
        in arena("replay", "verify", "casual", cwd=tmp_path, installed=packages).stdout
    )
    body = json.loads(arena("replay", "export", "casual/0.0", cwd=tmp_path, installed=packages).stdout)
    assert sorted(body["chance"]["deck"]) == ["J", "K", "Q"]
    assert body["verdicts"] == [None, None]
    shown = arena("replay", "show", "casual/0.0", cwd=tmp_path, installed=packages).stdout
    assert "mine said: " in shown


# Ring


def test_a_lap_begins_a_table_with_everybody() -> None:
    field, settings = Field((3, 5, 8), (2,)), RING.RingSettings(laps=2)
    first = RING.SCHEDULE.next_matches(field, settings, Summary(0))
    assert [pairing.entries for pairing in first] == [(3, 5), (5, 8), (8, 3)]
    assert RING.SCHEDULE.next_matches(field, settings, Summary(6)) is None
    with pytest.raises(UsageError, match="too small"):
        RING.SCHEDULE.check(Field((1, 2), (3,)), settings)
    with pytest.raises(UsageError, match="neighbours"):
        RING.SCHEDULE.check(Field((1, 2, 3), (3,), {1: "a", 2: "a", 3: "b"}), settings)


# What goes wrong


ENDLESS = """\
from roshambo import *

class Endless(Roshambo):
    info = GameInfo("endless", "Endless", 1, "Never ends.", {"plain": {}}, (Option("throws", "count", "none", 5),))

    def apply(self, state, moves):
        after, events = super().apply(state, moves)
        %s
        return replace(after, left=5), events

GAME = Endless()
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("pass", "no end after 20,000 moves at random"),
        ("1 / 0", "ZeroDivisionError"),
    ],
)
def test_the_kit_fails_clearly_where_a_game_never_ends_or_raises(
    tmp_path: Path, line: str, said: str
) -> None:
    site = beside(tmp_path / "site", "roshambo")
    (site / "endless.py").write_text(ENDLESS % line)
    points = site / "arena_roshambo-1.0.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text() + "\nendless = endless:GAME\n")
    done = kit(site, "--game", "endless", "--", "-k", "test_the_same_seed")
    assert done.returncode == 1
    assert said in done.stdout
    played = arena("match", RANDOM, RANDOM, "--game", "endless", cwd=tmp_path, installed=site, check=False)
    assert played.returncode == 1
    assert "Traceback" not in played.stderr
    wanted = (
        "had not ended after 20,000 moves"
        if line == "pass"
        else "the game 'endless' of arena-roshambo failed: ZeroDivisionError"
    )
    assert wanted in " ".join(played.stderr.split())


HURRIED = """\
import time
from roshambo import *

clock, began = time.perf_counter, time.perf_counter()
time.perf_counter = lambda: began + 3000 * (clock() - began)

class Hurried(Roshambo):
    info = replace(Roshambo.info, name="hurried")

GAME = Hurried()
"""


@pytest.mark.slow
def test_the_kit_passes_a_good_game_on_a_machine_three_thousand_times_as_busy(tmp_path: Path) -> None:
    """To Hypothesis every draw and every example takes seconds: its clock runs that much faster."""
    site = beside(tmp_path / "site", "roshambo")
    (site / "hurried.py").write_text(HURRIED)
    points = site / "arena_roshambo-1.0.0.dist-info" / "entry_points.txt"
    points.write_text(points.read_text() + "\nhurried = hurried:GAME\n")
    done = kit(site, "--game", "hurried", "--", "-k", "test_any_json_value or something_wrong")
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_kit_says_what_it_needs(tmp_path: Path) -> None:
    nothing = kit(tmp_path)
    assert (nothing.returncode, "no plug-ins are installed besides" in nothing.stderr) == (2, True)
    unknown = kit(tmp_path, "--game", "chess")
    assert (unknown.returncode, "there is no game 'chess'" in unknown.stderr) == (2, True)


# Bots of Arena's in games from elsewhere

FIRST_DAY = """
name = "first-day"
game = "{game}"
seats = 2

[options]
{options}

[clock]
move_ms = 60

[schedule]
kind = "round-robin"
rounds = {rounds}

[[bots]]
path = "bots/any_game/searcher"

[[bots]]
path = "bots/any_game/random"
"""


def played_on_the_first_day(
    place: Path, packages: Path, game: str, options: str, rounds: int
) -> list[dict[str, Any]]:
    """Play a league of searcher and random in a game that Arena doesn't know; return its rankings."""
    (place / "league.toml").write_text(FIRST_DAY.format(game=game, options=options, rounds=rounds))
    arena("league", "create", "league.toml", cwd=place, installed=packages)
    arena("run", "first-day", "--workers", "1", "--sandbox", "off", cwd=place, installed=packages)
    return arena_json("rankings", cwd=place, installed=packages)  # type: ignore[no-any-return]


@pytest.mark.slow
def test_a_new_game_has_a_sensible_opponent_on_its_first_day(tmp_path: Path) -> None:
    site = beside(tmp_path / "site", "goofspiel")
    first, second = played_on_the_first_day(tmp_path, site, "goofspiel", "cards = 5", 16)
    assert (first["label"], first["faults"], second["faults"]) == ("searcher", 0, 0)
    assert first["share"] > 0.7


@pytest.mark.slow
def test_where_nothing_can_be_guessed_it_plays_at_random_and_says_so(packages: Path, tmp_path: Path) -> None:
    rows = played_on_the_first_day(tmp_path, packages, "roshambo", "throws = 3", 1)
    assert [row["faults"] for row in rows] == [0, 0]
    log = arena("log", "first-day/0.0", "--bot", "searcher", cwd=tmp_path, installed=packages, check=False)
    assert "random moves: can't think ahead in roshambo: it has no guess" in log.stdout + log.stderr


# Whist, with partners


def whist_leagues(folder: Path, packages: Path) -> list[str]:
    """Play the example's league of drawn partners by one and by two workers; return the digests of both."""
    digests = []
    shutil.copytree(ROOT / "examples" / "whist", folder, dirs_exist_ok=True)
    for workers in (1, 2):
        at = ("--store", f"{workers}.sqlite")
        file = folder / "league.toml"
        file.write_text(file.read_text().replace('name = "whist"', 'seed = 5\nname = "whist"', workers == 1))
        arena("league", "create", "league.toml", *at, cwd=folder, installed=packages)
        arena("run", "whist", "--workers", str(workers), *at, cwd=folder, installed=packages)
        digests.append(arena("db", "digest", *at, cwd=folder, installed=packages).stdout)
    return digests


@pytest.mark.slow
def test_a_league_of_whist_draws_partners_and_rates_them(packages: Path, tmp_path: Path) -> None:
    one, two = whist_leagues(tmp_path, packages)
    assert one == two, "the same league with any number of workers"
    at = ("--store", "1.sqlite")
    rows = arena_json("rankings", "whist", *at, cwd=tmp_path, installed=packages)
    shares = {row["label"]: row["share"] for row in rows}
    assert sum(shares.values()) == pytest.approx(50 * len(shares))
    assert min(shares["partner"], shares["partner 2"]) > max(shares["climber"], shares["random"])
    assert "everything matches" in arena("db", "verify", *at, cwd=tmp_path, installed=packages).stdout
    assert "whist" in arena("db", "verify", "--reference", *at, cwd=tmp_path, installed=packages).stdout
    arena("league", "reveal", "whist", *at, cwd=tmp_path, installed=packages)
    arena("league", "verify-deals", "whist", *at, cwd=tmp_path, installed=packages)
    told = arena("stats", "--view", "coalitions", *at, cwd=tmp_path, installed=packages).stdout
    assert "partners, who share all results" in told
    shown = arena("replay", "show", "whist/0.0", *at, cwd=tmp_path, installed=packages).stdout
    with open_store(tmp_path / "1.sqlite", readonly=True) as store:
        match = store.matches.get(store.leagues.get("whist").uuid, 0)
        names = [store.entries.labels(match.league)[entry] for entry in match.entries]
    assert f"seat 0: {names[0]}, with {names[2]}" in shown
    arena("export-site", "site", *at, cwd=tmp_path, installed=packages)
    pages = tmp_path / "site" / "leagues" / "whist"
    game = (pages / "games" / "0.0.html").read_text()
    assert f"{names[0]} and {names[2]} against {names[1]} and {names[3]}" in game
    assert f"with {names[3]}</span>" in (pages / "matches" / "0.html").read_text()
    with open_store(tmp_path / "1.sqlite", readonly=True) as store:
        league = store.leagues.get("whist")
        together = Counter(
            frozenset(pair)
            for match in store.matches.all(league.uuid)
            for pair in (match.entries[::2], match.entries[1::2])
        )
    assert len(together) == 10, "every pair has been partners"
    assert max(together.values()) - min(together.values()) <= 1


@pytest.mark.slow
@pytest.mark.parametrize("partner", [(), ("climber",)])
def test_versions_are_compared_as_sides(packages: Path, tmp_path: Path, partner: tuple[str, ...]) -> None:
    shutil.copytree(ROOT / "examples" / "whist" / "bots", tmp_path, dirs_exist_ok=True)
    shutil.copytree(RANDOM, tmp_path / "random")
    at = ("--game", "whist", "--sandbox", "off", "--seed", "1", "--budget", "400")
    done = arena("compare", "random", "partner", *partner, *at, cwd=tmp_path, installed=packages)
    assert "better: partner is better than random" in done.stdout
    beside_it = "each on a side with tests/climber" if partner else "each fills a side"
    assert beside_it.split()[-1].rpartition("/")[2] in done.stderr
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        league = store.leagues.get("compare-1")
        assert league.partners.teams == ((0, 2), (1, 3))
        versions = [one.version.bot for one in store.entries.all(league.uuid) if one.version]
        assert versions == ["random", "partner", *(partner * 2 or ("random", "partner"))]
        matches = store.matches.all(league.uuid)
    assert all({match.entries[::2], match.entries[1::2]} == {(0, 2), (1, 3)} for match in matches)
    rows = arena_json("rankings", "compare-1", cwd=tmp_path, installed=packages)
    assert [row["label"] for row in rows] == ["partner", "random"], "a side is one row"
    refused = arena(
        "compare", "random", "partner", *["climber"] * 3, *at, cwd=tmp_path, installed=packages, check=False
    )
    assert "is for 4 players, not 5" in refused.stderr


@pytest.mark.slow
def test_variants_of_a_race_fill_sides(packages: Path, tmp_path: Path) -> None:
    """At tables of four as drawn partners, half of what a variant gains would go to another."""
    shutil.copytree(ROOT / "examples" / "whist" / "bots", tmp_path, dirs_exist_ok=True)
    shutil.copytree(RANDOM, tmp_path / "random")
    at = ("--game", "whist", "--sandbox", "off", "--seed", "1", "--budget", "1200")
    done = arena("race", "random", "partner", "climber", *at, cwd=tmp_path, installed=packages)
    assert "2 variants against random · each fills a side" in done.stderr
    assert "best: partner is better than random" in " ".join(done.stdout.split())
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        league = store.leagues.get("race-1")
        assert league.partners.teams == ((0, 3), (1, 4), (2, 5))
        matches = store.matches.all(league.uuid)
    assert all((0, 3) in {match.entries[::2], match.entries[1::2]} for match in matches), (
        "the base always plays"
    )
    refused = partial(arena, cwd=tmp_path, installed=packages, check=False)
    at_four = refused("race", "random", "--arg", "a=1,2,3", "--seats", "4", *at)
    assert "who would share a result at a table" in " ".join(at_four.stderr.split())
    manifest = tmp_path / "climber" / "bot.toml"
    manifest.write_text(
        manifest.read_text() + "\n[parameters]\nboldness = { value = 0.5, low = 0, high = 1 }\n"
    )
    assert "arena race BASE --arg" in refused("tune", "climber", "--game", "whist").stderr


def test_a_league_whose_system_rates_no_sides_is_refused(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "league.toml").write_text(
        'name = "w"\ngame = "whist"\n[rating]\nsystem = "points"\n'
        + "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{name}"\n' for name in "abcd")
    )
    with installed(packages):
        offer(monkeypatch, Points())
        with pytest.raises(UsageError, match="which the rating system 'points' can't rate") as refusal:
            read_plan(tmp_path / "league.toml")
    assert "remove system" in str(refusal.value.advice)


def test_whist_is_scored_by_sides() -> None:
    """Worked by hand: hearts are trump; seat 1 trumps the first trick, seat 0 takes the second with the ace."""
    hands = [["2C", "AH"], ["3H", "2H"], ["AC", "3D"], ["KC", "2D"]]
    state = WHIST.State(hands, "2H", [])
    played = []
    for card in ("2C", "3H", "AC", "KC", "2H", "3D", "2D", "AH"):
        (decision,) = WHIST.GAME.turn(state)
        assert card in decision.legal
        state, events = WHIST.GAME.apply(state, {decision.seat: card})
        played += [event for event in events if event.kind == "trick"]
    assert [event.data["seat"] for event in played] == [1, 0]
    assert WHIST.GAME.scores(state) == (1, 1, 1, 1)


def test_a_card_of_the_suit_led_is_played_by_who_has_one() -> None:
    state = WHIST.State([["2C"], ["3C", "AH"], [], []], "2H", [(0, "2C")])
    assert WHIST.GAME.turn(state)[0].legal == ("3C",)


def test_a_guess_of_whist_deals_nobody_a_suit_that_it_did_not_follow() -> None:
    rules = ruleset(WHIST.GAME.info)
    rng = Stream(b"w" * 32, "game")
    for number in range(5):
        state, _ = WHIST.GAME.deal(4, rules, Chance(seed=bytes([number]) * 32))
        while not isinstance(turn := WHIST.GAME.turn(state), Outcome):
            seat = turn[0].seat
            seen = Seen(rules, 4, seat, {}, WHIST.GAME.view(state, seat), ())
            guessed = WHIST.GAME.guess(seen, rng)
            assert guessed.hands[seat] == state.hands[seat]
            assert [*map(len, guessed.hands)] == [*map(len, state.hands)]
            assert sorted(chain(*guessed.hands)) == sorted(chain(*state.hands))
            for begun in range(0, len(state.played), 4):
                led = state.played[begun][1][1]
                for other, card in state.played[begun : begun + 4]:
                    if card[1] != led:
                        assert not any(one[1] == led for one in guessed.hands[other])
            state, _ = WHIST.GAME.apply(state, {seat: WHIST.GAME.sample_move(state, seat, rng)})


# Fixed teams


def of_teams(*teams: str | None) -> str:
    """Return `[[bots]]` tables, each of a team or of none."""
    return "".join(
        f'[[bots]]\npath = "{RANDOM}"\n' + (f'team = "{team}"\n' if team else f'label = "{number}"\n')
        for number, team in enumerate(teams)
    )


FIXED = 'name = "w"\ngame = "whist"\nteams = "fixed"\nsame_author = true\n'


@pytest.mark.parametrize(
    ("text", "said", "advice"),
    [
        (FIXED + of_teams("a", "a", "b", None), "is in no team", "name it in several"),
        (
            FIXED + of_teams("a", "a", "b"),
            "the team of b has 1 bot, and a side of Whist has 2",
            "give 2 [[bots]]",
        ),
        (FIXED + of_teams("a", "a", "a", "b", "b"), "the team of a has 3 bots", "give 2 [[bots]]"),
        (FIXED + of_teams("a", "a", "b", "b") + 'label = "x"\n', "called after its team", "remove label"),
        (
            FIXED.replace("fixed", "drawn") + of_teams("a", "a", "b", "b"),
            "team has no effect",
            'teams = "fixed"',
        ),
        (FIXED.replace("whist", "pig") + of_teams("a", "a", "b", "b"), "Pig has no partners", "remove teams"),
        (FIXED + of_teams("a", "a", "b", "b") + "[rating]\ninherit = true\n", "no rating", "remove inherit"),
        (
            FIXED
            + '[schedule]\nkind = "ladder"\n[quota]\ngames_per_day = 5\n'
            + of_teams("a", "a", "b", "b"),
            "play or pause as a whole",
            "remove [quota]",
        ),
        (FIXED + "seats = 3\n" + of_teams("a", "a", "b", "b"), "for 4 players, not 3", "games show whist"),
    ],
)
def test_teams_that_do_not_fit_are_refused_with_what_to_do(
    packages: Path, tmp_path: Path, text: str, said: str, advice: str
) -> None:
    (tmp_path / "league.toml").write_text(text)
    with installed(packages), pytest.raises(UsageError) as refusal:
        read_plan(tmp_path / "league.toml")
    error: Any = refusal.value
    told = f"{error} {error.advice} " + " ".join(f"{e} {e.advice}" for e in getattr(error, "mistakes", ()))
    assert said in told
    assert advice in told


@pytest.mark.slow
def test_fixed_teams_are_rated_as_teams(packages: Path, tmp_path: Path) -> None:
    """By one worker and by two: the same league; nobody can join, and a copy has the same teams."""
    shutil.copytree(ROOT / "examples" / "whist", tmp_path, dirs_exist_ok=True)
    file = tmp_path / "teams.toml"
    file.write_text("seed = 5\n" + file.read_text().replace("rounds = 5", "rounds = 2"))
    digests = []
    for number in (0, 1):
        at = ("--store", f"{number}.sqlite")
        arena("league", "create", "teams.toml", *at, cwd=tmp_path, installed=packages)
        arena("run", "whist-teams", "--workers", str(number + 1), *at, cwd=tmp_path, installed=packages)
        digests.append(arena("db", "digest", *at, cwd=tmp_path, installed=packages).stdout)
    assert digests[0] == digests[1]
    rows = arena_json("rankings", "whist-teams", *at, cwd=tmp_path, installed=packages)
    assert sorted(row["label"] for row in rows) == ["Climbers", "Mixed", "Partners"]
    assert sum(row["share"] for row in rows) == pytest.approx(150)
    assert {row["matches"] for row in rows} == {4}
    assert rows[-1]["label"] == "Climbers"
    for more in ([], ["--reference"]):
        arena("db", "verify", *more, *at, cwd=tmp_path, installed=packages)
    for view in ("lottery", "circles", "coalitions", "authors"):
        arena("stats", "--view", view, *at, cwd=tmp_path, installed=packages)
    arena("league", "reveal", "whist-teams", *at, cwd=tmp_path, installed=packages)
    arena("league", "verify-deals", "whist-teams", *at, cwd=tmp_path, installed=packages)
    refused = arena(
        "league", "add", "whist-teams", RANDOM, *at, cwd=tmp_path, installed=packages, check=False
    )
    assert refused.returncode != 0
    arena("export-site", "site", *at, cwd=tmp_path, installed=packages)
    assert (
        "with Mixed 2</span>"
        in (tmp_path / "site/leagues/whist-teams/matches/0.html").read_text()
        + (tmp_path / "site/leagues/whist-teams/matches/1.html").read_text()
    )
    arena("league", "clone", "whist-teams", "again", *at, cwd=tmp_path, installed=packages)
    with open_store(tmp_path / "1.sqlite", readonly=True) as store:
        assert store.leagues.get("again").partners == store.leagues.get("whist-teams").partners
        seats = {
            frozenset(seat.entry_no // 2 for seat in game.seats[side::2])
            for game in store.games.all(store.leagues.get("whist-teams").uuid)
            for side in (0, 1)
        }
    assert seats == {frozenset({team}) for team in range(3)}, "the two of a team sit opposite in every game"
