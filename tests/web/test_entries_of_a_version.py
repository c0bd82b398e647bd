"""What the pages of a bot read doesn't grow with how often one version plays: each league is read once."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.league.definition.stored import format_places
from arena.web.live.site import Site, Visitor
from arena.web.live.visible_uploads import own_uploads
from arena.web.pages.bots import author, bot, version
from arena.web.routes.own_version import _entries, _games
from arena.web.site_file import pending_commands, upload_queue
from protocol.verdicts import Verdict
from results.records import EntrySpec, LeagueRecord, VersionSpec
from results.reports.ranking_columns import RankingRow
from results.reports.rankings import ranking_rows
from results.reports.recounted_matches import entries_named
from results.reports.versions import version_page
from results.store import Store
from tests.support.ledgers import RULES, SECRET, add_version, new_store, plan, played, queries_of
from tests.support.web.visitors import token_of

HASH = "ab" * 32
NAMES = ("spring", "autumn")
UPLOADS = 20


def made(folder: Path, entries: int) -> Store:
    """Return a store with two leagues in which one version has so many entries; the first four have played."""
    store = new_store(folder)
    first = add_version(store, "ann", "x", HASH, {"name": "x"}, {"bread-basket": {}})
    others = [VersionSpec("bob", f"y{number}", f"{number:064}", {}, {}, parent=first) for number in range(3)]
    store.versions.add_all(others)
    specs = [EntrySpec(f"x{number}", first.id) for number in range(entries)]
    for name in NAMES:
        league = store.leagues.create(name, config={}, ruleset=RULES, entries=specs, secret=SECRET)
        matches = plan(store, league, *((number, number + 1) for number in (0, 2)), games=3)
        store.append(
            [played(match, game, faults={0: Verdict.CRASH}) for match in matches for game in range(3)]
        )
    return store


def grown(store: Store, entries: int) -> dict[str, int]:
    """Return how many statements each report and page reads a store with."""
    (record,) = store.versions.all(author="ann")
    asked = queries_of(store)
    every = ",".join(map(str, range(entries)))
    reads: dict[str, Callable[[], object]] = {
        "version": lambda: version(store, "ann", "x", "1"),
        "bot": lambda: bot(store, "ann", "x"),
        "author": lambda: author(store, "ann"),
        "derived": lambda: author(store, "bob"),
        "own games": lambda: _games(store, record),
        "own entries": lambda: _entries(store, record),
        "entries by name": lambda: entries_named(store, store.leagues.get("spring"), every),
    }
    found = {}
    for name, read in reads.items():
        asked.clear()
        read()
        found[name] = len(asked)
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with made(tmp_path_factory.mktemp("large"), 200) as found:
        yield found


def test_pages_of_a_version_with_200_entries_ask_no_more_than_with_4(
    store: Store, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with made(tmp_path_factory.mktemp("small"), 4) as small:
        few = grown(small, 4)
    many = grown(store, 200)
    assert {name: many[name] for name in many if many[name] > few[name]} == {}


def test_each_league_is_ranked_once_for_a_version_and_for_all_uploads_of_a_page(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranked: list[str] = []

    def counted(store: Store, league: LeagueRecord, **given: Any) -> tuple[RankingRow, ...]:
        ranked.append(league.name)
        return ranking_rows(store, league, **given)

    monkeypatch.setattr("results.reports.versions.ranking_rows", counted)
    (record,) = store.versions.all(author="ann")
    page = version_page(store, record, format_places)
    assert sorted(ranked) == sorted(NAMES)
    assert [(place.league, place.label, place.games) for place in page.places] == [
        (name, f"x{number}", 3 if number < 4 else 0) for name in NAMES for number in range(200)
    ]
    assert len(page.faults) == 5

    ranked.clear()
    site = Site.of(store.path)
    token_of(site, "ann")
    now = site.file.now()
    with site.file.writing() as db:
        for number in range(UPLOADS):
            upload_queue.begin_receiving(db, f"upload-{number}", "ann", "x.zip", (), 1, now)
            upload_queue.progressed(db, f"upload-{number}", "entering", "x")
            pending_commands.add(db, f"command-{number}", "ann", "enter", {}, now)
            pending_commands.answered(db, f"command-{number}", "done", "entered", now)
            upload_queue.enter(db, f"upload-{number}", HASH, 1, f"command-{number}")
    found = own_uploads(site, Visitor("ann"), 100)
    site.close()
    assert [(one.state, one.version, len(one.places)) for one in found] == [
        ("accepted", "ann/x@1", 400)
    ] * UPLOADS
    assert sorted(ranked) == sorted(NAMES)
