"""Uploads as pages and the API show them: to their owners and to organisers alone."""

from collections.abc import Sequence
from typing import cast

import msgspec

from arena.checking.steps import Step
from arena.client.answers import Place, Refusal, Upload, UploadState
from arena.web.live.site import Site, Visitor
from arena.web.site_file import uploads
from arena.web.site_file.file import Transaction
from arena.web.site_file.uploads import UploadRow
from results.base.errors import LedgerError
from results.records import VersionRecord
from results.reports.versions import version_places


def own_upload(site: Site, who: Visitor, number: str) -> Upload | None:
    """Return an upload; None if there is none with this id that the visitor may see. Raises SiteFileError."""
    with site.file.reading() as db:
        row = uploads.find(db, number)
        if row is None or not who.account or (row.account != who.account and not who.organises):
            return None
        place = _place(db, row)
    return _described(site, [(row, place)])[0]


def own_uploads(site: Site, who: Visitor, most: int) -> list[Upload]:
    """Return the newest uploads that the visitor may see, the newest first. Raises SiteFileError."""
    with site.file.reading() as db:
        rows = uploads.newest(db, most, None if who.organises else who.account)
        found = [(row, _place(db, row)) for row in rows]
    return _described(site, found)


def upload_of(site: Site, version: VersionRecord) -> Upload | None:
    """Return the upload that became a version; None if there is none. Raises SiteFileError."""
    if not site.file.exists:
        return None
    with site.file.reading() as db:
        row = uploads.of_version(db, version.author, version.sha256)
    return None if row is None else _described(site, [(row, None)])[0]


def _place(db: Transaction, row: UploadRow) -> int | None:
    return uploads.place(db, row.id) if row.state in ("receiving", "queued") else None


def _described(site: Site, rows: Sequence[tuple[UploadRow, int | None]]) -> list[Upload]:
    """Return uploads, given with their places in the queue."""
    entered = _entered(site, [row for row, _ in rows if row.state == "accepted"])
    return [_upload(row, place, *entered.get(row.id, (None, ()))) for row, place in rows]


def _upload(row: UploadRow, place: int | None, version: str | None, places: tuple[Place, ...]) -> Upload:
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


def _entered(site: Site, rows: Sequence[UploadRow]) -> dict[str, tuple[str, tuple[Place, ...]]]:
    """Return which versions accepted uploads became and where these play, by the id of the upload.

    Versions that have been deleted are missing, and all of them if the store can't be read.
    """
    if not rows:
        return {}
    try:
        with site.stores.borrowed() as store:
            found = {
                row.id: version
                for row in rows
                if (version := store.versions.of_content(row.account, row.bot, row.sha256))
            }
            places = version_places(store, list(found.values()))
    except LedgerError:
        return {}
    return {
        upload: (
            version.reference,
            tuple(
                Place(one.league, one.label, one.state, one.rank, one.of, one.games)
                for one in places[version.id]
            ),
        )
        for upload, version in found.items()
    }
