"""The tables of the ledger's page in Markdown, generated from the tables in the code."""

from sqlalchemy import Table

from results.store.schema.all_tables import TABLES
from results.store.updating_derived_tables import DERIVED

_GROUPS = (
    ("Bots", ("author", "bot", "version")),
    ("Leagues", ("ruleset", "league", "entry", "league_event", "command")),
    ("The ledger", ("match", "game", "attempt", "seat", "replay", "log", "segment", "segment_span")),
    ("Derived from the ledger", ("progress", *DERIVED)),
    ("The file itself", ("row_count", "migration")),
)
_TYPES = {"INTEGER": "integer", "VARCHAR": "text", "FLOAT": "float", "BLOB": "bytes", "BOOLEAN": "0 or 1"}


def render() -> str:
    """Return every table with its columns: type, key, nullability, meaning."""
    left = dict(TABLES)
    lines: list[str] = []
    for title, names in _GROUPS:
        lines += [f"### {title}", ""]
        for name in names:
            lines += _section(left.pop(name))
    if left:
        raise AssertionError(f"tables without a place on the page: {', '.join(sorted(left))}")
    return "\n".join(lines)


def _section(table: Table) -> list[str]:
    lines = [f"#### `{table.name}`", "", table.comment or "", ""]
    lines += ["| column | type | |", "| --- | --- | --- |"]
    for column in table.columns:
        words = [_TYPES[str(column.type)]]
        if column.primary_key:
            words.append("key")
        if column.nullable:
            words.append("or null")
        if not column.comment:
            raise AssertionError(f"{table.name}.{column.name} has no description")
        lines.append(f"| `{column.name}` | {', '.join(words)} | {column.comment} |")
    return [*lines, ""]
