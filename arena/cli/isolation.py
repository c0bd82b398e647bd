"""How the command line speaks of the sandbox."""

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from arena.sandbox.confinement import Wanted


class Sandbox(StrEnum):
    """The choices of `--sandbox`."""

    REQUIRE = "require"
    AUTO = "auto"
    OFF = "off"


def wanted(given: Sandbox | None) -> "Wanted | None":
    """Return the option in the words of the sandbox; None where it was not given."""
    choices: dict[Sandbox, Wanted] = {
        Sandbox.REQUIRE: "require",
        Sandbox.AUTO: "auto",
        Sandbox.OFF: "off",
    }
    return None if given is None else choices[given]
