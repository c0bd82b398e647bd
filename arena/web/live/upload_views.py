"""Uploads as pages and the API show them: to their owners and to organisers alone."""

from collections.abc import Sequence

import msgspec

from arena.checking.steps import Step
from arena.client.answers import Refusal, Upload
from arena.web.live.site import Site, Visitor
from arena.web.site_file import uploads
from arena.web.site_file.file import Transaction
from arena.web.site_file.uploads import UploadRow
from results.base.errors import LedgerError
from results.records import VersionRecord
from results.reports.columns import row_from
from results.reports.versions import VersionPlace, version_places


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


def _upload(
    row: UploadRow, place: int | None, version: str | None, places: tuple[VersionPlace, ...]
) -> Upload:
    return row_from(
        row,
        Upload,
        place=place,
        steps=tuple(msgspec.convert(step, Step) for step in row.steps),
        refusal=None if row.refusal is None else msgspec.convert(row.refusal, Refusal),
        version=version,
        places=places,
    )


def _entered(site: Site, rows: Sequence[UploadRow]) -> dict[str, tuple[str, tuple[VersionPlace, ...]]]:
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
    return {upload: (version.reference, places[version.id]) for upload, version in found.items()}
