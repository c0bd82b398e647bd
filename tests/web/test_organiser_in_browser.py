"""Organising in a real browser, with a runner: from the sign-in to a league that is played."""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from arena.web.site_file import pending_commands
from results.store import open_store
from tests.support.leagues import arena_here, write_league
from tests.support.waiting import eventually
from tests.support.web.chromium import chromium
from tests.support.web.serving import is_up, serving
from tests.support.web.visitors import site_at, token_of


@pytest.mark.slow
def test_a_league_is_created_by_fields_and_a_double_click_and_played(tmp_path: Path) -> None:
    arena_here("league", "create", write_league(tmp_path, rounds=1), cwd=tmp_path)
    site = site_at(tmp_path)
    token = token_of(site, "olga", "organiser")
    with serving(tmp_path) as (port, _), chromium() as browser:
        assert eventually(lambda: is_up(port))
        said: list[str] = []
        page = browser.new_page()
        page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        base = f"http://127.0.0.1:{port}"
        page.goto(f"{base}/organiser/new")
        page.get_by_label("Token").fill(token)
        page.get_by_role("button", name="Sign in").click()
        assert page.url == f"{base}/organiser/new"
        page.get_by_role("radio", name="Bread Basket").check()
        page.locator("#name").fill("browser")
        page.get_by_label("tests/pick0").check()
        page.get_by_text("Advanced: every setting").click()
        page.locator("#bots").fill("tests/pick1")
        page.locator("details details").evaluate_all("all => all.forEach(one => { one.open = true; })")
        page.locator('[id="key-options"]').fill("{ hands = 1 }")
        preview = page.locator("#preview")
        expect(preview).to_contain_text("2 bots at tables of 2")
        page.get_by_role("button", name="Create the league").dblclick(no_wait_after=True)
        page.wait_for_url(f"{base}/account/commands/*")
        page.get_by_text("Done: created browser").wait_for()
        page.get_by_role("link", name="Go to browser").click()
        page.wait_for_url(f"{base}/leagues/browser")

        def played() -> bool:
            with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
                return store.leagues.get("browser").state == "finished"

        assert eventually(played)
        page.goto(f"{base}/organiser")
        page.get_by_role("link", name="browser", exact=True).first.click()
        page.get_by_label("More rounds").fill("2")
        page.get_by_role("button", name="Extend").click()
        page.wait_for_url(f"{base}/account/commands/*")
        page.get_by_text("Done: ").wait_for()
        page.goto(f"{base}/account")
        page.get_by_role("button", name="Sign out").click()
        page.goto(f"{base}/organiser")
        assert page.url.startswith(f"{base}/sign-in?next=")
        assert said == []
    with site.file.reading() as db:
        assert [one.kind for one in pending_commands.newest(db, 9)] == ["extend", "create"]
    site.close()
