"""Every command that takes a bot knows all its names: folder, archive, author and name, number, hash, Arena's own."""

import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer

from arena.cli.app import app
from arena.league.definition.bot_arguments import bot_path
from arena.submissions.archives.zip_format import zip_of
from arena.submissions.entering import look_at
from arena.submissions.folder import read_files
from arena.submissions.launch_spec import runtimes_beside
from results.store import open_store
from tests.cli.hostile_store import hostile_store
from tests.support.leagues import arena, arena_here, create_here, simple, write_bot
from tests.support.submissions import enter_checked

LADDER = """\
name = "{name}"
game = "bread-basket"
seats = 2
seed = 7
same_author = true
[schedule]
kind = "ladder"
"""
FORMS = {
    "folder": "./mybot",
    "archive": "mybot.zip",
    "name": "mybot",
    "author and name": "tests/mybot",
    "number": "mybot@1",
    "reference": "tests/mybot@1",
    "hash": "HASH",
    "Arena's own": "bots/any_game/random",
}
NAMED = {"bot", "bots", "as_bot", "against", "around"}
"""Parameters that name bots, wherever they are; and two that are called `version`."""

IN_A_LEAGUE = {  # what is typed before and after the bot
    "history --bot": (["history", "spring", "--bot"], []),
    "stats --bot": (["stats", "spring", "--bot"], []),
    "faults --bot": (["faults", "spring", "--bot"], []),
    "rankings --against": (["rankings", "spring", "--against"], []),
    "rankings --around": (["rankings", "spring", "--around"], []),
    "replay list --bot": (["replay", "list", "spring", "--bot"], []),
    "why --bot": (["why", "spring/0.0", "--bot"], []),
    "log --bot": (["log", "spring/0.0", "--bot"], []),
    "step --bot": (["step", "spring/0.0", "--as", "mybot", "--until", "0", "--bot"], []),
    "league retire": (["league", "retire", "friday"], []),
    "league pause": (["league", "pause", "friday"], []),
    "league resume": (["league", "resume", "friday"], []),
    "league bench": (["league", "bench", "friday"], []),
    "league replace": (["league", "replace", "friday"], ["pick2"]),
}
OF_A_STORE = {
    "bots show": (["bots", "show"], []),
    "bots log": (["bots", "log"], []),
    "bots delete": (["bots", "delete"], ["--yes"]),
    "bots download": (["bots", "download"], ["-O", "out.zip"]),
    "league add": (["league", "add", "empty"], []),
    "league replace with": (["league", "replace", "empty", "pick1"], []),
}
SHORT = ["-g", "bread-basket", "--option", "hands=1"]
PLAYING = {
    "check": (["check"], ["-g", "bread-basket", "-n", "1"]),
    "submit": (["submit"], []),
    "match": (["match", *SHORT], ["pick1"]),
    "play --against": (["play", "bread-basket", "-a"], []),
    "trace": (["trace", *SHORT], ["--against", "pick1"]),
    "trace --against": (["trace", *SHORT, "pick1", "--against"], []),
    "compare": (["compare", *SHORT, "-n", "16", "pick1"], []),
    "race": (["race", *SHORT, "-n", "16", "pick1"], []),
    "tune": (["tune", "-g", "bread-basket"], []),
    "queue add": (["queue", "add", "compare", "-g", "bread-basket", "-n", "16", "pick1"], []),
    "step --as": (["step", "spring/0.0", "--seat", "0", "--as"], []),
}
HELD = {
    "bots delete": "is held by games",
    "play --against": "needs a terminal",
    "tune": "has no [parameters]",
}
"""What commands answer instead, whatever the bot is called."""
FIRST = {"league resume": "pause"}
"""What has to be done to a bot before."""
QUICK_COMMANDS = {"why --bot", "league bench", "league add"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a folder with a store and bots, and the beginning of the hash of one."""
    folder: Path = tmp_path_factory.mktemp("names")
    hostile_store(folder, ["mybot", "random", "third"], "text", "old")
    for number, name in enumerate(("mybot", "pick1", "pick2", "fresh")):
        write_bot(folder, name, simple(number), game="bread-basket")
    (folder / "mybot.zip").write_bytes(zip_of(read_files(folder / "mybot"), "mybot"))
    (folder / "plain.py").write_text("print()")
    for league, bots in (
        ("friday", ("mybot", "pick1", "bots/any_game/random")),
        ("empty", ("pick1", "pick2")),
    ):
        paths = "".join(f'[[bots]]\npath = "{bot}"\n' for bot in bots)
        file = folder / f"{league}.toml"
        file.write_text(LADDER.format(name=league) + paths)
        create_here(file)
    with open_store(folder / "arena.sqlite") as store:
        for name in ("mybot", "pick1", "pick2"):
            candidate = look_at(folder / name, store, runtimes_beside(store.path))
            enter_checked(store, candidate, {"bread-basket": {"decisions": 1}})
        mine, random = store.versions.find("tests/mybot"), store.versions.find("arena/random")
    with closing(sqlite3.connect(folder / "arena.sqlite")) as past, past:
        for entry_no, version in enumerate((mine, random)):
            spring = "(SELECT id FROM league WHERE name = 'spring')"
            change = f"UPDATE entry SET version_id = ? WHERE entry_no = ? AND league_id = {spring}"  # noqa: S608
            past.execute(change, (version.id, entry_no))
    return folder, mine.sha256[:12]


@pytest.fixture
def folder(made: tuple[Path, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(made[0], tmp_path / "here"))


def test_no_command_is_left_out() -> None:
    def of_bots(group: Any, path: str = "") -> Iterator[str]:
        for param in getattr(group, "params", ()):
            if param.name in NAMED or (path in ("bots show", "league replace") and param.name == "version"):
                option = param.param_type_name == "option"
                yield f"{path} {max(param.opts, key=len)}" if option else path
        for name, command in getattr(group, "commands", {}).items():
            yield from of_bots(command, f"{path} {name}".strip())

    tested = {*IN_A_LEAGUE, *OF_A_STORE, *PLAYING} - {"league replace with"}
    assert set(of_bots(typer.main.get_command(app))) | {"bots log", "bots delete", "bots download"} == tested


def run_named(
    folder: Path, run: Callable[..., Any], name: str, typed: tuple[list[str], list[str]], bot: str
) -> tuple[int, str, str]:
    """Run a command with a bot between what is typed before and after it."""
    before, after = typed
    if name in FIRST:
        label = "random" if bot in ("random", FORMS["Arena's own"]) else "mybot"
        assert arena_here("league", FIRST[name], "friday", label, cwd=folder).returncode == 0
    done = run(*before, bot, *after, cwd=folder)
    return done.returncode, done.stdout, done.stderr


def cases(commands: dict[str, Any], quick: str) -> list[Any]:
    """Return each command with each form: quick are all forms of one command, and some commands with a folder."""
    return [
        pytest.param(
            name,
            form,
            marks=[pytest.mark.slow] * (name != quick and not (form == "folder" and name in QUICK_COMMANDS)),
        )
        for name in commands
        for form in FORMS
    ]


@pytest.fixture(scope="module")
def by_label(
    made: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory
) -> Callable[[str, str], tuple[int, str, str]]:
    """Return a function: what a command says, in a copy of the folder, of a bot that is called by its label."""

    @cache
    def said(name: str, label: str) -> tuple[int, str, str]:
        copy = Path(shutil.copytree(made[0], tmp_path_factory.mktemp("labels") / "there"))
        return run_named(copy, arena_here, name, IN_A_LEAGUE[name], label)

    return said


@pytest.mark.parametrize(("name", "form"), cases(IN_A_LEAGUE, "history --bot"))
def test_a_bot_of_a_league_has_many_names(
    made: tuple[Path, str], by_label: Callable[..., tuple[int, str, str]], folder: Path, name: str, form: str
) -> None:
    bot = FORMS[form].replace("HASH", made[1])
    expected = by_label(name, "random" if form == "Arena's own" else "mybot")
    assert expected[0] in (0, 6), expected
    assert run_named(folder, arena_here, name, IN_A_LEAGUE[name], bot) == expected


@pytest.mark.parametrize(("name", "form"), cases(OF_A_STORE, "bots show"))
def test_a_bot_of_a_store_has_many_names(made: tuple[Path, str], folder: Path, name: str, form: str) -> None:
    bot = FORMS[form].replace("HASH", made[1])
    code, out, err = run_named(folder, arena_here, name, OF_A_STORE[name], bot)
    assert code == (2 if name in HELD else 0), err
    meant = "arena/random@1" if form == "Arena's own" else "tests/mybot@1"
    assert meant in out + err or (name == "bots log" and "decisions: 1" in out)
    assert HELD.get(name, "") in err


@pytest.mark.parametrize(
    ("name", "form"),
    [(name, form) for name in PLAYING for form in FORMS],
)
@pytest.mark.slow
def test_a_bot_that_plays_has_many_names(made: tuple[Path, str], folder: Path, name: str, form: str) -> None:
    bot = FORMS[form].replace("HASH", made[1])
    code, out, err = run_named(
        folder, lambda *typed, cwd: arena(*typed, cwd=cwd, check=False), name, PLAYING[name], bot
    )
    if name in HELD:
        assert (code, HELD[name] in err) == (2, True)
    elif name in ("compare", "race"):
        assert code in (0, 10, 11, 12), err
    elif name == "step --as":
        assert code in (0, 6), err
    else:
        assert code == 0, err
    assert "there is no" not in err
    assert name in HELD or ("random" if form == "Arena's own" else "mybot") in out + err


NOT_THERE = {**IN_A_LEAGUE, **OF_A_STORE}


@pytest.mark.parametrize(
    ("name", "bot"),
    [
        pytest.param(name, bot, marks=[pytest.mark.slow] * (name != "history --bot"))
        for name in NOT_THERE
        for bot in ("./fresh", "plain.py", "nowhere", "./nowhere", "bots/bread_basket/greedy")
    ],
)
def test_a_path_that_exists_is_never_said_not_to_be_there(folder: Path, name: str, bot: str) -> None:
    before, after = NOT_THERE[name]
    if bot in ("./fresh", "bots/bread_basket/greedy") and name in ("league add", "league replace with"):
        return  # it joins
    done = arena_here(*before, bot, *after, cwd=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    if bot == "bots/bread_basket/greedy":
        assert f"{bot} comes with Arena, and has not played in this store" in done.stderr
        assert f"let it play: arena match {bot} BOT" in done.stderr
    elif bot == "./fresh":
        assert f"{bot} isn't submitted yet" in done.stderr
        assert f"arena submit {bot}" in done.stderr
    elif bot == "plain.py":
        assert "plain.py is a file; a bot is a folder or an archive" in done.stderr
    else:
        assert re.search(r"there is no .*nowhere|nowhere didn't play in", done.stderr)


def test_a_name_comes_before_a_path_and_arena_s_own_after_yours(folder: Path) -> None:
    assert bot_path("mybot", folder) == folder / "mybot"
    assert bot_path("tests/mybot", folder) is None
    own = folder / "bots" / "any_game" / "random"
    assert bot_path("bots/any_game/random", folder) != own
    write_bot(own.parent, "random", simple(3))
    assert bot_path("bots/any_game/random", folder) == own


@pytest.mark.slow
def test_a_folder_joins_once_it_is_submitted(folder: Path) -> None:
    done = arena("league", "add", "friday", "./fresh", "--label", "new", cwd=folder)
    assert "submitted as tests/fresh@1" in done.stdout
    assert "new (tests/fresh@1) joins friday" in done.stdout
    again = arena("league", "add", "friday", "./fresh", "--arg", "x", cwd=folder)
    assert "submitted" not in again.stdout, "it has been"
    (folder / "fresh" / "bot.py").write_text(simple(5))
    done = arena("league", "replace", "friday", "new", "./fresh", cwd=folder)
    assert "new@2 (tests/fresh@2) replaces new in friday" in done.stdout
    (folder / "fresh" / "bot.py").write_text("raise SystemExit(1)")
    broken = arena("league", "add", "friday", "./fresh", cwd=folder, check=False)
    assert broken.returncode == 3
    assert "the bot was not submitted" in broken.stderr
    finished = arena("league", "add", "spring", "./fresh", cwd=folder, check=False)
    assert finished.returncode == 2
    assert "checking" not in finished.stderr, "refused before it is checked"
