"""Long lists: fifty rows on a page, the way to the others, and what asks the server for one bot."""

import re
from collections import Counter
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import ClassVar
from uuid import uuid4

import pytest
from starlette.testclient import TestClient

from arena.web.html.page_model import NoPage
from arena.web.html.paging import A_PAGE, part_of
from arena.web.public.export import export
from arena.web.site_file import accounts, audit, pending_commands, upload_queue
from results.records import EntrySpec, RulesetRecord
from results.reports.rankings import first_entries, ranked_entries
from results.store import open_store
from tests.support.ledgers import add_version, new_store
from tests.support.web.chromium import chromium, served, window
from tests.support.web.large_store import add_large_league, add_matches, failed_attempt
from tests.support.web.pages import LINKED, check, check_folder, every_kind, kind_of, page_read
from tests.support.web.visitors import browser, member, sign_in, site_at

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
    assert [part.path(part.number) for part in parts] == [("x",), ("x", "page-2"), ("x", "page-3")]
    assert part_of(0, "", ("x",)).pages == 1
    for number in ("0", "1", "4", "02", "-1", "x", "٢", "9" * 5000):
        with pytest.raises(NoPage):
            part_of(101, number, ("x",))


def test_pages_of_a_ladder_have_each_bot_once(visitor: TestClient) -> None:
    pages = [visitor.get(f"/leagues/long{end}").text for end in ("", "/page-2", "/page-3")]
    found = [names(page) for page in pages]
    assert list(map(len, found[:2])) == [50, 50]
    assert len({name for page in found for name in page}) == sum(map(len, found))
    assert "51 to 100 of" in pages[1]
    assert 'rel="prev" href="/leagues/long"' in pages[1]
    assert 'rel="next" href="/leagues/long/page-3"' in pages[1]
    assert 'rel="next"' not in pages[2]
    assert 'href="/leagues/long" aria-current="page"' in pages[1], "its tab is marked"
    for beyond in ("1", "4", "02", "x", "9999999999"):
        assert visitor.get(f"/leagues/long/page-{beyond}").status_code == 404


@pytest.mark.parametrize("most", [1, 3, 200])
def test_the_first_bots_of_a_league_are_those_of_its_ladder(folder: Path, most: int) -> None:
    with open_store(folder / "arena.sqlite", create=False, readonly=True) as store:
        league = store.leagues.get("long")
        roster = store.entries.roster(league.uuid)
        ranks = [(row.rank, row.entry.label) for row in ranked_entries(store, league) if row.rank is not None]
        assert roster.retired, "some have left"
        assert 3 < len(ranks) < BOTS, "and some haven't played enough"
        found = first_entries(store, league, most, roster)
        assert [(row.rank, row.entry.label) for row in found] == ranks[:most]


def test_a_long_ladder_is_sorted_and_searched_by_the_server(visitor: TestClient) -> None:
    first = visitor.get("/leagues/long?sort=bot").text
    second = visitor.get("/leagues/long/page-2?sort=bot").text
    both = [*names(first), *names(second)]
    assert both == sorted(both, key=str.casefold)
    assert 'rel="next" href="/leagues/long/page-2?sort=bot"' in first
    down = visitor.get("/leagues/long?sort=-bot").text
    assert names(down) == sorted(names(down), key=str.casefold, reverse=True)
    assert 'aria-sort="descending"' in down
    found = visitor.get("/leagues/long", params={"find": "BOT-77"}).text
    assert names(found) == ["author77/bot-77"]
    assert "No bot is called so" in visitor.get("/leagues/long", params={"find": "<nobody>"}).text
    assert visitor.get("/leagues/long", params={"sort": "<x>"}).status_code == 400


def test_head_to_head_of_a_large_league_has_only_pairs_that_met_and_the_biggest_surprise_first(
    visitor: TestClient,
) -> None:
    page = visitor.get("/leagues/long/head-to-head?first=20").text
    pairs = visitor.get("/leagues/long/pairs.json?first=20").json()
    order = re.findall(r'<dt>.*?title="([^"]*)"', page)
    assert (len(order), '<table class="heat' in page) == (20, False)
    assert len(re.findall(r'class="badge heat[1-5]"', page)) == len(pairs) < 20 * 19 / 2
    passed = [
        (pair["low"] > 50, order.index(pair["bot"]) - order.index(pair["opponent"]), pair["bot"])
        for pair in pairs
        if pair["share"] > 50
    ]
    told = re.findall(
        r'<li><span class="nowrap"><a class="name cut" title="([^"]*)".*?which is (\d+) places', page
    )
    _, places, bot = max(passed, key=lambda one: one[:2])
    assert told[0] == (bot, str(places))


def test_the_list_of_bots_has_the_best_place_of_each_and_is_ordered_by_it(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "arena.sqlite").write_bytes((folder / "arena.sqlite").read_bytes())
    with open_store(tmp_path / "arena.sqlite") as store:
        versions = [add_version(store, "zoe", f"new{no}", f"{no:064x}", {}, {}) for no in range(A_PAGE)]
        entries = [EntrySpec(one.bot, one.id) for one in versions[:6]]
        rules = RulesetRecord("bread-basket", 1, "tens", "{}")
        league = store.leagues.create(
            "others", config={}, ruleset=rules, entries=entries, secret=bytes(32)
        ).uuid
        add_matches(store, league, len(entries), 0, 30, 1)
    site = site_at(tmp_path)
    client = browser(site)
    page = client.get("/bots?sort=place").text
    found = re.findall(r'href="(/bots/[^"]+)">[^<]*</a> <span.*?<td><b>(\d+)</b> of (\d+)', page, re.DOTALL)
    assert found
    for path, rank, of in found:
        assert f"<dt>Best place</dt><dd>{rank}<small> of {of}</small>" in client.get(path).text
    assert [int(rank) for _, rank, _ in found] == sorted(int(rank) for _, rank, _ in found)
    site.close()


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
    last = (tmp_path / "site/leagues/long/page-3.html").read_text("utf-8")
    assert "page-2.html" in last
    check_folder(tmp_path / "site")
    rows = (tmp_path / "site/leagues/long/rankings.csv").read_text("utf-8").count("\n")
    assert rows > 100, "downloads stay whole"


MANY = 105
"""More than two pages of everything."""
LONGER: dict[tuple[str, str], str] = {
    (
        "leagues/{name}/head-to-head",
        "tbody",
    ): "all pairs of as many bots as is asked for: at most 60",
}
"""Kinds of pages with a list that may have more rows than a page of a list, by its element, and why."""
OF_MEMBERS = {
    "account",
    "uploads",
    "submit",
    "organiser",
    "organiser/accounts",
    "organiser/audit",
    "organiser/new",
}
OTHER_STORES = {"", "leagues/{name}/games/{number}", "leagues/{name}/games/{number}/{seat}"}


class Rows(HTMLParser):
    """Counts what stands in each table, list and choice of a page."""

    INNER: ClassVar = {
        "tr": ("tbody",),
        "li": ("ul", "ol"),
        "option": ("select", "datalist"),
        "label": ("fieldset",),
    }
    OUTER: ClassVar = {outer for outers in INNER.values() for outer in outers}

    def __init__(self) -> None:
        super().__init__()
        self.open: list[tuple[str, str]] = []
        self.found: Counter[str] = Counter()
        self.lists = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag in self.OUTER:
            self.lists += 1
            self.open.append((tag, f"{tag} {given.get('id') or self.lists}"))
        outer = next((name for kind, name in self.open[::-1] if kind in self.INNER.get(tag, ())), None)
        if outer:
            self.found[outer] += 1

    def handle_endtag(self, tag: str) -> None:
        if self.open and self.open[-1][0] == tag:
            self.open.pop()


def rows_of(html: str) -> Counter[str]:
    rows = Rows()
    rows.feed(html)
    return rows.found


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Return a site's folder with many of everything that there can be many of, and the token of an organiser."""
    folder = tmp_path_factory.mktemp("many")
    with new_store(folder) as store:
        league = add_large_league(store, "large", 2 * MANY, 300, 2, copies=MANY, faulty=2 * MANY)
        add_matches(store, league, 2 * MANY, 300, 450, 2, seats=3, faulty=2 * MANY)
        store.append([], [failed_attempt(league, number) for number in range(1, MANY)])
        rules = RulesetRecord("bread-basket", 1, "tens", "{}")
        first = version = store.versions.find("copied/bot")
        with store.together():
            for number in range(MANY):
                content = f"{number:064x}"
                version = add_version(store, "copied", "bot", content, {"name": "bot"}, {"bread-basket": {}})
                add_version(store, "copied", f"bot-{number}", content, {"name": "bot"}, {"bread-basket": {}})
                add_version(store, f"author-{number}", "bot", content, {"name": "bot"}, {"bread-basket": {}})
                entries = [EntrySpec(f"same-{number}", first.id), EntrySpec(f"newer-{number}", version.id)]
                store.leagues.create(
                    f"league-{number}", config={}, ruleset=rules, entries=entries, secret=bytes(32)
                )
    site = site_at(folder)
    now = site.file.now()
    with site.file.writing() as db:
        token = accounts.invite(db, "copied", "organiser", "a test", now)
        for number in range(MANY):
            accounts.invite(db, f"author-{number}", "author", "a test", now, by_link=True)
            own = accounts.invite(db, "copied", "organiser", "a test", now)
            found = accounts.owner_of(db, own, now)
            assert found
            accounts.begin_session(db, "copied", found[1].id, now, "10.0.0.1", f"browser {number}")
            audit.note(db, now, f"author-{number}", "did something")
            pending_commands.add(db, str(uuid4()), "copied", "pause", {"league": "large"}, now)
            upload_queue.begin_receiving(db, f"upload-{number}", "copied", f"bot-{number}.zip", [], 1, now)
    site.close()
    return folder, token


@pytest.mark.slow
def test_no_page_has_more_rows_of_a_list_than_a_page_of_it(many: tuple[Path, str]) -> None:
    """Every kind of page that a link leads to, for an organiser, and further pages of every list on them."""
    folder, token = many
    site = site_at(folder)
    client = browser(site)
    assert sign_in(client, token) == 303
    found: dict[str, dict[str, int]] = {}
    pages: set[tuple[str, str]] = set()

    def read(address: str) -> str | None:
        answer = client.get(address)
        if answer.status_code != 200 or not answer.headers["content-type"].startswith("text/html"):
            return None
        check(answer.text, address)
        kind = kind_of(address).partition(" of ")[0]
        for name, rows in rows_of(answer.text).items():
            if rows > A_PAGE + 1 and (kind, name.partition(" ")[0]) not in LONGER:
                found.setdefault(kind, {})[f"{name} at {address}"] = rows
        for link in set(page_read(answer.text).links):
            further = re.search(r"([a-z0-9-]*)-page=2|/page-2", link)
            if further and (kind, str(further[1])) not in pages:
                pages.add((kind, str(further[1])))
                second = client.get(link.partition("#")[0])
                assert second.status_code == 200, link
                check(second.text, link)
                assert second.text != answer.text, f"{link} shows the same"
        return answer.text

    kinds = dict(every_kind(read, ("/", "/bots", "/leagues/large/faults", "/organiser")))
    site.close()
    assert set(kinds) >= (LINKED | {"leagues/{name}/faults", *OF_MEMBERS}) - OTHER_STORES
    assert not found
    assert len(pages) > 20


ADDRESSES = (
    *("/", "/leagues/long", "/leagues/long/page-2", "/leagues/long/matches", "/leagues/long/matches/0"),
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
        assert set(heights) == {85}
