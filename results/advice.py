"""What to do about an error, in parts: text, and the commands that do it. Each audience has its own words for these.

`str` gives the words of a terminal; `arena.web.wording` those of pages and of the API. Nobody looks for a command in
a text.
"""

import msgspec
from msgspec import Struct


class Run(Struct, frozen=True, tag="run", omit_defaults=True):
    """A command of Arena."""

    command: str
    """Its names, such as `league extend`."""
    arguments: str = ""
    is_way: bool = False
    """Whether it is how to do what the text before it says; otherwise it is a word of that sentence."""

    def __str__(self) -> str:
        """Return it as a terminal says it."""
        line = f"arena {self.command} {self.arguments}".rstrip()
        return f": {line}" if self.is_way else f"`{line}`"


class Key(Struct, frozen=True, tag="key"):
    """Something that can be given: an option of a command, a field of a form, a key of a request."""

    name: str

    def __str__(self) -> str:
        """Return it as a terminal says it."""
        return f"--{self.name}"


class StoreAt(Struct, frozen=True, tag="store"):
    """Which store was looked in, and how to choose another: for those who can."""

    path: str

    def __str__(self) -> str:
        """Return it as a terminal says it."""
        return f"; the store is {self.path}; --store or ARENA_STORE chooses another"


Part = str | Run | Key | StoreAt


class Advice:
    """What to do about an error."""

    def __init__(self, *parts: object) -> None:
        """`parts`: texts, parts, and other advice, in their order. Empty ones are left out."""
        self.parts: tuple[Part, ...] = tuple(
            inner
            for part in parts
            for inner in (part.parts if isinstance(part, Advice) else (part,))
            if isinstance(inner, Run | Key | StoreAt) or (isinstance(inner, str) and inner)
        )

    def __str__(self) -> str:
        """Return it as a terminal says it."""
        return "".join(map(str, self.parts))

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same parts."""
        return isinstance(other, Advice) and self.parts == other.parts

    def __hash__(self) -> int:
        """Return the hash of the parts."""
        return hash(self.parts)

    def __bool__(self) -> bool:
        """Return whether it says anything."""
        return bool(self.parts)

    def packed(self) -> str:
        """Return it as JSON, to be stored; empty if it is."""
        return msgspec.json.encode(self.parts).decode() if self.parts else ""


def unpacked(text: str) -> Advice:
    """Return advice that was stored. Raises msgspec.DecodeError."""
    return Advice(*msgspec.json.decode(text, type=list[Part])) if text else Advice()


REFUSAL_FILE = "ARENA_REFUSAL_FILE"
"""Environment variable: where a command that another process runs writes why it failed, besides saying it."""


class Refusal(Struct, frozen=True):
    """Why a command failed, for the process that ran it."""

    message: str
    hint: str
    """As `Advice.packed`."""


def run(command: str, *arguments: str) -> Run:
    """Return a command as a word of a sentence: `run("db verify")` says more."""
    return Run(command, " ".join(arguments))


def by(command: str, *arguments: str) -> Run:
    """Return a command as the way to do what the text before it says: "make a copy", `by("league clone", old, new)`."""
    return Run(command, " ".join(arguments), is_way=True)
