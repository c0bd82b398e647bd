"""The tables of the ledger's page in Markdown, generated from the tables in the code."""

from inspect import cleandoc

from sqlmodel import SQLModel

from results.store import tables

_GROUPS = (
    ("Bots", ("author", "bot", "version")),
    ("Leagues", ("ruleset", "league", "entry", "league_event", "command")),
    ("The ledger", ("match", "game", "attempt", "seat", "replay", "log")),
    ("Derived from the ledger", ("progress", *tables.DERIVED)),
    ("The file itself", ("row_count", "migration")),
)
_TYPES = {"INTEGER": "integer", "VARCHAR": "text", "FLOAT": "float", "BLOB": "bytes", "BOOLEAN": "0 or 1"}


def render() -> str:
    """Return every table with its columns: type, key, nullability, meaning."""
    classes = {str(kind.__tablename__): kind for kind in tables.LedgerTable.__subclasses__()}
    lines: list[str] = []
    for title, names in _GROUPS:
        lines += [f"### {title}", ""]
        for name in names:
            lines += _section(name, classes.pop(name))
    if classes:
        raise AssertionError(f"tables without a place on the page: {', '.join(sorted(classes))}")
    return "\n".join(lines)


def _section(name: str, kind: type[SQLModel]) -> list[str]:
    lines = [f"#### `{name}`", "", cleandoc(kind.__doc__ or ""), ""]
    lines += ["| column | type | |", "| --- | --- | --- |"]
    for column in tables.TABLES[name].columns:
        words = [_TYPES[str(column.type)]]
        if column.primary_key:
            words.append("key")
        if column.nullable:
            words.append("or null")
        said = kind.model_fields[column.name].description
        if not said:
            raise AssertionError(f"{name}.{column.name} has no description")
        lines.append(f"| `{column.name}` | {', '.join(words)} | {said} |")
    return [*lines, ""]
