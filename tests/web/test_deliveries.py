"""A command of the site takes effect once, whatever is sent twice or stops between two steps."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from arena.league.changes.entries import Pause, Resume
from arena.league.changes.whole_league import Season
from arena.league.inbox import dispatch
from arena.league.inbox.files import new_id
from arena.web.html.advice_words import in_the_api, on_pages
from arena.web.live.site import Site
from arena.web.organising.deliveries import FormReused
from arena.web.site_file import audit, pending_commands
from results.store import open_store
from tests.support.web.copied_site import copied_site

LEAGUE = "unplayed"


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path) as found:
        yield found


def events(site: Site) -> int:
    with open_store(site.stores.path, readonly=True) as store:
        return store.leagues.event_count(store.leagues.get(LEAGUE).uuid)


def test_the_same_form_sent_twice_has_one_effect(site: Site) -> None:
    change, uuid = Pause(LEAGUE, why="rain"), new_id()
    first = site.deliveries.give("ada", uuid, change, "10.0.0.1")
    assert (first.state, events(site)) == ("done", 1)
    assert site.deliveries.give("ada", uuid, change) == first
    assert events(site) == 1
    for account, other in (("eve", change), ("ada", Resume(LEAGUE))):
        with pytest.raises(FormReused):
            site.deliveries.give(account, uuid, other)
    with site.file.reading() as db:
        (line,) = audit.newest(db, 9)
    assert (line.who, line.address, line.command) == ("ada", "10.0.0.1", uuid)
    assert '"why":"rain"' in line.what


def test_a_refused_command_says_why_and_stays_refused(site: Site) -> None:
    uuid, change = new_id(), Pause("nothing")
    found = site.deliveries.give("ada", uuid, change)
    assert found.state == "refused"
    assert "there is no league 'nothing'" in found.answer
    assert str(site.stores.path) in str(found.advice)
    assert str(site.stores.path) not in on_pages(found.advice)
    assert site.deliveries.give("ada", uuid, change).state == "refused"


def test_what_to_do_about_a_refusal_comes_through_the_ledger_in_its_parts(site: Site) -> None:
    found = site.deliveries.give("ada", new_id(), Season(LEAGUE))
    assert found.state == "refused"
    assert in_the_api(found.advice).endswith("by POST /api/v1/commands with the kind clone")
    assert on_pages(found.advice).endswith(f": arena league clone {LEAGUE} NEW on the server's machine")
    with open_store(site.stores.path, readonly=True) as store:
        assert store.commands.newest(1)[0].advice == found.advice


@pytest.mark.parametrize("dies_after", ["nothing", "leaving", "the effect"])
def test_what_a_killed_server_left_is_delivered_by_the_next(site: Site, dies_after: str) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: object, **__: object) -> None:
        raise Killed

    real, uuid = dispatch.deliver_once, new_id()

    def after_the_effect(*arguments: object, **options: object) -> None:
        real(*arguments, **options)  # type: ignore[arg-type]
        raise Killed

    where = {
        "nothing": patch("arena.web.organising.deliveries.deliver_once", killed),
        "leaving": patch("arena.league.inbox.dispatch._recorded", killed),
        "the effect": patch("arena.web.organising.deliveries.deliver_once", after_the_effect),
    }
    with where[dies_after], pytest.raises(Killed):
        site.deliveries.give("ada", uuid, Pause(LEAGUE))
    following = Site.of(site.stores.path)
    assert following.deliveries.deliver_waiting() == 0
    with following.file.reading() as db:
        found = pending_commands.find(db, uuid)
    assert found is not None
    assert (found.state, events(following)) == ("done", 1)
    following.close()
