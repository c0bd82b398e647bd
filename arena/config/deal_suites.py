"""Suites: published lists of deals for regression tests, as files whose hash is checked when they are used."""

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from arena.config.mistakes import SeveralMistakes, convert, in_file
from arena.config.names import LABEL_CHARS
from arena.config.toml import TomlBounds, line_of, load, read_text
from arena.core.errors import BadFile, UsageError
from arena.core.ticket import match_seed
from results.base.text import counted

MOST_DEALS = 1_000
SEED_BYTES = 32
PREFIX = "suite:"
"""`deals = "suite:smoke"` plays those of the file `smoke.suite.toml`."""
ENDING = ".suite.toml"
_NAME = re.compile(rf"[A-Za-z0-9][A-Za-z0-9._-]{{0,{LABEL_CHARS - 1}}}")
_SEED = re.compile(f"[0-9a-f]{{{2 * SEED_BYTES}}}")
_BOUNDS = TomlBounds("a suite of deals", file_bytes=262_144, items=4 * MOST_DEALS)


class Suite(Struct, frozen=True, forbid_unknown_fields=True):
    """`NAME.suite.toml`: published deals for regression tests, as `arena suite` makes them.

    Keys:
        name: name of the suite
        game: name of the game whose deals they are
        sha256: hash of the game and the seeds
        seeds: the seed of each deal, 64 hexadecimal digits; at most 1,000
    """

    name: str
    game: str
    sha256: str
    seeds: Annotated[tuple[str, ...], Meta(max_length=MOST_DEALS)]

    def seed(self, deal_no: int) -> bytes:
        """Return the seed of a deal, counted from 0."""
        return bytes.fromhex(self.seeds[deal_no])

    def check(self, game: str) -> None:
        """Raise UsageError unless it has deals of this game, and they are those that its hash was made of."""
        if self.game != game:
            raise UsageError(
                f"the suite {self.name} has deals of {self.game}, not of {game}",
                f"make one for it: arena suite NAME --game {game}",
            )
        if not self.seeds:
            raise UsageError(f"the suite {self.name} has no deals", f"make one with some: {self._command}")
        if wrong := [number for number, seed in enumerate(self.seeds, 1) if not _SEED.fullmatch(seed)]:
            raise UsageError(
                f"seed {wrong[0]} of the suite {self.name} isn't {2 * SEED_BYTES} hexadecimal digits",
                f"get the file again from whoever published it, or make another: {self._command}",
            )
        if self.sha256 != hash_of(self.game, self.seeds):
            raise UsageError(
                f"the seeds of the suite {self.name} were changed: they don't match its sha256",
                f"get the file again from whoever published it, or make another: {self._command}",
            )

    @property
    def _command(self) -> str:
        return f"arena suite NAME --game {self.game}"


def hash_of(game: str, seeds: Sequence[str]) -> str:
    """Return the SHA-256 of a suite: of its game and its seeds, a line each."""
    return sha256("".join(f"{line}\n" for line in (game, *seeds)).encode()).hexdigest()


def suite_of(config: Mapping[str, Any]) -> Suite | None:
    """Return the suite that a league plays, by what it stores of its file; None if it has deals of its own."""
    deals = config.get("deals")
    return msgspec.convert(deals, Suite) if isinstance(deals, dict) else None


def deal_seed(secret: bytes, suite: Suite | None, deal: int, round_no: int) -> bytes:
    """Return the seed of a deal of a league, by the number of its first match, or in a suite by its round."""
    return match_seed(secret, deal) if suite is None else suite.seed(round_no)


def is_suite(given: object) -> bool:
    """Return whether a text names a suite."""
    return isinstance(given, str) and given.startswith(PREFIX)


def check_suite_name(name: str) -> str:
    """Return the name of a suite. Raises UsageError unless it can be that of a file."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name!r} can't be the name of a suite", "use letters, digits and . _ - only, such as smoke-1"
        )
    return name


def read_suite(given: str, folder: Path) -> Suite:
    """Return the suite that `suite:NAME` stands for, from its file in a folder, unchecked. Raises UsageError."""
    name = check_suite_name(given.removeprefix(PREFIX))
    path = folder / f"{name}{ENDING}"
    if not path.exists():
        raise BadFile(
            f"there is no suite {name}: no file {path}",
            f"copy the file to that place, or make one: arena suite {name} --game GAME",
        )
    again = f"get the file again, or make one: arena suite {name} --game GAME"
    try:
        text = read_text(path, _BOUNDS)
        data = load(text, str(path), _BOUNDS)
        with in_file(str(path), text):
            found = _suite_of(data, text)
    except BadFile as error:
        raise BadFile(str(error), again) from None
    return replace(found, name=name)  # a copy goes by the name of its file


def _suite_of(data: object, text: str) -> Suite:
    """Return a suite from its TOML. Raises only the first of several mistakes, as nobody mends a suite by hand."""
    try:
        return convert(data, Suite)
    except SeveralMistakes as error:
        raise min(error.mistakes, key=lambda one: line_of(text, one.keys) or 0) from None


def suite_text(suite: Suite) -> str:
    """Return the file of a suite."""
    of = f"{counted(len(suite.seeds), 'deal')} of {suite.game}"
    return "\n".join(
        (
            f'# {of}, for regression tests: deals = "{PREFIX}{suite.name}"',
            *(f'{key} = "{getattr(suite, key)}"' for key in ("name", "game", "sha256")),
            "seeds = [",
            *(f'  "{seed}",' for seed in suite.seeds),
            "]",
            "",
        )
    )
