"""A site below a path: nothing of it leads out, and neighbours under the same host name keep their own cookies."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send

from arena.core.errors import ArenaError, UsageError
from arena.web.api.http_responses import problem_of
from arena.web.app import create_app
from arena.web.html.rendering import static_files
from arena.web.http.allowed_hosts import check_prefix, own_path
from arena.web.live.site import Site
from results.base.advice import Advice, by
from results.base.errors import UnknownInStore
from tests.support.leagues import arena_here
from tests.support.web.copied_site import copied_site
from tests.support.web.pages import LINKED, every_kind
from tests.support.web.visitors import HERE, begin, csrf_in, sign_in, site_at, token_of

PREFIX = "/ladder"
PATHS = re.compile(r"""(?<! value=)["'](/[^"'<>]*)["']""")
"""Absolute paths of a page: in attributes, except those of fields, and in its data."""


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    yield found
    found.close()


def below(site: Site, base: str = f"https://arena.example{PREFIX}") -> TestClient:
    """Return a browser of a site below the prefix, which asks for paths without it and follows no redirects."""
    return TestClient(create_app(site, prefix=PREFIX), base_url=base, follow_redirects=False)


@pytest.mark.slow
def test_no_path_on_a_page_of_an_organiser_leads_out_of_the_prefix(demo_store: Path, tmp_path: Path) -> None:
    with copied_site(demo_store, tmp_path) as site:
        site.tables.program = ("sh", "-c", "cat >/dev/null")
        client = below(site)
        assert sign_in(client, token_of(site, "olga", "organiser")) == 303
        table = begin(client)
        assert table.startswith(f"{PREFIX}/play/")

        def read(path: str) -> str | None:
            answer = client.get(path)
            text = answer.text if answer.headers.get("content-type", "").startswith("text/html") else ""
            for found in (answer.headers.get("location"), *PATHS.findall(text)):
                assert not found or found.startswith(f"{PREFIX}/"), f"{path}: {found}"
            return text.replace(f'"{PREFIX}/', '"/') if answer.status_code == 200 and text else None

        kinds = dict(every_kind(read, (table.removeprefix(PREFIX), "/", "/sign-in")))
        public = {one for one in LINKED if one and "games" not in one}  # games have kinds of their own
        assert set(kinds) >= {
            "account",
            "api",
            "organiser/new",
            "play/{number}",
            "submit",
            "uploads",
            *public,
        }


def test_scripts_name_no_paths() -> None:
    found = {
        (name, path)
        for name, content in static_files().items()
        if not name.endswith((".png", ".woff2"))
        for path in re.findall(
            r"""["'`](/(?:static|api|leagues|bots|play|account|submit)[^"'`]*)""", content.decode()
        )
    }
    assert not found


def test_signing_in_and_out_stays_below_the_prefix(site: Site) -> None:
    client = below(site)
    assert client.get("/account").headers["location"] == f"{PREFIX}/sign-in?next=/account"
    csrf = csrf_in(client.get("/sign-in").text)
    answer = client.post(
        "/sign-in", data={"csrf": csrf, "token": token_of(site, "ada"), "next": "/account?a=b"}, headers=HERE
    )
    assert answer.headers["location"] == f"{PREFIX}/account?a=b"
    session = answer.headers.get_list("set-cookie")[0]
    assert session.startswith("__Secure-arena-session!ladder=")
    assert {"Path=/ladder", "Secure", "HttpOnly", "SameSite=lax"} <= set(session.split("; "))
    left = client.post("/sign-out", data={"csrf": csrf_in(client.get("/account").text)}, headers=HERE)
    assert left.headers["location"] == f"{PREFIX}/"
    assert not [one for one in client.cookies.jar if "session" in one.name]


def test_hints_of_the_api_and_commands_on_pages_name_the_prefix(site: Site) -> None:
    token = token_of(site, "ada")
    with below(site) as client:
        answers = [
            client.get(f"/api/v1/{path}", headers={"Authorization": f"Bearer {token}"}).content
            for path in ("uploads/nothing-here", "uploads?limit=0")
        ]
        assert sign_in(client, token) == 303
        assert f"ADDRESS{PREFIX}/api/v1/uploads?" in client.get("/api").text
        assert f"--to ADDRESS{PREFIX}/ " in client.get("/submit").text
    extends = ArenaError("over", Advice("add rounds", by("league extend", "main")))
    answers += [
        bytes(problem_of(error, PREFIX).body) for error in (UnknownInStore("league", "x", ()), extends)
    ]
    for hint in (json.loads(answer)["hint"] for answer in answers):
        assert 0 < hint.count("/api") == hint.count(f"{PREFIX}/api"), hint


@pytest.mark.parametrize("text", ["/..", "/../other", "/a/../../b", "/%2e%2e/other", "/.%2E/other", "/./a"])
def test_no_redirect_leads_above_the_prefix(text: str) -> None:
    assert own_path(text, "/otherwise") == "/otherwise"


@pytest.mark.parametrize("base", ["http://arena.example:8642", "https://arena.example"])
def test_arenas_under_one_host_name_keep_their_own_sessions(tmp_path: Path, base: str) -> None:
    prefixes = ("", "/ladder", "/ladder/two", "/ladder.two")
    sites = [site_at(tmp_path / str(at)) for at in range(len(prefixes))]
    for at in range(len(prefixes)):
        (tmp_path / str(at)).mkdir()
    apps = [create_app(site, prefix=prefix) for site, prefix in zip(sites, prefixes, strict=True)]

    async def host(scope: Scope, receive: Receive, send: Send) -> None:
        fits = [at for at, prefix in enumerate(prefixes) if f"{scope['path']}/".startswith(f"{prefix}/")]
        await apps[max(fits, key=lambda at: len(prefixes[at]))](scope, receive, send)

    client = TestClient(host, base_url=base, follow_redirects=False)
    for site, prefix in zip(sites, prefixes, strict=True):
        fields = {"csrf": csrf_in(client.get(f"{prefix}/sign-in").text), "token": token_of(site, "ada")}
        assert client.post(f"{prefix}/sign-in", data=fields, headers=HERE).status_code == 303
    assert [client.get(f"{prefix}/account").status_code for prefix in prefixes] == [200] * len(prefixes)
    csrf = csrf_in(client.get("/ladder/account").text)
    assert client.post("/ladder/sign-out", data={"csrf": csrf}, headers=HERE).status_code == 303
    assert [client.get(f"{prefix}/account").status_code for prefix in prefixes] == [200, 303, 200, 200]
    for site in sites:
        site.close()


def test_only_what_is_below_the_prefix_is_answered(site: Site) -> None:
    client = TestClient(
        create_app(site, prefix=PREFIX), base_url="https://arena.example", follow_redirects=False
    )
    for path in (
        "/",
        "/sign-in",
        "/ladders/sign-in",
        "/%6cadder/sign-in",
        "/ladder%2fsign-in",
        "/x/ladder/sign-in",
    ):
        answer = client.get(path)
        assert answer.status_code == 404
        assert "This site is below /ladder/." in answer.text
        assert "content-security-policy" in answer.headers
    told = client.get("/api/v1/whoami")
    assert (told.status_code, told.json()["message"]) == (404, "This site is below /ladder/.")
    assert told.json()["hint"] == "give the address of its home page, which ends in /ladder"
    assert client.get("/ladder/ladder/sign-in").status_code == 404
    assert client.get("/ladder").headers["location"] == "/ladder/"
    answer = client.get("/ladder/sign-in")
    assert answer.status_code == 200
    assert (
        "strict-transport-security" not in answer.headers
    )  # it would bind the other sites of the host name too


def test_limits_and_the_api_are_those_of_a_site_without_prefix(site: Site) -> None:
    client = below(site)
    sizes = {"content-length": str(2 << 20), **HERE}
    assert client.post("/sign-in", content=b"", headers=sizes).status_code == 413
    assert client.post("/submit", content=b"", headers=sizes).status_code == 303  # to the sign-in
    assert client.get("/api/openapi.json").json()["servers"] == [{"url": f"{PREFIX}/api"}]
    bearer = {"authorization": f"Bearer {token_of(site, 'ada')}"}
    assert client.get("/api/v1/whoami", headers=bearer).json()["account"] == "ada"
    assert client.get("/api/v1/nothing").headers["content-type"] == "application/json"


@pytest.mark.parametrize(
    "prefix",
    [
        *(
            "/",
            "ladder",
            "/ladder/",
            "//a",
            "/a//b",
            "/..",
            "/a/../b",
            "/.",
            "/a b",
            "/é",
            "/%41",
            "/a?b",
            "/a#b",
        ),
        *("/a;b", "https://arena.example/ladder", "/a\n", "/" + "a" * 100),
    ],
)
def test_what_no_site_can_be_below_is_refused(prefix: str) -> None:
    with pytest.raises(UsageError, match="is not a path that a site can be below") as refused:
        check_prefix(prefix)
    assert "/ladder" in refused.value.hint


@pytest.mark.parametrize("prefix", ["", "/ladder", "/a/b-c/~ada", "/..a", "/.well-known", "/v1.2"])
def test_prefixes(prefix: str) -> None:
    check_prefix(prefix)


def test_the_command_refuses_a_prefix_before_it_makes_anything(tmp_path: Path) -> None:
    done = arena_here("serve", "--port", "0", "--prefix", "ladder/", cwd=tmp_path)
    assert done.returncode == 2
    assert "error: --prefix 'ladder/' is not a path" in done.stderr
    assert not list(tmp_path.iterdir())
