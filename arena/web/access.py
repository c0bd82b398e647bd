"""Who may ask: each function returns the visitor, or refuses the request."""

from urllib.parse import quote

from fastapi import HTTPException, Request

from arena.web.http.own_paths import own_path, sent_path
from arena.web.site import TooManyAttempts, Visitor, site_of


class SignInNeeded(Exception):
    """A page that needs an account; `path` is where to go on after the sign-in."""

    def __init__(self, path: str) -> None:
        super().__init__("sign in first")
        self.path = path

    @property
    def sign_in_path(self) -> str:
        """The path of the sign-in page, from which the visitor comes back."""
        return f"/sign-in?next={quote(self.path, safe='/')}"


def member_of(request: Request) -> Visitor:
    """Return the visitor of a page that needs an account, by the cookie. Raises SignInNeeded."""
    who = site_of(request).signed_in(request)
    if not who.account:
        here = sent_path(request.scope) if request.method in ("GET", "HEAD") else "/account"
        raise SignInNeeded(own_path(here, "/account"))
    return who


def organiser_of(request: Request) -> Visitor:
    """Return the visitor of an organiser's page, by the cookie. Raises SignInNeeded; HTTPException 403 for authors."""
    who = member_of(request)
    if not who.organises:
        raise HTTPException(
            403, "This page is for organisers. Ask one of them to invite you as an organiser."
        )
    return who


def bearer_of(request: Request) -> Visitor:
    """Return the visitor of the JSON API, by `Authorization: Bearer TOKEN`. Raises HTTPException 401 or 429."""
    try:
        who = site_of(request).with_token(request)
    except TooManyAttempts as error:
        raise HTTPException(
            429, f"{error} Requests without a token are answered.", headers=error.headers
        ) from None
    if who is None:
        raise HTTPException(
            401,
            "Send a token that is valid: `Authorization: Bearer arena_…`. "
            "If yours isn't valid, or no longer, ask an organiser for a new one.",
            headers={"WWW-Authenticate": 'Bearer realm="arena"'},
        )
    return who
