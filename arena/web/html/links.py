"""Addresses of pages: links on a live site and between the files of an exported folder, and their query parameters.

A page's path is a tuple of texts, such as `("leagues", "spring", "bots", "greedy")`; the home page is `()`. The texts
are names as users wrote them. Query parameters are read strictly, so that no condition is left out in silence; names
that a page doesn't know have no effect, because other sites add some to the links that they show.
"""

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from urllib.parse import quote, unquote, urlencode

Path = tuple[str, ...]

_MISSING = "about:not-exported"
_TO_MISSING = re.compile(rf' href="{_MISSING}[^"]*"')
"""In HTML; text can't look like it, because quotation marks in it are escaped."""
_PLAIN = re.compile(r"[a-z0-9._-]")
_MOST_CHARS = 120
"""Longest name of a file or folder without its suffix; file systems allow 255 bytes."""
_RESERVED = re.compile(r"(con|prn|aux|nul|com[0-9]|lpt[0-9])(\.|$)")
"""Names that Windows doesn't allow."""
_LIKE_A_FILE = re.compile(r"\.(?=(html|csv|json|atom|png)$)")
"""In the name of a folder, which another file may have."""


@dataclass(frozen=True, slots=True)
class LiveLinks:
    """Links of a live site."""

    fingerprint: str = ""
    """Changes when a static file does, so that browsers may keep them for good."""
    prefix: str = ""
    """Of a site below a path, such as `/ladder`."""
    origin: str = ""
    """What comes before the path on the public site, such as `https://arena.example`; empty if that isn't known."""
    is_live: bool = True

    def has(self, path: Path) -> bool:  # noqa: ARG002
        """Return whether the site has a page."""
        return True

    def whole(self, path: Path) -> str:
        """Return the whole address of a page or a file, for other sites and programs; empty if it isn't known."""
        return self.origin and f"{self.origin}{self.page(path, path)}"

    whole_file = whole

    def page(self, here: Path, path: Path) -> str:  # noqa: ARG002 - addresses are absolute
        """Return the absolute path on the server."""
        return f"{self.prefix}/{'/'.join(map(_url_part, path))}"

    def file(self, here: Path, path: Path) -> str:
        """Return the absolute path on the server."""
        return self.page(here, path)

    def asset(self, here: Path, name: str) -> str:  # noqa: ARG002
        """Return the absolute path on the server."""
        return f"{self.prefix}/static/{name}{f'?v={self.fingerprint}' if self.fingerprint else ''}"


@dataclass(frozen=True, slots=True)
class FileLinks:
    """Links between files in a folder, which also work when it is opened from disk."""

    pages: Container[Path] | None = None
    """The pages that the folder has; None if it has all."""
    origin: str = ""
    """Where the folder will be found, such as `https://arena.example/spring`; empty if that isn't known."""
    is_live: bool = False

    def has(self, path: Path) -> bool:
        """Return whether the folder has a page."""
        return self.pages is None or path in self.pages

    def whole(self, path: Path) -> str:
        """Return the whole address of a page, for other sites and programs; empty if it isn't known."""
        name = file_of(path) if path else ""
        return self.origin and f"{self.origin}/{quote(name, safe='/~')}"

    def whole_file(self, path: Path) -> str:
        """Return the whole address of a file that is no page; empty if it isn't known."""
        return self.origin and f"{self.origin}/{quote(plain_file_of(path), safe='/~')}"

    def page(self, here: Path, path: Path) -> str:
        """Return the relative address of a page's file; for one that the folder lacks, see `without_missing`."""
        if not self.has(path):
            return _MISSING
        return "../" * _depth(here) + quote(file_of(path), safe="/~")

    def file(self, here: Path, path: Path) -> str:
        """Return the relative address of a file that is no page."""
        return "../" * _depth(here) + quote(plain_file_of(path), safe="/~")

    def asset(self, here: Path, name: str) -> str:
        """Return the relative address of a static file."""
        return "../" * _depth(here) + f"static/{name}"


Links = LiveLinks | FileLinks
"""How pages of one kind of site link to each other, each method from the page `here`; `is_live`: a server answers."""


def without_missing(html: str) -> str:
    """Return a page of an exported folder in which links to pages that the folder lacks are plain text."""
    return _TO_MISSING.sub("", html)


@lru_cache(4096)
def _url_part(name: str) -> str:
    """Return a name as one part of an address.

    Browsers take `.` and `..` for folders, even when they are escaped, so these get a `~` before them.
    """
    return quote(f"~{name}" if name in (".", "..") or name.startswith("~") else name, safe="")


def path_of(address: str) -> Path:
    """Return the path of a page from its address on a server, as it was sent: with `/` between escaped names.

    Bytes that are no UTF-8 become replacement characters, so that there is no page of that name.
    """
    return tuple(plain_name(unquote(part)) for part in address.split("/") if part)


def plain_name(part: str) -> str:
    """Return the name that a part of an address stands for."""
    return part[1:] if part.startswith("~") else part


def file_of(path: Path) -> str:
    """Return the name of a page's file in an exported folder, with `/` between folders.

    The same on every file system: lower-case ASCII letters, digits and `._-` stand for themselves, the bytes of
    everything else are written as `~2f`. Long names are cut and end in a hash.
    """
    if not path:
        return "index.html"
    return plain_file_of(path) + ".html"


def plain_file_of(path: Path) -> str:
    """Return the name of a file that is no page in an exported folder; its name ends in its own suffix."""
    *folders, file = map(_file_part, path)
    return "/".join([*(_LIKE_A_FILE.sub("~2e", folder) for folder in folders), file])


def _file_part(name: str) -> str:
    written = "".join(
        one if _PLAIN.fullmatch(one) else "".join(f"~{byte:02x}" for byte in one.encode("utf-8", "replace"))
        for one in name
    )
    if written.startswith("."):
        written = "~2e" + written[1:]
    if _RESERVED.match(written):
        written = f"~{ord(written[0]):02x}{written[1:]}"
    if len(written) > _MOST_CHARS:
        written = f"{written[: _MOST_CHARS - 20]}~~{sha256(name.encode('utf-8', 'replace')).hexdigest()[:16]}"
    return written


def _depth(here: Path) -> int:
    return max(0, len(here) - 1)


def asking(values: Mapping[str, str | Sequence[str]]) -> str:
    """Return what follows an address: empty, or `?seats=3&bot=a&bot=b`. Names without a value are left out."""
    kept = {name: value for name, value in values.items() if value}
    return f"?{urlencode(kept, doseq=True)}" if kept else ""


Texts = tuple[str, ...]


class NotUnderstood(Exception):
    """An address asks for something that its page doesn't know; the message tells people what it may be."""


def last(given: Sequence[str]) -> str:
    """Return what counts if a name is given several times; empty without any."""
    return given[-1] if given else ""


def choice(name: str, given: Sequence[str], allowed: Sequence[str], default: str = "") -> str:
    """Return one of the allowed values. Raises NotUnderstood."""
    text = last(given)
    if not text:
        return default
    if text not in allowed:
        raise NotUnderstood(f"{name} can't be {text[:100]}. It may be {_listed(allowed)}.")
    return text


def whole_number(name: str, given: Sequence[str], least: int, most: int) -> int | None:
    """Return a number within bounds; None if none is given. Raises NotUnderstood."""
    text = last(given)
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 15 and least <= int(text) <= most):
        raise NotUnderstood(
            f"{name} can't be {text[:100]}. It may be a whole number from {least} to {most:,}."
        )
    return int(text)


def sorting(name: str, given: Sequence[str], columns: Sequence[str]) -> None:
    """Raise NotUnderstood unless a table can be sorted so: by a column, with `-` before it for the highest first."""
    text = last(given)
    if text.removeprefix("-") not in ("", *columns):
        raise NotUnderstood(
            f"{name} can't be {text[:100]}. It may be {_listed(columns)}, with a minus sign before it for the "
            "highest first."
        )


def _listed(values: Sequence[str]) -> str:
    return values[0] if len(values) == 1 else f"{', '.join(values[:-1])} or {values[-1]}"
