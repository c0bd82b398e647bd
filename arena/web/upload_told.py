"""Uploads as pages and the API tell them: to their owners and to organisers alone."""

from typing import cast

import msgspec

from arena.checking.steps import Step
from arena.client.answers import Place, Refusal, Upload, UploadState
from arena.web.site import Site, Visitor
from arena.web.site_file import uploads
from arena.web.site_file.file import Transaction
from arena.web.site_file.uploads import UploadRow
from results.errors import LedgerError
from results.records import VersionRecord
from results.reports.versions import version_page


def own_upload(site: Site, who: Visitor, number: str) -> Upload | None:
    """Return an upload; None if there is none with this id that the visitor may see. Raises SiteFileError."""
    with site.file.reading() as db:
        row = uploads.find(db, number)
        if row is None or not who.account or (row.account != who.account and not who.organises):
            return None
        place = _place(db, row)
    return _told(site, row, place)


def own_uploads(site: Site, who: Visitor, most: int) -> list[Upload]:
    """Return the newest uploads that the visitor may see, the newest first. Raises SiteFileError."""
    with site.file.reading() as db:
        rows = uploads.newest(db, most, None if who.organises else who.account)
        found = [(row, _place(db, row)) for row in rows]
    return [_told(site, row, place) for row, place in found]


def upload_of(site: Site, version: VersionRecord) -> Upload | None:
    """Return the upload that became a version; None if there is none. Raises SiteFileError."""
    if not site.file.exists:
        return None
    with site.file.reading() as db:
        row = uploads.of_version(db, version.author, version.sha256)
    return None if row is None else _told(site, row, None)


def _place(db: Transaction, row: UploadRow) -> int | None:
    return uploads.place(db, row.id) if row.state in ("receiving", "queued") else None


def _told(site: Site, row: UploadRow, place: int | None) -> Upload:
    version, places = _entered(site, row) if row.state == "accepted" else (None, ())
    return Upload(
        id=row.id,
        account=row.account,
        archive=row.archive,
        size_bytes=row.size_bytes,
        leagues=row.leagues,
        state=cast("UploadState", row.state),
        place=place,
        created_at=row.created_at,
        ended_at=row.ended_at,
        bot=row.bot,
        steps=tuple(msgspec.convert(step, Step) for step in row.steps),
        said=row.said,
        build_log=row.build_log,
        refusal=None if row.refusal is None else msgspec.convert(row.refusal, Refusal),
        words=row.words,
        version=version,
        places=places,
    )


def _entered(site: Site, row: UploadRow) -> tuple[str | None, tuple[Place, ...]]:
    """Return the name of an accepted version and where it plays, as far as the store can be read."""
    try:
        with site.stores.borrowed() as store:
            version = store.versions.of_content(row.account, row.bot, [(row.hash_scheme, row.sha256)])
            if version is None:  # it has been deleted
                return None, ()
            places = version_page(store, version).places
    except LedgerError:
        return None, ()
    return version.reference, tuple(
        Place(one.league, one.label, one.state, one.rank, one.of, one.games) for one in places
    )
