"""Authors, bots and their versions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sqlalchemy
from sqlmodel import Session, col, desc, select

from results.canonical import from_text, to_text
from results.errors import AmbiguousName, NameRefused, UnknownVersion
from results.records import AuthorRecord, VersionRecord
from results.sql.database import Database
from results.sql.tables import TABLES, AuthorRow, BotRow, VersionRow

_NAME = re.compile(r"[^\s/@,\x00-\x1f\x7f]+")
"""What can be told apart in `author/bot@3`."""
_REFERENCE = re.compile(r"(?:(?P<author>[^/@]+)/)?(?P<bot>[^/@]+)(?:@(?P<number>\d+))?")
_PREFIX = re.compile(r"[0-9a-f]{6,64}")


class Versions(Database):
    """The part of a store that keeps what was submitted."""

    def add_version(
        self,
        author: str,
        bot: str,
        sha256: str,
        manifest: Mapping[str, Any],
        report: Mapping[str, Any],
        *,
        hash_scheme: int = 2,
        deterministic: bool | None = None,
        parent: VersionRecord | None = None,
    ) -> VersionRecord:
        """Keep a submission as the bot's next version; the same content again returns the version it is.

        A version that has no report yet takes this one, with `deterministic`: it was played before it was submitted.

        `sha256`: over the sorted files, 64 hexadecimal digits · `hash_scheme`: how it frames them · `parent`: what
        it was made from, the bot's version before where not given. Raises NameRefused for an author or bot whose
        name could not be told apart in `author/bot@3`.
        """
        for what, name in (("author", author), ("bot", bot)):
            if not _NAME.fullmatch(name):
                raise NameRefused(
                    f"{what} {name!r}: a name has at least one character, and no space, '/', '@' or ','",
                    "change the name in bot.toml",
                )
        if not re.fullmatch(r"[0-9a-f]{64}", sha256):
            raise NameRefused(f"{sha256!r} is not a SHA-256 in hexadecimal", "this is a fault of the program")
        with self.writing() as session:
            bot_id = self._bot_id(session, author, bot)
            same = session.exec(
                select(VersionRow).where(VersionRow.bot_id == bot_id, VersionRow.sha256 == sha256)
            ).first()
            if same is not None:
                found = same.id
                if report and not from_text(same.report):
                    same.report, same.deterministic = to_text(report), deterministic
            else:
                last = session.exec(
                    select(VersionRow)
                    .where(VersionRow.bot_id == bot_id)
                    .order_by(desc(col(VersionRow.number)))
                    .limit(1)
                ).first()
                row = VersionRow(
                    bot_id=bot_id,
                    number=last.number + 1 if last else 1,
                    sha256=sha256,
                    parent_id=parent.id if parent else last.id if last else None,
                    manifest=to_text(manifest),
                    report=to_text(report),
                    deterministic=deterministic,
                    added_at=self._now(),
                    hash_scheme=hash_scheme,
                )
                session.add(row)
                session.flush()
                found = row.id
            return versions_by_id(session, [found])[found]

    def versions(self, *, author: str | None = None, bot: str | None = None) -> list[VersionRecord]:
        """Return the versions in the store by author, bot and number, where wanted of one author or bot."""
        with self.reading() as session:
            query = _joined()
            if author is not None:
                query = query.where(AuthorRow.name == author)
            if bot is not None:
                query = query.where(BotRow.name == bot)
            return [_record(*row) for row in session.exec(query)]

    def version_of_content(
        self, author: str, bot: str, hashes: Iterable[tuple[int, str]]
    ) -> VersionRecord | None:
        """Return the bot's version whose scheme and content hash are among `hashes`, the newest; None without one."""
        wanted = set(hashes)
        same = [
            version
            for version in self.versions(author=author, bot=bot)
            if (version.hash_scheme, version.sha256) in wanted
        ]
        return same[-1] if same else None

    def authors(self) -> list[AuthorRecord]:
        """Return all authors by name."""
        with self.reading() as session:
            rows = session.exec(select(AuthorRow).order_by(col(AuthorRow.name)))
            return [AuthorRecord(row.name, row.added_at) for row in rows]

    def find_version(self, text: str) -> VersionRecord:
        """Return the version meant by `bot`, `author/bot`, either with `@number`, or a prefix of its SHA-256.

        Without a number it is the bot's newest. A prefix has 6 digits or more and counts only where no bot
        has that name. Raises UnknownVersion with the list of bots, AmbiguousName with what it could mean.
        """
        with self.reading() as session:
            everything = [_Known(*row) for row in session.connection().execute(_INDEX)]
            found = _meant(text, everything)
            return versions_by_id(session, [found])[found]

    def _bot_id(self, session: Session, author: str, bot: str) -> int:
        writer = session.exec(select(AuthorRow).where(AuthorRow.name == author)).first()
        if writer is None:
            writer = AuthorRow(name=author, added_at=self._now())
            session.add(writer)
            session.flush()
        program = session.exec(
            select(BotRow).where(BotRow.author_id == writer.id, BotRow.name == bot)
        ).first()
        if program is None:
            program = BotRow(author_id=_known(writer.id), name=bot)
            session.add(program)
            session.flush()
        return _known(program.id)


def versions_by_id(session: Session, ids: Sequence[int | None]) -> dict[int | None, VersionRecord]:
    """Return the versions of these numbers, by number."""
    query = _joined().where(col(VersionRow.id).in_(sorted({i for i in ids if i is not None})))
    return {row[0].id: _record(*row) for row in session.exec(query)}


def _joined() -> Any:
    return (
        select(VersionRow, BotRow.name, AuthorRow.name)
        .join(BotRow, col(BotRow.id) == VersionRow.bot_id)
        .join(AuthorRow, col(AuthorRow.id) == BotRow.author_id)
        .order_by(AuthorRow.name, BotRow.name, col(VersionRow.number))
    )


def _record(row: VersionRow, bot: str, author: str) -> VersionRecord:
    return VersionRecord(
        id=_known(row.id),
        author=author,
        bot=bot,
        number=row.number,
        sha256=row.sha256,
        parent=row.parent_id,
        manifest=from_text(row.manifest),
        report=from_text(row.report),
        deterministic=row.deterministic,
        added_at=row.added_at,
        hash_scheme=row.hash_scheme,
    )


_INDEX = (
    sqlalchemy.select(
        TABLES["version"].c.id,
        TABLES["author"].c.name,
        TABLES["bot"].c.name,
        TABLES["version"].c.number,
        TABLES["version"].c.sha256,
    )
    .select_from(TABLES["version"].join(TABLES["bot"]).join(TABLES["author"]))
    .order_by(TABLES["author"].c.name, TABLES["bot"].c.name, TABLES["version"].c.number)
)


class _Known(NamedTuple):
    """As much of a version as it takes to find it."""

    id: int
    author: str
    bot: str
    number: int
    sha256: str

    @property
    def name(self) -> str:
        return f"{self.author}/{self.bot}"


def _meant(text: str, everything: Sequence[_Known]) -> int:
    """Return the number of the version that the text means; `everything` by author, bot and number."""
    match = _REFERENCE.fullmatch(text)
    found = [
        version
        for version in everything
        if match and version.bot == match["bot"] and match["author"] in (None, version.author)
    ]
    names = sorted({version.name for version in found})
    if not found and _PREFIX.fullmatch(text):
        found = [version for version in everything if version.sha256.startswith(text)]
        names = [f"{version.name}@{version.number}" for version in found]
    elif match and match["number"] and len(names) == 1:
        wanted = [version for version in found if version.number == int(match["number"])]
        if not wanted:
            raise UnknownVersion("version", text, [f"{version.name}@{version.number}" for version in found])
        found = wanted
    if len(names) > 1:
        raise AmbiguousName(f"{text!r} could be several versions", "say which: " + ", ".join(names))
    if not found:
        raise UnknownVersion("bot", text, sorted({version.name for version in everything}))
    return found[-1].id


def _known(number: int | None) -> int:
    if number is None:
        raise AssertionError("a row without its number")
    return number
