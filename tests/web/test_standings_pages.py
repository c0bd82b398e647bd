"""Tournaments on pages: brackets, points, tables of all pairs, rounds, who has won, and the same order everywhere."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from arena_conformance.simulated_leagues import Simulated, by_strength
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import BrowserContext
from starlette.testclient import TestClient

from arena.schedules.base import Field
from arena.schedules.elimination import SCHEDULE, EliminationSettings
from arena.web.app import create_app
from arena.web.live.site import Site
from arena.web.pages.bracket_layout import BOX, drawing
from arena.web.public.export import export
from results.store import open_store
from tests.support.leagues import arena_here, create_here, play_here, simple, write_bot
from tests.support.web.chromium import chromium, served, window
from tests.support.web.pages import check_folder, every_kind

pytestmark = pytest.mark.xdist_group("standings")
WIDE = "W" * 64
KINDS = {
    "cup": ('kind = "elimination"\nbest_of = 1\nthird_place = true', 6, None),
    "begun": ('kind = "elimination"\nbest_of = 3', 5, 6),
    "swiss": ('kind = "swiss"', 5, None),
    "even": ('kind = "round-robin"\nrounds = 1', 4, None),
}
"""Schedule, bots, and the most games that are played, by name."""


@pytest.fixture(scope="module")
def cups(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the path of a store with a tournament of each kind. Tests only read it."""
    folder = tmp_path_factory.mktemp("cups")
    for number in range(6):
        write_bot(folder, f"pick{number}", simple(number), author=f"author{number}")
    for name, (schedule, bots, most) in KINDS.items():
        lines = [
            f'name = "{name}"',
            'game = "bread-basket"',
            "seats = 2",
            "seed = 7",
            "options = { hands = 1 }",
        ]
        lines += ["[schedule]", schedule]
        for number in range(bots):
            lines += ["[[bots]]", f'path = "pick{number}"', *([f'label = "{WIDE}"'] if number == 1 else [])]
        (folder / "league.toml").write_text("\n".join(lines) + "\n")
        create_here(folder / "league.toml")
        play_here(folder, name, most_games=most)
    return folder / "arena.sqlite"


@pytest.fixture
def page(cups: Path) -> Iterator[Callable[[str], str]]:
    site = Site.of(cups)
    with TestClient(create_app(site), base_url="http://localhost") as client:

        def read(path: str) -> str:
            answer = client.get(path)
            assert answer.status_code == 200, path
            return answer.text

        yield read
    site.close()


def in_terminal(cups: Path, league: str) -> list[str]:
    rows = json.loads(arena_here("rankings", league, "--format", "json", cwd=cups.parent).stdout)
    return [f"{row['rank']} {row['label']}" for row in rows]


def on_page(text: str, part: str) -> list[str]:
    body = text.partition(f'<tbody id="{part}"')[2].partition("</tbody>")[0]
    row = (
        r'<tr[^>]*><td[^>]*>(\d+)</td>(?:<td class="moved"[^>]*></td>)?<th scope="row"><a[^>]*title="([^"]+)"'
    )
    return [f"{rank} {label}" for rank, label in re.findall(row, body)]


@pytest.mark.parametrize("league", ["cup", "swiss", "even"])
def test_every_page_has_the_order_of_the_terminal_and_the_winner_first(
    league: str, cups: Path, page: Callable[[str], str]
) -> None:
    order = in_terminal(cups, league)
    assert on_page(page(f"/leagues/{league}"), "standing-rows") == order
    assert on_page(page(f"/leagues/{league}/live"), "standings") == order
    first = [one[2:] for one in order if one.startswith("1 ")]
    winner = re.search(r'<p class="winner">(?:<svg.*?</svg> )?(.*?)</p>', page(f"/leagues/{league}"))
    assert winner
    terminal = " ".join(arena_here("rankings", league, cwd=cups.parent).stdout.split())
    assert re.sub("<[^>]+>", "", winner[1]) in terminal
    assert re.findall(r">([^<]+)</a>", winner[1])[: len(first)] == first
    card = next(one for one in page("/").split('league-card">')[1:] if f'href="/leagues/{league}"' in one)
    won = "shared first" if len(first) > 1 else "winner" if league == "cup" else "first"
    assert re.findall(rf'>([^<]+)</a> <span class="badge new">{won}</span>', card) == first[:3]
    assert "1<small> of " in page(f"/leagues/{league}/bots/{first[0]}")


def test_a_bracket_names_its_rounds_and_leads_to_matches(page: Callable[[str], str]) -> None:
    text = page("/leagues/cup")
    assert re.findall(r'<text class="head"[^>]*>([^<]*)<', text) == ["Quarter-final", "Semi-final", "Final"]
    assert text.count('<a class="table bye"') == 2, "six bots: two wait for the semi-finals"
    assert ">Third place</text>" in text
    assert text.count("/leagues/cup/matches/") >= 6
    assert f"<title>{WIDE}</title>" in text, "a cut name has a title"
    assert f">{WIDE}</text>" not in text
    listed = page("/leagues/cup/matches")
    rounds = re.findall(r'/matches/(\d+)">\d+</a></th><td class="n">([^<]+)</td>', listed)
    assert {name for _, name in rounds} == {"Quarter-final", "Semi-final", "Final"}
    named = {name: page(f"/leagues/cup/matches/{number}") for number, name in rounds}
    assert "Semi-final · " in named["Semi-final"]
    assert "Third place · " in "".join(
        page(f"/leagues/cup/matches/{no}") for no, name in rounds if name == "Final"
    )
    assert "Final · cup" in page("/leagues/cup/rounds/3")


def test_a_running_cup_shows_who_is_still_in_and_no_winner(page: Callable[[str], str]) -> None:
    text = page("/leagues/begun")
    assert 'class="winner"' not in text
    assert "<title>not known yet</title>" in text, "the final is to come"
    assert not re.search(r"needs \d+ more", page("/leagues/begun/ratings"))


def test_a_swiss_has_points_tie_breaks_rounds_and_byes(page: Callable[[str], str]) -> None:
    text = page("/leagues/swiss")
    heads = re.findall(r"<th [^>]*>([^<]+)</th>", text.partition("</thead>")[0])
    assert heads[:6] == ["#", "Bot", "Points", "Buchholz", "Sonneborn-Berger", "Byes"]
    assert "decided by Buchholz (" in text
    assert '<h2 id="round-title">Round 3</h2>' in text
    assert "Bye: " in page("/leagues/swiss/rounds/1")
    assert "Round 1 · " in page("/leagues/swiss/matches/0")


def test_a_round_robin_has_a_table_of_all_pairs(page: Callable[[str], str]) -> None:
    text = page("/leagues/even")
    assert len(re.findall(r'<td class="cross heat', text)) == 4 * 3
    assert len(re.findall(r'<td class="cross self"', text)) == 4
    assert "bracket" not in text.partition("</head>")[2].replace("brackets", "")


def test_few_bots_are_listed_with_the_best_places_first(page: Callable[[str], str]) -> None:
    places = re.findall(r"<td><b>(\d+)</b> of (\d+)", page("/bots"))
    keys = [(int(rank), -int(of)) for rank, of in places]
    assert len(set(keys)) > 1
    assert keys == sorted(keys)


def test_byes_of_a_round_share_a_line(page: Callable[[str], str]) -> None:
    for path, times in (("/leagues/cup/rounds/1", 1), ("/leagues/cup", 1), ("/leagues/cup/rounds/2", 0)):
        lines = re.findall(r'<p class="small">Bye: (.*?)</p>', page(path))
        assert [line.count("</a>") for line in lines] == [2] * times, path


def test_a_tab_of_faults_needs_faults(page: Callable[[str], str]) -> None:
    tabs = re.findall(r'<li><a href="[^"]*"[^>]*>([^<]+)</a>', page("/leagues/cup"))
    assert tabs[:2] == ["Standings", "Ratings"]
    assert 'href="/leagues/cup/ratings"' in page("/leagues/cup/rounds/1")
    assert not any(tab.startswith("Faults") for tab in tabs)


@pytest.mark.parametrize("path", ["rounds/0", "rounds/01", "rounds/4", "rounds/x", "rounds/²"])
def test_there_are_no_other_rounds(path: str, cups: Path) -> None:
    site = Site.of(cups)
    with TestClient(create_app(site), base_url="http://localhost") as client:
        assert client.get(f"/leagues/cup/{path}").status_code == 404
        assert client.get("/leagues/even/rounds/1").status_code == 404
    site.close()


@pytest.mark.slow
def test_an_exported_site_has_brackets_and_rounds(cups: Path, tmp_path: Path) -> None:
    with open_store(cups, readonly=True) as store:
        export(store, tmp_path / "site")
    assert check_folder(tmp_path / "site") > 50
    assert "Semi-final" in (tmp_path / "site/leagues/cup/rounds/2.html").read_text()


@pytest.mark.parametrize("bots", [2, 3, 5, 6, 12, 16, 33, 64, 200])
@pytest.mark.parametrize("seats", [2, 4])
def test_no_two_tables_of_a_bracket_overlap(bots: int, seats: int) -> None:
    """Before the first match, in the middle, and at the end."""
    if bots < seats:
        return
    settings = EliminationSettings(best_of=1, third_place=seats == 2)
    league = Simulated(SCHEDULE, Field(tuple(range(bots)), (seats,)), settings, by_strength)
    results = list(league.results)
    sizes = set()
    for played in (0, len(results) // 2, len(results)):
        rounds = SCHEDULE.bracket(league.field, league.settings, results[:played])
        sizes.add(tuple(tuple(len(table.entries) for table in one.tables) for one in rounds))
        found = drawing(rounds, {})
        columns: dict[float, list[tuple[float, float]]] = {}
        for box in found.boxes:
            assert box.x + BOX <= found.width
            assert box.y + box.height <= found.height
            columns.setdefault(box.x, []).append((box.y, box.y + box.height))
        for boxes in columns.values():
            assert all(
                end < begin for (_, end), (begin, _) in zip(sorted(boxes), sorted(boxes)[1:], strict=False)
            )
    assert rounds[-1].tables[0].advancing[0] == 0, "the strongest wins"
    if seats == 2:
        assert len(sizes) == 1, "the rounds to come have as many tables as they will have"


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 800, 1440])
def test_no_page_of_a_tournament_is_wider_than_the_window(cups: Path, width: int) -> None:
    """Also with a name of 64 wide letters; the bracket scrolls in its frame, the tabs are one row."""
    with chromium() as browser, served(cups) as address:
        opened = browser.new_page(viewport={"width": width, "height": 800})
        for path in (
            *("", *(f"leagues/{league}" for league in KINDS)),
            *("leagues/cup/ratings", "leagues/cup/rounds/1", "leagues/swiss/rounds/2", "leagues/cup/live"),
        ):
            opened.goto(f"{address}/{path}")
            assert opened.evaluate("document.documentElement.scrollWidth") <= width, path
            if path:
                tops = "[...document.querySelectorAll('.tabs a')].map(one => one.getBoundingClientRect().top)"
                assert len(set(opened.evaluate(tops))) == 1, path
        opened.goto(f"{address}/leagues/cup")
        assert opened.locator("#bracket").is_visible() == (width > 360)
        rounds = opened.locator(".of-bracket h2:visible").all_text_contents()
        assert (rounds[:1], bool(rounds)) == (["Final"] * (width == 360), width == 360)
        beside = "(name => document.querySelector(name).getBoundingClientRect().left)"
        is_beside = opened.evaluate(f"{beside}('.about') > {beside}('#standings') + 300")
        assert is_beside == (width == 1440)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("dark", [False, True])
def test_axe_finds_nothing_serious_on_tournaments_nor_on_an_empty_site(
    cups: Path, tmp_path: Path, dark: bool
) -> None:
    """Pages of leagues, and all of an empty site. Others that show something are for tests/web/test_every_page.py."""
    found = []
    with chromium() as browser:
        for store, parts in ((cups, "/leagues/"), (tmp_path / "arena.sqlite", "/")):
            with served(store) as base, window(browser, 1280, dark=dark) as own:
                page = own.new_page()

                def read(path: str, own: BrowserContext = own, base: str = base) -> str | None:
                    answer = own.request.get(base + path)
                    is_page = answer.ok and answer.headers["content-type"].startswith("text/html")
                    return answer.text() if is_page else None

                for _, path in every_kind(read, ("/", "/leagues/cup", "/leagues/swiss")):
                    if path == "/" or path.startswith(parts):
                        page.goto(base + path)
                        found += [
                            (path, one["id"], one["nodes"][0]["html"][:300])
                            for one in Axe().run(page).response["violations"]
                            if one["impact"] in ("serious", "critical")
                        ]
    assert not found
