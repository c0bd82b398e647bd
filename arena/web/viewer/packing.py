"""Packs the documents of a game into one script for an exported folder, where every view of the game loads it.

The document of each seat repeats most of the open one: the same events, values of views and sentences. Each of these
is written once, and steps refer to it by its number.
"""

import json
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any
from zlib import compress

from arena.web.viewer.document import Document, log_lines, script_data
from results.escaping import visible

_LEVEL = 6
"""Of deflate: higher levels take longer and save little."""


def packed(documents: Sequence[Document]) -> bytes:
    """Return a script that sets `ARENA_GAME`: compressed JSON in base64, which `packed-game.js` unpacks."""
    shared = _Shared()
    by_eyes = {_key(document): _with_numbers(document, shared) for document in documents}
    text = json.dumps(
        {"shared": shared.found, "documents": by_eyes}, ensure_ascii=False, separators=(",", ":")
    )
    content = compress(visible(text).encode("utf-8"), _LEVEL)
    return b'window.ARENA_GAME="' + b64encode(content) + b'";\n'


def _key(document: Document) -> str:
    return "all" if document.eyes is None else str(document.eyes)


class _Shared:
    """Values by number, each once."""

    def __init__(self) -> None:
        self.found: list[Any] = []
        self._numbers: dict[str, int] = {}

    def number(self, value: Any) -> int:
        """Return the number of a JSON value."""
        text = json.dumps(value, ensure_ascii=False)
        if text not in self._numbers:
            self._numbers[text] = len(self.found)
            self.found.append(value)
        return self._numbers[text]

    def numbers(self, values: Mapping[str, Any]) -> dict[str, int]:
        """Return numbers instead of values."""
        return {key: self.number(value) for key, value in values.items()}


def _with_numbers(document: Document, shared: _Shared) -> dict[str, Any]:
    """Return the data of a document, with the lines `l` of its log, as numbers of shared values."""
    data = script_data(document)
    for one, step in zip(data["steps"], document.steps, strict=True):
        one["e"] = [shared.number(event) for event in one["e"]]
        for part in (one, *one.get("s", {}).values()):
            if "v" in part:
                part["v"] = shared.numbers(part["v"])
        if document.eyes is not None:  # the page of the open view has its log as text
            one["l"] = [shared.number(line) for line in log_lines(document, step)]
    return data
