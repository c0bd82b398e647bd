"""What to do about an error, in parts: text, and the commands that do it. Each audience has its own words for these.

`str` gives the words of a terminal; `arena.web.html.advice_words` those of pages and of the API. Nobody looks
for a command in a text.
"""

from typing import Any, NamedTuple


class Run(NamedTuple):
    """A command of Arena."""

    command: str
    """Its names, such as `league extend`."""
    arguments: str = ""
    is_way: bool = False
    """Whether it is how to do what the text before it says; otherwise it is a word of that sentence."""

    def __str__(self) -> str:
        line = f"arena {self.command} {self.arguments}".rstrip()
        return f": {line}" if self.is_way else f"`{line}`"


class Key(NamedTuple):
    """Something that can be given: an option of a command, a field of a form, a key of a request."""

    name: str

    def __str__(self) -> str:
        return f"--{self.name}"


class StoreAt(NamedTuple):
    """Which store was looked in, and how to choose another: for those who can."""

    path: str

    def __str__(self) -> str:
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
        return "".join(map(str, self.parts))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Advice) and self.parts == other.parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __bool__(self) -> bool:
        return bool(self.parts)

    def packed(self) -> str:
        """Return it as JSON, to be stored; empty if it is."""
        import msgspec  # the help of commands needs none of it

        parts = [part if isinstance(part, str) else (type(part).__name__, *part) for part in self.parts]
        return msgspec.json.encode(parts).decode() if parts else ""


def unpacked(text: str) -> Advice:
    """Return advice that was stored. Raises msgspec.DecodeError."""
    import msgspec

    kinds: dict[str, Any] = {kind.__name__: kind for kind in (Run, Key, StoreAt)}
    parts = msgspec.json.decode(text, type=list[str | list[Any]]) if text else []
    try:
        return Advice(*(part if isinstance(part, str) else kinds[part[0]](*part[1:]) for part in parts))
    except (LookupError, TypeError):
        raise msgspec.ValidationError("advice has parts of an unknown kind") from None


REFUSAL_FILE = "ARENA_REFUSAL_FILE"
"""Environment variable: the file to which a command that another process runs writes why it failed, as two JSON texts:
the message, and what `Advice.packed` returns."""


def run(command: str, *arguments: str) -> Run:
    """Return a command as a word of a sentence: `run("db verify")` says more."""
    return Run(command, " ".join(arguments))


def by(command: str, *arguments: str) -> Run:
    """Return a command as the way to do what the text before it says: "make a copy", `by("league clone", old, new)`."""
    return Run(command, " ".join(arguments), is_way=True)
