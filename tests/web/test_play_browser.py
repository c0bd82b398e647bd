"""People play in a real browser: by mouse, by keyboard, on a phone, too slowly, and while the server is killed."""

import json
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from arena.league.inbox.files import new_id
from arena.web.live.site import Site
from arena.web.play_tables import setup
from arena.web.play_tables.process_messages import Answer, Setup
from arena.web.play_tables.table import Owner, Table
from arena.web.play_tables.tables import TableLimits, Tables
from arena.web.site_file.site_database import SiteFile
from arena.web.viewer.document import MARK
from results.records.query_rows import FinishedGame
from results.store import open_store
from results.store.verification.verify import verify
from tests.support.leagues import ARENA, assert_nobody_left, simple, write_bot
from tests.support.ledgers import new_store
from tests.support.waiting import eventually
from tests.support.web.chromium import chromium, served
from tests.web.person import GUESTS, SHORT, Person, page_of, sit_down

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("browser")]

TOPS = """(one) => new Promise((done) => {
    const tops = [];
    const look = () => {
        tops.push(one.getBoundingClientRect().top);
        if (tops.length < 20) requestAnimationFrame(look); else done(tops.slice(2));
    };
    requestAnimationFrame(look);
})"""
"""Where a card is in some pictures, when it has had two to rise."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def the_game(store: Path) -> FinishedGame:
    """Return the only game of a store, which must be whole."""
    with open_store(store, readonly=True) as opened:
        assert not verify(opened)
        (game,) = opened.games.all("casual")
        (match,) = opened.matches.all("casual")
        assert match.state == "done"
        return game


@pytest.mark.parametrize("width", [360, 1440])
@pytest.mark.parametrize("game", SHORT)
def test_a_game_to_its_end(browser: Browser, tmp_path: Path, game: str, width: int) -> None:
    new_store(tmp_path).close()
    store = tmp_path / "arena.sqlite"
    with served(store, GUESTS) as address, page_of(browser, width) as page:
        more = {"ruleset": "en"} if game == "sandwich" else {}
        sit_down(page, address, game, **more)
        person = Person(page, mouse=width == 1440)
        person.play_on(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        expect(page.locator(".play.is-turn, .play-result:not([hidden])").first).to_be_visible()
        before = page.locator(".story .told li").all_text_contents()
        page.reload()
        page.wait_for_selector(".play-bar")
        expect(page.locator(".story .told li")).to_have_text(before)
        person.play_on()
        page.wait_for_selector("text=Watch the game again")
        assert re.match(r"You (win|share|are \d.. of \d)", page.locator(".play-status").inner_text())
        expect(page.locator(".victory h2")).to_have_text(re.compile(r"wins?|tie\sfor\sfirst"))
        expect(page.locator(".places li")).to_have_count(page.locator(".table .seat").count())
        expect(page.get_by_text("Other bots")).to_have_attribute("href", f"/play?game={game}")
        page.click("text=Watch the game again")
        assert page.title().startswith("casual") or "casual" in page.url
        page.go_back()
        page.wait_for_selector("text=Play again")
        page.click("text=Play again")
        assert "/play?game=" in page.url
        assert not re.search("aria-invalid", page.content())
    assert person.moves > 0
    assert [seat.verdict for seat in the_game(store).seats].count(None) == len(the_game(store).seats)


def test_a_card_stays_where_it_is_under_a_pointer_at_its_edge(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "bread-basket")
        card = page.locator(".play-table button.is-legal:not(:disabled)").first
        card.scroll_into_view_if_needed()
        for pressed in (False, True):
            card.evaluate("(one, pressed) => one.setAttribute('aria-pressed', pressed)", pressed)
            page.mouse.move(0, 0)
            box = card.bounding_box()
            assert box is not None
            for at in (1, box["height"] - 1):
                page.mouse.move(box["x"] + box["width"] / 2, box["y"] + at)
                tops = set(card.evaluate(TOPS))
                assert len(tops) == 1, (pressed, at)
                assert not pressed or tops == {box["y"]}, "a pressed card is as high as it can be"
        card.click()


def test_a_drawn_out_move_is_warned_of_and_forfeits(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(setup, "MOVE_TIMES", {"14": "14 seconds"})
    monkeypatch.setattr("arena.web.pages.games_and_play.MOVE_TIMES", {"14": "14 seconds"})
    new_store(tmp_path).close()
    store = tmp_path / "arena.sqlite"
    with served(store, GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "bread-basket", time="14", seats="2")
        page.wait_for_selector(".play-clock.is-short")
        page.wait_for_selector(".play-clock.is-very-short")
        assert "10 seconds left" in page.locator(".play-status").inner_text()
        page.wait_for_selector("text=Watch the game again")
        assert "timeout" in page.locator(".play-result").inner_text()
    assert "timeout" in [seat.verdict for seat in the_game(store).seats]


def test_two_tabs_resigning_and_spectators(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    store = tmp_path / "arena.sqlite"
    with served(store, GUESTS) as address, page_of(browser) as page, page_of(browser) as stranger:
        path = sit_down(page, address, "bread-basket", seats="3")
        other = page.context.new_page()
        other.goto(address + path)
        other.wait_for_selector("button.is-legal")
        refused = stranger.goto(address + path)
        assert refused is not None
        assert refused.status == 404
        stranger.goto(f"{address}{path}/watch")
        stranger.wait_for_selector(".play-table .table")
        assert not stranger.locator('[data-zone="hand"]:not([data-card=""])').count(), "no open hand"
        assert not stranger.locator(".play button:not(.theme)").count()
        Person(other, mouse=True).play_on(1)
        page.wait_for_function("() => document.querySelectorAll('.told')[1].childElementCount > 1")
        page.click("text=Resign…")
        page.click("text=No, play on")
        page.click("text=Resign…")
        page.click("text=Yes, resign")
        page.wait_for_selector("text=Watch the game again")
        assert "resigned" in page.locator(".play-result").inner_text()
        other.wait_for_selector("text=Watch the game again")
        stranger.wait_for_selector("text=Watch the game again")
    assert "resigned" in [seat.verdict for seat in the_game(store).seats]


def test_a_form_opens_again_after_each_refusal_for_the_same_reason(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        path = sit_down(page, address, "sandwich", ruleset="en")
        person = Person(page, mouse=True)
        for _ in range(40):
            page.wait_for_selector(".play.is-turn")
            if page.locator('.play-table [data-key="send"]:text-is("Serve"):not(:disabled)').count():
                break
            person.play_on(1)
        others = page.locator(".bar-slot .bar-who").all_text_contents()
        assert sorted(others) == sorted(page.locator(".others .seat-name").all_text_contents())
        expect(page.locator(".play-status")).to_contain_text(f"Sandwich for {others[0]}: choose 3.")
        page.locator(".front .card-face").first.click()
        expect(page.locator(".bar-slot").first.locator(".bar-item")).to_have_count(1)
        expect(page.locator(".play-status")).to_contain_text(f"Sandwich for {others[0]}: choose 2 more.")
        other = page.context.new_page()
        for at in range(4):
            tab = other if at % 2 else page
            if at < 2:
                tab.goto(address + path)
                tab.route("**/answer", emptied)
            tab.wait_for_selector('.play-table [data-key="send"]:not(:disabled)')
            Person(tab, mouse=True).fill()
            tab.click('.play-table [data-key="send"]:not(:disabled)')
            assert eventually(partial(refusals_are, tab, f"{address}{path}/news", at + 1))
            tab.wait_for_selector('.play:has(.refused) .play-table [data-key="send"]:not(:disabled)')


def emptied(route: Route) -> None:
    """Send an answer on as one that breaks a rule: with empty slots."""
    said = json.loads(route.request.post_data or "")
    said["filled"]["slots"] = [[] for _ in said["filled"]["slots"]]
    route.continue_(post_data=json.dumps(said))


def test_as_many_players_are_offered_as_the_rules_allow(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        page.goto(f"{address}/play?game=sandwich")
        open_ones = page.locator("#seats option:not(:disabled)")
        assert open_ones.all_text_contents() == ["3", "4", "5", "6"]
        page.click("summary")
        page.locator('[name="option-boxes"]').evaluate(
            "one => { one.value = '2'; one.dispatchEvent(new Event('input')); }"
        )
        assert open_ones.last.text_content() == "12"


def test_a_form_says_what_is_missing_and_sends_nothing(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "sandwich", ruleset="en")
        sent: list[str] = []
        page.on("request", lambda request: sent.append(request.url) if "/answer" in request.url else None)
        status = page.locator(".play-status")
        expect(status).to_contain_text("Choose the cards you want, best first; the rest come last.")
        page.click('.play-table [data-key="send"]:text-is("Grab")')
        expect(status).to_contain_text("Not yet. Choose the cards you want, best first; the rest come last.")
        time.sleep(1.5)
        assert "Not yet" in status.inner_text()
        assert not sent
        page.locator('.table-middle [data-zone="market"]').first.click()
        expect(status).to_contain_text("Choose the next one, or press “Grab”.")


def test_why_an_answer_is_not_taken_stays_until_the_next_move(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        path = sit_down(page, address, "bread-basket", seats="2")
        page.route("**/news*", lambda route: route.abort())
        other = page.context.new_page()
        other.goto(address + path)
        other.wait_for_selector("button.is-legal")
        Person(other, mouse=True).play_on(1)
        page.locator("button.is-legal:not(:disabled)").first.click()
        page.wait_for_selector("text=The game has moved on without this answer")
        page.unroute("**/news*")
        page.wait_for_selector("button.is-legal:not(:disabled)")
        page.wait_for_selector(".play.is-turn")
        time.sleep(1.5)
        assert page.locator("text=The game has moved on without this answer").is_visible()
        Person(page, mouse=True).play_on(1)
        assert not page.locator("text=The game has moved on without this answer").is_visible()


WRITTEN = """for (const of of [JSON, Response.prototype]) {
    const name = of === JSON ? 'parse' : 'json', before = of[name];
    const bare = value => { if (value && value.question) value.question.form = null; return value; };
    of[name] = function (...given) {
        const found = before.apply(this, given);
        return found instanceof Promise ? found.then(bare) : bare(found);
    };
}"""
"""Makes the page of a table ask for written moves."""


def test_a_written_move_that_is_refused_can_be_corrected(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        page.add_init_script(WRITTEN)
        sit_down(page, address, "sandwich", ruleset="en")
        page.fill("#written", "zzz and more")
        page.keyboard.press("Enter")
        page.wait_for_selector(".refused")
        assert page.input_value("#written") == "zzz and more"
        page.reload()
        page.wait_for_selector("#written")
        assert page.input_value("#written") == "zzz and more"


@pytest.mark.parametrize("how", ["frozen", "offline"])
def test_who_comes_back_after_the_time_is_told_what_happened(
    browser: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    monkeypatch.setattr(setup, "MOVE_TIMES", {"4": "4 seconds"})
    monkeypatch.setattr("arena.web.pages.games_and_play.MOVE_TIMES", {"4": "4 seconds"})
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "bread-basket", time="4", seats="3")
        if how == "frozen":
            devtools = page.context.new_cdp_session(page)
            devtools.send("Page.setWebLifecycleState", {"state": "frozen"})
            time.sleep(12)
            devtools.send("Page.setWebLifecycleState", {"state": "active"})
        else:
            page.context.set_offline(True)
            page.wait_for_selector("text=There is no connection to the server")
            time.sleep(8)
            page.context.set_offline(False)
        page.wait_for_selector("text=Your time for a move ran out, so your seat forfeited.")
        page.wait_for_selector("text=Watch the game again")
        assert not page.locator("text=There is no connection").is_visible()


def refusals_are(page: Page, news: str, count: int) -> bool:
    return bool(page.request.get(news).json()["refusals"] == count)


def test_a_form_opens_again_if_nothing_is_heard_of_its_answer(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "bread-basket", seats="2")
        page.route("**/answer", lambda route: route.fulfill(status=204))
        page.locator("button.is-legal").first.click()
        page.wait_for_selector("button.is-legal:disabled")
        page.unroute("**/answer")
        page.wait_for_selector("button.is-legal:not(:disabled)")
        Person(page, mouse=True).play_on(1)


def test_an_answer_whose_reply_is_lost_counts_once(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    with served(tmp_path / "arena.sqlite", GUESTS) as address, page_of(browser) as page:
        sit_down(page, address, "bread-basket", seats="2")
        lost: list[str] = []

        def lose(route: Route) -> None:
            if len(lost) < 2:
                lost.append("")
                if len(lost) == 2:  # the second one arrives, its reply doesn't
                    route.fetch()
                route.abort()
            else:
                route.continue_()

        page.route("**/answer", lose)
        Person(page, mouse=True).play_on(1)
        assert eventually(lambda: len(lost) == 2)
        page.unroute("**/answer")
        Person(page, mouse=True).play_on()
        page.wait_for_selector("text=Watch the game again")
    game = the_game(tmp_path / "arena.sqlite")
    assert [seat.verdict for seat in game.seats] == [None, None]


def test_a_killed_server_leaves_nothing_and_the_next_one_says_so(browser: Browser, tmp_path: Path) -> None:
    new_store(tmp_path).close()
    store = tmp_path / "arena.sqlite"
    with page_of(browser) as page:
        first, address = server(store, "0")
        path = sit_down(page, address, "bread-basket", seats="3")
        Person(page, mouse=True).play_on(1)
        tables = psutil.Process(first.pid).children(recursive=True)
        assert tables
        first.kill()
        first.wait()
        page.wait_for_selector("text=There is no connection to the server")
        assert eventually(lambda: not any(one.is_running() for one in tables))
        second, address = server(store, address.rpartition(":")[2])
        page.wait_for_selector("text=The server was stopped while this game was being played")
        assert page.url.endswith(path)
        second.send_signal(signal.SIGINT)
        assert second.wait(30) == 0
    with open_store(store, readonly=True) as opened:
        assert "casual" not in [league.name for league in opened.leagues.all()] or not opened.games.all(
            "casual"
        )
        assert not verify(opened)


def server(store: Path, port: str) -> tuple[subprocess.Popen[str], str]:
    """Start `arena serve` for guests; return it with its address."""
    command = [
        *ARENA,
        "serve",
        "--store",
        str(store),
        "--port",
        port,
        "--guests",
        "3",
        "--no-run",
        "--no-uploads",
    ]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert running.stderr is not None
    for line in running.stderr:
        if found := re.search(r"open (http://[\d.:]+)/", line):
            return running, found[1]
    raise AssertionError("it doesn't serve")


HANGS = simple(0).replace("        legal =", "        time.sleep(3600)\n        legal =")
CRASHES = simple(0).replace("        legal =", "        raise SystemExit(3)\n        legal =")
GARBAGE = simple(0).replace(
    "        legal =", "        sys.stderr.write('\\x1b[2J<b>\\u202e' * 200_000)\n        legal ="
)


@pytest.mark.parametrize(
    ("source", "verdict"),
    [(CRASHES, "crash"), (HANGS, "timeout"), (GARBAGE, None)],
    ids=["crashes", "hangs", "logs"],
)
def test_bots_that_misbehave_forfeit_and_the_person_plays_on(
    tmp_path: Path, source: str, verdict: str | None
) -> None:
    new_store(tmp_path).close()
    bad = write_bot(tmp_path, "bad", source)
    tables = Tables(
        tmp_path / "arena.sqlite", SiteFile(tmp_path / "arena.site.sqlite"), TableLimits(sandbox="auto")
    )
    bots = (str(bad), "bots/any_game/random")
    setup = Setup("", "bread-basket", "tens", ("hands=1",), 3, 0, bots, "bad", 300, 600, new_id())
    table = tables.open(Owner("account maria", "maria"), setup)

    def over(table: Table = table) -> bool:
        with table.lock:
            if table.phase == "asking" and not table.answered and table.asked is not None:
                table.answer(Answer(table.asked.number, choice=0))
        return not table.is_live

    assert eventually(over)
    tables.close()
    assert (table.failed, table.match) == ("", 0)
    assert table.opened is not None
    assert table.opened.names[0] == "bad (person)"
    assert any("bad is out" in line.replace(MARK, "") for line in table.told) == (verdict is not None)
    assert [seat.verdict for seat in the_game(tmp_path / "arena.sqlite").seats][1] == verdict
    assert_nobody_left(str(bad))


@pytest.mark.gate
def test_a_table_whose_process_is_killed_says_so(tmp_path: Path) -> None:
    new_store(tmp_path).close()
    site = Site.of(tmp_path / "arena.sqlite", GUESTS)
    bots = ("bots/any_game/random",)
    setup = Setup("", "bread-basket", "tens", ("hands=1",), 2, 0, bots, "maria", 300, 600, new_id())
    table = site.tables.open(Owner("guest x", "guest", True), setup)
    assert eventually(lambda: table.phase == "asking")
    site.tables._processes[table.id].child.kill()
    assert eventually(lambda: not table.is_live)
    assert (table.phase, "exit code -9" in table.failed) == ("failed", True)
    # What is noted of the table comes a moment after its end.
    assert eventually(
        lambda: (noted := site.tables.noted(table.id)) is not None and noted.words == table.failed
    )
    site.close()
    with open_store(tmp_path / "arena.sqlite", readonly=True) as store:
        assert not verify(store)
