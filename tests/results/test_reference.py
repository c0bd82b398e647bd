"""The ledger's page tells every table and column, and its examples work."""

import re
import sqlite3
from pathlib import Path

import pytest

from generators.ledger import render
from results.store.schema.all_tables import TABLES
from tests.support.ledgers import all_games, new_league, new_store, plan

PAGE = (Path(__file__).resolve().parents[2] / "docs/ledger.md").read_text(encoding="utf-8")
QUERIES = re.findall(r"^```sql\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def test_every_table_and_column_is_described() -> None:
    text = render()
    for name, table in TABLES.items():
        section = text.partition(f"#### `{name}`\n")[2].partition("\n#### ")[0]
        assert section, name
        for column in table.columns:
            assert f"| `{column.name}` |" in section, f"{name}.{column.name}"


def test_the_page_is_up_to_date() -> None:
    between = PAGE.partition("<!-- generated: tables -->")[2].partition("<!-- end: tables -->")[0]
    assert between.strip() == render().strip(), "`make docs` writes it again"


@pytest.fixture(scope="module")
def store_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with new_store(tmp_path_factory.mktemp("page")) as store:
        league = new_league(store)
        store.append(all_games(plan(store, league, (0, 1), (2, 3), (1, 2), games=2)))
        return store.path


@pytest.mark.parametrize("query", QUERIES)
def test_the_queries_on_the_page_work(store_path: Path, query: str) -> None:
    raw = sqlite3.connect(f"{store_path.as_uri()}?mode=ro", uri=True)
    try:
        rows = raw.execute(query).fetchall()
    finally:
        raw.close()
    assert rows or "verdict" in query, query


def test_there_are_queries_on_the_page() -> None:
    assert len(QUERIES) >= 5
