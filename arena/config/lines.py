"""Where a key stands in TOML text."""

import re


def line_of(text: str, keys: list[str]) -> int | None:
    """Return the line, from 1, on which a key path stands in TOML text; its table's where it has no line."""
    table: list[str] = []
    tables_seen: dict[str, int] = {}
    found: int | None = None
    for number, line in enumerate(text.splitlines(), 1):
        stripped = line.strip()
        if header := re.match(r"(\[\[?)\s*([\w.-]+)\s*\]", stripped):
            table = header[2].split(".")
            if header[1] == "[[":
                tables_seen[header[2]] = tables_seen.get(header[2], -1) + 1
                table.append(str(tables_seen[header[2]]))
            if table == keys[: len(table)]:
                found = number
        elif pair := re.match(r"([\w.\"-]+)\s*=", stripped):
            path = [*table, *(part.strip('"') for part in pair[1].split("."))]
            if path == keys[: len(path)]:
                return number
    return found
