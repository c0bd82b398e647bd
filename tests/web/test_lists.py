"""Long lists: fifty rows on a page, the way to the others, and what asks the server for one bot."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from arena.web.html.page import NoPage, part_of
from arena.web.public.export import export
from results.store import open_store
from tests.support.ledgers import new_store
from tests.support.web.chromium import chromium, served, window
from tests.support.web.large_store import add_large_league
from tests.support.web.pages import check_folder
from tests.support.web.visitors import browser, member, site_at

BOTS = 120
LONG = "W" * 64


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("lists")
    with new_store(found) as store:
        labels = [f"{LONG[:-2]}{number:02}" if number else LONG for number in range(20)]
        add_large_league(store, "long", BOTS, 200, 1, labels=labels, copies=1)
    return found


@pytest.fixture
def visitor(folder: Path) -> Iterator[TestClient]:
    site = site_at(folder)
    yield browser(site)
    site.close()


def names(html: str) -> list[str]:
    table = html.partition('id="ladder"')[2].partition("</table>")[0]
    return re.findall(r'<th scope="row"><div><a href="[^"]*" title="([^"]*)"', table)


def test_a_part_has_its_rows_and_nothing_beyond_the_end() -> None:
    rows = list(range(101))
    parts = [part_of(101, number, ("x",)) for number in ("", "2", "3")]
    assert [row for part in parts for row in part.of(rows)] == rows
    assert [(part.first, part.last) for part in parts] == [(1, 50), (51, 100), (101, 101)]
    assert [part.path(part.number) for part in parts] == [("x",), ("x", "page", "2"), ("x", "page", "3")]
    assert part_of(0, "", ("x",)).pages == 1
    for number in ("0", "1", "4", "02", "-1", "x", "٢", "9" * 5000):
        with pytest.raises(NoPage):
            part_of(101, number, ("x",))


def test_pages_of_a_ladder_have_each_bot_once(visitor: TestClient) -> None:
    pages = [visitor.get(f"/leagues/long{end}").text for end in ("", "/page/2", "/page/3")]
    found = [names(page) for page in pages]
    assert list(map(len, found[:2])) == [50, 50]
    assert len({name for page in found for name in page}) == sum(map(len, found))
    assert "51 to 100 of" in pages[1]
    assert 'rel="prev" href="/leagues/long"' in pages[1]
    assert 'rel="next" href="/leagues/long/page/3"' in pages[1]
    assert 'rel="next"' not in pages[2]
    assert 'href="/leagues/long" aria-current="page"' in pages[1], "its tab is marked"
    for beyond in ("1", "4", "02", "x", "9999999999"):
        assert visitor.get(f"/leagues/long/page/{beyond}").status_code == 404


def test_a_long_ladder_is_sorted_and_searched_by_the_server(visitor: TestClient) -> None:
    first = visitor.get("/leagues/long?sort=bot").text
    second = visitor.get("/leagues/long/page/2?sort=bot").text
    both = [*names(first), *names(second)]
    assert both == sorted(both, key=str.casefold)
    assert 'rel="next" href="/leagues/long/page/2?sort=bot"' in first
    down = visitor.get("/leagues/long?sort=-bot").text
    assert names(down) == sorted(names(down), key=str.casefold, reverse=True)
    assert 'aria-sort="descending"' in down
    found = visitor.get("/leagues/long", params={"find": "BOT-77"}).text
    assert names(found) == ["author77/bot-77"]
    assert "No bot is called so" in visitor.get("/leagues/long", params={"find": "<nobody>"}).text
    assert visitor.get("/leagues/long", params={"sort": "<x>"}).status_code == 400


def test_a_member_jumps_to_an_own_bot(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "arena.sqlite").write_bytes((folder / "arena.sqlite").read_bytes())
    site = site_at(tmp_path)
    client, _ = member(site, "copied")
    page = client.get("/leagues/long").text
    address, place = re.findall(r'<a class="name cut" title="W{64}" href="([^"#]*)#([^"]*)"', page)[0]
    assert f'class="own" id="{place}"' in client.get(address).text
    assert "Your bot" not in browser(site).get("/leagues/long").text
    site.close()


def test_short_ladders_are_sorted_by_scripts_alone(tmp_path: Path) -> None:
    with new_store(tmp_path) as store:
        add_large_league(store, "short", 6, 10, 1)
    site = site_at(tmp_path)
    html = browser(site).get("/leagues/short?sort=-bot").text
    assert names(html) == names(browser(site).get("/leagues/short").text)
    assert "data-sortable" in html
    site.close()


@pytest.mark.slow
def test_an_exported_folder_has_every_page_of_a_list(folder: Path, tmp_path: Path) -> None:
    with open_store(folder / "arena.sqlite", readonly=True) as store:
        export(store, tmp_path / "site", 1)
    last = (tmp_path / "site/leagues/long/page/3.html").read_text("utf-8")
    assert "page/2.html" in last
    check_folder(tmp_path / "site")
    rows = (tmp_path / "site/leagues/long/rankings.csv").read_text("utf-8").count("\n")
    assert rows > 100, "downloads stay whole"


ADDRESSES = (
    *("/", "/leagues/long", "/leagues/long/page/2", "/leagues/long/matches", "/leagues/long/matches/0"),
    *("/leagues/long/head-to-head", "/leagues/long/history", "/leagues/long/seats", "/leagues/long/faults"),
    *("/leagues/long/live", f"/leagues/long/bots/{LONG}", "/bots/copied/bot", "/bots/copied/bot/1"),
    *("/authors/copied", "/leagues/long/games/0.0"),
)


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 800, 1440])
def test_names_of_any_length_fit_every_page(folder: Path, width: int) -> None:
    wide = []
    with (
        chromium() as found,
        served(folder / "arena.sqlite") as base,
        window(found, width, dark=False) as own,
    ):
        page = own.new_page()
        for address in ADDRESSES:
            page.goto(base + address)
            scroll, inner = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            if scroll > inner:
                wide.append((address, scroll))
        page.goto(f"{base}/leagues/long")
        heights = page.evaluate(
            "[...document.querySelectorAll('#ladder tbody tr')].map(row => row.getBoundingClientRect().height)"
        )
    assert not wide
    assert len(heights) == 50
    if width == 360:
        assert set(heights) == {44}
