"""The application of the API, to be mounted at `/api`."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

import msgspec
from fastapi import APIRouter, Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from arena.client.answers import VERSION
from arena.core.errors import ArenaError
from arena.web.api import public
from arena.web.api.access import Rates, known_parameters, slowly
from arena.web.api.responses import Schemas, invalid, problem, problem_of
from arena.web.api.signed_in import add_changes, add_own, add_uploads
from arena.web.html.page import NoPage
from arena.web.http.addresses import prefix_of
from arena.web.http.page_threads import Crowded
from arena.web.live.routing import InThreads
from arena.web.live.site import Site

PER_MINUTE = 240.0
BURST = 120
"""Requests of one address without a token, in a minute and at once."""
PER_MINUTE_SIGNED_IN = 1_200.0
BURST_SIGNED_IN = 300
_ABOUT = """Everything that the pages show, and what the commands of `arena` do with `--at` and `--to`.

Send a token as `Authorization: Bearer TOKEN`; public answers need none. Answers have an `ETag`. Failures have a
status code and a JSON object with `message` and `hint`. Within a version, fields may be added.
"""


def create_api(site: Site) -> FastAPI:
    """Return the API of a site."""
    api = _without_routes()
    api.state.site = site
    api.state.rates = Rates(PER_MINUTE, BURST)
    api.state.rates_of_accounts = Rates(PER_MINUTE_SIGNED_IN, BURST_SIGNED_IN)
    api.router.routes.extend(_described().api.routes)
    for kind in (HTTPException, ArenaError, NoPage, Crowded, ClientDisconnect, Exception):
        api.add_exception_handler(kind, _failed)
    api.add_exception_handler(RequestValidationError, _not_valid)
    return api


@cache
def document() -> Mapping[str, Any]:
    """Return the API as an OpenAPI document."""
    api, schemas = _described()
    made = api.openapi()
    components = made.setdefault("components", {})
    components["schemas"] = dict(sorted(schemas.components.items()))
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]
    return made


class _Described(NamedTuple):
    """An API that has no site yet, and the schemas that its routes name."""

    api: FastAPI
    schemas: Schemas


@cache
def _described() -> _Described:
    """Return the routes of every site's API. They don't know it, and making them takes longer than all else of it."""
    api, schemas = _without_routes(), Schemas()
    router = APIRouter(prefix=f"/{VERSION}", dependencies=[Depends(slowly), Depends(known_parameters)])
    router.route_class = InThreads
    for add in (public.add_to, add_own, add_uploads, add_changes):
        add(router, schemas)
    api.include_router(router)

    @api.get("/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        return Response(_written(prefix_of(request.scope)), media_type="application/json")

    return _Described(api, schemas)


@cache
def _written(prefix: str) -> bytes:
    return msgspec.json.encode({**document(), "servers": [{"url": f"{prefix}/api"}]})


def _without_routes() -> FastAPI:
    return FastAPI(
        title="Arena",
        version=VERSION,
        description=_ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        redirect_slashes=False,  # such a redirect repeats the Host header
    )


def _failed(request: Request, error: Exception) -> Response:
    return problem_of(error, prefix_of(request.scope))


def _not_valid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type alone
    return problem(
        422, invalid(error), f"see {prefix_of(request.scope)}/api for what is allowed", requests=True
    )
