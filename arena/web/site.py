"""What a running server holds: the stores, pages kept, and who asks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import Request

from arena.web.kept_pages import KeptPages
from arena.web.stores import Stores


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who sent a request."""

    account: str = ""
    """The name of the account; empty for somebody who isn't signed in."""
    csrf: str = ""
    """What forms of this session send back."""

    @property
    def key(self) -> str:
        """What pages made for this visitor are kept under; empty for everybody who isn't signed in."""
        return f"{self.account}\t{self.csrf}" if self.account else ""

    def values(self) -> Mapping[str, Any]:
        """Return what templates get."""
        return {"account": self.account or None, "csrf": self.csrf}


@dataclass(slots=True)
class Site:
    """The state of one server."""

    stores: Stores
    kept_pages: KeptPages = field(default_factory=KeptPages)

    @classmethod
    def of(cls, store: Path) -> "Site":
        """Return the site of a store."""
        return cls(Stores(store))

    def signed_in(self, request: Request) -> Visitor:  # noqa: ARG002 - accounts come later
        """Return who sent a request."""
        return Visitor()

    def close(self) -> None:
        """Close everything."""
        self.stores.close()


def site_of(request: Request) -> Site:
    """Return the site that a request was sent to."""
    site: Site = request.app.state.site
    return site
