"""Building bots for tests: a folder whose build is a few lines of shell."""

from pathlib import Path

from arena.sandbox.bounds import Bounds
from arena.sandbox.confinement import UNCONFINED, Confinement, choose
from arena.submissions.build import Builder
from arena.submissions.intake import Intake, read_source

BOT_TOML = """\
name = "{name}"
author = "me"
command = ["sh", "bot.sh"]
build = ["sh", "build.sh"]
games = ["bread-basket"]
"""


def folder_of(place: Path, build: str, name: str = "mine") -> Path:
    """Make a bot's folder whose build runs these lines of shell."""
    place.mkdir(parents=True)
    (place / "bot.toml").write_text(BOT_TOML.format(name=name))
    (place / "build.sh").write_text(build)
    (place / "bot.txt").write_text("echo hello\n")
    return place


def confined() -> Confinement:
    """Return the strongest confinement of this machine."""
    return choose("auto", Bounds())[0]


def built(folder: Path, files: Path, confinement: Confinement = UNCONFINED) -> Intake:
    """Return a folder as built, for a store whose files are in `files`."""
    return Builder(files, lambda: confinement).built(read_source(folder))
