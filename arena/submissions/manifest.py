"""bot.toml: what a bot says of itself."""

import re
from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct

from arena.config.bounded_toml import TomlBounds
from arena.config.errors import BadFile
from arena.config.reading import read_toml

MANIFEST_NAME = "bot.toml"
MANIFEST_BOUNDS = TomlBounds("a bot.toml", file_bytes=65_536, items=2_000)
NAME_PATTERN = "^[a-z0-9][a-z0-9_-]{0,39}$"


class Manifest(Struct, frozen=True, forbid_unknown_fields=True):
    """The keys of bot.toml."""

    name: Annotated[
        str,
        Meta(
            pattern=NAME_PATTERN, description="lower-case letters, digits, `-` and `_`; unique for its author"
        ),
    ]
    author: Annotated[str, Meta(pattern=NAME_PATTERN, description="who wrote it; the same characters")]
    command: Annotated[
        tuple[str, ...],
        Meta(
            min_length=1,
            description="program and arguments, run in the bot's folder without a shell; the program is `python3`, "
            "a system program or a listed runtime by name, or `./FILE` of the bot",
        ),
    ]
    games: Annotated[
        tuple[str, ...],
        Meta(min_length=1, description='games it plays, such as `"bread-basket"`; `"*"`: all'),
    ]
    description: Annotated[str, Meta(max_length=200, description="one line for people")] = ""
    kit: Annotated[bool, Meta(description="have the arena put its `arena_kit.py` beside the program")] = False
    engine: Annotated[
        bool, Meta(description="let the bot import `arena.core` and `arena.games` to think ahead")
    ] = False
    reuse: Annotated[bool, Meta(description="false: a fresh process for each game")] = True

    def plays(self, game: str) -> bool:
        """Whether the bot says that it plays a game."""
        return game in self.games or "*" in self.games


def read_manifest(folder: Path) -> Manifest:
    """Return a bot folder's manifest. Raises BadFile, saying what is wrong and where."""
    if not folder.is_dir():
        raise BadFile(f"there is no bot at {folder}: no such folder", "a bot is a folder with a bot.toml")
    if not (folder / MANIFEST_NAME).is_file():
        raise BadFile(
            f"{folder} has no {MANIFEST_NAME}",
            'it needs at least: name = "…", author = "…", command = ["python3", "bot.py"], games = ["bread-basket"]',
        )
    manifest = read_toml(folder / MANIFEST_NAME, Manifest, MANIFEST_BOUNDS)
    if not all(re.fullmatch(r"[^\0]+", part) for part in manifest.command):
        raise BadFile(f"{folder / MANIFEST_NAME}: command: empty words are no arguments")
    return manifest
