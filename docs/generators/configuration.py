"""The keys of the league file, of bot.toml and of the settings file, from the types that read them."""

from collections.abc import Iterator
from typing import Any

import msgspec

from arena import registry
from arena.config.league_file import LeagueFile, RatingTable
from arena.config.settings import RuntimeTable, Settings
from arena.config.toml import explained
from arena.submissions.manifest import Manifest
from generators.markdown import NOTICE, code, table
from results.ratings import rating_systems
from results.ratings.base import MeasuresDraws

WORDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "true or false",
    "object": "table",
}

SETTINGS = """\
The settings file lists programs that bots may start besides their own files, `python3` and system programs.
It also has the limits for builds and the options of executors.
It belongs to the person who runs Arena, and is optional.
Arena reads `~/.config/arena/settings.toml`; `XDG_CONFIG_HOME` replaces `~/.config`.
Set `ARENA_SETTINGS` to the absolute path of another file, or leave it empty to read none.
Settings files in the current folder, next to a store or in a bot's folder are ignored.
Arena refuses the file if anyone except you and root can change it or a folder above it.

```toml
[runtimes]
node = "/home/me/.nvm/versions/node/v22.1.0"   # starts bin/node and shows the folder
solver = "/opt/solver-static"                  # a single program that needs nothing else
jdk = { program = "/opt/jdk-21/bin/java", shows = ["/opt/jdk-21"] }
sci = { program = "/srv/bots-venv/bin/python3", shows = ["/srv/bots-venv"] }   # a Python with packages
```

A bot starts these as `command = ["node", "bot.js"]` or `["jdk", "Bot.java"]`.
In the sandbox it sees the files its runtime shows, read-only and at the same path; other bots don't see them.
A listed name replaces the system program of that name; you can't list `python` and `python3`.
Arena refuses a folder that contains your home folder, the current folder or the store.
`arena doctor` shows which file was read and what it lists.

""".splitlines()


def render() -> str:
    """Return docs/configuration.md: every key with its values, default and meaning."""
    lines = [
        "# Configuration",
        NOTICE,
        "",
        "All three files are TOML.",
        "Unknown keys are refused; the error names the file, the line and the closest known key.",
        "",
        "## The league file",
        "",
        *_tables(LeagueFile),
        "## Schedules",
        "",
        "These are the keys of `[schedule]` besides `kind`, for each schedule.",
        "[Schedules](schedules.md) explains what each schedule is for.",
        "",
        *_schedules(),
        "## Rating systems",
        "",
        "These are the keys of `[rating]`: first those of every rating system, then those of each.",
        "[Ratings](ratings.md) explains them.",
        "",
        *_tables(RatingTable, "`[rating]`"),
        *_rating_systems(),
        "## bot.toml",
        "",
        *_tables(Manifest),
        "## The settings file",
        "",
        *SETTINGS,
        *_tables(Settings),
        *_tables(RuntimeTable, "`[runtimes]`, as a table"),
        *_executors(),
    ]
    return "\n".join(lines)


def _tables(kind: type[msgspec.Struct], heading: str = "") -> list[str]:
    """Return the lines for a type and for each table inside it, below a heading if one is given."""
    (reference,), parts = msgspec.json.schema_components([kind])
    first = reference["$ref"].rpartition("/")[2]
    lines = [f"### {heading}", ""] if heading else []
    for name in (first, *(part for part in parts if part != first)):
        part = parts[name]
        if name != first:
            heading, purpose, _ = explained(part)
            lines += [f"### `{heading}`", "", purpose[0].upper() + purpose[1:], ""]
        lines += table(("Key", "Value", "Default", "Meaning"), _rows(part, parts))
    return lines


def _schedules() -> list[str]:
    """Return the lines for the settings of each schedule that comes with Arena."""
    lines: list[str] = []
    for name, schedule in registry.schedules().items():
        if type(schedule).__module__.startswith("arena.schedules."):
            (reference,), parts = msgspec.json.schema_components([schedule.settings])
            part = parts[reference["$ref"].rpartition("/")[2]]
            lines += [f'### `kind = "{name}"`', ""]
            lines += table(("Key", "Value", "Default", "Meaning"), _rows(part, parts))
    return lines


def executor(name: str) -> str:
    """Return the keys of the settings of an executor, also of another package."""
    return "\n".join(_tables(registry.executor(name).settings, f"`[executors.{name}]`"))


def _executors() -> list[str]:
    """Return the lines for the settings of each executor that comes with Arena and has any."""
    lines: list[str] = []
    for name, kind in registry.executors().items():
        if kind.settings.__module__.startswith("arena.executors.") and kind.settings.__struct_fields__:
            lines += _tables(kind.settings, f"`[executors.{name}]`")
    return lines


def _rating_systems() -> list[str]:
    """Return the lines for the settings of our rating systems; what is measured has no default."""
    lines: list[str] = []
    for name, system in rating_systems().items():
        if type(system).__module__.startswith("results.ratings."):
            (reference,), parts = msgspec.json.schema_components([system.settings])
            part = parts[reference["$ref"].rpartition("/")[2]]
            if isinstance(system, MeasuresDraws):
                part["properties"][system.draws].pop("default")
            lines += [f'### `system = "{name}"`', ""]
            lines += table(("Key", "Value", "Default", "Meaning"), _rows(part, parts))
    return lines


def _rows(part: dict[str, Any], parts: dict[str, Any]) -> Iterator[tuple[str, str, str, str]]:
    _, _, said = explained(part)
    for key, schema in part["properties"].items():
        inner = schema.get("items") or schema.get("additionalProperties") or schema
        inner = next((one for one in (inner, *inner.get("anyOf", ())) if "$ref" in one), None)
        required = key in part.get("required", ())
        default = "required" if required else _value(schema.get("default"))
        if inner and "enum" not in str(schema):
            heading, purpose, _ = explained(parts[inner["$ref"].rpartition("/")[2]])
            yield code(key), f"`{heading}`, see below", default, said.get(key, purpose.rstrip("."))
        else:
            yield code(key), _kind(schema), default, said.get(key, "")


def _value(default: Any) -> str:
    """Return a default as it is written in TOML; a dash where leaving it out means something that TOML cannot say."""
    if default is None or isinstance(default, dict) or default == []:
        return "–"
    if isinstance(default, float):
        return code(f"{default:.6g}")
    return code(msgspec.json.encode(default).decode())


def _kind(schema: dict[str, Any]) -> str:
    """Return in words what values a key takes."""
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"] if part.get("type") != "null")
    if "$ref" in schema:
        return f"{code(schema['$ref'].rpartition('/')[2].lower() + ':NAME')}, see below"
    if "enum" in schema:
        return ", ".join(code(str(value)) for value in schema["enum"] if value is not None)
    if schema.get("type") == "array":
        each = f", each {_kind(schema['items'])}" if schema.get("items") else ""
        most = f"at most {schema['maxItems']:,}, " if "maxItems" in schema else ""
        return f"list ({most.rstrip(', ')}){each}" if most else f"list{each}"
    return WORDS.get(schema.get("type", ""), "any value") + _range(schema)


def _range(schema: dict[str, Any]) -> str:
    bounds = [
        f"{word} {_plain(schema[key])}"
        for key, word in (
            ("minimum", "at least"),
            ("exclusiveMinimum", "above"),
            ("maximum", "at most"),
            ("exclusiveMaximum", "below"),
        )
        if key in schema
    ]
    if "maxLength" in schema:
        bounds.append(f"at most {schema['maxLength']:,} characters")
    return f" ({', '.join(bounds)})" if bounds else ""


def _plain(bound: float) -> str:
    """Return a bound as people write it: a power of two that is one, others with their digits in threes."""
    if isinstance(bound, int) and abs(bound) >= 2**60:
        return f"−2^{(-bound).bit_length() - 1}" if bound < 0 else f"2^{bound.bit_length()} − 1"
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"
