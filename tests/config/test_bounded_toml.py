"""TOML of strangers costs no more than its size, and what is refused is named with its line."""

import re
import tomllib
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.config.toml import TomlBounds, check_tokens, load, read_text
from arena.core.errors import BadFile

BOUNDS = TomlBounds("a file of this test", file_bytes=65_536, items=2_000)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\na" + ".a" * 20_000 + " = 1", "f.toml:2: a dotted key with more than 8 parts"),
        ("[a" + ".a" * 20_000 + "]", "f.toml:1: a dotted key with more than 8 parts"),
        ("a" + ' . "b"' * 20 + " = 1", "f.toml:1: a dotted key with more than 8 parts"),
        ("a = 1\nb = " + "[" * 30_000, "f.toml:2: arrays or tables nested more than 8 deep"),
        ("a = " + "{b=" * 20_000, "f.toml:1: arrays or tables nested more than 8 deep"),
        ("a = " + "9" * 5_000, "f.toml:1: a key or number of 5,000 characters; the limit is 128"),
        ("a = -9223372036854775809", "f.toml:1: a: an integer that needs more than 64 bits"),
        ("a = 0x" + "f" * 100, "f.toml:1: a: an integer that needs more than 64 bits"),
        ("[t]\nx = 1\na = [1, inf]", "f.toml:3: t.a.1: inf is not a finite number"),
        ("a = 1e999", "f.toml:1: a: inf is not"),
        ("a = nan", "f.toml:1: a: nan is not"),
        ("a = 1979-05-27", "f.toml:1: a: 1979-05-27 is a date"),
        ('a = "x\\u0000"', "f.toml:1: a: a NUL character"),
        ('"\\u0000" = 1', "a NUL character"),
        ("x" * 5_000 + " = 1", "f.toml:1: a key or number of 5,000 characters"),
        ('\n\na = "' + "x" * 5_000 + '"', "f.toml:3: a string of 5,002 characters; the limit is 4,096"),
        ('a = """' + "x\n" * 3_000 + '"""', "f.toml:1: a string of 6,006 characters"),
        ("a = '''" + "x\n" * 3_000, "f.toml:1: a string of 6,003 characters"),
        ("a = [" + "1," * 3_000 + "]", "f.toml:1: more than 2,000 keys and values"),
        ("[[a]]\n" * 3_000, "f.toml:1001: more than 2,000 keys and values"),
        ("a = 1\nb = [1", "f.toml:2: a list is not closed"),
        ("a = 1\nb = ?", "f.toml:2: b: text is not in quotes"),
        ("a = 1\na = 2", "f.toml:2: a is set twice: also in line 1"),
    ],
)
def test_what_is_beyond_a_bound_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(BadFile) as caught:
        load(text, "f.toml", BOUNDS)
    assert message in str(caught.value)


@pytest.mark.parametrize("line", ["\n", "\r\n", "#\n", " \n"])
def test_lines_are_counted_before_anything_reads_them(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A parser of 4 MB of line feeds is busy for seconds."""
    few = TomlBounds("a file of this test", file_bytes=1_000, items=10, lines=100)
    assert load(line * 100, "f.toml", few) == {}
    monkeypatch.setattr(tomllib, "loads", lambda _: pytest.fail("parsed"))
    with pytest.raises(BadFile, match=r"f\.toml: 101 lines; the limit for a file of this test is 100"):
        load(line * 101, "f.toml", few)
    with pytest.raises(BadFile, match="lines"):
        load(line * (2_000_000 // len(line)), "f.toml", BOUNDS)


def test_a_long_dotted_key_costs_no_memory() -> None:
    """Parsed, these 40 kB take 1.6 GB."""
    text = "a" + ".a" * 20_000 + " = 1"
    tracemalloc.start()
    try:
        with pytest.raises(BadFile):
            load(text, "f.toml", BOUNDS)
        assert tracemalloc.get_traced_memory()[1] < 2_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "text",
    [
        'a = "' + "[." * 100 + '"',
        "a = '" + "{." * 100 + "\\'",
        'a = """\n' + '[[ "" . ' * 100 + '"""',
        "a = '''" + "[[ '' . " * 100 + "'''",
        'a = """quotes at the end"""""\nb = "' + "[" * 100 + '"',
        'a = "\\"' + "[" * 100 + '"',
        "a = 1 # " + "[." * 100,
        "a = [1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5]",
        "a = [\n  1.5, # one\n  2.5,\n]",
        "[a.b.c.d]\ne.f.g.h = 1.5",
        "a = 9223372036854775807\r\nb = true\r\n",
    ],
)
def test_what_strings_and_comments_hold_does_not_count(text: str) -> None:
    assert load(text, "f.toml", BOUNDS) == tomllib.loads(text)


PIECES = st.sampled_from(
    [
        *("a", "b.c", " = ", "=", ".", "#", ",", "[", "]", "[[", "]]", "{", "}"),
        *('"', '"""', "'", "'''", "\\", "\\\\", '\\"', "\n", "\r\n", " "),
        *("1", "-1.5e3", "0x1f", "inf", "1979-05-27", "true", "é", "\0", '"x"', "'y'", "x = 1\n"),
    ]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_read_as_by_the_parser_or_refused_in_words(text: str) -> None:
    try:
        expected = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        with pytest.raises(BadFile, match=r"^f\.toml:\d+: "):
            load(text, "f.toml", BOUNDS)
        return
    try:
        found = load(text, "f.toml", BOUNDS)
    except BadFile as error:
        assert re.search("is a date|finite|NUL|more than 8", str(error))  # noqa: PT017 - either is right
    else:
        assert found == expected


NASTY = st.text(alphabet="\"'\\#\n[]{}.,=a", max_size=12)
QUOTED = st.one_of(
    st.builds(lambda quote, text: quote + text + quote, st.sampled_from(['"', "'", '"""', "'''"]), NASTY),
    NASTY.map(lambda text: "1 #" + text.replace("\n", "")),
)


@given(st.lists(QUOTED, max_size=3))
def test_strings_and_comments_end_where_the_parser_ends_them(values: list[str]) -> None:
    text = "".join(f"a{n} = {value}\n" for n, value in enumerate(values))
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    if set(found) != {f"a{n}" for n in range(len(values))} or any(
        isinstance(v, dict) for v in found.values()
    ):
        return  # the string ended early, and what follows is TOML of its own
    flat = TomlBounds("x", file_bytes=1000, items=1000, depth=0)
    check_tokens(text, "f.toml", flat)
    with pytest.raises(BadFile, match="nested more than"):
        check_tokens(text + "b = [1]\n", "f.toml", flat)


def test_a_file_is_not_read_beyond_its_bound(tmp_path: Path) -> None:
    with (tmp_path / "endless.toml").open("wb") as file:
        file.truncate(1 << 40)  # a hole, which takes no room
    with pytest.raises(BadFile, match=r"too large: the limit for a file of this test is 65,536 bytes"):
        read_text(tmp_path / "endless.toml", BOUNDS)
    with pytest.raises(BadFile, match="/dev/zero is not a regular file"):
        read_text(Path("/dev/zero"), BOUNDS)
    (tmp_path / "f.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert load(read_text(tmp_path / "f.toml", BOUNDS), "f.toml", BOUNDS) == {"a": 1}
    (tmp_path / "f.toml").write_bytes(b'a = 1\nb = "caf\xe9"')
    with pytest.raises(BadFile, match=r"f\.toml:2: not UTF-8 text"):
        read_text(tmp_path / "f.toml", BOUNDS)
