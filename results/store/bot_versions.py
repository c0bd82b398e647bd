"""Authors, bots and their versions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from results.base.errors import AmbiguousName, LedgerError, NameRefused, UnknownVersion
from results.records import AuthorRecord, VersionRecord, VersionSpec
from results.store.database import (
    Part,
    Row,
    from_text,
    named_rows,
    object_from_text,
    record,
    rows,
    to_text,
    value,
)
from results.store.schema.checked_rows import add_row, change_rows, count, number_of
from results.store.sqlite_file import Connection

_NAME = re.compile(r"[^\s/@,\x00-\x1f\x7f]+")
"""Name parts that are unambiguous in `author/bot@3`."""
_REFERENCE = re.compile(r"(?:(?P<author>[^/@]+)/)?(?P<bot>[^/@]+)(?:@(?P<number>\d+))?")
_PREFIX = re.compile(r"[0-9a-f]{6,64}")


class BotRow(NamedTuple):
    """A bot."""

    author: str
    bot: str
    versions: int
    newest: int
    """The number of its newest version."""
    added_at: str
    """When that was added."""
    manifest: str
    """What its `bot.toml` says, as JSON."""


class Versions(Part):
    """Submissions: authors, bots and their versions."""

    def add_all(self, new: Sequence[VersionSpec]) -> list[VersionRecord]:
        """Store each submission as its bot's next version, in their order and together.

        If the content of one is unchanged, the existing version is returned; if that has no report yet, it gets this
        one and `deterministic`: it was played before it was submitted. Without a `parent`, the bot's previous version
        is the one it was derived from. Raises NameRefused if the name of an author or bot would be ambiguous in
        `author/bot@3`.
        """
        for version in new:
            _check(version)
        with self._database.changing(adds=True) as connection:
            numbers = [self._number(connection, version) for version in new]
            records = versions_by_id(connection, numbers)
            return [records[number] for number in numbers]

    def _number(self, connection: Connection, new: VersionSpec) -> int:
        """Return the `id` of the version with this content; without one, it becomes the bot's next version."""
        now = self._database.now()
        author = number_of(connection, "author", {"name": new.author}, added_at=now)
        bot = number_of(connection, "bot", {"author_id": author, "name": new.bot})
        versions = named_rows(
            connection, "SELECT * FROM version WHERE bot_id = :bot ORDER BY number", bot=bot
        )
        same = next((one for one in versions if one.sha256 == new.sha256), None)
        if same is not None:
            changes: dict[str, Any] = {}
            if new.report and not from_text(same.report):
                changes = {"report": to_text(new.report), "deterministic": new.deterministic}
            if new.bundled and not same.bundled:  # the row may come from the store of another Arena
                changes["bundled"] = True
            if changes:
                change_rows(connection, "version", {"id": same.id}, changes)
            return int(same.id)
        last = versions[-1] if versions else None
        deleted = value(connection, "SELECT last_deleted FROM bot WHERE id = :bot", bot=bot)
        row = add_row(
            connection,
            "version",
            bot_id=bot,
            number=max(last.number if last else 0, deleted) + 1,
            sha256=new.sha256,
            parent_id=new.parent.id if new.parent else last.id if last else None,
            manifest=to_text(new.manifest),
            report=to_text(new.report),
            deterministic=new.deterministic,
            added_at=now,
            build=to_text(new.build),
            bundled=new.bundled,
        )
        return int(row.id)

    def all(self, *, author: str | None = None, bot: str | None = None) -> list[VersionRecord]:
        """Return the versions in the store by author, bot and number, optionally only of one author or bot."""
        with self._database.reading() as connection:
            which = "(:author IS NULL OR author.name = :author) AND (:bot IS NULL OR bot.name = :bot)"
            return [_record(row) for row in named_rows(connection, _versions(which), author=author, bot=bot)]

    def delete(self, version: VersionRecord) -> None:
        """Delete a version; its number is never given again. Raises NameRefused if an entry has it."""
        with self._database.changing() as connection:
            row = next(
                iter(named_rows(connection, "SELECT * FROM version WHERE id = :id", id=version.id)), None
            )
            held = value(connection, "SELECT label FROM entry WHERE version_id = :id LIMIT 1", id=version.id)
            if row is None or row.sha256 != version.sha256 or held is not None:
                raise NameRefused(f"{version.reference} can't be deleted", "games hold it, or it isn't there")
            change_rows(connection, "version", {"parent_id": row.id}, {"parent_id": row.parent_id})
            last = value(connection, "SELECT last_deleted FROM bot WHERE id = :bot", bot=row.bot_id)
            change_rows(connection, "bot", {"id": row.bot_id}, {"last_deleted": max(last, row.number)})
            connection.execute("DELETE FROM version WHERE id = ?", (row.id,))
            count(connection, "version", 0, -1)

    def bots(self) -> list[BotRow]:
        """Return all bots, by author and name."""
        with self._database.reading() as connection:
            return list(map(BotRow._make, rows(connection, _NEWEST)))

    def bot_names(self) -> set[tuple[str, str]]:
        """Return the author and name of every bot."""
        with self._database.reading() as connection:
            text = "SELECT author.name, bot.name FROM bot JOIN author ON author.id = bot.author_id"
            return set(rows(connection, text))

    def of_content(self, author: str, bot: str, sha256: str) -> VersionRecord | None:
        """Return the bot's version with this content hash; None if there is none."""
        return next((one for one in self.all(author=author, bot=bot) if one.sha256 == sha256), None)

    def authors(self) -> list[AuthorRecord]:
        """Return all authors by name."""
        with self._database.reading() as connection:
            return [
                AuthorRecord(*row)
                for row in rows(connection, "SELECT name, added_at FROM author ORDER BY name")
            ]

    def find(self, text: str) -> VersionRecord:
        """Return the version named by `bot`, `author/bot`, either with `@number`, or a prefix of its SHA-256.

        Without a number, this is the bot's newest submitted version, or the newest of all if none is submitted. A
        prefix needs at least 6 digits, and names of bots take precedence. Raises UnknownVersion with the list of bots,
        or AmbiguousName with the possible meanings.
        """
        found = self.find_all([text])[text]
        if isinstance(found, LedgerError):
            raise found
        return found

    def find_all(self, texts: Iterable[str]) -> dict[str, VersionRecord | LedgerError]:
        """Return the version for each text, or the error that `find` raises for it."""
        with self._database.reading() as connection:
            everything = [_Known(*row) for row in rows(connection, _INDEX)]
            by_bot: dict[str, list[_Known]] = {}
            for version in everything:
                by_bot.setdefault(version.bot, []).append(version)
            meant: dict[str, int | LedgerError] = {}
            for text in texts:
                if text not in meant:
                    try:
                        meant[text] = _meant(text, everything, by_bot)
                    except AmbiguousName as error:
                        meant[text] = error
                    except UnknownVersion as error:
                        meant[text] = error.in_store(str(self._database.path.absolute()))
            records = versions_by_id(connection, [one for one in meant.values() if isinstance(one, int)])
            return {text: records[one] if isinstance(one, int) else one for text, one in meant.items()}


def is_prefix(text: str) -> bool:
    """Return whether a text can be the beginning of a content hash, by which a version is found."""
    return _PREFIX.fullmatch(text) is not None


def _check(version: VersionSpec) -> None:
    """Raise NameRefused for a submission whose name would be ambiguous."""
    for what, name in (("author", version.author), ("bot", version.bot)):
        if not _NAME.fullmatch(name):
            raise NameRefused(
                f"{what} {name!r}: a name has at least one character, and no space, '/', '@' or ','",
                "change the name in bot.toml",
            )
    if not re.fullmatch(r"[0-9a-f]{64}", version.sha256):
        raise NameRefused(f"{version.sha256!r} is not a SHA-256 in hexadecimal", "this is a bug in Arena")


def versions_by_id(connection: Connection, ids: Sequence[int | None]) -> dict[int | None, VersionRecord]:
    """Return the versions with these numbers, by number."""
    wanted = sorted({i for i in ids if i is not None})
    if not wanted:
        return {}
    some = _versions("version.id IN (SELECT value FROM json_each(:ids))")
    return {row.id: _record(row) for row in named_rows(connection, some, ids=to_text(wanted))}


REFERENCE = "author.name || '/' || bot.name || '@' || version.number"
"""`author/bot@3` of a version with its bot and author; null without one."""
_NEWEST = """
    SELECT author.name, bot.name, count(*), max(number), version.added_at, version.manifest
    FROM version JOIN bot ON bot.id = bot_id JOIN author ON author.id = author_id GROUP BY bot.id
    ORDER BY author.name, bot.name
    """
_FROM_VERSIONS = "FROM version JOIN bot ON bot.id = version.bot_id JOIN author ON author.id = bot.author_id"
_IN_ORDER = "ORDER BY author.name, bot.name, version.number"


def _versions(condition: str) -> str:
    return f"SELECT version.*, bot.name AS bot, author.name AS author {_FROM_VERSIONS} WHERE {condition} {_IN_ORDER}"


def _record(row: Row) -> VersionRecord:
    return record(
        VersionRecord,
        row,
        parent=row.parent_id,
        manifest=object_from_text(row.manifest),
        report=from_text(row.report),
        build=object_from_text(row.build),
    )


_INDEX = (
    "SELECT version.id, author.name, bot.name, version.number, version.sha256, version.report != '{}' "
    f"{_FROM_VERSIONS} {_IN_ORDER}"
)


class _Known(NamedTuple):
    """The columns of a version needed to find it."""

    id: int
    author: str
    bot: str
    number: int
    sha256: str
    is_submitted: int
    """1 if it is, 0 if it only played from a folder."""

    @property
    def name(self) -> str:
        return f"{self.author}/{self.bot}"


def _meant(text: str, everything: Sequence[_Known], by_bot: Mapping[str, Sequence[_Known]]) -> int:
    """Return the number of the version that the text names. Raises UnknownVersion, AmbiguousName."""
    match = _REFERENCE.fullmatch(text)
    found = [
        version
        for version in (by_bot.get(match["bot"], ()) if match else ())
        if match and match["author"] in (None, version.author)
    ]
    names = sorted({version.name for version in found})
    if not found and is_prefix(text):
        found = [version for version in everything if version.sha256.startswith(text)]
        names = [f"{version.name}@{version.number}" for version in found]
    elif match and match["number"] and len(names) == 1:
        wanted = [version for version in found if version.number == int(match["number"])]
        if not wanted:
            raise UnknownVersion("version", text, [f"{version.name}@{version.number}" for version in found])
        found = wanted
    if len(names) > 1:
        raise AmbiguousName(f"{text!r} matches several versions", "say which: " + ", ".join(names))
    if not found:
        raise UnknownVersion("bot", text, sorted({version.name for version in everything}))
    return max(found, key=lambda version: (version.is_submitted, version.number)).id
