"""The same ledger comes to the same tables, whatever the order in which its games came in."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protocol.verdicts import Verdict
from results.records import GameRecord
from results.store import Store, open_store
from results.store.updating_derived_tables import DERIVED, rebuild
from results.store.verification.verify import verify
from tests.support.ledgers import NOW, new_league, new_store, plan, played

TABLES = [(0, 1, 2), (3, 1), (2, 4, 0, 1), (3, 4), (1, 0, 3), (4, 2), (0, 3, 4, 2), (1, 2)]
VOID = {3}
VERDICTS = [verdict for verdict in Verdict if not verdict.is_platform]


def games_of(store: Store) -> list[GameRecord]:
    """Return all games of the league in order, some with faults; every table plays each of its seats once."""
    games = []
    for match in store.matches.all("spring"):
        for rotation in range(match.games):
            number = match.match_no * 7 + rotation
            faults = {number % 2: VERDICTS[number % 8]} if number % 5 == 0 else None
            games.append(played(match, rotation, faults=faults))
    return games


@pytest.fixture(scope="module")
def planned_store() -> Iterator[Path]:
    """Return a store in which the league is planned and nothing played."""
    folder = Path(tempfile.mkdtemp())
    with new_store(folder) as store:
        league = new_league(store, 5)
        plan(store, league, *TABLES, games=2)
    yield folder / "arena.sqlite"
    shutil.rmtree(folder)


def derived(store: Store) -> dict[str, list[Any]]:
    """Return everything in the derived tables, floats to the last bit."""
    tables = {}
    with store.reading() as connection:
        for table in (*DERIVED, "progress"):
            rows = connection.execute(f"SELECT * FROM {table}")  # noqa: S608  # our own names
            tables[table] = sorted(
                tuple(value.hex() if isinstance(value, float) else value for value in row) for row in rows
            )
    return tables


Outcome = tuple[dict[str, list[Any]], str, str]


@pytest.fixture(scope="module")
def right(planned_store: Path) -> Outcome:
    """Return what the games come to when appended one by one in order."""
    path = planned_store.with_name("ordered.sqlite")
    shutil.copy(planned_store, path)
    with open_store(path, now=lambda: NOW) as store:
        for game in games_of(store):
            if game.match_no in VOID:
                store.append([], void_matches=[(game.league, game.match_no)])
            else:
                store.append([game])
        return outcome(store)


def outcome(store: Store) -> Outcome:
    return derived(store), store.ratings.digest("spring"), store.games.fingerprint("spring")


@settings(
    max_examples=settings().max_examples // 4,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(st.data())
def test_any_order_any_chunks_any_interruptions(
    planned_store: Path, right: Outcome, tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("order") / "shuffled.sqlite"
    shutil.copy(planned_store, path)
    store = open_store(path, now=lambda: NOW)
    league = store.leagues.get("spring").uuid
    left = [game for game in games_of(store) if game.match_no not in VOID]
    left = data.draw(st.permutations(left))
    # Some come twice, as after a kill between the commit and the word of it.
    left += data.draw(st.lists(st.sampled_from(left), max_size=5))
    cuts = sorted(data.draw(st.sets(st.integers(1, len(left) - 1), max_size=6)))
    void_at = data.draw(st.integers(0, len(cuts)))
    for number, (start, stop) in enumerate(zip([0, *cuts], [*cuts, len(left)], strict=True)):
        void = [(league, match_no) for match_no in VOID] if number == void_at else []
        store.append(left[start:stop], void_matches=void)
        if data.draw(st.booleans()):
            store = open_store(path, now=lambda: NOW)  # the one before is left as a kill leaves it
    assert outcome(store) == right
    assert verify(store) == []
    rebuild(store)
    assert outcome(store) == right
    store.close()


def test_every_table_has_something_to_compare(right: Outcome) -> None:
    tables, _, _ = right
    assert all(tables.values())
    assert tables["progress"] == [(1, 8, 8, 7, 1, 16, 14, 0)]
