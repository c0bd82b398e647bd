"""Rating systems from elsewhere: the examples, every command with each, without them, and packages that are broken."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from results.base.errors import LedgerError
from tests.support.leagues import arena_here, play_here
from tests.support.outside import ROOT, beside, installed, kit, load

pytestmark = pytest.mark.xdist_group("rating systems")  # most look at one store

RANDOM = str(ROOT / "bots" / "any_game" / "random")
ELO = load("elo", "elo.py")
BOTS = ("ann", "bea", "cid")

LEAGUE = """\
name = "{name}"
game = "bread-basket"
seats = 2
seed = 7
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


def arena(
    *words: str, cwd: Path, site: Path | None, check: bool = True
) -> "subprocess.CompletedProcess[str]":
    """Run a command within this process, with what is installed in a folder; it never ends in a traceback."""
    with installed(site):
        done = arena_here(*words, cwd=cwd)
    assert not check or done.returncode == 0, (words, done.stdout, done.stderr)
    return done


def play(folder: Path, name: str, site: Path | None) -> None:
    """Play a league to its end."""
    with installed(site):
        assert play_here(folder, name)


# The kit


@pytest.fixture(scope="module")
def elo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder in which Elo looks installed."""
    return beside(tmp_path_factory.mktemp("packages") / "site", "elo")


@pytest.mark.slow
def test_the_kit_passes(elo: Path) -> None:
    done = kit(elo, "--rating", "elo")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
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
            "return [Rating(r.mu - rank if abs(r.mu - 1500) < 5_000 else nan) for r, rank in zip(ratings, ranks)]",
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
        (
            'system = "elo"\nk = "3"',
            "{file}:10: rating.k: must be a number",
            "write it without quotes: k = 3",
        ),
        (
            'system = "elo"\nk = 500',
            "{file}:10: rating.k: must be a number, more than 0 and at most 400, not 500",
            "",
        ),
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
    done = arena("league", "create", file, cwd=tmp_path, site=elo, check=False)
    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert words.format(file=file) in said
    assert hint in said
    assert not list(tmp_path.glob("arena.sqlite"))


# Every command


class System(NamedTuple):
    """A rating system, installed somewhere."""

    name: str
    example: str
    setting: str
    site: Path
    """Where its package is installed."""

    @property
    def rating(self) -> str:
        return f'system = "{self.name}"\n{self.setting}'


def openskill_of(folder: Path) -> Path:
    """Install openskill into a folder of its own; skips where the package index can't be reached."""
    target = folder / "openskill"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "-q",
        "--disable-pip-version-check",
        "--target",
        str(target),
    ]
    done = subprocess.run([*pip, "openskill>=6,<7"], capture_output=True, text=True, check=False, timeout=200)
    if done.returncode:
        pytest.skip(f"openskill can't be installed here: {done.stderr.strip().splitlines()[-1:]}")
    return target


@pytest.fixture(scope="module", params=["elo", pytest.param("plackett-luce", marks=pytest.mark.slow)])
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> System:
    """Return each of the examples, as an installed package."""
    folder = tmp_path_factory.mktemp(request.param)
    if request.param == "elo":
        return System("elo", "elo", "k = 32", beside(folder / "site", "elo"))
    site = openskill_of(folder)
    beside(site, "openskill")
    return System("plackett-luce", "openskill", "beta = 5.0", site)


@pytest.fixture(scope="module")
def played(system: System, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a store: a league of the system played to its end, one open, and one of TrueSkill."""
    folder = tmp_path_factory.mktemp("played")
    for name, rating in (("first", system.rating), ("open", system.rating), ("other", "tau = 0.1")):
        file = write_league(folder, name, rating)
        arena("league", "create", file, cwd=folder, site=system.site)
        if name != "open":
            play(folder, name, system.site)
    return folder


READING = (
    *(("rankings", "first", "--format", form) for form in ("table", "json", "csv", "md")),
    *(("history", "first", "--format", form) for form in ("table", "json", "csv", "md")),
    ("rankings", "first", "--fit"),
    ("history", "first", "--bot", "bea"),
    ("matrix", "first"),
    *(("stats", "first", "--view", view) for view in ("seats", "tables", "faults", "time", "luck")),
    ("faults", "first"),
    ("replay", "list", "first"),
    ("replay", "show", "first/0.0"),
    ("replay", "verify", "first"),
    ("replay", "export", "first/0.0"),
    ("league", "list"),
    ("league", "show", "first"),
    ("league", "verify-deals", "first"),
    ("db", "digest", "first"),
    ("bots",),
    ("rankings", "other"),
)
"""Commands that only read; none needs the rating system."""
QUICK = (
    *(("rankings", "first", "--format", form) for form in ("table", "json")),
    ("history", "first", "--format", "csv"),
    ("league", "show", "first"),
    ("league", "verify-deals", "first"),
    ("db", "digest", "first"),
)


@pytest.mark.slow
@pytest.mark.parametrize(
    "commands",
    [pytest.param(QUICK, id="quick"), pytest.param(READING, id="all", marks=pytest.mark.slow)],
)
def test_reading_is_the_same_with_the_package_and_without(
    commands: tuple[tuple[str, ...], ...], system: System, played: Path
) -> None:
    for command in commands:
        there = arena(*command, cwd=played, site=system.site)
        gone = arena(*command, cwd=played, site=None)
        assert gone.stdout == there.stdout, command
        assert gone.stderr == there.stderr, command


def test_rankings_are_shown_as_the_scale_has_them(system: System, played: Path) -> None:
    table = arena("rankings", "first", cwd=played, site=None).stdout
    lines = arena("history", "first", cwd=played, site=None).stdout
    rows = json.loads(arena("rankings", "first", "--format", "json", cwd=played, site=None).stdout)
    assert [row["mu"] for row in rows] == sorted((row["mu"] for row in rows), reverse=True)
    if system.name == "elo":
        assert "rating" in table
        assert "σ" not in table + lines
        assert {row["sigma"] for row in rows} == {None}
        assert f" {rows[0]['mu']:.0f} " in table
    else:
        assert "σ" in table
        assert all(row["sigma"] > 0 for row in rows)


def test_what_needs_the_system_says_that_it_is_missing(system: System, played: Path) -> None:
    missing = f"is rated by '{system.name}', and no such rating system is installed"
    run = arena("run", "open", cwd=played, site=None, check=False)
    assert (run.returncode, missing in run.stderr) == (1, True), run.stderr
    assert "league 'open'" in run.stderr
    rebuilt = arena("db", "rebuild", cwd=played, site=None, check=False)
    assert (rebuilt.returncode, missing in rebuilt.stderr) == (1, True), rebuilt.stderr
    assert "all other leagues are rebuilt" in " ".join(rebuilt.stderr.split())
    verified = arena("db", "verify", cwd=played, site=None, check=False)
    assert verified.returncode == 0, "nothing stored is wrong"
    assert verified.stderr == (
        f"warning: not checked: ratings and totals of 2 leagues: the rating system '{system.name}' is not installed\n"
        "1. install the packages of the rating systems that are missing\n"
        "2. check what is left to fix: arena db verify\n"
    )
    assert "nothing wrong found, but not everything was checked" in verified.stdout
    created = write_league(played, "more", system.rating)
    refused = arena("league", "create", created, cwd=played, site=None, check=False)
    assert (refused.returncode, f"no rating system '{system.name}'" in refused.stderr) == (2, True)
    arena("db", "rebuild", cwd=played, site=system.site)
    arena("db", "verify", cwd=played, site=system.site)


SCHEDULES = {
    "swiss": '[schedule]\nkind = "swiss"\nrounds = 3',
    "cup": '[schedule]\nkind = "elimination"',
    "gauntlet": '[schedule]\nkind = "gauntlet"',
    "ladder": '[schedule]\nkind = "ladder"\n[stop]\nmatches = 40',
    "settled": '[stop]\nuntil = "settled"\nmatches = 40\n[schedule]\nkind = "ladder"',
}


@pytest.mark.slow
@pytest.mark.parametrize("name", SCHEDULES)
def test_every_schedule_and_stop(system: System, tmp_path: Path, name: str) -> None:
    file = write_league(tmp_path, name, system.rating, SCHEDULES[name])
    arena("league", "create", file, cwd=tmp_path, site=system.site)
    play(tmp_path, name, system.site)
    assert len(json.loads(arena("rankings", "--format", "json", cwd=tmp_path, site=None).stdout)) == len(BOTS)
    status = arena("league", "show", name, cwd=tmp_path, site=None).stdout
    assert "finished" in status
    arena("db", "verify", cwd=tmp_path, site=system.site)


@pytest.mark.slow
def test_the_commands_that_write(system: System, played: Path, tmp_path: Path) -> None:
    """Inherit, compare, play a match, submit, back up, restore, prune, reveal; all beside the rating system."""
    shutil.copytree(played, tmp_path / "store")
    folder = tmp_path / "store"

    def run(*words: str, check: bool = True) -> str:
        done = arena(*words, cwd=folder, site=system.site, check=check)
        return done.stdout + done.stderr

    heirs = run("league", "create", write_league(folder, "heirs", f"{system.rating}\ninherit = true"))
    assert heirs.count("from its last rating in an earlier league") == len(BOTS)
    assert ("±" in heirs) is (system.name != "elo")
    play(folder, "heirs", system.site)
    other = f'system = "{system.name}"\ninherit = true\n' + (
        "start = 0" if system.name == "elo" else "mu = 0"
    )
    assert "starts at" not in run("league", "create", write_league(folder, "strange", other))
    run("submit", RANDOM)
    run("match", RANDOM, RANDOM, "--game", "bread-basket", "--sandbox", "off")
    run(
        "compare",
        RANDOM,
        RANDOM,
        "--game",
        "bread-basket",
        "--budget",
        "16",
        "-w",
        "1",
        "--sandbox",
        "off",
        check=False,
    )
    run("db", "backup", "kept.sqlite")
    play(folder, "open", system.site)
    before = run("db", "digest", "first")
    run("db", "restore", "kept.sqlite")
    run("db", "rebuild")
    assert run("db", "digest", "first") == before
    run("db", "prune", "none", "first")
    run("db", "verify")
    run("doctor", check=False)


# Packages that are broken

AT_IMPORT = "1 / 0\n"
NO_MEMBERS = "class Elo:\n    name = 'elo'\n\nRATING = Elo()\n"
NOT_A_NUMBER = "        return tuple(Rating(float('nan')) for _ in ratings)\n"
RAISES = "        raise ZeroDivisionError('out of ideas')\n"


def changed(site: Path, text: str) -> None:
    """Break the module of Elo: all of it, or where it starts with blanks, what rates a match."""
    whole = (ROOT / "examples" / "elo" / "src" / "elo.py").read_text()
    if text.startswith(" "):
        head, _, tail = whole.partition("        others = len(ratings) - 1\n")
        text = head + text + tail
    (site / "elo.py").write_text(text)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            AT_IMPORT, "elo:RATING (entry point elo of arena-elo), a rating system, failed to load: "
                       "ZeroDivisionError: division by zero",
            id="at import", marks=pytest.mark.slow,
        ),
        pytest.param(
            NO_MEMBERS,
            "elo:RATING (entry point elo of arena-elo) is no rating system: it lacks rate, scale, settings",
            id="no members", marks=pytest.mark.slow,
        ),
        pytest.param(
            NOT_A_NUMBER,
            "match 0: the rating system 'elo' of arena-elo failed: `rate` returned Rating(mu=nan",
            id="not a number", marks=pytest.mark.slow,
        ),
        pytest.param(
            RAISES,
            "match 0: the rating system 'elo' of arena-elo failed: ZeroDivisionError: out of ideas (",
            id="raises", marks=pytest.mark.slow,
        ),
    ],
)  # fmt: skip
def test_a_broken_package_says_so_and_loses_nothing(
    system: System, played: Path, tmp_path: Path, text: str, words: str
) -> None:
    if system.name != "elo":
        pytest.skip("breaks the module of Elo")
    shutil.copytree(played, tmp_path / "store")
    folder, site = tmp_path / "store", beside(tmp_path / "site", "elo")
    whole = arena("rankings", "first", cwd=folder, site=site).stdout
    changed(site, text)
    with installed(site), pytest.raises(LedgerError) as failed:
        play_here(folder, "open")
    assert words in str(failed.value)
    assert (failed.value.exit_code, bool(failed.value.hint)) == (1, True)
    assert arena("rankings", "first", cwd=folder, site=site).stdout == whole
    arena("rankings", "other", cwd=folder, site=site)
    arena("league", "create", write_league(folder, "fine", "tau = 0.0"), cwd=folder, site=site)
    games = json.loads(arena("replay", "list", "open", "--format", "json", cwd=folder, site=site).stdout)
    assert bool(games) is text.startswith(" "), (
        "what could not be loaded was not played; what was played is kept"
    )
    note = "ratings stop before match 0: the rating system failed; fix it, then run `arena db rebuild`"
    shown = " ".join(arena("rankings", "open", cwd=folder, site=site).stdout.split())
    assert (note in shown) is bool(games)
    assert "ratings stop" not in arena("rankings", "first", cwd=folder, site=site).stdout
    rebuilt = arena("db", "rebuild", cwd=folder, site=site, check=False)
    assert (rebuilt.returncode, "rating system" in rebuilt.stderr) == (1, True), rebuilt.stderr
    reason = words.partition(" failed: ")[2] or words
    assert rebuilt.stderr.count(reason) == 1, "said once, whatever the number of leagues"
    assert json.loads(arena("rankings", "first", "--format", "json", cwd=folder, site=site).stdout)
    verified = arena("db", "verify", cwd=folder, site=site, check=False)
    told = " ".join(verified.stderr.split())
    assert verified.returncode == 1
    assert "not checked: ratings and totals of" in told
    assert "restore a backup" not in told
    steps = re.findall(r"^\d\. (\w+)", verified.stderr, re.MULTILINE)
    assert steps == ["fix", *(["recompute"] if "arena db rebuild" in told else []), "check"]
    changed(site, (ROOT / "examples" / "elo" / "src" / "elo.py").read_text())
    arena("db", "rebuild", cwd=folder, site=site)
    play(folder, "open", site)
    arena("db", "verify", cwd=folder, site=site)
    undisturbed = [
        json.loads(arena("db", "digest", name, cwd=folder, site=site).stdout)["ratings"]
        for name in ("open", "first")
    ]
    assert undisturbed[0] == undisturbed[1], "the same seed, the same ratings"
