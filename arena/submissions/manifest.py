"""bot.toml, the manifest of a bot."""

import math
import re
import shlex
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

import arena
from arena.config.mistakes import convert, in_file
from arena.config.names import check_arguments, check_bot_name
from arena.config.toml import TomlBounds, decoded, line_of, load, read_text
from arena.core.errors import ArenaError, BadFile, BadValue, UnknownName, UsageError
from arena.core.game import AnyGame
from arena.core.ruleset import ruleset
from arena.submissions.folder import shown_name

_MOST_NAMES = 2_000
"""Of a folder's names, no more are looked at."""


def did_you_mean(path: Path) -> str:
    """Return `; did you mean …?` with the path of the nearest names, among reference bots, too; empty if none is."""
    starts = [(Path(path.anchor), path.parts[1:] if path.anchor else path.parts)]
    if path.parts[:1] == ("bots",):
        starts.append((bundled_bots(), path.parts[1:]))
    for start, names in starts:
        if found := _nearest(start, names):
            shown = path.parts[: len(path.parts) - len(names)]
            return f"; did you mean {str(Path(*shown, *found))!r}?"
    if path.parts[:1] == ("bots",) or len(path.parts) == 1:
        of_name = sorted(one for one in bundled_bots().glob("*/*/") if one.name == path.name)
        if of_name:
            meant = " or ".join(repr(str(Path("bots", one.parent.name, one.name))) for one in of_name)
            return f"; did you mean {meant}?"
    return ""


def _nearest(start: Path, names: Sequence[str]) -> list[str]:
    """Return names below a folder that exist, the nearest to the given ones; empty if there are none."""
    found: list[str] = []
    for name in names:
        place = start.joinpath(*found)
        try:
            if name != ".." and not (place / name).exists():
                known = [one.name for one in islice(place.iterdir(), _MOST_NAMES)]
                name = next(iter(get_close_matches(name, known, 1)), "")
        except OSError:  # not a folder, or not ours to read
            return []
        if not name:
            return []
        found.append(name)
    return found


MANIFEST_NAME = "bot.toml"
MANIFEST_BOUNDS = TomlBounds("a bot.toml", file_bytes=65_536, items=2_000)
MOST_GAMES = 100
GAME_CHARS = 64
EVERY_GAME = "*"


MOST_PARAMETERS = 32
_PARAMETER = re.compile(r"[A-Za-z][A-Za-z0-9_-]{0,39}")


class Parameter(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """`[parameters.NAME]`: a number that the bot is started with, as `--NAME=VALUE`, and that `arena tune` may turn.

    Keys:
        value: what the bot is started with
        low: the lowest value that `arena tune` tries
        high: the highest value that `arena tune` tries
        integer: only whole numbers
        log: steps are factors: from 1 to 10 as far as from 10 to 100; for numbers above 0 whose size isn't
            known
    """

    value: float
    low: float
    high: float
    integer: bool = False
    log: bool = False

    def at(self, place: float) -> float:
        """Return the value at a place from 0, the lowest, to 1, the highest; rounded to what its text says."""
        place = min(1.0, max(0.0, place))
        width = self.high - self.low
        value = self.low * (self.high / self.low) ** place if self.log else self.low + place * width
        return float(round(value)) if self.integer else float(f"{value:.{_DIGITS}g}")

    def place(self, value: float) -> float:
        """Return the place of a value, 0 to 1."""
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def check(self, keys: tuple[str, ...]) -> None:
        """Raise BadValue unless the numbers fit together; `keys` is the path of the table."""
        for key in ("value", "low", "high"):
            number = getattr(self, key)
            if not math.isfinite(number):
                raise BadValue((*keys, key), f"{number} is not a finite number")
            if self.integer and number != round(number):
                why = f"{number:g} is not a whole number, and integer = true"
                raise BadValue((*keys, key), why, f"write {round(number)}, or leave out integer = true")
        if self.low >= self.high:
            swapped = "" if self.low == self.high else "; swap them"
            raise BadValue(
                (*keys, "low"),
                f"low is {self.low:g} and high is {self.high:g}",
                f"low must be below high{swapped}",
            )
        if self.log and self.low <= 0:
            why = f"low is {self.low:g}; with log = true it must be above 0"
            raise BadValue((*keys, "low"), why, "write the smallest value to try, or leave out log = true")
        if not self.low <= self.value <= self.high:
            why = f"{self.value:g} is not from {self.low:g} to {self.high:g}"
            raise BadValue((*keys, "value"), why, "choose a value of the range, or widen it")


_DIGITS = 4
"""Of a value that is tried: more would make no bot play differently."""


def argument(name: str, value: float) -> str:
    """Return the argument that hands a bot the value of a parameter.

    >>> argument("fear", 0.6), argument("depth", 3.0), argument("positions", 1_000_000.0)
    ('--fear=0.6', '--depth=3', '--positions=1000000')
    """
    return f"--{name}={number_text(value)}"


def number_text(value: float) -> str:
    """Return a value as it is written in an argument and in bot.toml."""
    return str(int(value)) if value == int(value) else repr(value)


class Manifest(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The keys of bot.toml.

    Keys:
        name: up to 40 lower-case letters, digits, `-` and `_`, starting with a letter or digit; unique for
            its author
        author: its author; the same characters as `name`. On a site, the account that submits the bot
        command: program and arguments, run in the bot's folder without a shell; the program is `python3`, a
            system program or a listed runtime by name, or `./FILE` of the bot. At most 64 words of up to
            4,000 characters, 32 KiB together
        games: games it plays, such as `"bread-basket"`, or `"*"` for all
        description: one line of text
        kit: put Arena's `arena_kit.py` next to the program
        engine: let the bot import `arena_engine` and the rules of its game to think ahead
        reuse: if false, start a new process for each game
        build: program and arguments that make the bot from its folder, such as `["make"]`; run once, when the
            bot is submitted, in a sandbox without network. The same rules as for `command`; default: no build
        parameters: numbers that the bot is started with and that `arena tune` may turn, by name; at most 32
    """

    name: str
    author: str = "me"
    command: Annotated[tuple[str, ...], Meta(min_length=1)]
    games: Annotated[tuple[str, ...], Meta(min_length=1)]
    description: Annotated[str, Meta(max_length=200)] = ""
    kit: bool = False
    engine: bool = False
    reuse: bool = True
    build: tuple[str, ...] = ()
    parameters: dict[str, Parameter] = {}

    def command_with(self, args: Sequence[str] = ()) -> tuple[str, ...]:
        """Return what starts the bot: its command, its parameters, then `args`."""
        given = (argument(name, one.value) for name, one in self.parameters.items())
        return (*self.command, *given, *args)

    def as_stored(self) -> dict[str, Any]:
        """Return the manifest as the ledger stores it, without the keys that bots long had none of."""
        stored: dict[str, Any] = msgspec.to_builtins(self)
        for key in ("build", "parameters"):
            if not stored[key]:
                del stored[key]
        return stored


def plays(games: Collection[str], game: str) -> bool:
    """Return whether a bot with these `games` in its bot.toml plays a game."""
    return game in games or EVERY_GAME in games


class BotToml(Struct, frozen=True):
    """A bot.toml with its contents, path and text."""

    manifest: Manifest
    path: Path
    text: str

    @contextmanager
    def at(self, *keys: str) -> Iterator[None]:
        """Turn a UsageError into a BadFile that names this file and the line of a key."""
        try:
            yield
        except UsageError as error:
            raise BadFile(f"{self.place(*keys)}: {error}", error.advice) from None

    def place(self, *keys: str) -> str:
        """Return the file, with the line of a key if the file has it."""
        line = line_of(self.text, list(keys))
        shown = shown_name(str(self.path))
        return f"{shown}:{line}" if line else shown


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest in a bot's folder. Raises BadFile, which says what is wrong and where."""
    check_has_manifest(folder)
    path = folder / MANIFEST_NAME
    with bot_at_fault():
        return parse_bot_toml(read_text(path, MANIFEST_BOUNDS), path).manifest


@contextmanager
def bot_at_fault() -> Iterator[None]:
    """Make a command that is refused for a bot that is there exit as for one that failed its check."""
    try:
        yield
    except UsageError as error:
        error.exit_code = 3
        raise


def check_has_manifest(folder: Path) -> None:
    """Raise BadFile if the folder doesn't exist or has no bot.toml."""
    shown = shown_name(str(folder))
    try:
        is_folder, has_manifest = folder.is_dir(), (folder / MANIFEST_NAME).is_file()
    except OSError as error:  # for example, the name is too long
        raise BadFile(f"there is no bot at {shown}: {error.strerror}", _A_BOT) from None
    if not is_folder and folder.exists():
        raise BadFile(
            f"{shown} is a file; a bot is a folder or an archive",
            f"name its folder: {shown_name(str(folder.parent))}",
        )
    if not is_folder:
        raise BadFile(f"there is no bot at {shown}: no such file or folder{did_you_mean(folder)}", _A_BOT)
    if not has_manifest:
        _refuse_other_kind(folder / MANIFEST_NAME)
        raise BadFile(
            f"{shown} has no {MANIFEST_NAME}",
            'it needs at least: name = "…", command = ["python3", "bot.py"], games = ["bread-basket"]',
        )


def _refuse_other_kind(path: Path) -> None:
    """Raise BadFile if something is at the path of a bot.toml; the caller found that it is not a file."""
    try:
        mode = path.lstat().st_mode
    except OSError:
        return
    if stat.S_ISDIR(mode):
        kind = "a folder, not a file"
    else:
        kind = "a link that leads to no file" if stat.S_ISLNK(mode) else "not a regular file"
    raise BadFile(f"{shown_name(str(path))} is {kind}", f"save the {MANIFEST_NAME} as a plain file")


_A_BOT = f"a bot is a folder with a {MANIFEST_NAME}, an archive of one, or the name of a submitted bot"


def manifest_of(content: bytes, path: Path) -> BotToml:
    """Parse and check the bytes of a bot.toml; `path` is for messages. Raises BadFile."""
    return parse_bot_toml(decoded(content, shown_name(str(path)), MANIFEST_BOUNDS), path)


def parse_bot_toml(text: str, path: Path) -> BotToml:
    """Parse and check the text of a bot.toml; `path` is for messages. Raises BadFile."""
    shown = shown_name(str(path))
    data = load(text, shown, MANIFEST_BOUNDS)
    _refuse_no_list(data, text, shown)
    with in_file(shown, text):
        manifest = convert(data, Manifest)
    bot = BotToml(manifest, path, text)
    for key, name in (("name", manifest.name), ("author", manifest.author)):
        with bot.at(key):
            check_bot_name(key, name)
    with bot.at("command"):
        check_arguments(("command",), manifest.command)
    with bot.at("build"):
        check_arguments(("build",), manifest.build)
    with in_file(shown, text):
        _check_parameters(manifest)
    with bot.at("games"):
        _check_games(manifest.games)
    with bot.at("description"):
        if not manifest.description.isprintable():
            raise BadValue(("description",), "must be one line of printable text")
    return bot


def _check_parameters(manifest: Manifest) -> None:
    parameters = manifest.parameters
    if len(parameters) > MOST_PARAMETERS:
        raise BadValue(("parameters",), f"{len(parameters)} parameters; the limit is {MOST_PARAMETERS}")
    for name, parameter in parameters.items():
        if not _PARAMETER.fullmatch(name):
            raise BadValue(
                ("parameters", name),
                f"{name[:40]!r} is not a name of a parameter",
                "use up to 40 letters, digits, '-' and '_', starting with a letter",
            )
        parameter.check(("parameters", name))
    check_arguments(("parameters",), manifest.command_with())


def _refuse_no_list(data: dict[str, Any], text: str, shown: str) -> None:
    """Raise BadFile if a list is a string or empty; the hint shows the list that was probably meant."""
    for key, example in (
        ("command", ["python3", "bot.py"]),
        ("build", ["make"]),
        ("games", ["bread-basket"]),
    ):
        given = data.get(key, example)
        if isinstance(given, str) or given == []:
            what = "expected a list of strings, got a string" if given else "the list is empty"
            meant = (_words(given) if isinstance(given, str) else []) or example
            raise BadFile(f"{shown}:{line_of(text, [key])}: {key}: {what}", _write(key, meant))


def one_word_each(key: str, command: str) -> str:
    """Return the hint for a command line given as one string: how to write it as a list."""
    return _write(key, _words(command))


def _write(key: str, words: list[str]) -> str:
    return f"write {key} = [{', '.join(map(_quoted, words))}]"


def _words(text: str) -> list[str]:
    """Split a text into words as a shell would, or at spaces if its quotes don't match."""
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()


def _quoted(word: str) -> str:
    return "'" + word + "'" if '"' in word or "\\" in word else f'"{word}"'


def _check_games(games: Collection[str]) -> None:
    if len(games) > MOST_GAMES:
        raise BadValue(
            ("games",),
            f"{len(games)} names; the limit is {MOST_GAMES}",
            f'for all games, write games = ["{EVERY_GAME}"]',
        )
    for name in games:
        if not name or len(name) > GAME_CHARS or not name.isprintable():
            said = f"{name[:GAME_CHARS]!r} is not the name of a game"
            raise BadValue(("games",), said, "`arena games` lists them")


def check_games_exist(bot: BotToml, known: Collection[str]) -> None:
    """Raise BadFile, naming file and line, if the bot lists a game that isn't in `known`."""
    for name in bot.manifest.games:
        if name != EVERY_GAME and name not in known:
            error = UnknownName("game", name, sorted(known))
            raise BadFile(f"{bot.place('games')}: games: {error}", error.advice)


ANY_GAME = "bots/any_game/random"
"""The reference bot that plays every game."""
_PATH = re.compile(r"bots/[a-z_]+/[a-z0-9_-]+")


def bundled_bots() -> Path:
    """Return the folder of the reference bots, with `<game>/<bot>/bot.toml` inside it.

    It is next to the package `arena`, in a checkout and in an installation. Don't write to it.
    Raises ArenaError if an installation lacks it.
    """
    folder = Path(arena.__file__).resolve().parent.parent / "bots"
    if not folder.is_dir():
        raise ArenaError(
            f"the reference bots are missing: there is no folder {folder}", "install Arena again"
        )
    return folder


def bundled_bot(path: str) -> Path | None:
    """Return the folder of the reference bot with a path such as `bots/any_game/random`; None for every other path.

    The text may come from anyone: it never leads out of the folder of the reference bots.
    """
    if not _PATH.fullmatch(path):
        return None
    root = bundled_bots()
    folder = root.parent / path
    is_inside = folder.resolve().is_relative_to(root.resolve())
    return folder if is_inside and (folder / "bot.toml").is_file() else None


def reference_bot(game: str) -> str:
    """Return the path of the reference bot to play against in a game, such as `bots/sandwich/greedy`."""
    folder = f"{game.replace('-', '_')}/greedy"
    return f"bots/{folder}" if (bundled_bots() / folder).is_dir() else ANY_GAME


def first_opponents(game: AnyGame) -> tuple[str, ...]:
    """Return the paths of the reference bots for a first match in a game, at its smallest table."""
    seats = game.seats(ruleset(game.info, next(iter(game.info.rulesets))))[0]
    return (reference_bot(game.info.name), *(ANY_GAME,) * (seats - 2))
