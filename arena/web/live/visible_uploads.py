"""Uploads as pages and the API show them: to their owners and to organisers alone."""

from collections.abc import Sequence

from arena.client.api_types import Upload
from arena.league.definition.stored import format_places
from arena.web.live.site import Site, Visitor
from arena.web.site_file import upload_queue
from arena.web.site_file.upload_queue import UploadRow
from results.base.errors import LedgerError
from results.records import VersionRecord
from results.reports.columns import row_from
from results.reports.versions import VersionPlace, version_places


def own_upload(site: Site, who: Visitor, number: str) -> Upload | None:
    """Return an upload; None if there is none with this id that the visitor may see. Raises SiteFileError."""
    with site.file.reading() as db:
        row = upload_queue.find(db, number)
    if row is None or not who.owns(row.account):
        return None
    return _described(site, [row])[0]


def own_uploads(site: Site, who: Visitor, most: int, skip: int = 0, text: str = "") -> list[Upload]:
    """Return the newest uploads that the visitor may see, see `upload_queue.newest`. Raises SiteFileError."""
    with site.file.reading() as db:
        rows = upload_queue.newest(db, most, None if who.organises else who.account, skip, text)
    return _described(site, rows)


def own_upload_count(site: Site, who: Visitor, text: str = "") -> int:
    """Return how many uploads the visitor may see. Raises SiteFileError."""
    with site.file.reading() as db:
        return upload_queue.count(db, None if who.organises else who.account, text)


def upload_of(site: Site, version: VersionRecord) -> Upload | None:
    """Return the upload that became a version; None if there is none. Raises SiteFileError."""
    if not site.file.exists:
        return None
    with site.file.reading() as db:
        row = upload_queue.of_version(db, version.author, version.sha256)
    return None if row is None else _described(site, [row])[0]


def _described(site: Site, rows: Sequence[UploadRow]) -> list[Upload]:
    entered = _entered(site, [row for row in rows if row.state == "accepted"])
    found = [(row, *entered.get(row.id, (None, ()))) for row in rows]
    return [row_from(row, Upload, version=version, places=places) for row, version, places in found]


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
            places = version_places(store, list(found.values()), format_places)
    except LedgerError:
        return {}
    return {upload: (version.reference, places[version.id]) for upload, version in found.items()}
