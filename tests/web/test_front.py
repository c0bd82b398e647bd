"""The first page, what the organiser says of the site, invitations, and the kit of a first bot."""

import html
import json
import re
import zipfile
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import pytest
from msgspec import structs
from starlette.testclient import TestClient

from arena.league.stored_games import FoundGame
from arena.submissions.read_source import read_source
from arena.templates.new_folder import Language
from arena.web.html.page_model import MOST_TEXT, MOST_TITLE, About
from arena.web.live.site import MOST_FAILED, Site
from arena.web.pages import home_top, watch_channel
from arena.web.pages.first_bot import examples
from arena.web.pages.home_top import MOST_PACKED_BYTES
from arena.web.public.export import export
from arena.web.site_file import accounts, audit
from protocol.verdicts import Verdict
from results.base.text import json_text
from results.records import LeagueRecord
from results.store import open_store
from tests.support.leagues import arena_here
from tests.support.web.visitors import HERE, browser, csrf_in, form_id, join, member, sign_in, site_at

HOSTILE = '<script>x</script>"\u202e' + "W" * 10


def code_of(site: Site, name: str, until: str | None = None) -> str:
    with site.file.writing() as db:
        return accounts.invite(db, name, "author", "a test", site.file.now(), until, by_link=True)


def said(csrf: str, client: TestClient, **fields: str) -> int:
    sent = {"csrf": csrf, **{f"site_{name}": text for name, text in fields.items()}}
    return int(client.post("/organiser/settings", data=sent, headers=HERE).status_code)


def test_the_first_page_plays_a_finished_game_and_has_three_ways_on(site: TestClient) -> None:
    answer = site.get("/", headers={"accept-encoding": "gzip"})
    page = answer.text
    for words in ("Watch a game", "Play against a bot", "Bring your bot", "How it works"):
        assert words in re.sub("<[^>]+>", "", page)
    assert 'href="/watch">Watch a game' in page
    title = page.partition('id="front-title"')[2]
    league, number = re.search(r'href="/leagues/([\w-]+)/games/([\d.]+)"', title).groups()  # type: ignore[union-attr]
    assert site.get(f"/leagues/{league}/games/{number}").status_code == 200, "strangers may watch it"
    assert '<script type="application/json" id="front-game">' in page
    assert "front-page.js" in page
    assert int(answer.headers["content-length"]) < 30_000
    assert MOST_PACKED_BYTES < 30_000


def test_without_a_store_the_games_are_shown_with_art(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    page = browser(site).get("/").text
    for game in ("bread-basket", "bread-and-chocolate", "sandwich"):
        assert f"/static/art-{game}.svg" in page
        art = browser(site).get(f"/static/art-{game}.svg")
        assert (art.status_code, art.headers["content-type"]) == (200, "image/svg+xml")
        assert "http" not in art.text.replace("http://www.w3.org/2000/svg", "")
    assert "sign in and create one" in page
    client, _ = member(site, "olga", "organiser")
    assert "invite others" in client.get("/").text
    site.close()


def test_as_long_as_no_game_can_be_shown_none_is_looked_for_again(
    demo_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []

    def look(_store: object, league: LeagueRecord, *_: object) -> list[object]:
        looked.append(league.name)
        return []

    monkeypatch.setattr(home_top, "latest_games", look)
    with open_store(demo_store, readonly=True) as store:
        leagues = store.leagues.all()
        for _ in range(3):
            assert home_top.front(store, leagues)["game"] is None
        assert looked == [one.name for one in leagues]
        home_top._NONE[store] = []  # as if something had happened
        home_top.front(store, leagues)
    assert len(looked) == 2 * len(leagues)


def test_a_game_of_a_league_that_was_played_to_the_end_is_shown_first(
    demo_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(demo_store, readonly=True) as store:
        league = store.leagues.get("bread")
        played = next(iter(watch_channel.latest_games(store, league, 1, 10_000)))
        forfeit = structs.replace(played.record.seats[0], verdict=Verdict.RESIGNED)
        broken_off = structs.replace(played.record, seats=(forfeit,), finished_at="2100")
        single = structs.replace(league, name="casual", ruleset=None)
        later = structs.replace(played.record, finished_at="2200")
        games = [
            FoundGame(single, later, played.entries),
            FoundGame(league, broken_off, played.entries),
            played,
        ]
        tried: list[FoundGame] = []
        monkeypatch.setattr(home_top, "latest_games", lambda *_: [games.pop()])
        monkeypatch.setattr(home_top, "_made", lambda _, game: tried.append(game))
        home_top.front(store, [league] * 3)
    assert [game.record.finished_at for game in tried] == [played.record.finished_at, "2100", "2200"]


def test_what_the_organiser_says_is_on_every_page_and_only_text(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    client, csrf = member(site, "olga", "organiser")
    assert said(csrf, client, title=HOSTILE, text=f"one\ntwo {HOSTILE}", contact="ask@club.example") == 303
    for path in ("/", "/sign-in", "/join"):
        page = browser(site).get(path).text
        assert "<script>x" not in page
        assert "&lt;script&gt;x" in page
        assert "\u202e" not in page
        assert "one\ntwo" in page
        assert '<a href="mailto:ask@club.example"' in page
    assert "changed the title" in client.get("/organiser/audit").text
    assert said(csrf, client, title="W" * (MOST_TITLE + 1)) == 400
    assert said(csrf, client, text="W" * (MOST_TEXT + 1)) == 400
    assert site.about.text.startswith("one"), "what is refused changes nothing"
    again = Site.of(site.stores.path)
    assert again.about == site.about
    for contact in ("javascript:alert(1)", 'https://x"onclick=y', "a@b.c?subject=x"):
        assert About(contact=contact).contact_link == ""
    author, theirs = member(site, "ada")
    assert said(theirs, author, title="mine") == 403
    assert said("00", client, title="forged") == 403
    site.close()
    again.close()


def test_an_exported_folder_says_it_too(demo_store: Path, tmp_path: Path) -> None:
    with open_store(demo_store, create=False, readonly=True) as store:
        export(store, tmp_path / "out", 1, about=About("Club", "Hello there", "us"))
    home = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "Hello there" in home
    assert "Contact: us" in home
    assert 'href="first-bot.html"' in home
    assert "arena new mybot" in (tmp_path / "out/first-bot.html").read_text(encoding="utf-8")
    assert 'id="numbers"' in (tmp_path / "out/docs.html").read_text(encoding="utf-8")


def test_the_steps_show_what_a_bot_reads_and_writes_in_each_game() -> None:
    shown = {name: text for name, _, text in examples()}
    assert {"bread-basket", "bread-and-chocolate", "sandwich"} <= set(shown)
    for name, text in shown.items():
        asked, _, answer = text.partition("\n\n")
        assert asked.startswith('{"type": "ask"'), name
        move = json.loads(answer)["move"]
        assert json_text(move) in " ".join(asked.split()), name
        assert max(map(len, text.splitlines())) <= 36, name


def test_an_invitation_works_once_and_leads_to_the_first_bot(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    code = code_of(site, "ada")
    assert "#" not in browser(site).get("/join").headers.get("location", "")
    with ThreadPoolExecutor(4) as pool:
        clients = [browser(site, address=f"10.0.0.{number}") for number in range(4)]
        answers = list(pool.map(lambda client: join(client, code), clients))
    assert sorted(answers) == [303, 403, 403, 403]
    joined = clients[answers.index(303)]
    assert "Your first bot" in joined.get("/account").text
    with site.file.reading() as db:
        (token,) = accounts.tokens_of(db, "ada")
        assert token.used_at is not None
        kept = [row[0] for row in db.execute("SELECT hash FROM tokens")]
        said = [line.what for line in audit.newest(db, 10)]
    assert code not in kept
    assert f"joined with invitation {token.id}" in said
    site.close()


def test_used_expired_revoked_and_unknown_codes_get_the_same_answer(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    old, closed, revoked = (
        code_of(site, "old", "2020-01-01T00:00:00.000Z"),
        code_of(site, "closed"),
        code_of(site, "revoked"),
    )
    client, csrf = member(site, "olga", "organiser")
    page = client.get("/organiser/accounts").text
    (path,) = re.findall(r'action="(/organiser/accounts/revoked/invitations/\d+/revoke)"', page)
    assert "old/invitations" not in page
    assert browser(site).post(path, data={"csrf": csrf}, headers=HERE).status_code == 303, (
        "to the sign-in page"
    )
    assert client.post(path, data={"csrf": csrf}, headers=HERE).status_code == 303
    assert client.post(path, data={"csrf": csrf}, headers=HERE).status_code == 404
    with site.file.writing() as db:
        accounts.close_account(db, "closed", site.file.now())
    code_of(site, "closed")  # it is open again, but not for the first link
    with site.file.writing() as db:
        token = accounts.invite(db, "bob", "author", "a test", site.file.now())
    answers = set()
    for secret in (old, closed, revoked, token, "arena_join_" + "x" * 43, "é" * 5000):
        stranger = browser(site, address=f"10.0.1.{len(secret) % 250}")
        fields = {"csrf": csrf_in(stranger.get("/join").text), "code": secret}
        answer = stranger.post("/join", data=fields, headers=HERE)
        answers.add((answer.status_code, re.sub(r'value="[0-9a-f]+"', "", answer.text)))
    assert len(answers) == 1
    assert next(iter(answers))[0] == 403
    site.close()


def test_guessed_codes_count_like_guessed_tokens_and_other_sites_cannot_join(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    code, guesser = code_of(site, "ada"), browser(site)
    assert [join(guesser, "arena_join_guess") for _ in range(MOST_FAILED)] == [403] * MOST_FAILED
    assert join(guesser, code) == 429
    assert sign_in(guesser, code) == 429
    other = browser(site, address="10.0.0.9")
    fields = {"csrf": csrf_in(other.get("/join").text), "code": code}
    assert other.post("/join", data=fields, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert other.post("/join", data={**fields, "csrf": "00"}, headers=HERE).status_code == 403
    assert join(other, code) == 303
    site.close()


def test_members_make_a_token_once_and_not_without_end(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    client = browser(site)
    assert join(client, code_of(site, "ada")) == 303
    page = client.get("/account").text
    fields = {"csrf": csrf_in(page), "form_id": form_id(page)}
    made = client.post("/account/tokens", data=fields, headers=HERE)
    (token,) = re.findall(r"<code>(arena_[\w-]{43})</code>", made.text)
    assert client.post("/account/tokens", data=fields, headers=HERE).status_code == 303
    assert token not in client.get("/account").text
    assert sign_in(browser(site), token) == 303
    for _ in range(accounts.MOST_TOKENS):
        fields["form_id"] = form_id(client.get("/account").text)
        last = client.post("/account/tokens", data=fields, headers=HERE)
    assert "Revoke one that you no longer need" in last.text
    with site.file.reading() as db:
        assert accounts.valid_tokens(db, "ada", site.file.now()) == accounts.MOST_TOKENS
    site.close()


@pytest.mark.parametrize("language", list(Language))
def test_the_kit_can_be_submitted_as_it_is_by_who_downloads_it(language: Language, tmp_path: Path) -> None:
    site = site_at(tmp_path)
    client, _ = member(site, "ada")
    for visitor, author in ((client, "ada"), (browser(site), "")):
        answer = visitor.get("/kit.zip", params={"game": "bread-basket", "language": language.value})
        assert answer.headers["content-type"] == "application/zip"
        again = visitor.get("/kit.zip", params={"game": "bread-basket", "language": language.value, "x": "1"})
        assert again.content == answer.content
        toml = zipfile.ZipFile(BytesIO(answer.content)).read("bread-basket-bot/bot.toml").decode()
        assert ('author = "ada"' in toml, "author" in toml) == (author == "ada", bool(author))
        (tmp_path / "kit.zip").write_bytes(answer.content)
        intake = read_source(tmp_path / "kit.zip", "ada")
        assert (intake.manifest.author, intake.manifest.name) == ("ada", "bread-basket-bot")
    site.close()


@pytest.mark.parametrize(
    "asked", ["", "game=none&language=python", "game=sandwich&language=../..", "game=*&language=c"]
)
def test_kits_are_for_what_there_is(asked: str, tmp_path: Path) -> None:
    site = site_at(tmp_path)
    assert browser(site).get(f"/kit.zip?{asked}").status_code == 400
    site.close()


def test_a_new_bot_names_its_author_only_if_told(tmp_path: Path) -> None:
    arena_here("new", "one", "--game", "sandwich", cwd=tmp_path)
    arena_here("new", "two", "--game", "sandwich", "--author", "ada", cwd=tmp_path)
    assert "author" not in (tmp_path / "one/bot.toml").read_text(encoding="utf-8")
    assert read_source(tmp_path / "one").manifest.author == "me"
    assert read_source(tmp_path / "one", "bob").manifest.author == "bob"
    assert read_source(tmp_path / "two").manifest.author == "ada"


def test_a_link_can_be_made_in_the_terminal(tmp_path: Path) -> None:
    made = arena_here("accounts", "invite", "ada", "--link", "https://arena.example/ladder/", cwd=tmp_path)
    address, _, code = made.stdout.strip().partition("#")
    assert address == "https://arena.example/ladder/join"
    site = site_at(tmp_path)
    with site.file.reading() as db:
        (invitation,) = accounts.open_invitations(db, site.file.now())
        assert accounts.owner_of(db, code, site.file.now()) is None, "it is no token"
        assert accounts.owner_of(db, code, "2099-01-01T00:00:00.000Z", by_link=True) is None
    assert invitation.account == "ada"
    assert join(browser(site), code) == 303
    for wrong in (("--link", "arena.example"), ("--link", "https://a.example", "--expires", "400d")):
        assert arena_here("accounts", "invite", "bob", *wrong, cwd=tmp_path).returncode == 2
    site.close()


def test_the_text_for_the_mail_has_the_link(tmp_path: Path) -> None:
    site = site_at(tmp_path)
    client, csrf = member(site, "olga", "organiser")
    number = form_id(client.get("/organiser/accounts").text)
    fields = {"csrf": csrf, "form_id": number, "account_name": "ada"}
    page = client.post("/organiser/accounts", data=fields, headers=HERE)
    mail = html.unescape(re.search(r"<textarea[^>]*>(.*?)</textarea>", page.text, re.DOTALL)[1])  # type: ignore[index]
    link = re.search(r"http://127\.0\.0\.1:8642/join#arena_join_[\w-]{43}", mail)
    assert link, mail
    assert "<" not in mail
    assert page.headers["cache-control"] == "no-store"
    site.close()
