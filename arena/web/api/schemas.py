"""The documentation of answers: JSON schemas of the types that are answered."""

from collections.abc import Mapping
from typing import Any

import msgspec

from arena.client.answers import Problem

_TEMPLATE = "#/components/schemas/{name}"
_PROBLEMS = {
    400: "The archive is empty, or didn't come whole.",
    401: "The token is missing or not valid.",
    403: "Your account may not do this.",
    404: "There is nothing with this name.",
    408: "The archive didn't come in time.",
    409: "This isn't possible now.",
    413: "The archive is too large.",
    422: "A parameter is not valid.",
    429: "There were too many requests, or a limit is reached.",
    503: "The store or the file of accounts can't be used now.",
    507: "The server has no room left.",
}


class Schemas:
    """Collects the schemas that routes name."""

    def __init__(self) -> None:
        self.components: dict[str, Any] = {}
        """By name."""

    def gives(
        self, kind: Any, *problems: int, status: int = 200, what: str = "The answer."
    ) -> dict[int | str, dict[str, Any]]:
        """Return what a route answers: `kind` if it succeeds, and problems with these status codes."""
        content = {"application/json": {"schema": self._schema(kind)}}
        error = {"application/json": {"schema": self._schema(Problem)}}
        found: dict[int | str, dict[str, Any]] = {status: {"description": what, "content": content}}
        if status == 200:
            found[304] = {"description": "Nothing has changed since the `ETag` in `If-None-Match`."}
        for problem in sorted({*problems, 401, 422, 429, 503}):
            found[problem] = {"description": _PROBLEMS[problem], "content": error}
        return found

    def _schema(self, kind: Any) -> Mapping[str, Any]:
        (schema,), components = msgspec.json.schema_components([kind], ref_template=_TEMPLATE)
        self.components.update(components)
        return schema
