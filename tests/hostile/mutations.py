"""Answers of a bot, changed in every way: what property tests draw, and what a bot does with it.

The functions without a strategy in them are also put into a bot's program as they stand, so they use nothing but the
standard library.
"""

import json
from typing import Any

from hypothesis import strategies as st

MOST_BYTES = 60_000
"""Of one answer: less than a pipe holds, so that writing it never waits."""


def valid_answer(message: dict[str, Any]) -> bytes:
    """Return what a well-behaved bot says to a message of the arena, newline included; nothing where it is silent."""
    kind = message["type"]
    if kind == "hello":
        return b'{"type":"hello","protocol":1}\n'
    if kind == "start":
        return b'{"type":"ready"}\n'
    if kind == "ask":
        move = message["legal"][0] if "legal" in message else message["example"]
        return json.dumps({"type": "move", "id": message["id"], "move": move}).encode() + b"\n"
    return b""


def changed(answer: bytes, changes: list[list[Any]]) -> bytes:
    """Return an answer with all changes made; each is a word, a place (a part of the length) and a text (latin-1)."""
    for word, part, text in changes:
        new = text.encode("latin-1")
        at = int(part * len(answer))
        if word == "insert":
            answer = answer[:at] + new + answer[at:]
        elif word == "overwrite":
            answer = answer[:at] + new + answer[at + len(new) :]
        elif word == "cut":
            answer = answer[:at]
        elif word == "delete":
            answer = answer[:at] + answer[at + len(new) :]
        elif word == "repeat":
            answer = answer + answer[at:]
        elif word == "instead":
            answer = new
        elif word == "line":
            answer = new + b"\n" + answer
    return answer[:60_000]


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["type", "id", "move", "note", "number", "x"]), inner, max_size=4)
    ),
    max_leaves=12,
)
_messages = st.fixed_dictionaries(
    {"type": st.sampled_from(["move", "ready", "hello", "end", "ask", "quit", ""]) | _values},
    optional={
        "id": st.integers(-2, 12) | _values,
        "move": st.fixed_dictionaries(
            {"type": st.sampled_from(["bid", "say"]), "number": st.integers(-1, 20)}
        )
        | _values,
        "note": st.text(max_size=600) | _values,
        "protocol": st.integers(0, 2) | _values,
    },
)
_bytes = st.binary(max_size=200).map(lambda data: data.decode("latin-1"))
_texts = (
    _bytes
    | _values.map(json.dumps)
    | _messages.map(json.dumps)
    | st.sampled_from(
        [
            '{"type":"move"',
            "\r",
            "\n\n",
            "\ufeff".encode().decode("latin-1"),
            "[" * 20,
            "NaN",
            "1e999",
            "\\ud800",
            '"',
        ]
    )
    | st.integers(1, 3000).map(lambda count: "[" * count)
    | st.integers(60_000, 70_000).map(lambda count: "x" * count)
)
_change = st.tuples(
    st.sampled_from(["insert", "overwrite", "cut", "delete", "repeat", "instead", "line"]),
    st.floats(0, 1),
    _texts,
).map(list)
scripts = st.lists(st.lists(_change, max_size=2), min_size=1, max_size=10)
"""What is done to the first answers of a bot, those to `hello` and `start` too; later ones are as they should be."""
late_scripts = st.lists(st.lists(_change, max_size=2), min_size=1, max_size=6).map(
    lambda script: [[], [], *script]
)
"""The same for a bot that gets as far as the game."""
