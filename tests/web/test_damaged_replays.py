"""A damaged replay costs one page: it says why, and everything else is shown and export."""

import json
import re
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path

import pytest

from arena.web.http.page_cache import PageCache
from arena.web.live.site import Site
from arena.web.public import export
from results.store import open_store
from results.store.verification.verify import verify
from tests.support.leagues import arena_here
from tests.support.web.copied_site import copied_site
from tests.support.web.visitors import browser

pytestmark = pytest.mark.xdist_group("site")

GAME = ("leagues", "bread", "games", "0.0")
DAMAGE = {
    "not compressed": b"\x00\x01",
    "no JSON": zlib.compress(b'{"game": "bread-'),
    "no UTF-8": zlib.compress(b'{"game": "\xff"}'),
    "no object": zlib.compress(b"[]"),
}


@pytest.fixture
def site(demo_store: Path, tmp_path: Path) -> Iterator[Site]:
    with copied_site(demo_store, tmp_path) as found:
        yield found


def put_body(site: Site, body: bytes) -> None:
    with closing(sqlite3.connect(site.stores.path)) as db, db:
        (league,) = db.execute("SELECT id FROM league WHERE name = 'bread'").fetchone()
        db.execute(
            "UPDATE replay SET body = ? WHERE league_id = ? AND match_no = 0 AND rotation = 0", (body, league)
        )


@pytest.mark.slow
def test_the_page_of_a_damaged_replay_says_why_and_the_rest_is_exported(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = browser(site)
    for name, body in DAMAGE.items():
        put_body(site, body)
        site.page_cache = PageCache()
        for view in ("", "/seat-1"):
            answer = client.get(f"/leagues/bread/games/0.0{view}")
            assert answer.status_code == 200, name
            told = unescape(answer.text)
            assert re.search("This game can't be shown: the replay of .* is damaged: ", told), name
    with open_store(site.stores.path, create=False, readonly=True) as store:
        assert {(one.match_no, one.rotation) for one in verify(store) if one.league == "bread"} == {(0, 0)}
    whole = (*GAME[:3], "0.1")
    monkeypatch.setattr(export, "exported_paths", lambda _store, _most: iter([(), GAME, whole]))
    monkeypatch.setattr(export, "exported_files", lambda _store: iter(()))
    done = arena_here("export-site", "public", "--store", str(site.stores.path), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "1 game can't be shown because the replay is damaged: bread/0.0; arena db verify" in done.stderr
    pages = {path.name for path in (tmp_path / "public" / "leagues" / "bread" / "games").iterdir()}
    assert {"0.0.html", "0.1.html", "0.1.js"} <= pages
    assert "0.0.js" not in pages


def test_a_damaged_replay_is_no_error_of_the_server(site: Site) -> None:
    with open_store(site.stores.path, create=False, readonly=True) as store:
        replay = store.replays.get(store.leagues.get("bread").uuid, 0, 0)
    body = json.loads(replay.body)
    short = json.dumps({**body, "moves": body["moves"][:3]}).encode()
    for damaged, why in ((short, "the replay ends after 3 moves"), (short[:40], "bread/0.0 is damaged")):
        put_body(site, zlib.compress(damaged))
        site.page_cache = PageCache()
        answer = browser(site).get("/leagues/bread/games/0.0")
        assert (answer.status_code, why in answer.text) == (200, True)
