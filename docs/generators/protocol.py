"""The tables of the protocol's page in Markdown, generated from the types."""

import ast
import inspect
import textwrap
from typing import Any

import msgspec

from generators.markdown import table
from protocol import messages
from protocol.messages import (
    CHANGES,
    SUPPORTED,
    Ask,
    Clock,
    End,
    Hello,
    HelloReply,
    Limits,
    Move,
    Quit,
    Ready,
    Start,
    Time,
)
from protocol.verdicts import Verdict
from protocol.write_schema import definitions

_ARENA = (Hello, Start, Ask, End, Quit)
_BOT = (HelloReply, Ready, Move)
_PARTS = (Clock, Limits, Time)
_EITHER = {"legal": "unless `example` is", "example": "unless `legal` is"}


def render() -> str:
    """Return the tables: messages in both directions, parts of messages, verdicts, default limits, versions."""
    schemas = definitions()
    lines: list[str] = []
    for title, types in (("Arena → bot", _ARENA), ("Bot → arena", _BOT)):
        lines += [f"### {title}", ""]
        for kind in types:
            lines += _section(f"#### `{_tag(kind)}`", schemas[kind.__name__], schemas)
    lines += ["### Parts of messages", ""]
    for part in _PARTS:
        lines += _section(f"#### `{part.__name__.lower()}`", schemas[part.__name__], schemas)
    lines += ["### Verdicts", "", *_verdicts()]
    lines += ["### Defaults", "", *_defaults()]
    lines += ["### Versions", "", *_versions()]
    return "\n".join(lines).rstrip("\n") + "\n"


def _tag(kind: type[msgspec.Struct]) -> str:
    return str(kind.__struct_config__.tag)


def _section(heading: str, schema: dict[str, Any], schemas: dict[str, Any]) -> list[str]:
    required = schema.get("required", [])
    rows = [
        (
            f"`{name}`",
            _kind(field),
            _EITHER.get(name, "always" if name in required else "optional"),
            field.get("description") or _first_sentence(field, schemas),
        )
        for name, field in schema["properties"].items()
        if name != "type"
    ]
    body = table(("Field", "Type", "Present", "Meaning"), rows) if rows else ["No fields but `type`.", ""]
    return [heading, "", schema["description"], "", *body]


def _kind(field: dict[str, Any]) -> str:
    """Describe the type of a field in words."""
    if "$ref" in field:
        name = field["$ref"].rpartition("/")[2].lower()
        return f"object [`{name}`](#{name})"
    if "anyOf" in field:
        return " or ".join(map(_kind, field["anyOf"]))
    kind = field.get("type")
    if kind == "array":
        inner = _kind(field["items"]) if field.get("items") else "JSON value"
        return f"array of {inner.replace(' or ', 's or ')}{'' if inner.endswith('null') else 's'}"
    return {None: "any JSON", "integer": "integer"}.get(kind, str(kind))


def _first_sentence(field: dict[str, Any], schemas: dict[str, Any]) -> str:
    name = field["$ref"].rpartition("/")[2]
    text = str(schemas[name]["description"])
    return text[0].lower() + text[1:].rstrip(".")


def _verdicts() -> list[str]:
    rows = [(f"`{verdict}`", _whose(verdict), _docstring(verdict)) for verdict in Verdict]
    return table(("Verdict", "Fault of", "Meaning"), rows)


def _whose(verdict: Verdict) -> str:
    if verdict is Verdict.RESIGNED:
        return "a person"
    return "the platform" if verdict.is_platform else "the bot"


def _docstring(verdict: Verdict) -> str:
    """Return the docstring below a verdict in its source, without the prefix for platform verdicts."""
    (body,) = ast.parse(textwrap.dedent(inspect.getsource(Verdict))).body
    assert isinstance(body, ast.ClassDef)  # noqa: S101  it is the source of a class
    for statement, following in zip(body.body, body.body[1:], strict=False):
        if ast.unparse(statement).startswith(f"{verdict.name} =") and isinstance(following, ast.Expr):
            text = " ".join(str(ast.literal_eval(following.value)).split()).removeprefix("Platform: ")
            return text[0].lower() + text[1:].rstrip(".")
    raise AssertionError(f"{verdict.name} has no text below it")


def _defaults() -> list[str]:
    clock, limit = messages.DEFAULT_CLOCK, messages.DEFAULT_LIMITS
    rows = [("start-up, until `hello`", _number(messages.STARTUP_MS, "ms"))]
    for part in (clock, limit):
        rows += [
            (f"`{name}`", _number(getattr(part, name), name.rpartition("_")[2]))
            for name in part.__struct_fields__
        ]
    return table(("Limit", "Default"), rows)


def _number(value: int, unit: str) -> str:
    words = {"ms": " ms", "bytes": " bytes", "chars": " characters"}
    return f"{value:,}{words.get(unit, ' levels')}"


def _versions() -> list[str]:
    rows = [(str(version), CHANGES[version]) for version in SUPPORTED]
    return table(("Version", "What it changed"), rows)
