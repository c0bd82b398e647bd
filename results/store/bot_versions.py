"""Authors, bots and their versions."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import Connection, Row, Select, select

from results.base.errors import AmbiguousName, LedgerError, NameRefused, UnknownVersion
from results.records import AuthorRecord, VersionRecord, VersionSpec
from results.store.database import Part, from_text, object_from_text, to_text
from results.store.row_checksums import count
from results.store.tables import TABLES

if TYPE_CHECKING:
    from sqlmodel import Session

    from results.store.tables.rows import VersionRow

_author = TABLES["author"]
_bot = TABLES["bot"]
_version = TABLES["version"]
_entry = TABLES["entry"]

_NAME = re.compile(r"[^\s/@,\x00-\x1f\x7f]+")
"""Name parts that are unambiguous in `author/bot@3`."""
_REFERENCE = re.compile(r"(?:(?P<author>[^/@]+)/)?(?P<bot>[^/@]+)(?:@(?P<number>\d+))?")
_LEAST_PREFIX = 6
_PREFIX = re.compile(r"[0-9a-f]{6,64}")


class Versions(Part):
    """Submissions: authors, bots and their versions."""

    def add(
        self,
        author: str,
        bot: str,
        sha256: str,
        manifest: Mapping[str, Any],
        report: Mapping[str, Any],
        *,
        deterministic: bool | None = None,
        parent: VersionRecord | None = None,
    ) -> VersionRecord:
        """Store a submission as the bot's next version; if the content is unchanged, return the existing version.

        If that version has no report yet, it gets this one and `deterministic`: it was played before it was submitted.

        `sha256`: over the sorted files, 64 hexadecimal digits · `parent`: the
        version it was derived from, by default the bot's previous one. Raises NameRefused if the name of the author
        or bot would be ambiguous in `author/bot@3`.
        """
        version = VersionSpec(author, bot, sha256, manifest, report, deterministic, parent)
        return self.add_all([version])[0]

    def add_all(self, new: Sequence[VersionSpec]) -> list[VersionRecord]:
        """Store submissions like `add`, in their order; many take hardly longer than one."""
        from results.store.tables.rows import VersionRow

        for version in new:
            _check(version)
        with self._database.writing() as session:
            bots = self._bot_ids(session, [(version.author, version.bot) for version in new])
            known = _Kept(session, set(bots.values()))
            rows = []
            for version in new:
                bot_id = bots[version.author, version.bot]
                row = known.same(bot_id, version.sha256)
                if row is None:
                    last = known.last(bot_id)
                    row = VersionRow(
                        bot_id=bot_id,
                        number=max(last.number if last else 0, known.deleted(bot_id)) + 1,
                        sha256=version.sha256,
                        parent_id=None,
                        manifest=to_text(version.manifest),
                        report=to_text(version.report),
                        deterministic=version.deterministic,
                        added_at=self._database.now(),
                        build=to_text(version.build),
                        bundled=version.bundled,
                    )
                    if version.parent or last:
                        if last and last.id is None:
                            session.flush()  # just created, and has no number yet
                        row.parent_id = version.parent.id if version.parent else last.id if last else None
                    session.add(row)
                    known.add(row)
                elif version.report and not from_text(row.report):
                    row.report, row.deterministic = to_text(version.report), version.deterministic
                # the row may come from the store of another Arena
                row.bundled = row.bundled or version.bundled
                rows.append(row)
            session.flush()
            numbers = [row.id for row in rows]
            records = versions_by_id(session.connection(), numbers)
            return [records[number] for number in numbers]

    def all(self, *, author: str | None = None, bot: str | None = None) -> list[VersionRecord]:
        """Return the versions in the store by author, bot and number, optionally only of one author or bot."""
        with self._database.reading() as connection:
            query = _joined()
            if author is not None:
                query = query.where(_author.c.name == author)
            if bot is not None:
                query = query.where(_bot.c.name == bot)
            return [_record(row) for row in connection.execute(query)]

    def delete(self, version: VersionRecord) -> None:
        """Delete a version that no entry of a league has; its number is never given again.

        Versions derived from it are then derived from its own parent. Raises NameRefused if an entry has it, or if it
        isn't in the store.
        """
        from sqlmodel import select

        from results.store.tables.rows import BotRow, EntryRow, VersionRow

        with self._database.writing() as session:
            row = session.get(VersionRow, version.id)
            held = session.exec(select(EntryRow.label).where(EntryRow.version_id == version.id)).first()
            if row is None or row.sha256 != version.sha256 or held is not None:
                raise NameRefused(f"{version.reference} can't be deleted", "games hold it, or it isn't there")
            for child in session.exec(select(VersionRow).where(VersionRow.parent_id == row.id)):
                child.parent_id = row.parent_id
            program = session.get_one(BotRow, row.bot_id)
            program.last_deleted = max(program.last_deleted, row.number)
            session.flush()
            session.delete(row)
            session.flush()
            count(session.connection(), "version", 0, -1)

    def bot_names(self) -> set[tuple[str, str]]:
        """Return the author and name of every bot."""
        with self._database.reading() as connection:
            rows = connection.execute(select(_author.c.name, _bot.c.name).select_from(_bot.join(_author)))
            return {(author, bot) for author, bot in rows}

    def of_content(self, author: str, bot: str, sha256: str) -> VersionRecord | None:
        """Return the bot's version with this content hash; None if there is none."""
        return next((one for one in self.all(author=author, bot=bot) if one.sha256 == sha256), None)

    def authors(self) -> list[AuthorRecord]:
        """Return all authors by name."""
        with self._database.reading() as connection:
            rows = connection.execute(select(_author).order_by(_author.c.name))
            return [AuthorRecord(row.name, row.added_at) for row in rows]

    def find(self, text: str) -> VersionRecord:
        """Return the version named by `bot`, `author/bot`, either with `@number`, or a prefix of its SHA-256.

        Without a number, this is the bot's newest version. A prefix needs at least 6 digits, and names of bots
        take precedence. Raises UnknownVersion with the list of bots, or AmbiguousName with the possible meanings.
        """
        found = self.find_all([text])[text]
        if isinstance(found, LedgerError):
            raise found
        return found

    def find_all(self, texts: Iterable[str]) -> dict[str, VersionRecord | LedgerError]:
        """Return the version for each text, or the error that `find` raises for it."""
        with self._database.reading() as connection:
            index = _Index([_Known(*row) for row in connection.execute(_INDEX)])
            meant: dict[str, int | LedgerError] = {}
            for text in texts:
                if text not in meant:
                    try:
                        meant[text] = index.meant(text)
                    except AmbiguousName as error:
                        meant[text] = error
                    except UnknownVersion as error:
                        meant[text] = error.in_store(str(self._database.path.absolute()))
            records = versions_by_id(connection, [one for one in meant.values() if isinstance(one, int)])
            return {text: records[one] if isinstance(one, int) else one for text, one in meant.items()}

    def _bot_ids(self, session: "Session", names: Sequence[tuple[str, str]]) -> dict[tuple[str, str], int]:
        """Return the numbers of bots by author and name; new bots and authors are added."""
        from sqlmodel import col, select

        from results.store.tables.rows import AuthorRow, BotRow

        writers = {writer.name: writer for writer in session.exec(select(AuthorRow))}
        for author in dict.fromkeys(author for author, _ in names):
            if author not in writers:
                writers[author] = AuthorRow(name=author, added_at=self._database.now())
                session.add(writers[author])
        session.flush()
        of_authors = {_known(writers[author].id) for author, _ in names}
        query = select(BotRow).where(col(BotRow.author_id).in_(sorted(of_authors)))
        programs = {(program.author_id, program.name): program for program in session.exec(query)}
        for author, bot in dict.fromkeys(names):
            key = _known(writers[author].id), bot
            if key not in programs:
                programs[key] = BotRow(author_id=key[0], name=bot)
                session.add(programs[key])
        session.flush()
        return {(author, bot): _known(programs[_known(writers[author].id), bot].id) for author, bot in names}


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


class _Kept:
    """The stored versions of some bots, and those being added."""

    def __init__(self, session: "Session", bots: Collection[int]) -> None:
        from sqlmodel import col, select

        from results.store.tables.rows import BotRow, VersionRow

        query = select(VersionRow).where(col(VersionRow.bot_id).in_(sorted(bots)))
        self._of_bot: dict[int, list[VersionRow]] = {}
        numbers = select(BotRow.id, BotRow.last_deleted).where(col(BotRow.id).in_(sorted(bots)))
        self._deleted = {_known(bot): number for bot, number in session.exec(numbers)}
        for row in session.exec(query.order_by(col(VersionRow.number))):
            self.add(row)

    def add(self, row: "VersionRow") -> None:
        self._of_bot.setdefault(row.bot_id, []).append(row)

    def same(self, bot: int, sha256: str) -> "VersionRow | None":
        return next((row for row in self._of_bot.get(bot, ()) if row.sha256 == sha256), None)

    def deleted(self, bot: int) -> int:
        """Return the highest number of the bot's deleted versions, or 0."""
        return self._deleted.get(bot, 0)

    def last(self, bot: int) -> "VersionRow | None":
        rows = self._of_bot.get(bot)
        return rows[-1] if rows else None


def versions_by_id(connection: Connection, ids: Sequence[int | None]) -> dict[int | None, VersionRecord]:
    """Return the versions with these numbers, by number."""
    wanted = sorted({i for i in ids if i is not None})
    if not wanted:
        return {}
    return {row.id: _record(row) for row in connection.execute(_joined().where(_version.c.id.in_(wanted)))}


def _joined() -> Select[Any]:
    return (
        select(_version, _bot.c.name.label("bot"), _author.c.name.label("author"))
        .select_from(_version.join(_bot).join(_author))
        .order_by(_author.c.name, _bot.c.name, _version.c.number)
    )


def _record(row: Row[Any]) -> VersionRecord:
    return VersionRecord(
        id=row.id,
        author=row.author,
        bot=row.bot,
        number=row.number,
        sha256=row.sha256,
        parent=row.parent_id,
        manifest=object_from_text(row.manifest),
        report=from_text(row.report),
        deterministic=row.deterministic,
        added_at=row.added_at,
        build=object_from_text(row.build),
        bundled=row.bundled,
    )


_INDEX = (
    select(_version.c.id, _author.c.name, _bot.c.name, _version.c.number, _version.c.sha256)
    .select_from(_version.join(_bot).join(_author))
    .order_by(_author.c.name, _bot.c.name, _version.c.number)
)


class _Known(NamedTuple):
    """The columns of a version needed to find it."""

    id: int
    author: str
    bot: str
    number: int
    sha256: str

    @property
    def name(self) -> str:
        return f"{self.author}/{self.bot}"


class _Index:
    """All versions of a store, indexed by the names that people use for them."""

    def __init__(self, everything: Sequence[_Known]) -> None:
        """Index the versions by author, bot and number."""
        self._everything = everything
        self._by_bot: dict[str, list[_Known]] = {}
        self._by_prefix: dict[str, list[_Known]] = {}
        for version in everything:
            self._by_bot.setdefault(version.bot, []).append(version)
            self._by_prefix.setdefault(version.sha256[:_LEAST_PREFIX], []).append(version)

    def meant(self, text: str) -> int:
        """Return the number of the version that the text names. Raises UnknownVersion, AmbiguousName."""
        match = _REFERENCE.fullmatch(text)
        found = [
            version
            for version in (self._by_bot.get(match["bot"], ()) if match else ())
            if match and match["author"] in (None, version.author)
        ]
        names = sorted({version.name for version in found})
        if not found and is_prefix(text):
            near = self._by_prefix.get(text[:_LEAST_PREFIX], ())
            found = [version for version in near if version.sha256.startswith(text)]
            names = [f"{version.name}@{version.number}" for version in found]
        elif match and match["number"] and len(names) == 1:
            wanted = [version for version in found if version.number == int(match["number"])]
            if not wanted:
                raise UnknownVersion(
                    "version", text, [f"{version.name}@{version.number}" for version in found]
                )
            found = wanted
        if len(names) > 1:
            raise AmbiguousName(f"{text!r} matches several versions", "say which: " + ", ".join(names))
        if not found:
            raise UnknownVersion("bot", text, sorted({version.name for version in self._everything}))
        return found[-1].id


def _known(number: int | None) -> int:
    if number is None:
        raise AssertionError("a row without its number")
    return number
