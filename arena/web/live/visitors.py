"""Reads requests: who asks and whether they may, and forms, which must come from a page of this site."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from urllib.parse import quote
from uuid import UUID, uuid4

from fastapi import HTTPException, Request
from python_multipart.multipart import parse_options_header
from starlette.datastructures import UploadFile

from arena.web.http.allowed_hosts import own_path, sent_path
from arena.web.http.security import is_csrf
from arena.web.live.site import TooManyAttempts, Visitor, site_of


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
            "If yours isn't valid, or has expired, ask an organiser for a new one.",
            headers={"WWW-Authenticate": 'Bearer realm="arena"'},
        )
    return who


def asked_for(request: Request, *names: str) -> dict[str, tuple[str, ...]]:
    """Return what follows the path of a request, in which a page finds what it understands; only `names`, if given."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for name, value in request.query_params.multi_items():
        if not names or name in names:
            found[name].append(value)
    return {name: tuple(values) for name, values in found.items()}


def check_charset(request: Request) -> None:
    """Raise HTTPException 415 for a form in another encoding than UTF-8.

    The sender could name any codec of Python; the time of some, such as `punycode`, grows with the square of the text.
    """
    _, parameters = parse_options_header(request.headers.get("content-type"))
    if parameters.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise HTTPException(415, "Send this form in UTF-8.")


MOST_FIELDS = 60
MOST_FIELD_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, each once: the last one counts."""

    fields: Mapping[str, str]
    leagues: tuple[str, ...] = ()
    """All fields `league`, each once."""
    file: UploadFile | None = None
    """The archive of a bot; None if no file was chosen, or none may be sent."""

    def text(self, name: str) -> str:
        """Return a field, with line breaks as `\\n`; empty if there is none."""
        return self.fields.get(name, "").replace("\r\n", "\n").replace("\r", "\n")

    def line(self, name: str) -> str:
        """Return a field of one line, without spaces around it."""
        return self.text(name).strip()

    @property
    def id(self) -> str:
        """What identifies the form on the page it came from, so that sending it twice does its work once."""
        given = self.line("form_id")
        try:
            found = UUID(given)
        except ValueError:
            found = None
        if found is None or str(found) != given or found.version != 4:
            raise HTTPException(400, "This form is incomplete. Load its page again.")
        return given


def new_form_id() -> str:
    """Return what identifies a new form."""
    return str(uuid4())


async def read_form(request: Request, most_fields: int = MOST_FIELDS, *, most_files: int = 0) -> Form:
    """Return a form without looking where it comes from. Raises HTTPException for one that is too large or no form.

    A file is kept on disk until the form's is closed; `body_limits` says how large it may be.
    """
    check_charset(request)
    try:
        data = await request.form(
            max_files=most_files, max_fields=most_fields, max_part_size=MOST_FIELD_BYTES
        )
    except (UnicodeError, ValueError, KeyError):
        raise HTTPException(400, "This form can't be read.") from None
    texts = [(name, value) for name, value in data.multi_items() if isinstance(value, str)]
    leagues = tuple(dict.fromkeys(value for name, value in texts if name == "league"))
    file = data.get("archive")
    return Form(dict(texts), leagues, file if isinstance(file, UploadFile) and file.filename else None)


def check_csrf(form: Form, expected: str) -> None:
    """Raise HTTPException 403 unless a form comes from a page of the visitor's session."""
    if not is_csrf(form.text("csrf"), expected):
        raise HTTPException(
            403,
            "This form comes from another session, or from another site. Load its page again and resend it.",
        )


async def member_form(
    request: Request, most_fields: int = MOST_FIELDS, visitor: Callable[[Request], Visitor] = member_of
) -> tuple[Visitor, Form]:
    """Return a form of a visitor who is signed in. Raises SignInNeeded and HTTPException."""
    who = visitor(request)
    form = await read_form(request, most_fields)
    check_csrf(form, who.csrf)
    return who, form


async def organiser_form(request: Request, most_fields: int = MOST_FIELDS) -> tuple[Visitor, Form]:
    """Return a form of an organiser. Raises SignInNeeded and HTTPException."""
    return await member_form(request, most_fields, organiser_of)
