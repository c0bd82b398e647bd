"""A machine that can't confine bots: what `arena serve` says, and who may play at tables then."""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.league.inbox.files import new_id
from arena.web.play_tables.process_messages import Setup
from arena.web.play_tables.table import Owner
from arena.web.play_tables.tables import TableLimits, Tables
from arena.web.site_file.site_database import SiteFile
from arena.web.upkeep import confinement_watch
from arena.web.upkeep.confinement_watch import ConfinementWatch
from results.base.isolation_levels import Wanted
from results.store import open_store
from tests.support.leagues import simple, write_bot
from tests.support.ledgers import new_store
from tests.support.open_leagues import submitted
from tests.support.waiting import eventually
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import HERE, csrf_in, member

pytestmark = pytest.mark.xdist_group("site")

OWN = "bots/any_game/random"
FAILS = ("sh", "-c", "exit 6")


def watch(tmp_path: Path, wanted: Wanted | None, said: list[str], trial: tuple[str, ...]) -> ConfinementWatch:
    found = ConfinementWatch(tmp_path / "arena.sqlite", wanted, said.append, trial=trial)
    found.begin()
    return found


@pytest.mark.parametrize(
    ("wanted", "words", "refuses"),
    [
        (
            None,
            "require; uploads are refused; on the page Play, only bots that come with Arena play",
            True,
        ),
        ("auto", "all run with your permissions", False),
        ("require", "none is started", False),
        ("off", "because of --sandbox off", False),
    ],
)
def test_the_console_says_what_follows(
    tmp_path: Path, wanted: Wanted | None, words: str, *, refuses: bool
) -> None:
    said: list[str] = []
    found = watch(tmp_path, wanted, said, FAILS)
    assert eventually(lambda: bool(said))
    found.close()
    assert words in said[0]
    assert (found.trouble, found.refuses_others) == (said[0], refuses)
    is_allowed = wanted in ("auto", "off")
    assert (found.may_start_uploads(), not found.upload_trouble) == (is_allowed, is_allowed)


def test_bots_that_can_be_confined_again_are_said_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confinement_watch, "AGAIN_S", 0.01)
    said: list[str] = []
    found = watch(tmp_path, None, said, ("sh", "-c", 'test -e "$0.mended" || exit 6'))
    assert eventually(lambda: len(said) == 1)
    (tmp_path / "arena.sqlite.mended").touch()
    assert eventually(lambda: len(said) == 2)
    assert (said[1], found.trouble, found.refuses_others) == (
        "this machine can confine bots again",
        "",
        False,
    )
    assert (found.may_start_uploads(), found.upload_trouble) == (True, "")


def test_others_bots_are_neither_offered_nor_seated(demo_store: Path, tmp_path: Path) -> None:
    with copied_site(demo_store, tmp_path) as site:
        with open_store(site.stores.path) as store:
            submitted(store, "late", simple(0))
        client, csrf = member(site, "olga", "organiser")
        assert "tests/late@1" in client.get("/play?game=bread-basket").text
        site.confinement = ConfinementWatch(site.stores.path, None, lambda _line: None)
        site.confinement.trouble = "this machine can't confine bots"
        page = client.get("/play?game=bread-basket").text
        assert OWN in page
        assert "tests/late@1" not in page
        assert "only bots that come with Arena play" in page
        asked = {"csrf": csrf, "game": "bread-basket", "seats": "2", "bot-0": "tests/late@1"}
        refused = client.post("/play", data=asked, headers=HERE)
        assert (refused.status_code, csrf_in(refused.text)) == (422, csrf)
        assert "this machine can&#39;t confine bots" in client.get("/organiser").text


def test_tables_ask_for_a_sandbox_unless_all_bots_are_arenas(tmp_path: Path) -> None:
    found = {}
    for wanted in (None, "auto", "off"):
        limits = TableLimits(sandbox=wanted)
        file = SiteFile(tmp_path / "arena.site.sqlite")
        tables = Tables(tmp_path / "arena.sqlite", file, limits, program=("sh", "-c", "cat >/dev/null"))
        found[wanted] = [
            tables.open(Owner("account ann", "ann"), a_setup("x/y@1", own=own)).setup.sandbox
            for own in (True, False)
        ]
        tables.close()
    assert found == {None: ["auto", "require"], "auto": ["auto", "auto"], "off": ["off", "off"]}


def a_setup(bot: str, *, own: bool) -> Setup:
    return Setup(
        "", "bread-basket", "tens", ("hands=1",), 2, 0, (bot,), "ann", 300, 600, new_id(), all_with_arena=own
    )


def without_bubblewrap(tmp_path: Path) -> str:
    """Return a PATH on which bubblewrap fails."""
    place = tmp_path / "broken"
    place.mkdir()
    (place / "bwrap").write_text("#!/bin/sh\nexit 1\n")
    (place / "bwrap").chmod(0o755)
    return f"{place}{os.pathsep}{os.environ['PATH']}"


@pytest.mark.slow
def test_a_table_starts_no_bot_of_others_unconfined(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new_store(tmp_path).close()
    bot = write_bot(tmp_path, "other", simple(0))
    monkeypatch.setenv("PATH", without_bubblewrap(tmp_path))
    tables = Tables(tmp_path / "arena.sqlite", SiteFile(tmp_path / "arena.site.sqlite"))
    other = tables.open(Owner("account ann", "ann"), a_setup(str(bot), own=False))
    own = tables.open(Owner("account ann", "ann"), a_setup(OWN, own=True))
    assert eventually(lambda: not other.is_live)
    assert "this server can't confine bots now" in other.failed
    assert eventually(lambda: own.phase == "asking")
    tables.close()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--no-uploads", "--no-run")])
def test_the_console_of_a_server_says_that_bots_are_unconfined(
    tmp_path: Path, options: tuple[str, ...]
) -> None:
    new_store(tmp_path).close()
    log = tmp_path / "server.log"
    with log.open("wb") as file:
        server = subprocess.Popen(
            [sys.executable, "-m", "arena", "serve", "--port", "0", *options],
            cwd=tmp_path,
            env={**os.environ, "PATH": without_bubblewrap(tmp_path)},
            stdout=file,
            stderr=file,
        )
        try:
            assert eventually(
                lambda: "on the page Play, only bots that come with Arena play" in log.read_text()
            )
        finally:
            server.terminate()
            with suppress(subprocess.TimeoutExpired):
                server.wait(60)
            server.kill()
    assert ("leagues with sandbox" in log.read_text()) == (not options)
