"""`arena db verify`: what is wrong, where, and what mends it; some games only; several processes."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from arena.cli.commands.db import first_checked
from arena.cli.display import long_work
from results.store import open_store
from tests.support.leagues import arena, arena_here, play_here, write_league
from tests.support.submissions import take_in

pytestmark = pytest.mark.xdist_group("verify")  # most look at copies of one league


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished league of 27 games."""
    folder: Path = tmp_path_factory.mktemp("played")
    write_league(folder, rounds=9)
    assert arena_here("league", "create", "league.toml", cwd=folder).returncode == 0
    assert play_here(folder)
    return folder


@pytest.fixture
def copy(played: Path, tmp_path: Path) -> Path:
    """Return a copy of the folder that may be damaged."""
    shutil.copytree(played, tmp_path / "copy")
    return tmp_path / "copy"


def damage(folder: Path, *statements: str) -> None:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as raw:
        for statement in statements:
            raw.execute(statement)
        raw.commit()


def verify(folder: Path, *options: str) -> CompletedProcess[str]:
    done = arena_here("db", "verify", *options, cwd=folder)
    assert "Finding(" not in done.stderr
    assert "Traceback" not in done.stderr
    return done


def test_a_sound_store_is_said_to_be_one(played: Path) -> None:
    done = verify(played)
    assert (done.returncode, done.stdout) == (
        0,
        "arena.sqlite: verified: everything matches the ledger (27 games)\n",
    )


def test_each_finding_says_where_it_is_and_what_mends_it(copy: Path) -> None:
    damage(
        copy,
        "UPDATE rating SET mu = mu + 1 WHERE entry_no = 1",
        "UPDATE entry SET label = 'nobody' WHERE entry_no = 2",
        "DELETE FROM replay WHERE match_no = 2 AND rotation = 1",
    )
    done = verify(copy)
    assert done.returncode == 1
    errors = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    assert errors == [
        "error: league test: table entry: the row with league_id 1, entry_no 2 is not what was written",
        "error: game test/2.1: table replay: its replay is missing",
        "error: league test: table rating: it does not match the ledger (row with entry_no 1)",
    ]
    assert done.stderr.endswith(
        "arena.sqlite: 3 problems\n"
        "1. restore a backup: nothing else has the lost data: arena db restore FILE\n"
        "2. check what is left to fix: arena db verify\n"
    )


def test_ratings_are_compared_with_those_of_the_package(copy: Path) -> None:
    done = verify(copy, "--reference")
    assert done.returncode == 0
    assert re.fullmatch(r"test: 9 matches, largest difference \d\.\de[-+]\d\d β\n", done.stdout)
    damage(copy, "UPDATE rating SET mu = mu + 0.001 WHERE entry_no = 0")
    done = verify(copy, "--reference")
    assert done.returncode == 1
    assert "largest difference 2.4e-04 β" in done.stderr


def test_rebuilding_is_advised_where_derived_values_alone_are_wrong(copy: Path) -> None:
    damage(copy, "UPDATE rating SET mu = mu + 1 WHERE entry_no = 1")
    assert verify(copy).stderr.endswith(
        "arena.sqlite: 1 problem\nrecompute ratings and totals: arena db rebuild\n"
    )
    assert arena_here("db", "rebuild", cwd=copy).returncode == 0
    assert verify(copy).returncode == 0


def test_all_rows_that_lack_the_same_row_are_one_line(copy: Path) -> None:
    damage(copy, "DELETE FROM entry WHERE entry_no = 1")
    done = verify(copy)
    lines = [line for line in done.stderr.splitlines() if "of table entry, which is not there" in line]
    assert lines == [
        "error: league test: table seat: 27 rows refer to league_id 1, entry_no 1 of table entry, which is not there"
    ]
    assert "db rebuild" not in done.stderr


def test_the_store_is_named_in_commands_where_it_is_not_the_usual_one(copy: Path) -> None:
    damage(copy, "DELETE FROM pair_total")
    done = verify(copy.parent, "--store", "copy/arena.sqlite")
    assert "arena db rebuild --store copy/arena.sqlite" in done.stderr


def test_files_of_versions_are_looked_at_and_come_back_by_submitting_them_again(copy: Path) -> None:
    (missing, altered, more) = sorted((copy / "arena.files" / "versions").iterdir())
    shutil.rmtree(missing)
    (altered / "bot.py").chmod(0o644)
    with (altered / "bot.py").open("a") as file:
        file.write("# more\n")
    (more / "left.txt").write_text("")
    done = verify(copy)
    assert done.returncode == 1
    assert done.stderr.endswith("3 problems\nresubmit the bots whose files are wrong: arena submit FOLDER\n")
    assert f"its files are missing: there is no folder {missing.relative_to(copy)}" in done.stderr
    assert f"the files in {altered.relative_to(copy)} are not those that were submitted" in done.stderr
    with open_store(copy / "arena.sqlite") as store:
        for number in range(3):
            take_in(copy / f"pick{number}", store)
    assert verify(copy).returncode == 0
    assert len(list((copy / "arena.files" / "versions").iterdir())) == 3


def test_a_store_without_its_folder_is_told_once(copy: Path) -> None:
    shutil.rmtree(copy / "arena.files")
    done = verify(copy)
    assert done.returncode == 1
    assert "the files of all versions are missing: there is no folder arena.files/versions" in done.stderr
    assert "arena.sqlite: 1 problem" in done.stderr


@pytest.mark.slow
def test_several_processes_find_what_one_finds(copy: Path) -> None:
    damage(
        copy,
        "UPDATE seat SET score = score + 1 WHERE match_no = 1 AND rotation = 0 AND seat = 0",
        "UPDATE game SET sandbox = 'none!' WHERE match_no = 8 AND rotation = 2",
        "UPDATE match SET entries = '[0,1]' WHERE match_no = 4",
    )
    one, two = verify(copy), arena("db", "verify", "--jobs", "2", cwd=copy, check=False)
    assert one.returncode == two.returncode == 1
    assert one.stderr == two.stderr
    assert one.stderr.count("error: ") >= 4


def test_only_games_since_a_match_or_a_time_are_checked(copy: Path) -> None:
    damage(
        copy,
        "UPDATE game SET worker = 'x' WHERE match_no = 1",
        "UPDATE game SET finished_at = '2026-01-01T00:00:00Z' WHERE match_no < 4",
        "UPDATE game SET finished_at = '2026-03-01T00:00:00.5+00:00' WHERE match_no >= 4",
    )
    assert "test/1.0: table game" in verify(copy).stderr
    for when in ("5", "2026-02-01", "2026-03-01T01:00+01:00"):
        first = 5 if when == "5" else 4
        done = verify(copy, "--since", when)
        places = {line.split(":")[1].strip() for line in done.stderr.splitlines() if "table game" in line}
        assert places == {
            f"game test/{match}.{rotation}" for match in range(first, 9) for rotation in range(3)
        }
    done = verify(copy, "--since", "2026-04-01")
    assert (done.returncode, done.stdout) == (
        0,
        "arena.sqlite: verified: everything matches the ledger (0 games)\n",
    )


def test_a_time_is_taken_as_utc_unless_it_says_otherwise() -> None:
    assert first_checked("2026-11-20") == "2026-11-20T00:00:00"
    assert first_checked("2026-11-20T14:00+02:00") == "2026-11-20T12:00:00"
    assert first_checked("12") == 12


def test_what_is_neither_a_match_nor_a_time_is_refused(played: Path) -> None:
    done = verify(played, "--since", "yesterday")
    assert done.returncode == 2
    assert "neither a match number nor a time" in done.stderr


def test_it_tells_how_far_it_is_where_it_takes_long(played: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(long_work, "PLAIN_S", 0.0)
    monkeypatch.setattr(long_work, "QUIET_S", 0.0)
    told = verify(played).stderr.splitlines()
    assert any(line.startswith("verifying ratings: 9 of 9 matches") for line in told)
    assert any(line.startswith("verifying games: 27 of 27 games") for line in told)


@pytest.mark.parametrize(
    "command",
    [
        ("stats",),
        ("rankings",),
        ("history",),
        ("matrix",),
        ("replay", "list"),
        ("league", "verify-deals"),
        ("run", "test"),
        ("db", "rebuild"),
    ],
)
def test_a_lost_entry_is_named_by_every_command(copy: Path, command: tuple[str, ...]) -> None:
    damage(copy, "DELETE FROM entry WHERE entry_no = 1")
    done = arena_here(*command, cwd=copy)
    assert done.returncode == 1
    assert "error: the store is damaged: entry 1 of league test is missing\n" in done.stderr
    assert "arena db verify" in done.stderr
    assert "arena db restore FILE" in done.stderr


@pytest.mark.parametrize(
    ("statement", "lost"),
    [
        ("DELETE FROM match WHERE match_no = 7", "match 7 of league test is missing"),
        ("DELETE FROM match WHERE match_no IN (3, 7)", "matches 3, 7 of league test are missing"),
        (
            "DELETE FROM game WHERE match_no = 2 AND rotation = 1",
            "games of match 2 of league test are missing",
        ),
        (
            "DELETE FROM seat WHERE match_no = 2 AND rotation = 1 AND seat = 0",
            "seats of match 2 of league test are missing",
        ),
        ("DELETE FROM version WHERE id = 2", "1 of the rows of table version are missing"),
    ],
)
def test_nothing_is_rebuilt_from_a_ledger_that_lost_rows(copy: Path, statement: str, lost: str) -> None:
    damage(copy, statement, "UPDATE rating SET mu = mu + 1")
    before = ratings(copy)
    done = arena_here("db", "rebuild", cwd=copy)
    assert done.returncode == 1
    assert lost in done.stderr
    assert ratings(copy) == before


def test_a_league_does_not_run_on_without_a_match_that_was_lost(copy: Path) -> None:
    damage(copy, "DELETE FROM match WHERE match_no = 7")
    done = arena_here("run", "test", cwd=copy)
    assert done.returncode == 1
    assert "the store is damaged: match 7 of league test is missing" in done.stderr


def ratings(folder: Path) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(folder / "arena.sqlite")) as raw:
        return list(raw.execute("SELECT * FROM rating"))
