"""The cookie of a session, and the text that forms of the session send back.

Source: OWASP Cheat Sheets "Session Management" and "Cross-Site Request Forgery Prevention"; RFC 6265bis on `__Host-`.
"""

import secrets
from hashlib import sha256
from hmac import compare_digest

from fastapi import Request
from starlette.responses import Response

from arena.web.http.own_paths import prefix_of

SESSION = "session"
FORM = "form"
"""Of visitors who aren't signed in: it binds the sign-in form to the browser that asked for it."""
GUEST = "guest"
"""Of visitors who play without an account: it is what makes a table theirs."""
_LASTS_S = {GUEST: 7 * 86_400, SESSION: 30 * 86_400, FORM: 3_600}


def cookie_name(request: Request, what: str) -> str:
    """Return the name of a cookie.

    Browsers send cookies of a host to all of its ports, and those of a path to all paths below, so both are part of the
    name: two servers on one machine don't sign each other's visitors out. On https `__Host-` makes browsers refuse such
    a cookie from other hosts of the domain; it isn't for cookies of a path, and `__Secure-` only wants https.
    """
    port, prefix = request.url.port, prefix_of(request.scope)
    name = f"arena-{what}{f'-{port}' if port else ''}{prefix.replace('/', '!')}"
    if request.url.scheme != "https":
        return name
    return f"__Secure-{name}" if prefix else f"__Host-{name}"


def read_cookie(request: Request, what: str) -> str:
    """Return the value of a cookie; empty if there is none, or if there are several that differ.

    Another server on this host could have set one of those.
    """
    name = cookie_name(request, what)
    found = set()
    for header in request.headers.getlist("cookie"):
        for part in header.split(";"):
            key, _, value = part.strip().partition("=")
            if key == name:
                found.add(value)
    return found.pop() if len(found) == 1 else ""


def set_cookie(response: Response, request: Request, what: str, value: str) -> None:
    """Give the browser a cookie that scripts can't read, and that other sites' forms don't send."""
    response.set_cookie(
        cookie_name(request, what),
        value,
        max_age=_LASTS_S[what],
        path=prefix_of(request.scope) or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def remove_cookie(response: Response, request: Request, what: str) -> None:
    """Make the browser forget a cookie."""
    response.delete_cookie(
        cookie_name(request, what),
        path=prefix_of(request.scope) or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def new_form_cookie() -> str:
    """Return a value for the cookie of the sign-in form."""
    return secrets.token_urlsafe(32)


def csrf_of(secret: str) -> str:
    """Return what forms send back, for the value of a cookie; it doesn't tell that value. Empty for an empty one."""
    return sha256(f"form of {secret}".encode()).hexdigest()[:40] if secret else ""


def is_csrf(given: str, expected: str) -> bool:
    """Return whether a form sent back what its page had."""
    return bool(expected) and compare_digest(given.encode("utf-8", "replace"), expected.encode())
