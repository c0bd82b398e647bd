"""Organising in the browser: what organisers can do, and authors can't."""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch
from uuid import uuid4

import pytest
from msgspec import inspect
from starlette.testclient import TestClient

import arena.web
from arena.config.names import RESERVED
from arena.core.errors import UsageError
from arena.league.changes.entries import Add, Pause
from arena.league.changes.whole_league import Season
from arena.league.inbox.dispatch import CHANGES
from arena.submissions.manifest import bundled_bots
from arena.web.live.site import Site
from arena.web.live.visitors import Form
from arena.web.routes.organiser import BadField, change_of, fields_of
from arena.web.site_file import accounts
from results.store import open_store
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import HERE, asks_api, browser, form_id, join, member, sign_in, token_of

LEAGUE = "unplayed"
TEMPLATES = Path(arena.web.__file__).parent / "templates"
PROPERTIES = {
    *(
        "action",
        "after",
        "before",
        "children",
        "closest",
        "contains",
        "dir",
        "elements",
        "form",
        "hidden",
        "id",
    ),
    *(
        "lang",
        "length",
        "matches",
        "method",
        "name",
        "part",
        "prefix",
        "remove",
        "reset",
        "role",
        "slot",
        "style",
    ),
    *("submit", "target", "title"),
}
"""Some of what a form is asked for in a browser; a field of that name would answer instead."""
PAGES = ("", "/new", "/accounts", "/audit", f"/leagues/{LEAGUE}")


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path) as found:
        yield found


@pytest.fixture
def organiser(site: Site) -> tuple[TestClient, str]:
    return member(site, "olga", "organiser")


def test_authors_and_strangers_see_nothing_of_it(site: Site) -> None:
    author, csrf = member(site, "ada")
    for page in PAGES:
        assert author.get(f"/organiser{page}").status_code == 403
        assert browser(site).get(f"/organiser{page}").status_code == 303
    fields = {"csrf": csrf, "account_name": "eve", "account_role": "organiser", "form_id": "x"}
    for path in ("/accounts", "/new", f"/leagues/{LEAGUE}/pause", "/accounts/olga/revoke"):
        assert author.post(f"/organiser{path}", data=fields, headers=HERE).status_code == 403
        assert browser(site).post(f"/organiser{path}", data=fields, headers=HERE).status_code == 303


def test_no_field_hides_what_a_form_has_of_its_own() -> None:
    for template in sorted(TEMPLATES.glob("*.html")):
        for form in re.findall(r"<form.*?</form>", template.read_text(), re.DOTALL):
            assert not PROPERTIES & set(re.findall(r'[" ]name="([^"]+)"', form)), template.name


def test_every_page_opens(site: Site, organiser: tuple[TestClient, str]) -> None:
    site.runner_words = lambda: "started the runner"
    for page in PAGES:
        answer = organiser[0].get(f"/organiser{page}")
        assert answer.status_code == 200, page
        assert answer.headers["cache-control"] == "no-store"
    assert organiser[0].get("/organiser/leagues/nothing").status_code == 404


def test_a_league_is_paused_once_and_resumed(site: Site, organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    path = f"/organiser/leagues/{LEAGUE}"
    fields = {"csrf": csrf, "form_id": form_id(client.get(path).text), "why": "<i>rain"}
    places = {client.post(f"{path}/pause", data=fields, headers=HERE).headers["location"] for _ in range(2)}
    (place,) = places
    assert "Done" in client.get(place).text
    assert "&lt;i&gt;rain" in client.get(path).text
    live = f"/leagues/{LEAGUE}/live"
    assert f'href="{path}">Resume it</a>' in client.get(live).text
    assert "it continues once an organiser resumes it" in browser(site).get(live).text
    with open_store(site.stores.path, readonly=True) as store:
        league = store.leagues.get(LEAGUE)
        assert store.leagues.event_count(league.uuid) == 1
    log = client.get("/organiser/audit").text
    outcome = r'<td class="long"><a [^>]*>done</a><details>.*why: &lt;i&gt;rain'
    assert re.search(rf"pause a league</th>\s*<td>{LEAGUE}</td>\s*{outcome}", log)
    assert client.get(f"{path}/pause").headers["location"] == path, "an address that is loaded again"
    assert "{&#34;" not in log
    again = client.post(f"{path}/pause", data={**fields, "why": "snow"}, headers=HERE)
    assert again.status_code == 409
    other, _ = member(site, "ada")
    assert other.get(place).status_code == 404
    resumed = {"csrf": csrf, "form_id": form_id(client.get(path).text)}
    assert client.post(f"{path}/resume", data=resumed, headers=HERE).status_code == 303
    assert client.post(f"{path}/explode", data=resumed, headers=HERE).status_code == 404


def test_what_ends_for_good_is_asked_first(site: Site, organiser: tuple[TestClient, str]) -> None:
    token_of(site, "ada")
    accounts = organiser[0].get("/organiser/accounts").text
    league = organiser[0].get(f"/organiser/leagues/{LEAGUE}").text
    for path, page, names in (
        ("/organiser/accounts/ada/revoke", accounts, ("ada",)),
        (f"/organiser/leagues/{LEAGUE}/retire", league, ("pick0", LEAGUE)),
    ):
        form = re.search(rf'<form[^>]* action="{path}">.*?</form>', page, re.DOTALL)
        assert form
        asked = re.search(r"<details[^>]*><summary.*?</summary><p>(.*?)</p><button", form[0])
        assert asked, "no button can be pressed before the question is open"
        assert form[0].count("<button") == 1
        assert all(name in asked[1] for name in names)
    template = (TEMPLATES / "organise_league.html").read_text()
    before = template.partition('opening("season"')[2].partition("confirm(")[0]
    assert not re.search(r"<input|field\(", before), (
        "Enter in a field begins no final before the question is open"
    )


def test_a_bot_is_benched_with_a_reason(organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    path = f"/organiser/leagues/{LEAGUE}"
    page = client.get(path).text
    bot = re.findall(r'name="entry" value="([^"]+)"><details', page)[0]
    fields = {"csrf": csrf, "form_id": form_id(page), "entry": bot, "why": "it <i>spies"}
    told = client.get(client.post(f"{path}/bench", data=fields, headers=HERE).headers["location"]).text
    assert f"{bot} is benched in {LEAGUE}" in told
    page = client.get(path).text
    assert "it &lt;i&gt;spies" in page
    assert f'action="{path}/resume"' in page
    assert "forfeits them from now on" in page, "in a round robin"
    nobody = client.post(f"{path}/bench", data={"csrf": csrf, "form_id": "x", "entry": ""}, headers=HERE)
    assert nobody.status_code == 400


def test_a_form_with_a_mistake_keeps_what_was_typed(organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    path = f"/organiser/leagues/{LEAGUE}/extend"
    assert re.findall(r">More (\w+)<", client.get(f"/organiser/leagues/{LEAGUE}").text) == ["rounds"]
    fields = {"csrf": csrf, "form_id": "x", "rounds": "many"}
    answer = client.post(path, data=fields, headers=HERE)
    assert answer.status_code == 400
    assert 'value="many"' in answer.text
    assert "More rounds: &#39;many&#39; is not a whole number" in answer.text
    for wrong in ({"matches": "-1"}, {}, {"minutes": "nan"}, {"games": "1e400"}):
        assert (
            client.post(path, data={"csrf": csrf, "form_id": "x", **wrong}, headers=HERE).status_code == 400
        )
    assert (
        client.post(path, data={"csrf": csrf, "form_id": "x", "matches": "1.5"}, headers=HERE).status_code
        == 400
    )
    nameless = client.post(f"/organiser/leagues/{LEAGUE}/add", data={"csrf": csrf, "bot": ""}, headers=HERE)
    assert nameless.status_code == 400
    assert "Bot: this field can&#39;t be empty" in nameless.text
    unknown = {"csrf": csrf, "form_id": form_id(nameless.text), "bot": "nobody/nothing"}
    asked = client.post(f"/organiser/leagues/{LEAGUE}/add", data=unknown, headers=HERE)
    told = client.get(asked.headers["location"]).text
    assert "available: " in told
    overview = client.get("/organiser").text
    assert overview.count("available: ") == 1, "refused once, told once"
    assert "add a bot: unplayed: nobody/nothing" in overview
    assert "--store" not in told


def test_forms_of_changes_take_what_their_fields_take() -> None:
    forms = {action: fields_of(kind) for action, kind in CHANGES.items() if kind.has_form}
    assert list(forms["bench"]) == ["entry", "why"]
    assert list(forms["extend"]) == ["matches", "games", "minutes", "rounds"]
    assert list(forms["add"]) == ["bot", "label"], "arguments can't be typed"
    fields = [field for form in forms.values() for field in form.values()]
    assert all(field.title[0].isupper() for field in fields)
    for field in fields:
        if not isinstance(field.type, inspect.StrType):
            with pytest.raises(BadField, match="out of bounds; from "):
                field.value_of("0")
            with pytest.raises(BadField, match="out of bounds; from "):
                field.value_of("9" * 20)
    with pytest.raises(BadField, match="Reason: at most 500 characters are allowed, and these are 501"):
        forms["pause"]["why"].value_of("x" * 501)
    assert change_of("pause", LEAGUE, Form({})) == Pause(LEAGUE)
    assert change_of("season", LEAGUE, Form({"matches": "7"})) == Season(LEAGUE, 7)
    for action in ("delete", "rename", "explode"):
        assert change_of(action, LEAGUE, Form({"name": "x"})) is None, "it has no form"


def role_of(site: Site, account: str) -> str | None:
    """Return the role of an account; None if it isn't open."""
    with site.file.reading() as db:
        found = accounts.find(db, account)
    return found.role if found is not None and found.is_open else None


def test_inviting_shows_a_link_once_and_the_link_works_once(
    site: Site, organiser: tuple[TestClient, str]
) -> None:
    client, csrf = organiser
    fields = {
        "csrf": csrf,
        "form_id": form_id(client.get("/organiser/accounts").text),
        "account_name": "ada",
        "days": "7",
    }
    far = {**fields, "days": "000000001999999999999"}
    assert client.post("/organiser/accounts", data=far, headers=HERE).status_code == 400
    assert client.get("/organiser/audit", params={"before": "9" * 30}).status_code == 200
    page = client.post("/organiser/accounts", data=fields, headers=HERE)
    found = re.search(r"<code>http://127.0.0.1:8642/join#(arena_join_[\w-]{43})</code>", page.text)
    assert found
    again = client.post("/organiser/accounts", data=fields, headers=HERE)
    assert again.status_code == 400
    assert "invited ada as author" in client.get("/organiser").text
    for text in (again.text, client.get("/organiser/accounts").text, client.get("/organiser/audit").text):
        assert not re.search(r"arena_[\w-]{43}", text)
    assert sign_in(browser(site), found[1]) == 403, "it is no token"
    assert asks_api(browser(site), found[1]) == 401
    invited = browser(site)
    assert join(invited, found[1]) == 303
    assert join(browser(site), found[1]) == 403
    assert client.post("/organiser/accounts/ada/revoke", data={"csrf": csrf}, headers=HERE).status_code == 303
    assert invited.get("/account").status_code == 303
    assert (
        client.post("/organiser/accounts/olga/revoke", data={"csrf": csrf}, headers=HERE).status_code == 400
    )
    for name in ("Ada", "a\r\nSet-Cookie: x=y", "", "../x"):
        sent = {**fields, "account_name": name, "form_id": form_id(client.get("/organiser/accounts").text)}
        answer = client.post("/organiser/accounts", data=sent, headers=HERE)
        assert (answer.status_code, "x" in answer.cookies) == (400, False)


def test_names_and_days_that_an_account_cannot_have(site: Site, organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser

    def refused(name: str, days: str = "") -> str:
        fields = {"csrf": csrf, "form_id": str(uuid4()), "account_name": name, "days": days}
        answer = client.post("/organiser/accounts", data=fields, headers=HERE)
        assert answer.status_code == 400
        problem = re.search(r'<p class="notice" role="alert">(.*?)</p>', answer.text)
        assert problem
        return re.sub(r"<[^>]+>", "", problem[1])

    own = {tomllib.loads(file.read_text())["author"] for file in bundled_bots().glob("*/*/bot.toml")}
    assert own <= set(RESERVED), "Arena's own bots are nobody's"
    for name, why in RESERVED.items():
        assert f"{name} can&#39;t be the name of an account: {why.replace(chr(39), '&#39;')}" in refused(name)
    for name in ("arena-", "4rena", "ar3na", "a_rena", "arena-bots", "gue5t"):
        assert f"{name} can&#39;t be the name of an account: " in refused(name), "it reads like Arena's own"
    assert "such as" not in refused("ARENA")
    for name in ("аrena", "arena\u200b", "Ａrena"):  # Cyrillic, of no width, full width
        assert "such as arena" not in refused(name)
    long = refused("a" * 41)
    assert "up to 40 lower-case letters" in long
    assert "such as" not in refused("ÄÖ")
    assert "such as ada-b" in refused("Ada B")
    assert "name =" not in refused("Ada B")
    assert "has no name" in refused("")
    assert "after 1 to 90 days, not after 91" in refused("ada", "91")
    assert "&#39;soon&#39; is not a number of days" in refused("ada", "soon")
    assert role_of(site, "ada") is None
    with site.file.writing() as db:
        db.execute("INSERT INTO accounts (name, role, created_at) VALUES ('guest', 'author', 'x')")
    assert token_of(site, "guest"), "an account that had the name before keeps it"


def test_an_invitation_changes_a_role_only_if_told_to(site: Site, organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    token_of(site, "ben")
    token_of(site, "boss", "organiser")

    def invite(name: str, role: str, **more: str) -> tuple[int, str]:
        number = form_id(client.get("/organiser/accounts").text)
        sent = {"csrf": csrf, "form_id": number, "account_name": name, "account_role": role, **more}
        done = client.post("/organiser/accounts", data=sent, headers=HERE)
        return done.status_code, done.text

    for name, role, other in (("ben", "organiser", "author"), ("boss", "author", "organiser")):
        code, text = invite(name, role)
        assert (code, "shown only now" in text, role_of(site, name)) == (400, False, other)
        assert f"{name} is an {other}" in text
        assert f"to make {name} an {role}" in text
    assert "The link that invites boss, an organiser," in invite("boss", "organiser")[1]
    assert "The link that invites ben, an organiser," in invite("ben", "organiser", change_role="yes")[1]
    assert "The link that invites boss, an author," in invite("boss", "author", change_role="yes")[1]
    assert (role_of(site, "ben"), role_of(site, "boss")) == ("organiser", "author")
    assert "invited ben as organiser (was author), invitation" in client.get("/organiser/audit").text
    assert invite("olga", "author", change_role="yes")[0] == 400, "your own role"
    assert role_of(site, "olga") == "organiser"


def test_a_bot_that_does_not_start_joins_no_league(site: Site, organiser: tuple[TestClient, str]) -> None:
    client, csrf = organiser
    page = f"/organiser/leagues/{LEAGUE}"
    fields = {
        "csrf": csrf,
        "form_id": form_id(client.get(page).text),
        "bot": "bots/any_game/random",
        "action": "add",
    }
    refusal = UsageError("random does not start: no answer")
    with patch("arena.web.routes.organiser.refuse_not_starting", side_effect=refusal) as started:
        refused = client.post(f"{page}/add", data=fields, headers=HERE)
    assert refused.status_code == 400
    assert "random does not start: no answer" in refused.text
    assert started.call_args.args == (site.stores.path, Add(LEAGUE, "bots/any_game/random"))
    wish = {"kind": "add", "data": {"league": LEAGUE, "bot": "bots/any_game/random"}}
    token = {"authorization": f"Bearer {token_of(site, 'olga', 'organiser')}"}
    with patch("arena.web.api.signed_in.refuse_not_starting", side_effect=refusal):
        refused = browser(site).post("/api/v1/commands", json=wish, headers=token)
    assert (refused.status_code, refused.json()["message"]) == (409, "random does not start: no answer")
