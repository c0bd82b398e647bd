"""Packages that fail to load, or are missing, harm only the leagues that need them."""

from pathlib import Path

import pytest

from tests.support.outside import arena, beside

RANDOM = "bots/any_game/random"
KINDS = ("games", "schedules", "ratings", "executors")
LEAGUE = f"""\
name = "sound"
game = "bread-basket"
seats = 2
[options]
hands = 1
[schedule]
kind = "round-robin"
[rating]
draw_probability = 0.1
[[bots]]
path = "{RANDOM}"
label = "a"
[[bots]]
path = "{RANDOM}"
label = "b"
"""


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which a package of each kind is installed whose import fails, one of them by leaving."""
    site = tmp_path_factory.mktemp("broken")
    about = site / "mishap-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mishap\nVersion: 1.0\n")
    points = "".join(f"[arena.{kind}]\nmishap = mishap_{kind}:THING\n" for kind in KINDS)
    (about / "entry_points.txt").write_text(points)
    for kind in KINDS:
        leaves = "import sys\nsys.exit(7)\n" if kind == "games" else "1 / 0\n"
        (site / f"mishap_{kind}.py").write_text(leaves)
    return site


@pytest.mark.slow
def test_other_leagues_go_on_as_if_they_were_not_there(broken: Path, tmp_path: Path) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE)
    for command in (
        ("league", "create", "league.toml"),
        ("run", "sound", "--workers", "1"),
        ("rankings",),
        ("replay", "verify"),
        ("db", "verify"),
    ):
        done = arena(*command, cwd=tmp_path, installed=broken)
        assert "mishap" not in done.stdout + done.stderr


@pytest.mark.parametrize(
    ("line", "instead", "reason"),
    [
        ('game = "bread-basket"', 'game = "mishap"', "mishap_games:THING (entry point mishap of mishap)"),
        ('kind = "round-robin"', 'kind = "mishap"', "mishap_schedules:THING"),
        ("[rating]", '[rating]\nsystem = "mishap"', "mishap_ratings:THING"),
    ],
)
def test_a_league_that_needs_one_is_refused_with_its_package_and_the_reason(
    broken: Path, tmp_path: Path, line: str, instead: str, reason: str
) -> None:
    (tmp_path / "league.toml").write_text(LEAGUE.replace(line, instead))
    done = arena("league", "create", "league.toml", cwd=tmp_path, installed=broken, check=False)
    assert done.returncode in (1, 2)
    told = " ".join(done.stderr.split())
    assert "Traceback" not in told
    assert reason in told
    assert ("SystemExit: 7" if "game" in line else "ZeroDivisionError") in told
    assert "fix it, or uninstall the package" in told


def test_the_list_of_games_names_it(broken: Path, tmp_path: Path) -> None:
    done = arena("games", cwd=tmp_path, installed=broken)
    assert "bread-basket" in done.stdout
    assert "mishap_games:THING (entry point mishap of mishap)" in " ".join(done.stderr.split())


@pytest.mark.slow
def test_a_store_is_read_and_verified_beside_games_that_are_gone(tmp_path: Path) -> None:
    """The replays of a game that is not installed can't be played; those of others are."""
    site = beside(tmp_path / "site", "roshambo")
    (tmp_path / "league.toml").write_text(LEAGUE)
    arena("match", RANDOM, RANDOM, "--game", "roshambo", cwd=tmp_path, installed=site)
    arena("league", "create", "league.toml", cwd=tmp_path, installed=site)
    arena("run", "sound", "--workers", "1", cwd=tmp_path, installed=site)
    arena("rankings", "sound", cwd=tmp_path, installed=None)
    assert "verify" in arena("replay", "verify", "sound", cwd=tmp_path, installed=None).stdout
    done = arena("db", "verify", cwd=tmp_path, installed=None, check=False)
    assert done.returncode == 1
    told = " ".join(done.stderr.split())
    assert "not played through the rules" in told
    assert "there is no game 'roshambo' on this machine" in told
    assert "Finding(" not in told
