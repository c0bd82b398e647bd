"""What other packages add to the site: its own pages and tables, and nothing that keeps the site from going on."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from fastapi import Request, Response

from arena.web.html.page_model import Page
from arena.web.live import site_plugins
from arena.web.live.routing import Router, answer
from arena.web.live.site import Site
from arena.web.live.site_plugins import Extension, begin_all
from arena.web.live.visitors import member_form, member_of
from arena.web.site_file.accounts import close_account, every
from arena.web.site_file.site_database import (
    SiteFile,
    SiteFileError,
    checked_copy,
)
from tests.support.web.visitors import HERE, browser, member, site_at, token_of

NOTES = "CREATE TABLE x_notes_lines (account TEXT NOT NULL REFERENCES accounts (name), line TEXT NOT NULL);"
PICTURES = "CREATE TABLE x_notes_pictures (number INTEGER PRIMARY KEY);"
TEMPLATE = """{% extends "base.html" %}{% block content %}<p>{{ line }}</p>
<form method="post"><input type="hidden" name="csrf" value="{{ csrf }}"></form>{% endblock %}"""
router = Router()
done: list[str] = []


@router.page("/notes")
def _get(request: Request) -> Response:
    who = member_of(request)
    return answer(
        request, Page(("notes",), "Notes", "notes_of_a_test:page.html", {"line": f"<{who.account}>"})
    )


@router.page("/account")
def _get_account(request: Request) -> Response:
    return answer(request, Page((), "Not this one", "error.html", {"text": "stolen", "status": 200}))


@router.post("/notes")
async def _post(request: Request) -> Response:
    await member_form(request)
    done.append("posted")
    return Response()


def _begin(_site: Site, address: str) -> Callable[[], None]:
    done.append(f"begun for {address}")

    def end() -> None:
        done.append("ended")
        raise RuntimeError("too late")

    return end


def _fails(*_: object) -> Callable[[], None]:
    raise SystemExit("no licence")


FINE = Extension("notes", router, _begin, (NOTES,), title="Notes", page=("notes",), about="All <notes>")
FAILS = Extension("fails", Router(), _fails)
ODD = Extension("odd", Router(), tables=("CREATE TABLE accounts_too (name);",))
WRONG = "an extension"


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = site_at(tmp_path)
    found.file.prepare()
    done.clear()
    yield found
    found.close()


@pytest.fixture
def file(site: Site) -> SiteFile:
    return site.file


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Install extensions of this module, and let it be found by the name of the package of templates."""
    monkeypatch.setitem(sys.modules, "notes_of_a_test", sys.modules[__name__])
    points = [EntryPoint(name.lower(), f"notes_of_a_test:{name}", "arena.site") for name in names]
    monkeypatch.setattr(site_plugins, "entry_points", lambda **_: points)


def test_one_that_fails_is_named_and_the_site_goes_on_with_the_others(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    installed(monkeypatch, "FAILS", "FINE", "GONE", "ODD", "WRONG")
    said: list[str] = []
    with ExitStack() as ending:
        begin_all(site, "https://arena.example", ending, said.append)
        assert site.extensions == (FINE,)
        assert browser(site).get("/notes").status_code == 303
    words = [
        "SystemExit: no licence",
        "has no attribute 'GONE'",
        "begin with x_odd_",
        "a str, not an Extension",
    ]
    assert [word for word, line in zip(words, said, strict=False) if word not in line] == []
    assert done == ["begun for https://arena.example", "ended"]
    assert "too late" in said[4]
    with site.file.reading() as db:
        assert {name for (name,) in db.execute("SELECT name FROM sqlite_master")}.isdisjoint({"accounts_too"})


def test_its_pages_are_pages_of_the_site_and_take_none_of_its_own(
    site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "notes_of_a_test/templates").mkdir(parents=True)
    (tmp_path / "notes_of_a_test/__init__.py").touch()
    (tmp_path / "notes_of_a_test/templates/page.html").write_text(TEMPLATE)
    monkeypatch.syspath_prepend(tmp_path)
    site.file.extend(FINE.name, FINE.tables)
    site.extensions = (FINE,)
    assert browser(site).get("/notes").headers["location"] == "/sign-in?next=/notes"
    client, csrf = member(site, "olga", "organiser")
    page = client.get("/notes")
    assert "&lt;olga&gt;" in page.text
    assert page.headers["content-security-policy"]
    assert (client.post("/notes", data={"csrf": "0" * 64}, headers=HERE).status_code, done) == (403, [])
    foreign = {"sec-fetch-site": "cross-site"}
    assert (client.post("/notes", data={"csrf": csrf}, headers=foreign).status_code, done) == (403, [])
    assert client.post("/notes", content=b"a" * 2_000_000, headers=HERE).status_code == 413
    assert client.post("/notes", data={"csrf": csrf}, headers=HERE).status_code == 200
    assert '<a class="button" href="/notes">Notes</a>' in client.get("/account").text
    assert 'All &lt;notes&gt;: <a href="/notes">Notes</a>' in client.get("/organiser/settings").text
    assert done == ["posted"]


def test_its_tables_are_made_once_and_stay_while_it_is_not_installed(site: Site, file: SiteFile) -> None:
    token_of(site, "ann")
    for steps in ((NOTES,), (NOTES,), (NOTES, PICTURES)):
        file.extend("notes", steps)
        with file.writing() as db:
            db.execute("INSERT INTO x_notes_lines VALUES ('ann', ?)", (f"a line of {len(steps)}",))
    with pytest.raises(SiteFileError, match="a newer version of notes"):
        file.extend("notes", (NOTES,))
    without = SiteFile(file.path)
    without.prepare()
    with without.reading() as db:
        assert db.execute("SELECT count(*) FROM x_notes_lines").fetchone()[0] == 3
    with closing(sqlite3.connect(file.path)) as others:
        others.execute("ALTER TABLE x_notes_lines ADD COLUMN more")
    with pytest.raises(SiteFileError, match=r"the tables of notes in .* aren't those that its package makes"):
        file.extend("notes", (NOTES, PICTURES))


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("notes", "CREATE TABLE notes (a);"),
        ("notes", "CREATE TABLE x_other_a (a);"),
        ("notes", f"{NOTES} CREATE VIEW x_notes_all AS SELECT 1;"),
        ("notes", f"{NOTES} CREATE TRIGGER x_notes_t AFTER INSERT ON x_notes_lines BEGIN SELECT 1; END;"),
        ("x_notes", "CREATE TABLE x_x_notes_a (a);"),
        ("*", NOTES),
    ],
)
def test_it_has_tables_and_indexes_of_its_own_name_alone(file: SiteFile, name: str, sql: str) -> None:
    with pytest.raises(SiteFileError, match="may have only tables"):
        file.extend(name, (sql,))
    file.prepare()


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TRIGGER x_a_t AFTER INSERT ON accounts BEGIN DELETE FROM sessions; END",
        "CREATE UNIQUE INDEX x_a_i ON accounts (role)",
        "CREATE VIEW x_a_v AS SELECT * FROM tokens",
        "CREATE VIRTUAL TABLE x_a_f USING fts5(a)",
        "CREATE TABLE other (a)",
    ],
)
def test_what_a_backup_has_besides_is_refused_whatever_it_is_called(file: SiteFile, sql: str) -> None:
    with closing(sqlite3.connect(file.path)) as others:
        others.execute(sql)
    with pytest.raises(SiteFileError, match="that Arena hasn't made"), checked_copy(file.path, file.path):
        pass


def test_what_it_keeps_of_an_account_goes_with_the_account_even_if_it_is_not_installed(
    site: Site, file: SiteFile
) -> None:
    odd = (
        "CREATE TABLE x_odd_a (account TEXT PRIMARY KEY);\nCREATE TABLE x_odd_b (a TEXT REFERENCES x_odd_a);"
    )
    file.extend("notes", (NOTES,))
    file.extend("odd", (odd,))
    for name in ("ann", "bo"):
        token_of(site, name)
        with file.writing() as db:
            db.execute("INSERT INTO x_notes_lines VALUES (?, ?)", (name, f"secret of {name}"))
            db.execute("INSERT INTO x_odd_a VALUES (?)", (name,))
            db.execute("INSERT INTO x_odd_b VALUES (?)", (name,))
    without = SiteFile(file.path)
    with without.writing() as db:
        close_account(db, "ann", without.now())
    with without.reading() as db:
        assert [tuple(row) for row in db.execute("SELECT * FROM x_notes_lines")] == [("bo", "secret of bo")]
        assert [one.name for one in every(db) if one.is_open] == ["bo"]
    assert b"secret of ann" not in file.path.read_bytes()
