"""Paths that this site may redirect to: its own, whatever a link says."""

from urllib.parse import urlsplit

MOST_CHARS = 500


def own_path(text: str, otherwise: str = "/") -> str:
    """Return a path of this site with its query, as in `next=/account`; `otherwise` for anything else.

    Browsers read `//host`, `/\\host` and paths with control characters as addresses of other sites.
    """
    if not 0 < len(text) <= MOST_CHARS or not text.startswith("/") or text.startswith("//"):
        return otherwise
    if "\\" in text or not text.isascii() or not text.isprintable() or " " in text:
        return otherwise
    try:
        parts = urlsplit(text)
    except ValueError:
        return otherwise
    return otherwise if parts.scheme or parts.netloc else text
