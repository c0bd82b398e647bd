"""What the start of the program imports: a command when it is used, and for a command no more than it needs."""

import pkgutil
import re
import subprocess
import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import pytest
import typer

from arena.cli import commands
from arena.cli.app import app
from arena.cli.base.lazy_group import LazyGroup
from arena.cli.base.without_pydantic import _Plain
from tests.support.leagues import arena_here
from tests.support.ledgers import new_league, new_store, plan, played
from tests.support.tree import ROOT

SITE = {"arena.web", "fastapi", "starlette", "uvicorn", "jinja2"}
NUMERICS = {"numpy", "scipy"}
OBJECTS = {"sqlmodel", "sqlalchemy", "pydantic"}
PLAYING = {"arena.executors", "arena.players", "arena.referee", "arena.games", "multiprocess"}
RESULTS = {"results.store", "results.reports", "sqlalchemy", "sqlmodel", "sqlite3", "msgspec"}


def lazy_groups(command: Any) -> Iterator[LazyGroup]:
    """Yield the groups, from a command down, that import their commands late."""
    if isinstance(command, LazyGroup):
        yield command
        for inner in command.commands.values():
            yield from lazy_groups(inner)


@pytest.fixture(scope="module")
def groups() -> list[LazyGroup]:
    return list(lazy_groups(typer.main.get_command(app)))


def test_summaries_are_those_of_the_commands(groups: list[LazyGroup]) -> None:
    assert [group.name for group in groups] == ["arena", "league"]
    for group in groups:
        for name, command in group.commands.items():
            said = cleandoc(command.help or "").split("\n\n")[0].replace("\n", " ")
            assert said
            assert group.summary(name) == said


def test_help_is_in_sections_with_the_first_day_on_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    text = arena_here("--help", cwd=tmp_path).stdout
    first_day = ["demo", "new", "match", "submit", "rankings"]
    found = re.findall(r"Start here.*?Bots.*?Games.*?Leagues.*?Results.*?Site.*?Store", text, re.DOTALL)
    assert len(found) == 1
    top = found[0].partition("Bots")[0]
    assert re.findall(r"^  (\w+)  ", top, re.MULTILINE) == first_day
    assert "--install-completion" in text.partition("Store")[2]


def test_summaries_take_two_lines_of_80_columns_at_most(groups: list[LazyGroup]) -> None:
    assert [name for group in groups for name in group.modules if len(group.summary(name)) > 2 * 60] == []


def test_every_module_has_a_command(groups: list[LazyGroup]) -> None:
    named = {module.partition(":")[0] for group in groups for module in group.modules.values()}
    there = pkgutil.walk_packages(commands.__path__, f"{commands.__name__}.")
    assert named == {module.name.removeprefix(f"{commands.__name__}.") for module in there}


def test_an_error_in_a_command_is_not_taken_for_an_unknown_command(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken(LazyGroup):
        package = __name__
        sections = {"Commands": {"broken": "broken"}}  # noqa: RUF012 - read only

    def broken(name: str) -> None:
        raise KeyError(name)

    monkeypatch.setattr("arena.cli.base.lazy_group.import_module", broken)
    group = Broken(name="group")
    assert group.get_command(None, "unknown") is None
    with pytest.raises(KeyError):
        group.get_command(None, "broken")


def loaded(folder: Path, *arguments: str) -> set[str]:
    """Run a command in a process of its own; return the modules it loaded, and the packages they are in."""
    program = (
        "import sys; from arena.cli.app import run; assert run(sys.argv[1:]) == 0; "
        "print('\\n', *sys.modules, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], cwd=folder, check=True, capture_output=True, text=True
    )
    names = done.stderr.splitlines()[-1].split()
    return {".".join(name.split(".")[:depth]) for name in names for depth in (1, 2, 3, 4)}


def test_help_loads_no_command(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "--help")
    assert "arena.cli.app" in modules
    assert not modules & (SITE | NUMERICS | PLAYING | RESULTS | {"arena.cli.commands", "arena.cli.display"})


def test_playing_a_league_by_its_name_loads_no_numerics_first(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "run", "--help")
    assert "arena.executors" in modules
    assert not modules & (SITE | NUMERICS | OBJECTS)


def test_the_second_match_of_two_bots_loads_no_objects(tmp_path: Path) -> None:
    bots = [str(ROOT / "bots" / "any_game" / "random")] * 2
    match = ["match", *bots, "--game", "bread-basket", "--sandbox", "off"]
    assert loaded(tmp_path, *match) >= OBJECTS  # it adds rows, as the bot and the league are new
    assert not loaded(tmp_path, *match) & (SITE | NUMERICS | OBJECTS)


@pytest.mark.parametrize("command", ["rankings", pytest.param("status", marks=pytest.mark.slow)])
def test_looking_loads_nothing_that_plays_or_serves(tmp_path: Path, command: str) -> None:
    store = new_store(tmp_path)
    store.append([played(match, 0, (5, 1)) for match in plan(store, new_league(store), (0, 1))])
    store.close()
    modules = loaded(tmp_path, command)
    assert f"arena.cli.commands.{command}" in modules
    assert not modules & (SITE | NUMERICS | PLAYING | OBJECTS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rankings", "--top", "x"], "--top must be a whole number, 1 or more, not x"),
        (["rankings", "--top", "0"], "--top must be a whole number, 1 or more, not 0"),
        (["rankings", "--format", "pdf"], "--format: 'pdf' is not a possible value"),
    ],
)
def test_wrong_values_are_told_as_before(tmp_path: Path, arguments: list[str], said: str) -> None:
    assert said in arena_here(*arguments, cwd=tmp_path).stderr


def every_command(command: Any, path: str = "arena") -> Iterator[tuple[str, Any]]:
    """Yield every command that runs, with its name."""
    if isinstance(command, typer.core.TyperGroup):
        for name, inner in command.commands.items():
            yield from every_command(inner, f"{path} {name}")
    else:
        yield path, command


def test_no_parameter_needs_pydantic_for_its_default_and_no_choice_either() -> None:
    def adapted(parameter: Any) -> Any:
        raise AssertionError(f"{command}: {parameter.name} loads pydantic")

    for command, one in every_command(typer.main.get_command(app)):
        for parameter in one.params:
            if getattr(parameter, "is_flag", False):  # typer has no adapter for flags
                continue
            kind = getattr(parameter, "type_descriptor", None)
            values = [parameter.default] if parameter.default is not None else []
            if kind is not None and get_origin(kind.annotation) is Literal:
                values += list(get_args(kind.annotation))
            for value in values if kind is not None else ():
                plain = _Plain(parameter, adapted).coerce(value, parameter, None)
                assert plain == (list(value) if isinstance(value, tuple) else value), command
