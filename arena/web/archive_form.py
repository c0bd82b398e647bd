"""Reads the form with an archive: a few small fields and one file, counted while they come."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from fastapi import HTTPException, Request
from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser

from arena.web.desk.limits import UploadLimits
from arena.web.desk.receiving import MOST_LEAGUES, NotReceived, too_large
from arena.web.form_encoding import check_charset

MOST_FIELDS = MOST_LEAGUES + 5
MOST_FIELD_BYTES = 8_192
_AROUND_BYTES = 65_536
"""What a form adds to its archive, at most."""
_PIECE_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class ArchiveForm:
    """The form as it was sent."""

    csrf: str
    leagues: tuple[str, ...]
    file: UploadFile | None
    """None if no file was chosen."""

    @property
    def name(self) -> str:
        """The name of the file."""
        return (self.file.filename if self.file else None) or ""

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the archive piece by piece."""
        while self.file is not None and (piece := await self.file.read(_PIECE_BYTES)):
            yield piece

    async def close(self) -> None:
        """Remove what was kept of the file."""
        if self.file is not None:
            await self.file.close()


async def read_archive_form(request: Request, limits: UploadLimits) -> ArchiveForm:
    """Return the form. Raises NotReceived if it is too large or too slow, HTTPException if it isn't one."""
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        raise HTTPException(415, "Send this form from its page.")
    check_charset(request)
    most = limits.body_bytes + _AROUND_BYTES
    parser = MultiPartParser(
        request.headers,
        _counted(request, most, limits),
        max_files=1,
        max_fields=MOST_FIELDS,
        max_part_size=MOST_FIELD_BYTES,
    )
    try:
        async with asyncio.timeout(limits.receive_s):
            data = await parser.parse()
    except MultiPartException as error:
        raise HTTPException(400, f"This form can't be read: {error.message}.") from None
    except (UnicodeError, ValueError, KeyError):
        raise HTTPException(400, "This form can't be read.") from None
    except TimeoutError:
        raise NotReceived(408, "the archive took too long to arrive", "try a better connection") from None
    file = data.get("archive")
    texts = [(name, value) for name, value in data.multi_items() if isinstance(value, str)]
    return ArchiveForm(
        csrf=next((value for name, value in texts if name == "csrf"), ""),
        leagues=tuple(dict.fromkeys(value for name, value in texts if name == "league")),
        file=file if isinstance(file, UploadFile) and file.filename else None,
    )


async def _counted(request: Request, most: int, limits: UploadLimits) -> AsyncGenerator[bytes, None]:
    """Yield the body. Raises NotReceived as soon as it is larger than allowed."""
    size = 0
    async for piece in request.stream():
        size += len(piece)
        if size > most:
            raise too_large(limits)
        yield piece
