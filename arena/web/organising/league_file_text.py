"""League files in the browser: their keys for a form, writing one into the text, and checking the text.

The text stays the truth. It is checked in a process of its own, because that plays games: what `--dry-run` would say.
"""

import json
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import takewhile
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec
import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import Table as TomlTable

from arena import registry
from arena.config.league_file import LeagueFile, RatingTable
from arena.config.mistakes import in_file, parse_toml
from arena.config.toml import explained
from arena.core.errors import ArenaError, BadFile, BadValue, UsageError
from arena.league.changes.base import Change
from arena.league.changes.entries import Add, Replace
from arena.league.changes.submitted_versions import to_start
from arena.league.inbox.new_league import NewLeague
from arena.submissions.manifest import bundled_bot
from arena.web.http.page_threads import takes_long
from results.base.advice import REFUSAL_FILE, Advice, run, unpacked
from results.base.children import module
from results.base.children import run as run_child
from results.base.errors import LedgerError
from results.ratings import rating_systems
from results.store import open_store

_BESIDE_FORM = frozenset({"bots"})
"""Keys with a field of their own."""


@dataclass(frozen=True, slots=True)
class Key:
    """A key of a league file."""

    table: str
    """Such as `clock`; empty at the top."""
    name: str
    meaning: str
    default: str
    """As TOML; empty if there is none."""
    choices: tuple[str, ...]
    """All values, as TOML; empty if there are too many."""
    is_text: bool
    """Whether it takes text, which may be typed without quotes."""
    is_required: bool

    @property
    def path(self) -> str:
        """`clock.move_ms`."""
        return f"{self.table}.{self.name}" if self.table else self.name


@dataclass(frozen=True, slots=True)
class KeyTable:
    """A table of a league file with its keys."""

    heading: str
    purpose: str
    keys: tuple[Key, ...]


class UnwritableValue(BadValue):
    """A value that can't be written into the text."""


@cache
def tables() -> tuple[KeyTable, ...]:
    """Return all tables of a league file with their keys, described as their types describe them."""
    whole, parts = _schema(LeagueFile)
    inner = {name: _part_of(schema, parts) for name, schema in whole["properties"].items()}
    top = {name: schema for name, schema in whole["properties"].items() if inner[name] is None}
    top = {name: schema for name, schema in top.items() if name not in {*_BESIDE_FORM, "schedule", "rating"}}
    found = [KeyTable("The league", "", tuple(_keys("", {**whole, "properties": top})))]
    kinds, systems = registry.schedules(), rating_systems()
    schedule = Key("schedule", "kind", "the schedule", "", tuple(map(json.dumps, kinds)), True, False)
    rating = _keys("rating", _schema(RatingTable)[0])
    found += [
        KeyTable("[schedule]", "who plays whom", (schedule, *_of_plugins("schedule", "kind", kinds))),
        KeyTable(
            "[rating]",
            "the rating system, and where ratings start",
            (*rating, *_of_plugins("rating", "system", systems)),
        ),
    ]
    for name, part in inner.items():
        if part is not None and name not in _BESIDE_FORM:
            heading, purpose, _ = explained(part)
            found.append(KeyTable(heading, purpose, tuple(_keys(name, part))))
    return tuple(found)


def _part_of(schema: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any] | None:
    kinds = (schema, *schema.get("anyOf", ()))
    one = None if any("enum" in one for one in kinds) else next((one for one in kinds if "$ref" in one), None)
    return None if one is None else _named(one, parts)


def _schema(kind: Any) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """Return the JSON schema of a type, and the parts that it refers to, by name."""
    (reference,), parts = msgspec.json.schema_components([kind])
    return _named(reference, parts), parts


def _named(reference: Mapping[str, Any], parts: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = parts[reference["$ref"].rpartition("/")[2]]
    return found


def _of_plugins(table: str, key: str, plugins: Mapping[str, Any]) -> list[Key]:
    """Return the keys of all plug-ins of a table, each once, with those who have it."""
    found: dict[str, tuple[Key, list[str]]] = {}
    for plugin, kind in plugins.items():
        for one in _keys(table, _schema(kind.settings)[0]):
            found.setdefault(one.name, (one, []))[1].append(plugin)
    return [
        Key(table, name, f"{', '.join(owners)}: {one.meaning}", "", one.choices, one.is_text, False)
        for name, (one, owners) in found.items()
        if name != key
    ]


def _keys(table: str, part: Mapping[str, Any]) -> Iterator[Key]:
    """Yield the keys of a table from the JSON schema of its type."""
    _, _, meanings = explained(part)
    for name, schema in part.get("properties", {}).items():
        kinds = [schema, *schema.get("anyOf", ())]
        types = {one.get("type") for one in kinds} - {None, "null"}
        choices = [value for one in kinds for value in one.get("enum", ()) if value is not None]
        if types == {"boolean"}:
            choices = [True, False]
        default = schema.get("default")
        yield Key(
            table,
            name,
            meanings.get(name, ""),
            "" if default in (None, {}) else json.dumps(default, ensure_ascii=False),
            tuple(json.dumps(value) for value in choices),
            types == {"string"} or bool(choices and types <= {"string"}),
            name in part.get("required", ()),
        )


def value_of(key: Key, typed: str) -> str:
    """Return what somebody typed for a key as TOML. Raises UnwritableValue."""
    if key.is_text and not typed.startswith(('"', "'")):
        return json.dumps(typed, ensure_ascii=False)
    try:
        tomllib.loads(f"x = {typed}")
    except (tomllib.TOMLDecodeError, RecursionError):
        raise UnwritableValue(
            tuple(key.path.split(".")), f"{typed!r} is not a value in TOML", 'text needs quotes: "text"'
        ) from None
    return typed


def with_keys(text: str, values: Iterable[tuple[Key, str]]) -> str:
    """Return the text of a league file with keys set to values in TOML, and else as it is. Raises UnwritableValue."""
    try:
        file = tomlkit.parse(text)
    except (TOMLKitError, RecursionError):
        raise UnwritableValue((), "no key can be set in this text", "change the text itself") from None
    wanted = tomllib.loads(text)
    for key, value in values:
        line = f"x = {value}\n"
        try:
            _set(file, key, tomlkit.parse(line)["x"])
            (wanted.setdefault(key.table, {}) if key.table else wanted)[key.name] = tomllib.loads(line)["x"]
            is_set = tomllib.loads(tomlkit.dumps(file)) == wanted
        except (TOMLKitError, ValueError, TypeError, RecursionError):
            is_set = False
        if not is_set:
            raise UnwritableValue((), f"{key.path} can't be set here", "change it in the text")
    return tomlkit.dumps(file)


def _set(file: tomlkit.TOMLDocument, key: Key, value: Any) -> None:
    """Set a key; a new one follows the last of its table."""
    if key.table and key.table not in file:
        file[key.table] = tomlkit.table()
    table: Any = file[key.table] if key.table else file
    trailing = []
    if isinstance(table, TomlTable) and key.name not in table:
        body = table.value.body
        while body and body[-1][0] is None:  # blank lines, and comments that are about the next table
            trailing.append(body.pop())
    table[key.name] = value
    if trailing:
        table.value.body.extend(reversed(trailing))


def has_value(text: str, key: Key, value: str) -> bool:
    """Return whether the text of a league file gives a key this value already, both being TOML."""
    place: Any = tomllib.loads(text)
    for part in filter(None, (key.table, key.name)):
        if not isinstance(place, dict) or part not in place:
            return False
        place = place[part]
    wanted = tomllib.loads(f"x = {value}")["x"]
    return type(place) is type(wanted) and bool(place == wanted)


def with_bots(text: str, names: Sequence[str]) -> str:
    """Return the text of a league file with these bots added: `ada/greedy`, or by path `bots/any_game/random`."""
    added = "".join(f"\n[[bots]]\n{entry_of(name)}\n" for name in names)
    return text.rstrip("\n") + "\n" + added if added else text


def entry_of(name: str) -> str:
    """Return the line of `[[bots]]` that names a bot."""
    return f"{'path' if name.startswith('bots/') else 'version'} = {json.dumps(name, ensure_ascii=False)}"


def named_bots(text: str) -> set[str]:
    """Return the bots that the text of a league file names as `with_bots` does."""
    rows = tomllib.loads(text).get("bots", ())
    tables = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {row[key] for row in tables for key in ("path", "version") if isinstance(row.get(key), str)}


FILE_NAME = "league.toml"
"""What messages call the text."""
MOST_S = 120.0
"""How long a check may take."""
_REFUSAL = "refusal.json"
"""The file in which the command of a check says why it failed."""


@dataclass(frozen=True, slots=True)
class LeagueDraft:
    """The text of a league file, checked."""

    lines: tuple[str, ...]
    """What it would play and cost, and warnings."""
    change: NewLeague | None
    """What creates it; None if something is wrong."""
    problem: str = ""
    hint: object = ""
    at_fault: str = ""
    """The path of the key to mend, such as `clock.move_ms`; of a list, its own: `bots`."""


def read_draft(text: str) -> LeagueFile:
    """Return a league file that names only submitted bots and Arena's own: other paths are of the server's machine.

    Raises UsageError, which names key and line.
    """
    file = parse_toml(text, LeagueFile, FILE_NAME)
    for number, bot in enumerate(file.bots):
        for key in ("path", "glob"):
            if getattr(bot, key) is not None and not (key == "path" and bundled_bot(str(bot.path))):
                with in_file(FILE_NAME, text):
                    raise BadValue(
                        ("bots", str(number), key),
                        "folders of the server can't be named here",
                        'submit the bot first, then name it: version = "author/name" or track = "author/name"; '
                        'only bots that come with Arena have paths: path = "bots/any_game/random"',
                    )
    return file


def checked(store: Path, text: str) -> LeagueDraft:
    """Return what a league file would play; one is checked at a time. Raises ArenaError if the check itself fails."""
    takes_long("checking a league file")
    try:
        _refuse_unknown(store, read_draft(text), text)
    except (UsageError, LedgerError) as error:
        return refused_draft(error)
    try:
        out, said = _in_a_process(["league", "create", FILE_NAME, "--as-command"], store, text)
    except UsageError as error:
        return refused_draft(error)
    try:
        change = msgspec.json.decode(out, type=NewLeague)
    except msgspec.MsgspecError as error:
        raise ArenaError(f"the check gave no answer: {error}") from None
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return LeagueDraft(tuple(lines), change)


def refused_draft(error: ArenaError) -> LeagueDraft:
    """Return the draft of a text that an error refuses."""
    keys = takewhile(lambda key: not key.isdigit(), getattr(error, "about", ()))
    return LeagueDraft((), None, str(error), error.advice, ".".join(keys))


def refuse_not_starting(store: Path, change: Change) -> None:
    """Start the bot that a change lets join a league once, in a process of its own, unless its check did.

    Raises ArenaError, which says why, if it doesn't start.
    """
    if isinstance(change, Add):
        bot: str | None = change.bot
        args, entry = change.args, ""
        command = ["add", *(f"--arg={arg}" for arg in args), "--only-start", "--", change.league, change.bot]
    elif isinstance(change, Replace):
        bot, args, entry = change.bot, (), change.entry
        command = ["replace", "--only-start", "--", change.league, entry, *([bot] if bot else [])]
    else:
        return
    if not store.exists():
        return
    with open_store(store, readonly=True) as opened:
        if not to_start(opened, change.league, bot, args, entry):
            return
    takes_long("starting a bot")
    _in_a_process(["league", *command], store)


def _refuse_unknown(path: Path, file: LeagueFile, text: str) -> None:
    """Raise UsageError for a submitted bot that the store lacks: that comes before how many seats the bots fill."""
    if not path.exists():
        return
    named = [
        (at, "version" if bot.version else "track", bot.version or bot.track)
        for at, bot in enumerate(file.bots)
    ]
    with open_store(path, readonly=True) as store:
        found = store.versions.find_all(name for _, _, name in named if name)
    for number, key, name in named:
        if name and isinstance(error := found[name], LedgerError):
            with in_file(FILE_NAME, text):
                raise BadValue(("bots", str(number), key), str(error), error.advice)


def _in_a_process(arguments: Sequence[str], store: Path, text: str = "") -> tuple[bytes, str]:
    """Return the output and the messages of a command in a folder with this text as league file.

    Raises UsageError with what the command refuses, and ArenaError if it takes too long.
    """
    with TemporaryDirectory(prefix="arena-draft-") as folder:  # without bots, so `bots/…` are Arena's own
        (Path(folder) / FILE_NAME).write_text(text, encoding="utf-8")
        environment = {"NO_COLOR": "1", "ARENA_STORE": str(store.absolute()), REFUSAL_FILE: _REFUSAL}
        try:
            done = run_child(module("arena", *arguments), MOST_S, cwd=folder, environment=environment)
        except TimeoutError:
            raise ArenaError(
                f"the check took longer than {MOST_S:.0f} seconds", Advice("use ", run("league create"))
            ) from None
        if done.returncode:
            raise _refused(Path(folder) / _REFUSAL, done.returncode)
    return done.stdout, done.stderr.decode(errors="replace")


def _refused(file: Path, code: int) -> UsageError:
    """Return why a command has failed, as it wrote it to a file."""
    try:
        message, hint, about = msgspec.json.decode(file.read_bytes(), type=tuple[str, str, tuple[str, ...]])
    except (OSError, msgspec.MsgspecError):
        return UsageError(f"the check ended with code {code}")
    found = BadFile("; ".join(message.split("\n")), unpacked(hint))
    found.about = about
    return found
