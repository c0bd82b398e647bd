"""Signing in and out."""

from fastapi import FastAPI, Request, Response

from arena.web.forms import Form, check_csrf, member_form, read_form
from arena.web.html.page import Page
from arena.web.http.hosts import LOOPBACK_NAMES, is_loopback
from arena.web.http.own_paths import own_path
from arena.web.http.page_threads import in_site_file_thread
from arena.web.http.session_cookie import (
    FORM,
    SESSION,
    csrf_of,
    new_form_cookie,
    read_cookie,
    remove_cookie,
    set_cookie,
)
from arena.web.live_pages import answer, see_other
from arena.web.site import TooManyAttempts, address_of, site_of
from results.base.text import counted

AFTER = "/account"
"""Where to go after a sign-in, unless the link says otherwise."""
_REFUSED = "This token isn't valid, or no longer: check that you pasted all of it, or ask an organiser for a new one."
"""The same for wrong, expired and revoked tokens, so that nobody can find out which ones there were."""


def add_to(app: FastAPI) -> None:
    """Add the routes."""

    @app.api_route("/sign-in", methods=["GET", "HEAD"], include_in_schema=False)
    async def page(request: Request) -> Response:  # no other work delays it
        return _page(request, own_path(request.query_params.get("next", ""), AFTER))

    @app.post("/sign-in", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        form = await read_form(request)
        check_csrf(form, csrf_of(read_cookie(request, FORM)))
        return await in_site_file_thread(_signed_in, request, form)

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        who, _ = await member_form(request)
        await in_site_file_thread(site_of(request).sign_out, who, address_of(request))
        response = see_other("/")
        remove_cookie(response, request, SESSION)
        return response


def _signed_in(request: Request, form: Form) -> Response:
    """Begin a session, or return the form again."""
    after = own_path(form.line("next"), AFTER)
    try:
        session = site_of(request).sign_in(request, form.line("token"))
    except TooManyAttempts as error:
        wait = (
            f"{error} Try again in {counted(error.minutes, 'minute')}. What needs no account works meanwhile."
        )
        refused = _page(request, after, wait, 429)
        refused.headers.update(error.headers)
        return refused
    if session is None:
        return _page(request, after, _REFUSED, 403)
    response = see_other(after)
    set_cookie(response, request, SESSION, session)
    remove_cookie(response, request, FORM)
    return response


def _is_readable_on_the_way(request: Request) -> bool:
    """Return whether a token sent now would cross a network unencrypted, as far as that can be seen here."""
    if request.url.scheme == "https":
        return False
    is_here = request.client is not None and is_loopback(request.client.host)
    return not is_here or request.url.hostname not in LOOPBACK_NAMES


def _page(request: Request, after: str, problem: str = "", status: int = 200) -> Response:
    cookie = read_cookie(request, FORM) or new_form_cookie()
    values = {"after": after, "problem": problem, "is_readable": _is_readable_on_the_way(request)}
    page = Page(("sign-in",), "Sign in", "sign_in.html", values)
    response = answer(request, page, status, form_csrf=csrf_of(cookie))
    set_cookie(response, request, FORM, cookie)
    return response
