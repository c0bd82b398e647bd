"""Any messages, and what is almost one."""

import json

from hypothesis import strategies as st

from protocol.messages import (
    DEFAULT_CLOCK,
    DEFAULT_LIMITS,
    LARGEST_INTEGER,
    NOTE_CHARS,
    Ask,
    End,
    Hello,
    HelloReply,
    Move,
    Quit,
    Ready,
    Start,
    Time,
)

wire_integers = st.integers(-LARGEST_INTEGER, LARGEST_INTEGER)


wire_text = st.text(st.characters(exclude_categories=["Cs"]))


wire_values = st.recursive(
    st.none() | st.booleans() | wire_integers | st.floats(allow_nan=False, allow_infinity=False) | wire_text,
    lambda children: st.lists(children, max_size=4) | st.dictionaries(wire_text, children, max_size=4),
    max_leaves=12,
)


wire_objects = st.dictionaries(wire_text, wire_values, max_size=4)


bot_messages = st.one_of(
    st.builds(HelloReply, wire_integers),
    st.just(Ready()),
    st.builds(Move, wire_integers, wire_values, st.none() | wire_text.map(lambda text: text[:NOTE_CHARS])),
)


natural = st.integers(0, LARGEST_INTEGER)


times = st.builds(Time, natural, natural)


ask_heads = (natural, wire_text, wire_objects, st.lists(wire_objects, max_size=3), times)


arena_messages = st.one_of(
    st.builds(Hello, st.lists(wire_integers)),
    st.builds(
        Start,
        game=wire_text,
        ruleset=wire_text,
        options=wire_objects,
        seat=natural,
        seats=st.integers(1, 12),
        bot_seed=natural,
        clock=st.just(DEFAULT_CLOCK),
        limits=st.just(DEFAULT_LIMITS),
        private=wire_objects,
    ),
    st.builds(Ask, *ask_heads, legal=st.lists(wire_values, max_size=3)),
    st.builds(Ask, *ask_heads, example=wire_values),
    st.builds(End, st.lists(natural), st.lists(wire_integers), st.lists(st.none() | wire_text), st.just([])),
    st.just(Quit()),
)


json_like = st.recursive(
    st.sampled_from(
        [
            "null",
            "true",
            "0",
            "-1",
            "17",
            "1.5",
            "1e999",
            "NaN",
            "9007199254740993",
            '"a"',
            '"a:b"',
            '"\\ud800"',
            "'",
        ]
    )
    | wire_text.map(json.dumps),
    lambda children: st.one_of(
        st.lists(children, max_size=4).map(lambda items: "[" + ",".join(items) + "]"),
        st.lists(
            st.tuples(st.sampled_from(["a", "b", "type", "id", "a:b", "\\u0061"]), children), max_size=4
        ).map(lambda pairs: "{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}"),
    ),
    max_leaves=10,
)
almost_messages = st.lists(
    st.tuples(
        st.sampled_from(["type", "id", "move", "note", "protocol", "other", "ty\\u0070e"]),
        st.sampled_from(['"move"', '"ready"', '"hello"', "1", "true", "null"]) | json_like,
    ),
    max_size=6,
).map(lambda pairs: ("{" + ",".join(f'"{key}":{value}' for key, value in pairs) + "}").encode())
