"""Pages of games: what they say without JavaScript, when they can be seen, and what browsers do with them."""

import json
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from urllib.parse import quote

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, expect
from starlette.testclient import TestClient

from arena.league import move_prices
from arena.league.move_prices import price_moves
from arena.league.stored_games import find, read
from arena.web.http.page_cache import PageCache
from arena.web.public.export import export
from results.store import open_store
from tests.support.leagues import arena_here, create_here, play_here, write_bot
from tests.support.web.chromium import chromium, served
from tests.support.web.copied_site import GAMES, STOPPED
from tests.support.web.visitors import browser as browser_of
from tests.support.web.visitors import site_at
from tests.web.viewer_data import views_in

pytestmark = pytest.mark.xdist_group("site")

NOTES = [
    "<script>document.title = 'owned'</script>",
    "</script><script>document.title = 'owned'</script>",
    "<img src=x onerror=\"document.title = 'owned'\">",
    "\u202egnp.exe\u2066 \u0007",
    "x" * 10_000,
]
TALKING = """\
import json, sys
NOTES = json.loads(NOTES_AS_JSON)
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        answer = {"type": "hello", "protocol": 1}
    elif message["type"] == "start":
        answer, asked = {"type": "ready"}, 0
    elif message["type"] == "ask":
        move = message["legal"][0] if asked < 5 or len(sys.argv) < 2 else {"type": "</script><b>no"}
        answer = {"type": "move", "id": message["id"], "move": move, "note": NOTES[asked % len(NOTES)]}
        asked += 1
    else:
        continue
    print(json.dumps(answer), flush=True)
"""
LABELS = ("<script>alert(1)", "<!--\"'&", "a label that goes on and on without any end in sight")


def data_in(text: str) -> dict[str, object]:
    """Return the data in a page of a game."""
    found = re.search(r'<script type="application/json" id="game-data">(.*?)</script>', text, re.DOTALL)
    assert found
    data: dict[str, object] = json.loads(found[1])
    return data


@pytest.mark.parametrize("league", GAMES)
def test_a_game_can_be_read_without_scripts(site: TestClient, league: str) -> None:
    text = site.get(f"/leagues/{league}/games/0.0").text
    data = data_in(text)
    log = text.partition('<noscript id="log-source">')[2].partition("</noscript>")[0]
    items = re.findall(r'<li(?: (class="aside")|(?: value="(\d+)"))?>', log)
    assert len(items) == len(views_in(data))
    number, made = 0, 0  # as browsers number the items, and as the moves do
    for (aside, value), step in zip(items, data["steps"], strict=True):  # type: ignore[call-overload]
        number = int(value) if value else number + 1
        movers = step.get("m", ())
        assert bool(aside) == (not movers and "d" not in step)
        if not aside:
            made = step.get("d", made)
            assert number == made
            made += len(movers)
    assert '<details id="result"' in text
    assert f'href="/leagues/{league}/games/0.0/seat-1"' in text
    for script in re.findall(r'<script src="([^"]+)"', text):
        assert site.get(script).status_code == 200


def test_a_seat_has_a_page_of_its_own(site: TestClient) -> None:
    text = site.get("/leagues/chocolate/games/0.0/seat-1").text
    data = data_in(text)
    assert data["eyes"] == 1
    assert all("s" not in step for step in data["steps"])  # type: ignore[attr-defined]
    assert all(view.get("seat", 1) == 1 for view, _ in views_in(data))


def test_figures_of_a_palate_have_minus_signs(site: TestClient) -> None:
    text = site.get("/leagues/sandwich/games/0.0/seat-1").text
    known = text.partition('<details class="known">')[2].partition("</details>")[0]
    assert re.search(r" −\d", known)
    assert not re.search(r" -\d", known)


def test_a_game_is_hidden_until_its_match_is_over(site: TestClient) -> None:
    pages = [
        f"/leagues/{quote(STOPPED)}/games/1.{rotation}{eyes}"
        for rotation in (0, 1)
        for eyes in ("", "/seat-0")
    ]
    answers = [site.get(page) for page in pages]
    assert {answer.status_code for answer in answers} == {404}
    assert any("still being played" in answer.text for answer in answers)
    assert not any("game-data" in answer.text for answer in answers)


@pytest.mark.parametrize(
    "path", ["0", "0.9", "99.0", "-1.0", "00.0", "0.0/seat-3", "0.0/seat-x", "0.0/seat-00", "١.0", "0.0/2"]
)
def test_what_is_no_game_is_not_found(site: TestClient, path: str) -> None:
    assert site.get(f"/leagues/bread/games/{path}").status_code == 404


def dear_moves(page: str) -> list[tuple[int, str]]:
    """Return the decision and the words of each move that a page says cost most."""
    found = re.findall(r'<li data-decision="(\d+)" .*?>(.*?)</li>', page)
    return [(int(decision), re.sub("<[^>]*>", "", words)) for decision, words in found]


@pytest.fixture
def priced(demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> set[tuple[int, int]]:
    """Have a store in which moves of a game are priced; return decisions and seats of those that cost much."""
    shutil.copy(demo_store, tmp_path / "arena.sqlite")
    monkeypatch.setattr(move_prices, "WORLDS", 48)
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        stored = read(store, find(store, store.leagues.get("bread"), 0, 0))
        prices = {seat: price_moves(stored, seat, cache=store.cache) for seat in (0, 1)}
    return {(one.decision, seat) for seat, own in prices.items() for one in own.prices if one.is_significant}


def test_what_moves_cost_is_shown_once_it_is_known(tmp_path: Path, priced: set[tuple[int, int]]) -> None:
    dear, game = priced, "/leagues/bread/games/0.0"
    assert {seat for _, seat in dear} == {0, 1}
    site = site_at(tmp_path)
    of_all, of_seat, of_other = (
        dear_moves(browser_of(site).get(game + eyes).text) for eyes in ("", "/seat-1", "/seat-2")
    )
    assert {decision for decision, _ in of_all} <= {decision for decision, _ in dear}
    assert of_seat
    assert {decision for decision, _ in of_seat} <= {decision for decision, seat in dear if seat == 1}
    assert not of_other, "nothing is known of it"
    decision, words = of_all[0]
    assert re.fullmatch(
        rf"Decision {decision}: .+, \w.+\. Better by \d+\.\d+ points \(between −?[\d.]+ and [\d.]+\): \w.+\.",
        words,
    )
    site.close()


def test_what_moves_cost_the_bots_of_a_league(tmp_path: Path, priced: set[tuple[int, int]]) -> None:
    site = site_at(tmp_path)
    page = browser_of(site).get("/leagues/bread/seats").text
    site.close()
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        game = find(store, store.leagues.get("bread"), 0, 0)
        bots = {game.labels[seat] for _, seat in priced}
        kept = dict(move_prices.kept_of_league(store, store.leagues.get("bread")))
    told = arena_here("stats", "bread", "--view", "prices", "--format", "json", cwd=tmp_path).stdout
    rows = json.loads(told)
    assert {row["bot"] for row in rows} == bots
    assert bots == {unescape(name) for name in re.findall(r"<title>(.+?)</title><line", page)}
    for seat, entry in enumerate(game.record.seats[:2]):
        prices = [one.price for one in kept[entry.entry_no].prices]
        (row,) = (one for one in rows if one["bot"] == game.labels[seat])
        assert row["price"] == pytest.approx(sum(prices) / len(prices))
        assert (row["games"], row["decisions"], row["low"]) == (1, len(prices), None)


def test_a_page_is_made_again_once_moves_have_prices(
    demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copy(demo_store, tmp_path / "arena.sqlite")
    monkeypatch.setattr(move_prices, "WORLDS", 8)
    site = site_at(tmp_path)
    now_s = 1e9
    site.clock_s = lambda: now_s
    site.page_cache = PageCache(lambda: now_s)
    visitor, pages = browser_of(site), ("/leagues/bread/seats", "/leagues/bread/games/0.0")
    before = [visitor.get(page).text for page in pages]
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        stored = read(store, find(store, store.leagues.get("bread"), 0, 0))
        for seat in (0, 1):
            price_moves(stored, seat, cache=store.cache)
    assert [visitor.get(page).text for page in pages] == before, "nothing in the store has changed"
    now_s += 61
    assert all(visitor.get(page).text != old for page, old in zip(pages, before, strict=True))
    site.close()


def test_no_visit_prices_a_move(demo_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(demo_store, tmp_path / "arena.sqlite")

    def refuse(*_: object, **__: object) -> None:
        pytest.fail("a visitor made the site price moves")

    for name in ("price_moves", "price_of", "pricing"):
        monkeypatch.setattr(move_prices, name, refuse)
    site = site_at(tmp_path)
    visitor = browser_of(site)
    pages = [f"/leagues/bread/games/0.{rotation}{eyes}" for rotation in (0, 1) for eyes in ("", "/seat-1")]
    for page in [*pages, *pages, "/leagues/bread", "/leagues/bread/seats", "/watch"]:
        assert visitor.get(page).status_code == 200
    site.close()
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert not list(store.cache.folder.glob("prices-*"))


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


@pytest.fixture(scope="module")
def address(demo_store: Path) -> Iterator[str]:
    with served(demo_store) as found:
        yield found


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """Return a page; a script that fails, or breaks the policy of contents, fails the test."""
    context = browser.new_context(viewport={"width": 1000, "height": 800}, reduced_motion="reduce")
    found = context.new_page()
    wrong: list[str] = []
    found.on("pageerror", lambda error: wrong.append(str(error)))
    found.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    yield found
    context.close()
    assert not wrong


def step_of(page: Page) -> int:
    return int(page.locator(".slider").input_value())


def last_of(page: Page) -> int:
    return int(page.locator(".slider").get_attribute("max") or "")


def test_a_game_is_watched_by_keys(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/bread/games/0.0")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".slider")).to_have_value("1")
    expect(page.locator("[role=status]")).to_have_text(
        page.locator("#log li").nth(1).locator("p").first.text_content() or ""
    )
    page.keyboard.press("End")
    expect(page.locator(".slider")).to_have_value(str(last_of(page)))
    result = page.locator(".table > #result")
    expect(result.get_by_role("link", name="Next game")).to_be_visible()
    scores = page.locator(".score-legend b").all_inner_texts()
    places = result.locator(".places li")
    assert {places.nth(at).locator(".n").inner_text() for at in range(places.count())} == set(scores)
    assert not page.locator(".table .seat:visible").count(), "no score is shown twice"
    result.get_by_role("link", name="Biggest swing").click()
    expect(page.locator(".slider")).not_to_have_value(str(last_of(page)))
    assert 0 < step_of(page) < last_of(page)


@pytest.mark.usefixtures("priced")
def test_a_better_move_is_drawn_where_it_could_have_been_made(page: Page, tmp_path: Path) -> None:
    with served(tmp_path / "arena.sqlite") as address:
        for eyes in ("", "/seat-1"):
            page.goto(f"{address}/leagues/bread/games/0.0{eyes}")
            page.get_by_text("Moves that cost most").click()
            cards = page.locator(".prices li[data-better*='\"play\"']").first
            words = cards.locator(".better").inner_text()
            card = json.loads(cards.get_attribute("data-better") or "")["card"]
            cards.get_by_role("link").click()
            expect(page.locator(".table .ghost").first).to_contain_text(words)
            expect(page.locator(f'.seat .is-better[data-card="{card}"]')).to_have_count(1)
            asked = step_of(page)
            page.keyboard.press("ArrowRight")
            if not eyes:
                follows = re.compile(f"d={cards.get_attribute('data-decision')}$")
                expect(page, "the move follows its position").to_have_url(follows)
                expect(page.locator(".table .ghost").first).to_contain_text(words)
            page.keyboard.press("Home")
            expect(page.locator(".slider")).to_have_value("0")
            assert asked > 0
            expect(page.locator(".ghost")).to_have_count(0)


def test_a_key_pressed_before_the_table_is_drawn_counts(page: Page, address: str) -> None:
    page.add_init_script(
        "const later = setTimeout; window.setTimeout = (task, ms) => later(task, ms || 500);"
    )
    page.goto(f"{address}/leagues/bread/games/0.0")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".slider")).to_have_value("1")


@pytest.mark.slow
@pytest.mark.parametrize("league", GAMES)
@pytest.mark.parametrize("eyes", ["", "/seat-1"])
def test_every_key_works_in_every_game(page: Page, address: str, league: str, eyes: str) -> None:
    page.goto(f"{address}/leagues/{league}/games/0.0{eyes}")
    last = last_of(page)
    for key in (
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "n",
        "p",
        "n",
        "n",
        "]",
        "[",
        "w",
        "f",
        "+",
        "-",
        "Home",
    ):
        page.keyboard.press(key)
        assert page.locator(".table, .table-host .empty").count() >= 1
    assert step_of(page) == 0
    page.keyboard.press("]")
    expect(page.locator("#log li[aria-current]")).to_contain_text(re.compile("(Hand|Round) 1 ends"))
    page.keyboard.press("[")
    assert step_of(page) == 0
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    for _ in range(5):
        page.keyboard.press("+")
    expect(page.locator(".slider")).to_have_value(str(last))
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.keyboard.press("s")
    page.wait_for_url("**/seat-*" if not eyes else "**/games/0.0**")


@pytest.mark.slow
def test_a_link_leads_to_a_move_and_to_what_a_player_could_know(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/sandwich/games/0.0#d=9&seat=2")
    assert page.locator("#log li[aria-current] .decision").text_content() == "9"
    expect(page.locator(".knowledge h2")).to_contain_text("could know")
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"#d=12&seat=2$"))
    page.locator("#log li").nth(1).click()
    expect(page.locator(".slider")).to_have_value("1")
    page.goto(f"{address}/leagues/sandwich/games/0.0#d=end")
    expect(page.locator(".slider")).to_have_value(str(last_of(page)))
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("#d=deal$"))
    page.goto(f"{address}/leagues/sandwich/games/0.0/seat-1")
    page.keyboard.press("End")
    page.keyboard.press("Home")
    expect(page).to_have_url(re.compile("#d=deal$"))
    assert step_of(page) == 0
    page.goto(f"{address}/leagues/sandwich/games/0.0#d=99999&seat=9")
    expect(page).not_to_have_url(re.compile("99999|seat=9"))
    assert step_of(page) > 0


@pytest.mark.slow
def test_the_decision_in_the_address_stays_from_view_to_view(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/bread/games/0.0#d=11")
    for eyes in ("/seat-0", "/seat-1", "/seat-2", ""):
        page.keyboard.press("s")
        page.wait_for_url(f"**/games/0.0{eyes}#d=11")
        page.wait_for_selector(".table .seat")
        shown = page.locator("#log li[aria-current] .decision").text_content()
        assert int(shown or "") <= 11
    assert shown == "11"
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile("#d=12$"))


@pytest.mark.slow
def test_sandwiches_are_numbered_from_1(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/sandwich/games/0.0")
    drawn = page.evaluate(
        """() => {
            const view = {phase: "taste", market: [], offers: [], market_turn: null, trade_round: null, round_no: 0,
                rounds: 1, pile: 0, direction: "left", taster: 0, grab_order: [], scores: [0, 0, 0, 0],
                hands: [[], [], [], []], plates: [[], [["ham", "brie", "fig"]], [], []],
                read_out: [["ham", "brie", "fig"], ["ham", "ham", "fig"]]};
            const context = {game: "sandwich", names: ["a", "b", "c", "d"], events: []};
            const table = Arena.tables.draw(view, context);
            return [...table.querySelectorAll("[aria-label^='Sandwich ']")].map(one => one.ariaLabel);
        }"""
    )
    assert drawn == ["Sandwich 1", "Sandwich 1", "Sandwich 2"], "those before the taster, then a plate"


@pytest.mark.slow
def test_a_card_leads_to_where_it_came_from(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/sandwich/games/0.0#d=12")
    page.locator('.seat[data-seat="1"] .seat-choose').click()
    page.locator('.front [data-zone="hand"][data-seat="1"]').first.click()
    assert 0 < step_of(page) <= 5


@pytest.mark.slow
def test_nothing_ahead_is_shown_before_it_is_asked_for(page: Page, address: str) -> None:
    page.goto(f"{address}/leagues/bread/games/0.0")
    assert page.locator("#result").get_attribute("open") is None
    assert page.locator("#log li:visible").count() == 1
    assert not page.locator(".bars.ahead").get_attribute("d")
    page.get_by_role("button", name="More controls").click()
    page.get_by_label("Spoiler-free").uncheck()
    expect(page.locator("#log li:visible")).to_have_count(last_of(page) + 1)
    page.reload()
    assert page.locator("#result").get_attribute("open") is not None
    page.get_by_role("button", name="More controls").click()
    page.get_by_label("Spoiler-free").check()
    page.keyboard.press("End")
    expect(page.locator(".table > #result .places")).to_be_hidden()
    page.get_by_text("The game is over: show the result").click()
    expect(page.locator(".table > #result .places")).to_be_visible()


@pytest.mark.slow
@pytest.mark.parametrize("league", GAMES)
@pytest.mark.parametrize("eyes", ["", "/seat-1"])
@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (360, "dark"), (1440, "light")])
def test_axe_finds_nothing(
    browser: Browser, address: str, league: str, eyes: str, width: int, scheme: str
) -> None:
    context = browser.new_context(
        viewport={"width": width, "height": 800},
        color_scheme="dark" if scheme == "dark" else "light",
        bypass_csp=True,
    )
    page = context.new_page()
    page.goto(f"{address}/leagues/{league}/games/0.0{eyes}#d=20&seat=0")
    found = Axe().run(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
    assert not [(one["id"], one["nodes"][0]["html"][:300]) for one in found.response["violations"]]


@pytest.mark.slow
def test_an_exported_game_opens_from_disk(page: Page, demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        export(store, tmp_path / "out", 0)
    page.goto(f"{(tmp_path / 'out' / 'leagues' / 'bread' / 'games' / '0.0.html').as_uri()}#d=3")
    assert page.locator("#log li[aria-current] .decision").text_content() == "3"
    page.keyboard.press("n")
    assert page.locator(".table .seat").count() == 3
    page.keyboard.press("s")
    page.wait_for_url("**/seat-0.html#d=*")
    expect(page.locator(".seat.is-eyes")).to_have_count(1)
    page.keyboard.press("End")
    expect(page.locator("#log li")).to_have_count(last_of(page) + 1)
    with served(demo_store) as address:
        exported = page.locator("#log li").all_text_contents()
        page.goto(f"{address}/leagues/bread/games/0.0/seat-0#d=end")
        expect(page.locator("#log li")).to_have_count(len(exported))
        assert page.locator("#log li").all_text_contents() == exported


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Yield the address of a site with a league of bots whose labels and notes attack pages; one is at fault."""
    folder = tmp_path_factory.mktemp("hostile")
    lines = [
        'name = "x <b> & y"',
        'game = "bread-basket"',
        "seats = 3",
        "seed = 7",
        "options = { hands = 1 }",
    ]
    lines += ["[limits]", "note_chars = 10000", "[schedule]", 'kind = "round-robin"', "rounds = 1"]
    for number, label in enumerate(LABELS):
        place = write_bot(folder, f"bot{number}", TALKING.replace("NOTES_AS_JSON", repr(json.dumps(NOTES))))
        arguments = json.dumps(["fail"] if number == 2 else [])
        lines += ["[[bots]]", f'path = "{place.name}"', f"label = {json.dumps(label)}", f"args = {arguments}"]
    (folder / "league.toml").write_text("\n".join(lines))
    create_here(folder / "league.toml")
    play_here(folder, "x <b> & y")
    with served(folder / "arena.sqlite") as found:
        yield found


@pytest.mark.slow
@pytest.mark.parametrize("eyes", ["", "/seat-1"])
def test_hostile_labels_and_notes_do_nothing(page: Page, hostile: str, eyes: str) -> None:
    page.goto(f"{hostile}/leagues/{quote('x <b> & y')}/games/0.0{eyes}")
    title = page.title()
    for _ in range(last_of(page)):
        page.keyboard.press("ArrowRight")
        assert page.evaluate("document.documentElement.scrollWidth") <= 1000
    assert page.title() == title
    assert page.locator("#viewer script, #log script, #viewer img, #log b script, #log img").count() == 0
    expect(page.locator("#log li")).to_have_count(last_of(page) + 1)
    text = page.locator("main").inner_text() + "".join(page.locator("#log").all_text_contents())
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u0007]", text)
    assert "</script><script>" in text
    if not eyes:
        page.keyboard.press("Home")
        page.keyboard.press("f")
        expect(page.locator(".caption")).to_contain_text("is out: illegal")
