"""The page that describes the JSON API, from its own document."""

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from msgspec import Struct

from arena.client.answers import VERSION
from arena.web.html.page import Page
from arena.web.live_pages import answer


class Parameter(Struct, frozen=True):
    """A parameter of a route."""

    name: str
    place: str
    required: bool
    about: str
    bounds: str


class Route(Struct, frozen=True):
    """A route."""

    method: str
    path: str
    about: str
    parameters: tuple[Parameter, ...]
    gives: str
    """The name of what is answered."""


class Field(Struct, frozen=True):
    """A field of an answer."""

    name: str
    kind: str
    required: bool


def add_to(app: FastAPI, document: Any) -> None:
    """Add the routes. `document` returns the API as an OpenAPI document."""

    @app.api_route("/api", methods=["GET", "HEAD"], include_in_schema=False)
    def page(request: Request) -> Response:
        return answer(request, _page(document()))


def _page(document: Mapping[str, Any]) -> Page:
    routes: dict[str, list[Route]] = {}
    for path, methods in document["paths"].items():
        for method, found in methods.items():
            routes.setdefault(found["tags"][0], []).append(_route(path, method, found))
    schemas = document["components"]["schemas"]
    return Page(
        ("api",),
        "The JSON API",
        "api.html",
        {
            "groups": list(routes.items()),
            "types": [
                (name, str(schema.get("description", "")), _fields(schema))
                for name, schema in schemas.items()
                if schema.get("properties")
            ],
            "version": VERSION,
        },
    )


def _route(path: str, method: str, found: Mapping[str, Any]) -> Route:
    parameters = tuple(
        Parameter(
            one["name"],
            one["in"],
            bool(one.get("required")),
            str(one.get("description", "")),
            _bounds(one.get("schema", {})),
        )
        for one in found.get("parameters", ())
    )
    success = next(answer for status, answer in found["responses"].items() if status.startswith("2"))
    schema = success["content"]["application/json"]["schema"]
    return Route(method.upper(), path, found.get("description", ""), parameters, _kind(schema))


def _fields(schema: Mapping[str, Any]) -> list[Field]:
    required = set(schema.get("required", ()))
    return [Field(name, _kind(one), name in required) for name, one in schema["properties"].items()]


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the type that a schema describes, in words."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(_kind(one) for one in schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(str(one) for one in schema["enum"])
    kind = schema.get("type", "any value")
    if kind == "array":
        items = schema.get("items")
        return f"list of {_kind(items)}" if isinstance(items, Mapping) else "list"
    return str(kind)


def _bounds(schema: Mapping[str, Any]) -> str:
    """Return what a parameter may be."""
    for one in schema.get("anyOf", ()):
        if one.get("type") != "null":
            schema = {**schema, **one}
    words = [str(schema.get("type", ""))]
    words += [
        f"{text} {schema[key]}"
        for key, text in (
            ("minimum", "from"),
            ("maximum", "to"),
            ("maxLength", "at most"),
            ("pattern", "pattern"),
        )
        if key in schema
    ]
    if schema.get("default") is not None:
        words.append(f"default {schema['default']}")
    return ", ".join(filter(None, words))
