"""What organisers may ask for: every change to a league that the command line knows."""

from functools import partial
from typing import Any

import msgspec
from fastapi import APIRouter, Request, Response
from msgspec import Struct

from arena.client.answers import Command
from arena.core.errors import ArenaError
from arena.league.changes.change import Change
from arena.league.inbox.delivery import CHANGES
from arena.web.api.answering import NotAllowed, Schemas, organiser, private
from arena.web.api.own import Key, given, told
from arena.web.live.responses import in_threads
from arena.web.live.site import site_of
from arena.web.organising.league_drafts import refuse_not_starting
from arena.web.site_file import commands
from results.base.errors import LedgerError

_MOST_BODY_BYTES = 65_536


class Wish(Struct, frozen=True, forbid_unknown_fields=True):
    """A change to a league."""

    kind: str
    """Such as `pause`, `resume`, `bench`, `unbench`, `extend`, `add`, `retire`, `replace`, `rename`, `season`."""
    data: dict[str, Any]
    """The details, by kind: `league`, and what the command of this name takes."""


def add_to(router: APIRouter, schemas: Schemas) -> None:
    """Add the routes."""
    wish = schemas.gives(Wish)[200]["content"]

    @router.post(
        "/commands",
        tags=["organising"],
        responses=schemas.gives(Command, 403, 404, 409, 413, status=202, what="The change was asked for."),
        status_code=202,
        openapi_extra={"requestBody": {"required": True, "content": wish}},
    )
    async def command(request: Request, key: Key = None) -> Response:
        """Change a league, as the commands below `arena league` do."""
        who = organiser(request)
        body = b""
        async for piece in request.stream():
            body += piece
            if len(body) > _MOST_BODY_BYTES:
                raise NotAllowed(413, f"a command has at most {_MOST_BODY_BYTES:,} bytes")
        change = _change(body)
        try:
            await in_threads(request, partial(refuse_not_starting, site_of(request).stores.path, change))
        except LedgerError:
            raise  # the store can't be read
        except ArenaError as error:
            raise NotAllowed(409, str(error), error.advice) from None
        return await in_threads(request, partial(given, request, who, change, key))

    @router.get("/commands", tags=["organising"], responses=schemas.gives(list[Command], 403))
    def newest(request: Request) -> Response:
        """Return the latest changes that anybody has asked for."""
        organiser(request)
        with site_of(request).file.reading() as db:
            found = commands.newest(db, 100)
        return private(request, [told(request, one) for one in found])


def _change(body: bytes) -> Change:
    """Return the change in a request. Raises NotAllowed."""
    try:
        wish = msgspec.json.decode(body, type=Wish)
        kind = CHANGES.get(wish.kind)
        if kind is None:
            raise NotAllowed(
                422, f"there is no change {wish.kind[:100]!r}", f"available: {', '.join(CHANGES)}"
            )
        return msgspec.convert(wish.data, kind)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise NotAllowed(422, f"the body is not a change: {error}", "see /api for its form") from None
