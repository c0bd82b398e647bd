"""What advice becomes at a terminal, on pages and in the API, and that the commands it names exist."""

import ast
from pathlib import Path

import pytest
import typer

from arena.cli.app import app
from arena.web.html.advice_words import in_the_api, names_request, on_pages
from results.base.advice import Advice, Key, StoreAt, by, run, unpacked

ROOT = Path(__file__).parents[2]
EXTEND = by("league extend", "spring", "--rounds 1")


@pytest.mark.parametrize(
    ("advice", "terminal", "page", "api"),
    [
        (
            Advice("add rounds", EXTEND),
            "add rounds: arena league extend spring --rounds 1",
            "add rounds, on the league's page under Organise",
            "add rounds, by POST /api/v1/commands with the kind extend",
        ),
        (
            Advice("make a copy", by("league clone", "spring", "NEW")),
            "make a copy: arena league clone spring NEW",
            "make a copy: arena league clone spring NEW on the server's machine",
            "make a copy, by POST /api/v1/commands with the kind clone",
        ),
        (
            Advice("name a folder that ", run("db backup", "--all"), " wrote"),
            "name a folder that `arena db backup --all` wrote",
            "name a folder that `arena db backup --all` on the server's machine wrote",
            "name a folder that `arena db backup --all` on the server's machine wrote",
        ),
        (
            Advice("it can be extended by ", Key("games"), StoreAt("/srv/arena.sqlite")),
            "it can be extended by --games; the store is /srv/arena.sqlite; --store or ARENA_STORE chooses another",
            "it can be extended by games",
            "it can be extended by games",
        ),
        (
            Advice(run("accounts list"), " shows all accounts"),
            "`arena accounts list` shows all accounts",
            "the list below shows all accounts",
            "`arena accounts list` on the server's machine shows all accounts",
        ),
        ("look with: `arena doctor`", *["look with: `arena doctor`"] * 3),
    ],
)
def test_advice_is_said_in_the_words_of_each_audience(
    advice: object, terminal: str, page: str, api: str
) -> None:
    assert (str(advice), on_pages(advice), in_the_api(advice)) == (terminal, page, api)


def test_advice_is_stored_in_its_parts() -> None:
    advice = Advice(Advice("wait, or ", Key("force")), "; then", EXTEND, "", StoreAt("/a"))
    assert (
        unpacked(advice.packed()).parts
        == advice.parts
        == ("wait, or ", Key("force"), "; then", EXTEND, StoreAt("/a"))
    )
    assert (Advice("", Advice()).packed(), bool(unpacked(""))) == ("", False)


def test_clients_are_told_whether_a_hint_is_for_programs() -> None:
    assert names_request(Advice("add rounds", EXTEND))
    assert not names_request(Advice("more says ", run("league extend")))
    assert not names_request("POST it to /api/v1/commands")


def test_advice_names_commands_that_exist() -> None:
    named = {
        (path.name, call.args[0].value)
        for package in ("arena", "results")
        for path in (ROOT / package).rglob("*.py")
        if "results.base.advice import" in (text := path.read_text(encoding="utf-8"))
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in ("by", "run")
        and call.args
        and isinstance(call.args[0], ast.Constant)
        and isinstance(call.args[0].value, str)
    }
    assert len(named) > 30
    for where, command in sorted(named):
        found = typer.main.get_command(app)
        for word in command.split():
            found = found.get_command(None, word)  # type: ignore[attr-defined]
            assert found is not None, f"{where}: there is no command {command}"
