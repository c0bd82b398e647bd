"""Reads forms: small, without files, and with what their page gave them against forms of other sites."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID, uuid4

from fastapi import HTTPException, Request

from arena.web.access import member_of, organiser_of
from arena.web.form_encoding import check_charset
from arena.web.session_cookie import is_csrf
from arena.web.site import Visitor

MOST_FIELDS = 60
MOST_FIELD_BYTES = 262_144


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form, each once: the last one counts."""

    fields: Mapping[str, str]

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


async def read_form(request: Request, most_fields: int = MOST_FIELDS) -> Form:
    """Return a form without looking where it comes from. Raises HTTPException for one that is too large or no form."""
    check_charset(request)
    try:
        data = await request.form(max_files=0, max_fields=most_fields, max_part_size=MOST_FIELD_BYTES)
    except UnicodeDecodeError:
        raise HTTPException(400, "This form can't be read.") from None
    fields = {name: value for name, value in data.multi_items() if isinstance(value, str)}
    return Form(fields)


def check_csrf(form: Form, expected: str) -> None:
    """Raise HTTPException 403 unless a form comes from a page of the visitor's session."""
    if not is_csrf(form.text("csrf"), expected):
        raise HTTPException(
            403,
            "This form comes from another session, or from another site. Load its page again and resend it.",
        )


async def member_form(request: Request) -> tuple[Visitor, Form]:
    """Return a form of a visitor who is signed in. Raises SignInNeeded and HTTPException."""
    who = member_of(request)
    form = await read_form(request)
    check_csrf(form, who.csrf)
    return who, form


async def organiser_form(request: Request, most_fields: int = MOST_FIELDS) -> tuple[Visitor, Form]:
    """Return a form of an organiser. Raises SignInNeeded and HTTPException."""
    who = organiser_of(request)
    form = await read_form(request, most_fields)
    check_csrf(form, who.csrf)
    return who, form
