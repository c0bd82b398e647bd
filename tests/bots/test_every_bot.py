"""The reference bots of every game: whole, legal and repeatable, at every table and without any time."""

import shutil
from collections.abc import Callable
from typing import Any

import pytest

from arena.core.game import Outcome
from arena.engine import search
from arena.submissions.manifest import plays, read_manifest
from tests.support.bots.scripted_arena import QUIT, ScriptedArena
from tests.support.bots.simulation import ALL_BOTS, KitSeat, ProcessSeat, Seat, load_bot, play
from tests.support.game_tables import every_table

GAMES = ("bread-basket", "bread-and-chocolate", "sandwich")
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="crumb is JavaScript: needs node")
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="the champions are C: need cc")

PROGRAMS = [
    pytest.param("bread-basket", ("random",)),
    *(pytest.param("bread-basket", (name,), marks=pytest.mark.slow) for name in ("greedy", "counter")),
    pytest.param("bread-basket", ("crumb",), marks=needs_node),
    pytest.param("bread-basket", ("baker", "--worlds", "10"), marks=needs_cc),
    pytest.param("bread-and-chocolate", ("greedy",)),
    pytest.param("bread-and-chocolate", ("rememberer",)),
    pytest.param("bread-and-chocolate", ("chocolatier", "--walks", "10"), marks=needs_cc),
    pytest.param("bread-and-chocolate", ("rememberer", "--forget"), marks=pytest.mark.slow),
    pytest.param("sandwich", ("greedy",)),
    pytest.param("sandwich", ("learner",)),
    pytest.param("sandwich", ("gourmet", "--worlds", "2"), marks=needs_cc),
    pytest.param("sandwich", ("learner", "--no-learning"), marks=pytest.mark.slow),
]
"""Bots with their arguments; in the quick suite, one of each kind and language."""
OF_EVERY_KIND: dict[str, list[tuple[int, str, dict[str, object]]]] = {
    "bread-basket": [
        (2, "tens", {"hands": 2}),
        (3, "none", {"hands": 2}),
        (4, "extra", {"hands": 2}),
        (6, "tens", {"hands": 2}),
    ],
    "bread-and-chocolate": [
        (2, "pagat", {"hands": 1}),
        (2, "gamerules", {"hands": 1}),
        (3, "shram", {"hands": 1, "turn_limit": 45, "values": "note"}),
    ],
    "sandwich": [
        (3, "fr", {"rounds": 2}),
        (4, "en", {"tasting": "free", "open": True, "rounds": 1}),
        (12, "de", {"boxes": 2, "alternate": True, "rounds": 1}),
    ],
}
"""Short games of every kind: seats, ruleset and options."""
THINKING = {
    "bread-basket": ("worrier", "dreamer", "reader", "searcher"),
    "bread-and-chocolate": ("blocker", "gardener", "listener", "searcher"),
    "sandwich": ("bland", "caterer", "apprentice", "trainee", "searcher"),
}
"""Bots that know Arena's rules."""
SHORT: dict[str, dict[str, object]] = {
    "bread-basket": {"hands": 1},
    "bread-and-chocolate": {"hands": 1, "turn_limit": 60},
    "sandwich": {"rounds": 2},
}
"""Options that shorten a game."""
SMALLEST = {"bread-basket": ("tens", 2), "bread-and-chocolate": ("shram", 3), "sandwich": ("en", 3)}


@pytest.mark.parametrize("game", GAMES)
def test_every_folder_says_what_it_is(game: str) -> None:
    folders = sorted(path for path in (ALL_BOTS / game.replace("-", "_")).iterdir() if path.is_dir())
    manifests = [read_manifest(folder) for folder in folders]
    assert [manifest.name for manifest in manifests] == [folder.name for folder in folders]
    assert {manifest.author for manifest in manifests} == {"arena"}
    for manifest, folder in zip(manifests, folders, strict=True):
        assert manifest.description
        assert [plays(manifest.games, name) for name in GAMES] == [name == game for name in GAMES]
        program = manifest.build[-2] if manifest.build else manifest.command[-1]
        assert (folder / program).is_file()


@pytest.mark.parametrize("name", ["random", "searcher"])
def test_some_bots_play_any_game(name: str) -> None:
    manifest = read_manifest(ALL_BOTS / "any_game" / name)
    assert (manifest.name, manifest.author) == (name, "arena")
    assert plays(manifest.games, "any-other-game")


@pytest.mark.parametrize(
    ("game", "program"), PROGRAMS, ids=lambda given: given if isinstance(given, str) else " ".join(given)
)
def test_a_process_plays_games_of_every_kind_and_plays_them_again_alike(
    game: str, program: tuple[str, ...], processes: Callable[..., ScriptedArena]
) -> None:
    """One seat is a real process, which plays all the games one after another, and the first one again."""
    process = processes(game, *program)
    bot = ProcessSeat(process)
    greedy = load_bot(game, "greedy")[0]
    others: list[Seat] = [KitSeat(greedy) for _ in range(11)]
    tables = OF_EVERY_KIND[game]
    results = [
        play(game, [*others[: seats - 1], bot], seats, rules, options)
        for seats, rules, options in [*tables, tables[0]]
    ]
    assert results[0] == results[-1]
    process.say(QUIT)
    assert process.finish() == (0, "", "")


class HeldClock:
    """A clock that is late at every look, or goes on by a step, at first not at all."""

    def __init__(self, late: bool, step: float = 0.0) -> None:
        self.now = 0.0
        self.step = 1000.0 if late else step

    def __call__(self) -> float:
        self.now += self.step
        return self.now


def played(
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    name: str,
    rules: str,
    seats: int,
    options: dict[str, object],
    *,
    late: bool,
) -> tuple[Outcome, list[tuple[int, Any]]]:
    """Play a short game, the bot at the last seat among greedy ones."""
    made, module = load_bot(game, name)
    if hasattr(module, "monotonic"):
        module.monotonic = HeldClock(late)
    monkeypatch.setattr(search, "monotonic", HeldClock(late, 0.02))
    others = load_bot(game, "greedy")[0]
    players = [*(KitSeat(others) for _ in range(seats - 1)), KitSeat(made)]
    return play(game, players, 7, rules, {**SHORT[game], **options})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name", "rules", "seats", "options"),
    [
        pytest.param(*table[:1], name, *table[1:], id=f"{name}-{table[1]}-{table[2]}")
        for table in every_table()
        for name in THINKING.get(table[0], ())
    ],
)
def test_a_bot_plays_to_the_end_at_every_table(
    monkeypatch: pytest.MonkeyPatch,
    game: str,
    name: str,
    rules: str,
    seats: int,
    options: dict[str, object],
) -> None:
    outcome, moves = played(monkeypatch, game, name, rules, seats, options, late=False)
    assert len(outcome.scores) == seats
    assert any(seat == seats - 1 for seat, _ in moves)


@pytest.mark.parametrize(
    ("game", "name"), [(game, name) for game, names in THINKING.items() for name in names]
)
def test_without_any_time_a_bot_plays_to_the_end_and_again_alike(
    monkeypatch: pytest.MonkeyPatch, game: str, name: str
) -> None:
    first, second = (played(monkeypatch, game, name, *SMALLEST[game], {}, late=True) for _ in range(2))
    assert first == second


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "name"),
    [
        ("bread-basket", "dreamer"),
        ("bread-and-chocolate", "gardener"),
        ("sandwich", "caterer"),
        ("sandwich", "searcher"),
    ],
)
def test_with_time_a_bot_thinks_further_and_alike_again(
    monkeypatch: pytest.MonkeyPatch, game: str, name: str
) -> None:
    hurried, *patient = (
        played(monkeypatch, game, name, *SMALLEST[game], {}, late=late) for late in (True, False, False)
    )
    assert patient[0] == patient[1] != hurried


ALONE = {
    "bread-and-chocolate": (
        {"greedy": ("greedy",), "rememberer": ("rememberer",), "forget": ("rememberer", "--forget")},
        (
            (2, "pagat", {"hands": 2}),
            (2, "gamerules", {"hands": 2, "going_out": 0}),
            (5, "shram", {"hands": 1, "turn_limit": 50}),
        ),
        {"play"},
    ),
    "sandwich": (
        {"greedy": ("greedy",), "learner": ("learner",), "no-learning": ("learner", "--no-learning")},
        (
            (3, "en", {}),
            (5, "fr", {"alternate": True, "boxes": 2}),
            (6, "en", {"rounds": 1}),
            (4, "fr", {"tasting": "free", "trading": True, "rounds": 2}),
        ),
        {"grab", "serve"},
    ),
}
"""For games in which some moves are composed: bots by what they are called here, tables, and kinds of moves."""
QUICK = {"greedy-pagat-2", "greedy-gamerules-2", "greedy-shram-5", "rememberer-shram-5", "greedy-en-3"} | {
    "greedy-fr-5",
    "greedy-en-6",
    "greedy-fr-4",
    "learner-en-6",
    "learner-fr-4",
}


@pytest.mark.parametrize(
    ("game", "program", "table", "kinds"),
    [
        pytest.param(
            *(game, program, table, kinds),
            id=(key := f"{name}-{table[1]}-{table[0]}"),
            marks=() if key in QUICK else pytest.mark.slow,
        )
        for game, (programs, tables, kinds) in ALONE.items()
        for name, program in programs.items()
        for table in tables
    ],
)
def test_all_moves_of_a_bot_among_its_like_are_legal(
    game: str, program: tuple[str, ...], table: tuple[int, str, dict[str, object]], kinds: set[str]
) -> None:
    seats, rules, options = table
    made = load_bot(game, *program)[0]
    outcome, moves = play(game, [KitSeat(made) for _ in range(seats)], 1, rules, options)
    assert len(outcome.scores) == seats
    assert {raw["type"] for _, raw in moves} >= kinds
