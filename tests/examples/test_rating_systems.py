"""Rating systems from elsewhere: the examples, every command with each, without them, and packages that are broken."""

from pathlib import Path

import pytest

from tests.examples.outside import ROOT, arena, beside, kit, load

RANDOM = str(ROOT / "bots" / "any_game" / "random")
ELO = load("elo", "elo.py")
BOTS = ("ann", "bea", "cid")

LEAGUE = """\
name = "{name}"
game = "bread-basket"
seats = 2
seed = 5
sandbox = "off"
workers = 1
{more}
[rating]
{rating}
"""


def write_league(folder: Path, name: str, rating: str, more: str = "schedule.rounds = 2") -> str:
    """Write a league file of three bots that choose at random; return its name."""
    bots = "".join(f'[[bots]]\npath = "{RANDOM}"\nlabel = "{label}"\n' for label in BOTS)
    file = folder / f"{name}.toml"
    file.write_text(LEAGUE.format(name=name, rating=rating, more=more) + bots)
    return file.name


def entry_points(site: Path, name: str, value: str) -> None:
    """Have a package look installed that offers a rating system."""
    about = site / f"{name.replace('-', '_')}_package-1.0.dist-info"
    about.mkdir(parents=True, exist_ok=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}-package\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(f"[arena.ratings]\n{name} = {value}\n")


# The kit


@pytest.fixture(scope="module")
def elo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which Elo looks installed."""
    return beside(tmp_path_factory.mktemp("packages") / "site", "elo")


def test_the_kit_passes(elo: Path) -> None:
    done = kit(elo, "--rating", "elo")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("return [Rating(r.mu + random()) for r in ratings]", "test_the_same_match_gives_the_same_bits"),
        ("return [Rating(r.mu + i) for i, r in enumerate(ratings)]", "test_equals_who_tie_are_rated_alike"),
        (
            "return [Rating(r.mu + rank) for r, rank in zip(ratings, ranks)]",
            "test_a_win_is_worth_no_less",
        ),
        (
            "return [Rating(r.mu - 1e-9 * 2 ** abs(r.mu - 1500) * rank) for r, rank in zip(ratings, ranks)]",
            "test_upsets_and_sure_things_are_rated",
        ),
    ],
)
def test_the_kit_finds(tmp_path: Path, line: str, said: str) -> None:
    done = kit(broken_package(tmp_path, line), "--rating", "broken", "--", "-k", said)
    assert done.returncode == 1, done.stdout
    assert " failed" in done.stdout


def broken_package(folder: Path, line: str, before: str = "") -> Path:
    """Return a folder in which a rating system looks installed whose `rate` does what a line says."""
    site = beside(folder / "site", "elo")
    (site / "broken.py").write_text(
        f"from random import random\nfrom math import nan\n{before}\nfrom elo import *\n\n"
        "class Broken(Elo):\n"
        '    name = "broken"\n'
        "    def rate(self, settings, ratings, ranks):\n"
        f"        {line}\n\nRATING = Broken()\n"
    )
    entry_points(site, "broken", "broken:RATING")
    return site


# Elo by hand


def test_elo_by_hand() -> None:
    settings = ELO.EloSettings()
    start, rate = ELO.Rating, ELO.RATING.rate
    assert rate(settings, [start(1500.0)] * 2, [1, 2]) == (start(1510.0), start(1490.0))
    assert rate(settings, [start(1500.0)] * 2, [1, 1]) == (start(1500.0),) * 2
    assert rate(settings, [start(1500.0)] * 3, [1, 2, 2]) == (start(1510.0), start(1495.0), start(1495.0))
    strong, weak = rate(settings, [start(1900.0), start(1500.0)], [2, 1])
    assert (strong.mu, weak.mu) == pytest.approx((1900 - 20 / 1.1, 1500 + 20 / 1.1))


# The league file


@pytest.mark.parametrize(
    ("rating", "words", "hint"),
    [
        (
            'system = "elo"\nkk = 3',
            "{file}:10: unknown key 'kk'",
            "keys here: system, inherit, widen, start, k",
        ),
        ('system = "elo"\nk = "3"', "{file}:10: rating.k: expected a number, got text", "k = 0.5"),
        ('system = "elo"\nk = 500', "{file}:10: rating.k: must be a number, at most 400", ""),
        ('system = "elo"\ntau = 0.1', "{file}:10: unknown key 'tau'", "keys here: system"),
        (
            'system = "glicko"',
            "{file}:9: rating.system: there is no rating system 'glicko'",
            "elo, trueskill",
        ),
    ],
)
def test_what_the_file_says_is_checked(tmp_path: Path, elo: Path, rating: str, words: str, hint: str) -> None:
    file = write_league(tmp_path, "friday", rating)
    done = arena("league", "create", file, cwd=tmp_path, installed=elo, check=False)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert words.format(file=file) in said
    assert hint in said
    assert not list(tmp_path.glob("arena.sqlite"))
