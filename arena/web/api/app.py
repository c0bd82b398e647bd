"""The application of the API, to be mounted at `/api`."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from fastapi import Depends, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from arena.client.api_types import VERSION
from arena.core.errors import ArenaError
from arena.web.api import public, signed_in
from arena.web.api.access import Rates, known_parameters, slowly
from arena.web.api.http_responses import COMPONENTS, invalid, problem, problem_of
from arena.web.html.page_model import NoPage
from arena.web.http.allowed_hosts import prefix_of
from arena.web.http.page_threads import Crowded
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
    api.router.routes.extend(_described().routes)
    for kind in (HTTPException, ArenaError, NoPage, Crowded, ClientDisconnect, Exception):
        api.add_exception_handler(kind, _failed)
    api.add_exception_handler(RequestValidationError, _not_valid)
    return api


@cache
def document() -> Mapping[str, Any]:
    """Return the API as an OpenAPI document."""
    made = _described().openapi()
    components = made.setdefault("components", {})
    components["schemas"] = dict(sorted(COMPONENTS.items()))
    components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
    made["security"] = [{}, {"token": []}]
    return made


@cache
def _described() -> FastAPI:
    """Return an API that has no site yet: making its routes takes longer than all else of it."""
    api = _without_routes()
    asked = [Depends(slowly), Depends(known_parameters)]
    for module in (public, signed_in):
        api.include_router(module.router, prefix=f"/{VERSION}", dependencies=asked)

    @api.get("/openapi.json", include_in_schema=False)
    async def openapi(request: Request) -> Response:
        return Response(_written(prefix_of(request.scope)), media_type="application/json")

    return api


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
