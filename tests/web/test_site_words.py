"""Refusals advise what a reader can do where they read it: pages and the API name no commands of the command line."""

import re
from pathlib import Path

import pytest

from arena.league.changes.commands import Extend
from arena.league.inbox.command import HINT, new_id
from arena.web.site_words import in_the_api, on_pages
from arena.web.wording import why_refused
from tests.web.copied_site import copied_site
from tests.web.visitors import member

pytestmark = pytest.mark.xdist_group("site")

ROOT = Path(__file__).parents[2]
COMMAND = re.compile(r"\barena [a-z]")
LAST_LEAGUE = "on the league's page under Organise"


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        (
            "a paused bot comes back with: arena league resume main b",
            f"a paused bot comes back, {LAST_LEAGUE}",
        ),
        (
            "let it go on with `arena league extend main …`, or make a copy: arena league clone main NEW",
            f"let it go on, {LAST_LEAGUE}, or make a copy, on the server's machine",
        ),
        (
            "retire one first: arena league retire main b; or let the new version replace one: "
            "arena league replace main b",
            "retire one first, on the page of its version, or of the league under Organise; or let the new version "
            "replace one, on the page of the new version",
        ),
        ("give --matches, --games or --rounds", "give matches, games or rounds"),
        ("choose another name", "choose another name"),
        ("set `kit = true` in bot.toml", "set `kit = true` in bot.toml"),
        (
            f"main is over{HINT}look at: arena bots --all",
            "main is over. What to do: look, on the page of the bot",
        ),
    ],
)
def test_a_hint_names_pages(hint: str, said: str) -> None:
    assert on_pages(hint) == said


def test_no_hint_about_a_change_keeps_a_command() -> None:
    hints = [
        text
        for file in (ROOT / "arena/league/changes").glob("*.py")
        for text in re.findall(
            r'f?"([^"\n]*\barena (?:league|bots)[^"\n]*)"', file.read_text(encoding="utf-8")
        )
    ]
    assert len(hints) > 10
    for hint in hints:
        assert not COMMAND.search(on_pages(hint)), hint
        assert not COMMAND.search(in_the_api(hint)), hint


def test_a_refused_change_is_told_in_the_words_of_the_page(demo_store: Path, tmp_path: Path) -> None:
    with copied_site(demo_store, tmp_path) as site:
        client, _ = member(site, "olga", "organiser")
        uuid = new_id()
        found = site.deliveries.give("olga", uuid, Extend("bread", minutes=5))
        assert "--rounds" in found.answer
        page = client.get(f"/account/commands/{uuid}").text
        assert "What to do: it can be extended by rounds" in page
        assert "--" not in page.partition("<main")[2].partition("</main>")[0]


def test_what_an_upload_failed_at_is_said_in_plain_words() -> None:
    assert why_refused("reading") == "The archive could not be read as a bot"
    assert why_refused("bread-basket") == "It failed in a game of bread-basket"
