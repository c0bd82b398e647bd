"""A user's mistake gets a message and a hint, exit code 2, no traceback, and nothing is written."""

import json
import re
import shlex
import tempfile
from pathlib import Path

import pytest

from results.store import open_store
from tests.support.leagues import arena_here, simple, write_bot, write_league

HERE = ("--game", "bread-basket", "--option", "hands=1", "--sandbox", "off")
"""A short match, without a sandbox."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("cli")
    write_league(place, rounds=1)
    write_bot(place, "chess", "")
    manifest = place / "chess" / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"*"', '"chess"'))
    place.joinpath("deep", *["d"] * 20).mkdir(parents=True)
    (place / "deep" / "bot.toml").write_text((place / "pick0" / "bot.toml").read_text())
    (place / "hostile").mkdir()
    (place / "hostile" / "bot.toml").write_text("a" + ".a" * 20_000 + " = 1")
    manifest = write_bot(place, "needy", "", game="bread-basket") / "bot.toml"
    manifest.write_text(manifest.read_text().replace('"python3"', '"no-such-program"'))
    (place / "empty").mkdir()
    return place


def league_file(folder: Path, *changes: tuple[str, str]) -> str:
    text = (folder / "league.toml").read_text()
    for old, new in changes:
        assert old in text
        text = text.replace(old, new, 1)
    (folder / "changed.toml").write_text(text)
    return "changed.toml"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rankings"], ["there is no store at", "arena.sqlite", "ARENA_STORE", "arena league create"]),
        (["run", "test"], ["there is no store at"]),
        (["league", "create", "none.toml"], ["there is no file none.toml"]),
        (["league", "create"], ["the argument FILE is missing", "usage: arena league create [OPTIONS]"]),
        (["nonsense"], ["arena has no command 'nonsense'", "available: demo, new, match"]),
        (["lague", "run"], ["arena has no command 'lague'; did you mean 'league'?"]),
        (["db", "check"], ["arena db has no command 'check'", "available: verify, rebuild, backup"]),
        (
            ["--store", "x.sqlite", "run", "a"],
            ["arena has no option --store", "after the command: arena run a --store x.sqlite"],
        ),
        (["rankings", "--frmat", "csv"], ["arena rankings has no option --frmat; did you mean --format?"]),
        (["rankings", "--store"], ["--store needs a value"]),
        (
            ["compare", "a", "b", "--error-rate", "5"],
            ["--error-rate must be a number from 0.0001 to 0.2, not 5", "hint: 5 % is 0.05"],
        ),
        (
            ["compare", "a", "b", "--difference", "2"],
            ["--difference must be a number from 0.001 to 0.5, not 2", "hint: 2 % is 0.02"],
        ),
        (["league", "run", "spring"], ["has no command 'run'", "it is now: arena run LEAGUE"]),
        (["hosts"], ["it is now: arena host list"]),
        (["rankings", "a", "b"], ["too many arguments: b", "see: arena rankings --help"]),
        (["play", "sandwich", "--seats", "0"], ["--seats must be a whole number, 1 or more, not 0"]),
        (
            ["play", "sandwich", "--move-seconds", "abc"],
            ["--move-seconds must be a number, 1 or more, not abc"],
        ),
        (["demo", "--workers", "0"], ["--workers must be a whole number from 1 to 1,024, not 0"]),
        (
            ["new", "x", "--game", "sandwich", "--language", "pyton"],
            [
                "--language: 'pyton' is not a possible value; did you mean 'python'?",
                "python, javascript, c, rust, go",
            ],
        ),
        (["match", "a", "--sandbox", "maybe"], ["'maybe' is not a possible value", "require, auto, off"]),
        (["match", "pick0", "nowhere"], ["there is no", "nowhere"]),
        (["match", "./nowhere", "pick0"], ["no such file or folder"]),
        (
            ["match", "pick0", "none.zip"],
            [
                "there is no bot at none.zip: no such file or folder",
                "a folder with a bot.toml, an archive of one, or the name of a submitted bot",
            ],
        ),
        (["match", "pick0", "pikc1"], ["no folder, archive or submitted bot 'pikc1'; did you mean 'pick1'?"]),
        (["submit", "./pikc1"], ["no such file or folder; did you mean 'pick1'?"]),
        (
            ["match", "pick0", "bots/bread_baskets/gredy"],
            ["no such file or folder; did you mean 'bots/bread_basket/greedy'?"],
        ),
        (
            ["match", "pick0", "bots/bread_basket/random"],
            ["no such file or folder; did you mean 'bots/any_game/random'?"],
        ),
        (
            ["match", "pick0", "pick1", "--game", "bread-basket", "-o", "chefs"],
            ["not of the form NAME=VALUE"],
        ),
        (
            ["match", "pick0", "pick1", "--game", "bread-basket", "-o", "cheffs=none"],
            ["cheffs", "chefs, chef_second, hands"],
        ),
        (
            ["match", "pick0", "pick1", "--game", "bread-basket", "-o", "chefs=many"],
            ["one of tens, none, extra"],
        ),
        (["match", "pick0", "pick1", "--game", "chess"], ["there is no game 'chess'", "bread-basket"]),
        (["match", "pick0", "--game", "breadbasket"], ["'breadbasket'; did you mean 'bread-basket'?"]),
        (["match", "pick0", "--game", "bread-basket"], ["2 to 6 players, not 1"]),
        (["submit", "x" * 300], ["there is no folder, archive or submitted bot 'xxx"]),
        (["submit", "."], ["has no bot.toml"]),
    ],
)
def test_commands(folder: Path, arguments: list[str], words: list[str]) -> None:
    for store in folder.glob("arena.sqlite*"):
        store.unlink()
    done = arena_here(*arguments, cwd=folder)
    assert done.returncode == 2, done.stderr
    told = " ".join(done.stderr.replace("│", " ").split())
    for word in words:
        assert word in told
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert list(folder.glob("arena.*")) == []


@pytest.mark.parametrize("command", ["submit", "match", "check"])
@pytest.mark.parametrize(
    ("bot", "words"),
    [
        ("chess", "chess/bot.toml:4: games: there is no game 'chess'"),
        ("deep", "folders deep; the limit is 16"),
        ("hostile", "hostile/bot.toml:1: a dotted key with more than 8 parts"),
        ("needy", "needy/bot.toml:3: command: the bot needs the program 'no-such-program'"),
        ("./nowhere", "there is no bot at nowhere: no such file or folder"),
        ("empty", "empty has no bot.toml"),
    ],
)
def test_a_bad_bot_exits_alike_wherever_it_is_read(folder: Path, command: str, bot: str, words: str) -> None:
    """With 3, as one that fails its check; with 2 if there is no bot."""
    if (command, bot) == ("match", "chess"):
        return  # a match is of one game
    done = arena_here(command, *(["pick0"] if command == "match" else []), bot, cwd=folder)
    assert done.returncode == (2 if bot in ("./nowhere", "empty") else 3), done.stderr
    assert words in done.stderr


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("seats = 3", "seats = 7")], ["changed.toml:3: seats", "2 to 6 players, not 7"]),
        ([("seats = 3", "seats = 4")], ["3 bots cannot fill a table of 4 seats"]),
        ([("seats = 3", "setas = 3")], ["changed.toml:3", "'setas'", "did you mean 'seats'?"]),
        ([('game = "bread-basket"', 'game = "bread"')], ["there is no game 'bread'"]),
        ([('"round-robin"', '"swis"')], ["there is no schedule 'swis'", "round-robin"]),
        (
            [("rounds = 1", "rounds = 0")],
            ["changed.toml:9", "schedule.rounds: must be a whole number from 1 to 1,000,000, not 0"],
        ),
        ([("rounds = 1", "ronds = 1")], ["changed.toml:9", "'ronds'", "did you mean 'rounds'?"]),
        ([('path = "pick0"', 'path = "pock0"')], ["[[bots]] number 1: ", "no such file or folder"]),
        ([('path = "pick0"', 'version = "pock0"')], ["'pock0'"]),
        ([('path = "pick0"', 'path = "chess"')], ["[[bots]] number 1: ", "does not play bread-basket"]),
        ([('path = "pick0"', 'path = "pick0"\nversion = "x"')], ["[[bots]] number 1: ", "exactly one of"]),
        ([('path = "pick1"', 'path = "pick1"\nlabel = "pick0"')], ["two entries have the label 'pick0'"]),
        ([('path = "pick0"', 'glob = "none*"')], ["no folder with a bot.toml matches"]),
        (
            [("seed = 7", 'seed = 7\nruleset = "twenties"')],
            ["bread-basket has no ruleset", "tens, none, extra"],
        ),
        (
            [('path = "pick0"', 'path = "pick0"\nargs = [""]')],
            ["changed.toml:12: [[bots]] number 1, args: an argument is empty"],
        ),
        (
            [('path = "pick0"', f'path = "pick0"\nargs = {["x" * 3_900] * 50}')],
            ["changed.toml:12: [[bots]] number 1, args: 195,000 bytes of arguments; the limit is 32,768"],
        ),
        ([("hands = 1", "hands = 0")], ["changed.toml:6: options.hands: 0 is not a whole number from 1 to"]),
        ([("seed = 7", 'seed = 7\nrating = { system = "elo" }')], ["elo"]),
    ],
)
def test_league_files(folder: Path, changes: list[tuple[str, str]], words: list[str]) -> None:
    done = arena_here("league", "create", league_file(folder, *changes), cwd=folder)
    assert done.returncode == 2, done.stderr
    for word in words:
        assert word in " ".join(done.stderr.split())
    assert "Traceback" not in done.stderr


def test_an_option_of_the_command_line_goes_over_the_files(folder: Path) -> None:
    done = arena_here(
        "league", "create", "league.toml", "--dry-run", "-o", "chefs=extra", "-o", "hands=6", cwd=folder
    )
    assert "extra+hands=6" in done.stderr
    done = arena_here("league", "create", "league.toml", "--dry-run", "-o", "hands=no", cwd=folder)
    assert done.returncode == 2
    assert "option hands" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "why"),
    [("missing", "No such file"), ("file", "Not a directory")],
)
def test_a_folder_for_temporary_files_that_cannot_be_used_is_named(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, why: str
) -> None:
    place = folder / "league.toml" if kind == "file" else folder / "missing"
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    told = {
        row["what"]: row for row in json.loads(arena_here("doctor", "--format", "json", cwd=folder).stdout)
    }
    row = told["temporary files"]
    used = tempfile.gettempdir()
    assert row["found"].startswith(f"{used}, ")
    said = f"TMPDIR={place} can't be used ({why}"
    assert said in row["means"]
    assert f"temporary files go to {used}" in row["means"]
    match = arena_here(
        "match", "pick0", "pick1", "--game", "bread-basket", "--store", tmp_path / "s", cwd=folder
    )
    assert f"warning: {said}" in match.stderr
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert "can't be used" not in arena_here("doctor", "--format", "json", cwd=folder).stdout


def test_a_reading_command_never_makes_a_store(folder: Path) -> None:
    for command in (
        ["rankings"],
        ["bots"],
        ["faults"],
        ["league", "list"],
        ["replay", "list"],
        ["db", "verify"],
    ):
        assert arena_here(*command, "--store", "new.sqlite", cwd=folder).returncode == 2
    assert not list(folder.glob("new*"))


@pytest.mark.parametrize("target", ["nowhere/game.json", "."])
def test_a_replay_that_cannot_be_written_is_told_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    monkeypatch.setattr("arena.cli.commands.replay.body_of", lambda *_: {"game": "bread-basket"})
    write_league(tmp_path, rounds=1)
    assert arena_here("league", "create", "league.toml", cwd=tmp_path).returncode == 0
    done = arena_here("replay", "export", "0.0", "-O", target, cwd=tmp_path)
    assert done.returncode == 2
    assert f"error: {target} can't be written: " in done.stderr
    assert "hint: choose an existing folder" in done.stderr


def test_a_replay_overwrites_a_file_only_by_force(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.cli.commands.replay.body_of", lambda *_: {"game": "bread-basket"})
    write_league(tmp_path, rounds=1)
    assert arena_here("league", "create", "league.toml", cwd=tmp_path).returncode == 0
    target = tmp_path / "game.json"
    assert arena_here("replay", "export", "0.0", "-O", "game.json", cwd=tmp_path).returncode == 0
    written = target.read_text()
    target.write_text("precious")
    done = arena_here("replay", "export", "0.0", "-O", "game.json", cwd=tmp_path)
    assert done.returncode == 2
    assert "error: game.json already exists" in done.stderr
    assert "overwrite it with --force" in done.stderr
    assert target.read_text() == "precious"
    assert arena_here("replay", "export", "0.0", "-O", "game.json", "--force", cwd=tmp_path).returncode == 0
    assert target.read_text() == written
    assert arena_here("replay", "export", "0.0", "-O", "/dev/null", cwd=tmp_path).returncode == 0
    done = arena_here("replay", "export", "0.0", "-O", "-", cwd=tmp_path)
    assert (done.stdout, (tmp_path / "-").exists()) == (written, False)


@pytest.mark.parametrize(
    "arguments",
    [
        ["match", "pick0", "pick1", "--game", "breadbasket"],
        ["match", "pick0", "--game", "bread-basket"],
        ["match", "pick0", "nowhere", "--game", "bread-basket"],
        ["compare", "pick0", "pick1", "--game", "breadbasket"],
    ],
    ids=" ".join,
)
def test_what_refuses_to_play_takes_no_bot_in(folder: Path, tmp_path: Path, arguments: list[str]) -> None:
    store = tmp_path / "arena.sqlite"
    assert arena_here(*arguments, "--store", store, cwd=folder).returncode == 2
    assert list(tmp_path.iterdir()) == [], "nothing is left in a folder without a store"
    open_store(store, create=True).close()
    assert arena_here(*arguments, "--store", store, cwd=folder).returncode == 2
    listed = arena_here("bots", "--store", store, "--format", "json", cwd=folder)
    assert json.loads(listed.stdout) == []
    left = [path for path in (tmp_path / "arena.files").rglob("*") if path.is_file()]
    assert [path for path in left if path.name != "store.lock"] == []


def test_a_bot_that_does_not_pass_leaves_nothing_in_a_folder_without_a_store(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "bad", "raise SystemExit(1)\n", game="bread-basket")
    assert arena_here("submit", "bad", "--sandbox", "off", cwd=tmp_path).returncode == 3
    assert list(tmp_path.iterdir()) == [bot]
    (bot / "bot.py").write_text(simple(0))
    assert arena_here("submit", "bad", "--sandbox", "off", cwd=tmp_path).returncode == 0
    (listed,) = json.loads(arena_here("bots", "--format", "json", cwd=tmp_path).stdout)
    assert (listed["bot"], listed["version"]) == ("tests/bad", 1)
    assert list((tmp_path / "arena.files" / "versions").rglob("bot.py"))


def test_a_match_makes_the_store_that_it_needs(tmp_path: Path) -> None:
    for number in range(2):
        write_bot(tmp_path, f"pick{number}", simple(number))
    done = arena_here("match", "pick0", "pick1", *HERE, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(json.loads(arena_here("bots", "--all", "--format", "json", cwd=tmp_path).stdout)) == 2


@pytest.mark.slow
def test_a_match_says_which_command_explains_the_fault_of_a_bot_that_crashed(tmp_path: Path) -> None:
    write_bot(tmp_path, "good", simple(0))
    write_bot(
        tmp_path,
        "bad",
        simple(0).replace('kind == "ask":', 'kind == "ask":\n        raise ValueError("boom")'),
    )
    done = arena_here("match", "good", "bad", *HERE, "--store", "a b.sqlite", cwd=tmp_path)
    assert done.returncode == 3
    assert "error: bad (crash): exited with code 1" in done.stderr
    (command,) = re.findall(r"hint: the traceback is in the log.*; see why: arena (.*)", done.stderr)
    shown = arena_here(*shlex.split(command), cwd=tmp_path)
    assert shown.returncode == 0
    assert "ValueError: boom" in shown.stderr + shown.stdout


@pytest.mark.slow
def test_a_bot_that_prints_debug_text_is_told_where_to_write_it(tmp_path: Path) -> None:
    write_bot(tmp_path, "good", simple(0))
    debug = simple(0).replace('kind == "ask":', 'kind == "ask":\n        print("debug: thinking")')
    write_bot(tmp_path, "bad", debug, game="bread-basket")
    told = "write debug text to standard error; in Python: print(text, file=sys.stderr)"
    submitted = arena_here("submit", "bad", "--sandbox", "off", cwd=tmp_path)
    assert submitted.returncode == 3
    assert "not JSON" in submitted.stderr
    assert told in submitted.stderr
    played = arena_here("match", "good", "bad", *HERE, cwd=tmp_path)
    assert played.returncode == 3
    assert re.search(re.escape(told) + ".*; see why: arena why casual/0.0 --seat 1", played.stderr)
    assert arena_here("faults", "casual", "--format", "md", cwd=tmp_path).stdout.count(told) == 1
    assert told not in arena_here("faults", "casual", "--format", "json", cwd=tmp_path).stderr


@pytest.mark.slow
def test_a_match_says_how_to_answer_instead_of_an_illegal_move(tmp_path: Path) -> None:
    write_bot(tmp_path, "good", simple(0))
    wrong = simple(0).replace('kind == "ask":', 'kind == "ask":\n        message["legal"] = ["7"]')
    write_bot(tmp_path, "bad", wrong)
    done = arena_here("match", "good", "bad", *HERE, cwd=tmp_path)
    assert done.returncode == 3
    assert re.search("hint: answer with one of `legal`, .*; see why: arena why casual/0.0", done.stderr)


@pytest.mark.slow
def test_hints_in_a_list_of_faults_fit_the_languages_of_the_bots(tmp_path: Path) -> None:
    write_bot(tmp_path, "good", simple(0))
    spread = simple(0).replace(
        "json.dumps(answer)", 'json.dumps(answer, indent=1 if kind == "ask" else None)'
    )
    write_bot(tmp_path, "spread", spread, game="bread-basket")
    script = write_bot(tmp_path, "script", "", game="bread-basket")
    (script / "bot.py").rename(script / "bot.sh").write_text(
        'read line; echo \'{"type":"hello","protocol":1}\'\nread line; echo \'{"type":"ready"}\'\n'
        "read line; echo '{'\nread line\n"
    )
    toml = (script / "bot.toml").read_text()
    (script / "bot.toml").write_text(re.sub("command = .*", 'command = ["sh", "bot.sh"]', toml))
    for bot in ("spread", "script"):
        assert arena_here("match", "good", bot, *HERE, cwd=tmp_path).returncode == 3
    listed = sorted(arena_here("faults", "casual", "--format", "md", cwd=tmp_path).stdout.splitlines()[2:])
    assert "| script " in listed[0]
    assert "→ a message is one line; in a shell script: jq -c" in listed[0]
    assert "→ a message is one line; in Python: json.dumps(message), without indent" in listed[1]
    rows = json.loads(arena_here("faults", "casual", "--format", "json", cwd=tmp_path).stdout)
    assert [row["reason"] for row in rows] == ["begun_message"] * 2
    assert "in a shell script: jq -c" in arena_here("why", "casual/1.0", cwd=tmp_path).stdout.replace(
        "\n", " "
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ["rankings", "nowhere"],
        ["db", "digest", "nowhere"],
        ["league", "add", "nowhere", "tests/pick0"],
        ["league", "add", "test", "nowhere"],
        ["league", "retire", "nowhere", "pick0"],
        ["league", "events", "nowhere"],
        ["submit", "pick0", "--enter", "nowhere"],
        ["match", "nowhere", "pick0"],
        ["compare", "nowhere", "pick0"],
        ["league", "create", "tracking.toml", "--dry-run"],
    ],
    ids=" ".join,
)
def test_an_unknown_league_or_bot_may_be_in_another_store(folder: Path, arguments: list[str]) -> None:
    """The message names the store, as it is found by the current folder unless something else is said."""
    if not (folder / "arena.sqlite").exists():
        assert arena_here("league", "create", folder / "league.toml", cwd=folder).returncode == 0
    file = league_file(
        folder, ('name = "test"', 'name = "other"'), ('path = "pick0"', 'track = "me/nowhere"')
    )
    (folder / file).rename(folder / "tracking.toml")
    done = arena_here(*arguments, cwd=folder)
    assert done.returncode == 2, done.stderr
    told = " ".join(done.stderr.split())
    assert re.search(r"there is no (league|folder, archive or submitted bot|bot) '(me/)?nowhere'", told)
    assert f"the store is {folder / 'arena.sqlite'}; --store or ARENA_STORE chooses another" in told
    assert told.count("the store is") == 1
    if "create" in arguments:
        assert "[[bots]] number 1, track: there is no bot" in told


def test_without_any_league_the_store_is_named(tmp_path: Path) -> None:
    open_store(tmp_path / "other.sqlite", create=True).close()
    done = arena_here("rankings", "--store", "other.sqlite", cwd=tmp_path)
    assert "this store has no league yet" in done.stderr
    assert f"the store is {tmp_path / 'other.sqlite'};" in " ".join(done.stderr.split())
