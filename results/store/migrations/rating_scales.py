"""The sixth form of a store: each league keeps what the numbers of its ratings mean.

Word for word as it was released; it never changes.
"""

import json
from typing import Any

from sqlalchemy import Connection

from results.store.row_checksums import seal_rows

STATEMENTS = (
    "ALTER TABLE league ADD COLUMN rating_scale VARCHAR NOT NULL DEFAULT '{}'",
    "DROP VIEW standing",
    """
    CREATE VIEW standing AS
    SELECT league.name AS league, entry.label AS entry, rating.mu AS mu, rating.sigma AS sigma,
        rating.mu - json_extract(league.rating_scale, '$.deviations') * rating.sigma AS conservative,
        entry_total.matches AS matches,
        entry_total.games AS games, entry_total.wins / 1441440.0 AS wins,
        entry_total.share / 1441440.0 / entry_total.games AS share, entry_total.faults AS faults
    FROM rating
    JOIN league ON league.id = rating.league_id
    JOIN entry ON entry.league_id = rating.league_id AND entry.entry_no = rating.entry_no
    JOIN entry_total ON entry_total.league_id = rating.league_id AND entry_total.entry_no = rating.entry_no
    """,
)


def apply(connection: Connection) -> None:
    """Add the column and fill it: until now every league was ranked by μ − 3σ, and started as its options say."""
    for statement in STATEMENTS:
        connection.exec_driver_sql(statement)
    leagues = connection.exec_driver_sql("SELECT id, rating_options FROM league WHERE rating != ''").all()
    for number, options in leagues:
        connection.exec_driver_sql(
            "UPDATE league SET rating_scale = ? WHERE id = ?", (_scale(options), number)
        )
    seal_rows(connection, "league")


def _scale(options: str) -> str:
    """Return the scale that follows from a league's options; what they lack is as in TrueSkill."""
    try:
        given: Any = json.loads(options)
    except ValueError:  # damaged, which `db verify` tells
        given = {}
    given = given if isinstance(given, dict) else {}
    scale = {
        "decimals": 2,
        "deviations": 3.0,
        "start": {"mu": given.get("mu", 25.0), "sigma": given.get("sigma", 25 / 3)},
        "unit": given.get("beta", 25 / 6),
    }
    return json.dumps(scale, separators=(",", ":"), sort_keys=True)
