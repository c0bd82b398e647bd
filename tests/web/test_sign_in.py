"""Signing in, as its attackers see it."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.web.http.allowed_hosts import own_path
from arena.web.live.site import MOST_FAILED, WINDOW_S, Site
from arena.web.site_file import accounts, audit
from tests.support.web.visitors import HERE, asks_api, browser, csrf_in, member, sign_in, site_at, token_of


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    yield found
    found.close()


def test_a_token_opens_a_session_and_the_page_of_the_account(site: Site) -> None:
    client = browser(site)
    assert client.get("/account").headers["location"] == "/sign-in?next=/account"
    assert sign_in(client, token_of(site, "ada"), "/account?a=b") == 303
    page = client.get("/account")
    assert page.status_code == 200
    assert "ada" in page.text
    assert page.headers["cache-control"] == "no-store"
    (cookie,) = client.cookies.jar
    assert cookie.name == "arena-session-8642"
    assert client.post("/sign-out", data={"csrf": csrf_in(page.text)}, headers=HERE).status_code == 303
    assert client.get("/account").status_code == 303


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(site: Site) -> None:
    for base, name, secure in (
        ("https://arena.example", "__Host-arena-session", True),
        ("http://127.0.0.1:8642", "arena-session-8642", False),
    ):
        client = browser(site, base)
        page = client.get("/sign-in")
        fields = {"csrf": csrf_in(page.text), "token": token_of(site, "ada")}
        set_cookies = client.post("/sign-in", data=fields, headers=HERE).headers.get_list("set-cookie")
        (cookie,) = (one for one in set_cookies if one.startswith(f"{name}="))
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/" in cookie
        assert "Domain" not in cookie
        assert ("Secure" in cookie) is secure


def test_unknown_revoked_expired_and_closed_get_the_same_answer(site: Site) -> None:
    revoked, expired, closed = (
        token_of(site, "ada"),
        token_of(site, "bob", expires_at="2020-01-01T00:00:00.000Z"),
        "",
    )
    with site.file.writing() as db:
        accounts.close_account(db, "ada", site.file.now())
    closed = token_of(site, "cleo")
    with site.file.writing() as db:
        db.execute("UPDATE accounts SET closed_at = 'now' WHERE name = 'cleo'")
    answers = set()
    for secret in (revoked, expired, closed, "arena_" + "x" * 43, "", "é" * 5000):
        client = browser(site)
        csrf = csrf_in(client.get("/sign-in").text)
        answer = client.post("/sign-in", data={"csrf": csrf, "token": secret}, headers=HERE)
        answers.add((answer.status_code, re.sub(r'value="[0-9a-f]+"', "", answer.text)))
        assert "arena-session" not in str(answer.headers.get_list("set-cookie"))
    assert len(answers) == 1
    assert next(iter(answers))[0] == 403


def test_guessing_is_stopped_by_address_and_only_for_a_while(site: Site) -> None:
    good = token_of(site, "ada")
    guesser, clock = browser(site), [1000.0]
    site.clock_s = lambda: clock[0]
    assert [sign_in(guesser, "arena_guess") for _ in range(MOST_FAILED + 1)] == [403] * MOST_FAILED + [429]
    clock[0] += 70
    assert sign_in(guesser, good) == 429
    csrf = csrf_in(guesser.get("/sign-in").text)
    page = guesser.post("/sign-in", data={"csrf": csrf, "token": good}, headers=HERE)
    assert page.headers["retry-after"] == "230"
    assert "Try again in 4 minutes. Everything that needs no account still works." in page.text
    told = guesser.get("/api/v1/whoami", headers={"authorization": f"Bearer {good}"})
    assert told.headers["retry-after"] == "230"
    assert told.json()["hint"] == "try again in 4 minutes"
    assert "Requests without a token are answered." in told.json()["message"]
    assert [asks_api(guesser, token) for token in (good, "arena_guess")] == [429, 429]
    assert sign_in(browser(site, address="10.0.0.2"), good) == 303
    assert asks_api(browser(site, address="10.0.0.2"), good) == 200
    assert sign_in(browser(site, address="2001:db8::1"), "no") == 403
    clock[0] += WINDOW_S + 1
    assert sign_in(guesser, good) == 303


def test_wrong_tokens_at_the_api_count_like_those_of_the_form(site: Site) -> None:
    good = token_of(site, "ada")
    guesser = browser(site)
    assert asks_api(guesser, good) == 200
    assert [asks_api(guesser, "arena_guess") for _ in range(MOST_FAILED + 1)] == [401] * MOST_FAILED + [429]
    assert asks_api(guesser, good) == 429
    assert sign_in(guesser, good) == 429
    assert (
        guesser.get("/api/v1/leagues").status_code == 503
    )  # there is no store, and nobody is asked for a token


def test_guesses_at_the_same_moment_count_like_others(site: Site) -> None:
    token_of(site, "ada")
    page = browser(site)
    csrf, cookie = csrf_in(page.get("/sign-in").text), page.cookies["arena-form-8642"]

    def guess(number: int) -> int:
        client = browser(site)
        client.cookies.set("arena-form-8642", cookie)
        return int(
            client.post("/sign-in", data={"csrf": csrf, "token": f"{number}"}, headers=HERE).status_code
        )

    with ThreadPoolExecutor(8) as threads:
        statuses = list(threads.map(guess, range(MOST_FAILED + 6)))
    assert sorted(statuses) == [403] * MOST_FAILED + [429] * 6


def test_a_session_chosen_by_somebody_else_is_never_taken(site: Site) -> None:
    client = browser(site)
    client.cookies.set("arena-session-8642", "chosen", domain="127.0.0.1")
    assert sign_in(client, token_of(site, "ada")) == 303
    assert "chosen" not in [one.value for one in client.cookies.jar]
    first = client.cookies["arena-session-8642"]
    assert sign_in(client, token_of(site, "ada")) == 303
    again = browser(site)
    again.cookies.set("arena-session-8642", first)
    assert again.get("/account").status_code == 303, "the session before the sign-in has ended"


def test_two_cookies_of_one_name_are_nobody(site: Site) -> None:
    client, _ = member(site, "ada")
    mine = client.cookies["arena-session-8642"]
    stranger = browser(site)
    both = {"cookie": f"arena-session-8642=planted; arena-session-8642={mine}"}
    assert stranger.get("/account", headers=both).status_code == 303
    assert stranger.get("/account", headers={"cookie": f"arena-session-8642={mine}"}).status_code == 200


@pytest.mark.parametrize("headers", [{}, HERE, {"origin": "http://127.0.0.1:8642"}])
def test_forms_need_what_their_page_gave_them(site: Site, headers: dict[str, str]) -> None:
    client, csrf = member(site, "ada")
    other, others = member(site, "bob")
    for sent in ({}, {"csrf": ""}, {"csrf": others}, {"csrf": "é"}):
        assert client.post("/sign-out", data=sent, headers=headers).status_code == 403
    assert client.post("/sign-in", data={"token": token_of(site, "ada")}, headers=headers).status_code == 403
    assert client.post("/sign-out", data={"csrf": csrf}, headers=headers).status_code == 303
    assert other.get("/account").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:1"},
        {"origin": "https://evil.example"},
    ],
)
def test_forms_of_other_sites_are_refused_whatever_they_send(site: Site, headers: dict[str, str]) -> None:
    client, csrf = member(site, "ada")
    assert client.post("/sign-out", data={"csrf": csrf}, headers=headers).status_code == 403
    assert client.get("/account").status_code == 200


def test_own_sessions_and_tokens_can_be_ended_but_nobody_elses(site: Site) -> None:
    ada, csrf = member(site, "ada")
    bob, bobs = member(site, "bob")
    with site.file.reading() as db:
        (mine,) = accounts.open_sessions(db, "ada", site.file.now())
    for path in (f"/account/sessions/{mine.id}/end", "/account/tokens/1/revoke"):
        assert bob.post(path, data={"csrf": bobs}, headers=HERE).status_code == 404
    assert ada.get("/account").status_code == 200
    assert ada.post("/account/tokens/1/revoke", data={"csrf": csrf}, headers=HERE).status_code == 303
    assert ada.get("/account").status_code == 303, "the session began with that token"
    with site.file.reading() as db:
        assert [line.what for line in audit.newest(db, 1)] == ["revoked their own token 1"]


def test_idle_and_old_sessions_end(site: Site) -> None:
    client, _ = member(site, "ada")
    now = site.file.now()
    site.file.now = lambda: f"{int(now[:4]) + 1}{now[4:]}"
    assert client.get("/account").status_code == 303


def test_the_audit_log_and_the_file_hold_no_secret(site: Site, tmp_path: Path) -> None:
    token = token_of(site, "ada")
    client = browser(site)
    assert sign_in(client, token) == 303
    content = (tmp_path / "arena.site.sqlite").read_bytes()
    for secret in (token, client.cookies["arena-session-8642"]):
        assert secret.encode() not in content
        assert secret[10:30].encode() not in content
    assert (tmp_path / "arena.site.sqlite").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "text",
    [
        "",
        "//evil.example",
        "https://evil.example",
        "/\\evil.example",
        "\\/evil",
        "/a\r\nSet-Cookie: a=b",
        "/\t/evil.example",
        "javascript:alert(1)",
        "account",
        "/é",
        "/" + "a" * 600,
        " /a",
    ],
)
def test_redirects_lead_only_to_own_paths(text: str) -> None:
    assert own_path(text, "/otherwise") == "/otherwise"


def test_own_paths_keep_their_query() -> None:
    assert own_path("/leagues/a%20b?x=//y#z") == "/leagues/a%20b?x=//y#z"


def test_the_api_takes_the_same_tokens_and_no_cookies(site: Site) -> None:
    from starlette.requests import Request

    token = token_of(site, "ada", "organiser")
    state = {"type": "http", "path": "/", "client": ("10.0.0.1", 1), "query_string": b""}

    def asked(value: str) -> str:
        who = site.with_token(Request({**state, "headers": [(b"authorization", value.encode())]}))
        return who.account if who else ""

    assert asked(f"Bearer {token}") == "ada"
    assert asked(f"bearer  {token} ") == "ada"
    assert [asked(value) for value in ("", "Bearer ", f"Basic {token}", token, f"Bearer {token[:-1]}")] == [
        ""
    ] * 5


@pytest.mark.parametrize(
    ("base", "address", "warns"),
    [
        ("http://localhost:8642", "127.0.0.1", False),
        ("https://arena.example", "203.0.113.9", False),
        ("http://192.168.1.5:8642", "192.168.1.9", True),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in (
                ("http://[::1]:8642", "::1", False),
                ("http://arena.example", "127.0.0.1", True),
                ("http://localhost:8642", "192.168.1.9", True),
            )
        ),
    ],
)
def test_the_sign_in_page_warns_of_a_connection_that_others_can_read(
    site: Site, base: str, address: str, warns: bool
) -> None:
    assert ("isn't encrypted" in browser(site, base, address).get("/sign-in").text) is warns
