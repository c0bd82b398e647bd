"""Refuses forms in encodings that take long to read."""

from fastapi import HTTPException, Request
from python_multipart.multipart import parse_options_header


def check_charset(request: Request) -> None:
    """Raise HTTPException 415 for a form in another encoding than UTF-8.

    The sender could name any codec of Python; the time of some, such as `punycode`, grows with the square of the text.
    """
    _, parameters = parse_options_header(request.headers.get("content-type"))
    if parameters.get(b"charset", b"utf-8").lower() not in (b"utf-8", b"utf8"):
        raise HTTPException(415, "Send this form in UTF-8.")
