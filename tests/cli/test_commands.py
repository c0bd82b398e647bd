"""The way of a bot author, an organiser and a spectator through the command line."""

import csv
import io
import json
import re
import shutil
import sqlite3
import zlib
from pathlib import Path

import pytest

from tests.support.leagues import arena, arena_here, simple, write_bot, write_league

pytestmark = pytest.mark.xdist_group("commands")  # most look at one league


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a finished league, one of whose bots crashes in every game."""
    folder: Path = tmp_path_factory.mktemp("played")
    file = write_league(folder, rounds=1, bots=2, seats=2)
    crasher = simple(0).replace(
        'elif kind == "ask":',
        'elif kind == "ask":\n        print("boom \\x1b[31m", file=sys.stderr); sys.exit(3)',
    )
    write_bot(folder, "crasher", crasher)
    file.write_text(file.read_text() + '[[bots]]\npath = "crasher"\n')
    created = arena_here("league", "create", "league.toml", cwd=folder)
    assert "3 bots at tables of 2" in created.stderr
    assert "not sealed" in created.stderr
    ran = arena("run", "test", "--executor", "serial", "--sandbox", "off", cwd=folder)
    assert "crasher" in ran.stdout
    return folder


def test_rankings_in_every_format(played: Path) -> None:
    rows = json.loads(arena_here("rankings", "--format", "json", cwd=played).stdout)
    assert [row["label"] for row in rows][-1] == "crasher"
    assert {row["matches"] for row in rows} == {2}
    assert {row["games"] for row in rows} == {4}
    assert [row["rank"] for row in rows] == [1, 2, 3]
    assert rows[-1]["faults"] == 4
    assert sum(row["wins"] for row in rows) == pytest.approx(6)
    assert [row["mu"] for row in rows] == sorted((row["mu"] for row in rows), reverse=True)
    as_csv = list(csv.DictReader(io.StringIO(arena_here("rankings", "--format", "csv", cwd=played).stdout)))
    assert [row["label"] for row in as_csv] == [row["label"] for row in rows]
    assert [float(row["mu"]) for row in as_csv] == [row["mu"] for row in rows]
    markdown = arena_here("rankings", "--format", "md", cwd=played).stdout
    assert markdown.splitlines()[0].startswith("| # | bot | μ | σ |")


def test_tables_fit_80_columns_and_carry_no_colours_into_a_pipe(played: Path) -> None:
    for command in (
        ["rankings"],
        ["league", "list"],
        ["faults"],
        ["replay", "list"],
        ["bots"],
        ["games"],
    ):
        run = arena if command == ["faults"] else arena_here
        text = run(*command, cwd=played).stdout
        assert text
        assert max(map(len, text.splitlines())) <= 80, command
        assert "\x1b" not in text


def test_faults_name_the_cause_for_the_author(played: Path) -> None:
    rows = json.loads(arena_here("faults", "--format", "json", cwd=played).stdout)
    assert len(rows) == 4
    assert {row["bot"] for row in rows} == {"crasher"}
    assert {row["verdict"] for row in rows} == {"crash"}
    assert all("exited with code 3" in row["detail"] for row in rows)


@pytest.mark.slow
def test_replays_are_listed_shown_verified_and_exported(played: Path) -> None:
    rows = json.loads(arena_here("replay", "list", "--format", "json", "-n", "100", cwd=played).stdout)
    assert len(rows) == 6
    faulty = json.loads(
        arena_here("replay", "list", "--format", "json", "-n", "100", "--verdict", "crash", cwd=played).stdout
    )
    assert len(faulty) == 4
    shown = arena_here("replay", "show", f"test/{faulty[0]['game']}", cwd=played).stdout
    assert "crasher" in shown
    assert "is out: crash" in shown
    assert "1. " in shown
    assert "6 of 6 replays verify" in arena_here("replay", "verify", cwd=played).stdout
    body = json.loads(arena_here("replay", "export", rows[0]["game"], cwd=played).stdout)
    assert body["game"] == "bread-basket"
    assert len(body["scores"]) == 2


def test_a_tampered_replay_is_found(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "copy")
    with sqlite3.connect(tmp_path / "copy" / "arena.sqlite") as connection:
        match_no, rotation, packed = connection.execute(
            "SELECT match_no, rotation, body FROM replay LIMIT 1"
        ).fetchone()
        body = json.loads(zlib.decompress(packed))
        body["scores"][0] += 1
        changed = zlib.compress(json.dumps(body).encode())
        connection.execute(
            "UPDATE replay SET body = ? WHERE match_no = ? AND rotation = ?", (changed, match_no, rotation)
        )
    done = arena_here("replay", "verify", cwd=tmp_path / "copy")
    assert done.returncode == 1
    assert f"test/{match_no}.{rotation}: scores: the replay has" in done.stderr
    assert "5 of 6" in done.stdout
    assert arena_here("db", "verify", cwd=tmp_path / "copy").returncode == 1


def test_db_verify_rebuild_and_backup(played: Path, tmp_path: Path) -> None:
    before = arena_here("db", "digest", cwd=played).stdout
    assert "verified: everything matches the ledger" in arena_here("db", "verify", cwd=played).stdout
    assert arena_here("db", "rebuild", cwd=played).returncode == 0
    assert arena_here("db", "digest", cwd=played).stdout == before
    assert arena_here("db", "backup", tmp_path / "copy.sqlite", cwd=played).returncode == 0
    assert arena_here("db", "digest", "--store", tmp_path / "copy.sqlite", cwd=played).stdout == before


@pytest.mark.slow
def test_replays_can_be_pruned_and_the_rankings_stay(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "copy")
    before = arena_here("rankings", "--format", "json", cwd=tmp_path / "copy").stdout
    assert "2 replays deleted" in arena_here("db", "prune", "last 4", cwd=tmp_path / "copy").stdout
    assert "4 of 4 replays verify" in arena_here("replay", "verify", cwd=tmp_path / "copy").stdout
    assert arena_here("rankings", "--format", "json", cwd=tmp_path / "copy").stdout == before
    assert arena_here("db", "prune", "some", cwd=tmp_path / "copy").returncode == 2


def test_a_league_name_can_be_had_once_and_a_finished_league_stays_as_it_is(played: Path) -> None:
    again = arena_here("league", "create", "league.toml", cwd=played)
    assert again.returncode == 2
    assert "there is a league 'test' already" in again.stderr
    before = arena_here("db", "digest", cwd=played).stdout
    assert arena_here("run", "test", cwd=played).returncode == 0
    assert arena_here("db", "digest", cwd=played).stdout == before


@pytest.mark.slow
def test_submitting(tmp_path: Path) -> None:
    good = write_bot(tmp_path, "good", simple(1))
    good.joinpath("bot.toml").write_text(
        good.joinpath("bot.toml").read_text().replace('"*"', '"bread-basket"')
    )
    done = arena("submit", good, cwd=tmp_path)
    assert "submitted as tests/good@1" in done.stdout
    assert "deterministic" in done.stderr
    assert "unchanged: it is tests/good@1" in arena("submit", good, cwd=tmp_path).stdout
    (good / "bot.py").write_text(simple(2))
    assert "submitted as tests/good@2" in arena("submit", good, cwd=tmp_path).stdout
    newest = json.loads(arena_here("bots", "--format", "json", cwd=tmp_path).stdout)
    assert [(row["bot"], row["version"], row["deterministic"]) for row in newest] == [("tests/good", 2, True)]
    assert len(json.loads(arena_here("bots", "--all", "--format", "json", cwd=tmp_path).stdout)) == 2
    (good / "bot.py").write_text("import sys\nprint('no good', file=sys.stderr)\nsys.exit(1)\n")
    failed = arena("submit", good, cwd=tmp_path, check=False)
    assert failed.returncode == 3
    assert "startup" in failed.stderr
    assert "no good" in failed.stderr
    kept = [place.name for place in (tmp_path / "arena.files").glob("**/bot.py")]
    assert len(kept) == 2, "the files of a bot that failed are not kept"
    assert len(json.loads(arena_here("bots", "--all", "--format", "json", cwd=tmp_path).stdout)) == 2


@pytest.mark.slow
def test_a_bot_that_was_played_before_it_is_submitted(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "bot", simple(1))
    bot.joinpath("bot.toml").write_text(bot.joinpath("bot.toml").read_text().replace('"*"', '"bread-basket"'))
    arena("match", bot, bot, cwd=tmp_path)
    (row,) = json.loads(arena_here("bots", "--format", "json", cwd=tmp_path).stdout)
    assert row["deterministic"] is None
    assert "submitted as tests/bot@1" in arena("submit", bot, cwd=tmp_path).stdout
    (row,) = json.loads(arena_here("bots", "--format", "json", cwd=tmp_path).stdout)
    assert row["deterministic"] is True
    compared = arena_here("compare", "tests/bot", bot, cwd=tmp_path)
    assert compared.returncode == 2
    assert "both are the same version, tests/bot@1" in compared.stderr
    assert "change the new one first" in compared.stderr


@pytest.mark.slow
def test_a_bot_that_throws_dice_of_its_own_is_found_out(tmp_path: Path) -> None:
    dice = write_bot(
        tmp_path,
        "dice",
        simple(0)
        .replace("import json, sys", "import json, sys, random")
        .replace("[0 % len", "[random.randrange(99) % len"),
    )
    dice.joinpath("bot.toml").write_text(
        dice.joinpath("bot.toml").read_text().replace('"*"', '"bread-basket"')
    )
    assert "plays differently each time" in arena("submit", dice, cwd=tmp_path).stderr


@pytest.mark.slow
def test_a_match_of_folders_and_submissions(tmp_path: Path) -> None:
    write_bot(tmp_path, "one", simple(0))
    two = write_bot(tmp_path, "two", simple(1))
    two.joinpath("bot.toml").write_text(two.joinpath("bot.toml").read_text().replace('"*"', '"bread-basket"'))
    arena("submit", two, cwd=tmp_path)
    run = ["match", "./one", "tests/two", "--game", "bread-basket", "--seed", "5", "--format", "json"]
    first, second = (json.loads(arena(*run, cwd=tmp_path).stdout) for _ in range(2))
    keys = ("bot", "seat", "score", "rank")
    assert [[row[key] for key in keys] for row in first] == [[row[key] for key in keys] for row in second]
    assert [row["bot"] for row in first] == ["one", "two"]
    assert first[0]["game"] != second[0]["game"]
    rotated = json.loads(arena(*run, "--rotate", cwd=tmp_path).stdout)
    assert [row["bot"] for row in rotated] == ["one", "two", "two", "one"]
    shown = arena_here("replay", "show", f"casual/{first[0]['game']}", cwd=tmp_path).stdout
    assert "seat 0: one" in shown
    assert arena_here("rankings", cwd=tmp_path).returncode == 2, "single games are in no rankings"


@pytest.mark.slow
def test_leagues_name_submitted_bots_and_patterns(tmp_path: Path) -> None:
    file = write_league(tmp_path, rounds=1)
    two = write_bot(tmp_path, "two", simple(1))
    two.joinpath("bot.toml").write_text(two.joinpath("bot.toml").read_text().replace('"*"', '"bread-basket"'))
    arena("submit", two, cwd=tmp_path)
    head = file.read_text().partition("[[bots]]")[0]
    file.write_text(
        head
        + '[[bots]]\nglob = "pick*"\n[[bots]]\nversion = "two@1"\n[[bots]]\npath = "two"\nargs = ["-x"]\n'
    )
    arena("league", "create", file, cwd=tmp_path)
    arena("run", "test", cwd=tmp_path)
    rows = json.loads(arena_here("rankings", "--format", "json", cwd=tmp_path).stdout)
    assert sorted(row["label"] for row in rows) == ["pick0", "pick1", "pick2", "two", "two -x"]


def hands_dealt(text: str) -> int:
    """Return how many hands of the deal are told."""
    return sum(line.startswith("    ") and ": hand " in line for line in text.splitlines())


def test_a_replay_shows_all_hands_those_of_a_seat_or_none(played: Path) -> None:
    game = json.loads(arena_here("replay", "list", "--format", "json", "-n", "1", cwd=played).stdout)[0][
        "game"
    ]
    everything = arena_here("replay", "show", game, "--boards", cwd=played).stdout
    body = json.loads(arena_here("replay", "export", game, cwd=played).stdout)
    (dealt,) = [event for event in body["events"] if event["kind"] == "dealt"]
    for seat, private in dealt["private"].items():
        name, hand = body["entries"][int(seat)]["label"], " ".join(private["hand"])
        assert f"{name}: hand {hand}" in map(str.strip, everything.splitlines())
        assert re.search(rf"^{name}: +{hand}$", everything, re.MULTILINE), "on the board too"
    public = arena_here("replay", "show", game, "--boards", "--public", cwd=played).stdout
    assert "you get" not in public
    assert "Hand  " not in public, "nobody's cards are drawn"
    own = arena_here("replay", "show", game, "--boards", "--seat", "1", cwd=played).stdout
    assert f"you get {' '.join(dealt['private']['1']['hand'])}" in own
    assert hands_dealt(everything) == 2
    assert hands_dealt(public) == hands_dealt(own) == 0
    refused = arena_here("replay", "show", game, "--seat", "2", cwd=played)
    assert refused.returncode == 2
    assert "seats 0 to 1" in " ".join(refused.stderr.replace("│", " ").split())
    assert arena_here("replay", "show", game, "--seat", "0", "--public", cwd=played).returncode == 2


def test_a_replay_is_exported_with_a_line_for_each_move_and_event(played: Path) -> None:
    text = arena_here("replay", "export", "0.0", cwd=played).stdout
    body = json.loads(text)
    parts = sum(len(body[key]) for key in ("moves", "events", "entries", "chance", "faults"))
    assert len(text.splitlines()) <= parts + 2 * len(body)
    assert sum('"kind"' in line for line in text.splitlines()) == len(body["events"])
