"""Uploading by the API: the body of the request is the archive."""

from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response

from arena.client.answers import VERSION, Upload
from arena.web.api.answering import NotAllowed, Schemas, member, private
from arena.web.http.addresses import prefix_of
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.site import address_of, site_of
from arena.web.live.uploads import own_upload, own_uploads

_UploadId = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{8,64}$")]
_BODY = {
    "required": True,
    "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
}


def add_to(router: APIRouter, schemas: Schemas) -> None:
    """Add the routes."""

    @router.post(
        "/uploads",
        tags=["uploads"],
        responses=schemas.gives(
            Upload, 400, 408, 409, 413, 507, status=201, what="The archive is there, and waits."
        ),
        status_code=201,
        openapi_extra={"requestBody": _BODY},
    )
    async def upload(
        request: Request,
        name: Annotated[str, Query(description="The name of the file.", max_length=255)] = "bot.zip",
        league: Annotated[
            list[str] | None, Query(description="A league to enter; may be repeated.", max_length=20)
        ] = None,
    ) -> Response:
        """Upload the archive of a bot. `GET /uploads/{upload}` tells what becomes of it."""
        who = member(request)
        if not site_of(request).takes_uploads:
            raise NotAllowed(503, "this server takes no uploads", "ask its organiser")
        if trouble := site_of(request).upload_trouble():
            raise NotAllowed(503, trouble, "tell its organiser, and try again later")
        site, length = site_of(request), request.headers.get("content-length", "")
        size = int(length[:20]) if length.isascii() and length.isdigit() else None
        number = await in_site_file_thread(site.reception.begin, who.account, name, league or (), size)
        await site.reception.receive(number, who.account, request.stream(), address_of(request))
        found = await in_site_file_thread(own_upload, site, who, number)
        if found is None:
            raise NotAllowed(404, "the upload has ended")
        return private(request, found, 201)

    @router.get("/uploads", tags=["uploads"], responses=schemas.gives(list[Upload]))
    def uploads(
        request: Request, limit: Annotated[int, Query(description="At most this many.", ge=1, le=100)] = 20
    ) -> Response:
        """Return your uploads, the newest first; organisers see those of everybody."""
        who = member(request)
        return private(request, own_uploads(site_of(request), who, limit))

    @router.get("/uploads/{upload}", tags=["uploads"], responses=schemas.gives(Upload, 404))
    def one_upload(request: Request, upload: _UploadId) -> Response:
        """Return one of your uploads, and what has become of it so far."""
        who = member(request)
        found = own_upload(site_of(request), who, upload)
        if found is None:
            own = f"{prefix_of(request.scope)}/api/{VERSION}/uploads"
            raise NotAllowed(404, "there is no such upload", f"GET {own} lists yours")
        return private(request, found)
