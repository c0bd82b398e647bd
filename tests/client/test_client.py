"""Commands that ask a server: addresses, server_tokens, and servers that lie, dawdle or flood."""

import io
import json
import socket
import stat
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest

from arena.cli.commands import submit
from arena.cli.commands.submit import packed
from arena.client import remote_server, server_tokens
from arena.client.api_types import Upload, Who
from arena.client.remote_server import NoAnswer, SeatChoice, Server, ServerRefused
from arena.client.server_tokens import address_of
from arena.core.errors import UsageError
from tests.support.leagues import arena_here, simple, write_bot

TOKEN = "arena_0123456789abcdef"  # noqa: S105 - of no account


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(server_tokens.VARIABLE, raising=False)


@contextmanager
def serving(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """Yield the address of a server that reads the head of each request, then does `answer`."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    found, _ = listener.accept()
                except OSError:
                    return
                with found:
                    found.settimeout(5)
                    head = b""
                    try:
                        while b"\r\n\r\n" not in head and (part := found.recv(65_536)):
                            head += part
                        heads.append(head)
                        answer(found)
                    except OSError:
                        continue

        heads: list[bytes] = []
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
        over.set()
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def response(content: bytes, status: str = "200 OK", *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(content)}", *headers, "", ""]
    return "\r\n".join(lines).encode() + content


def saying(content: object, status: str = "200 OK", *headers: str) -> Callable[[socket.socket], None]:
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    return lambda found: found.sendall(response(body, status, *headers))


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("arena.example.org", "https://arena.example.org"),
        ("https://arena.example.org:443/", "https://arena.example.org"),
        ("https://arena.example.org:8443/arena/", "https://arena.example.org:8443/arena"),
        ("http://127.0.0.1:8642", "http://127.0.0.1:8642"),
        ("http://[::1]:8642/", "http://[::1]:8642"),
        ("http://localhost", "http://localhost"),
    ],
)
def test_addresses(text: str, address: str) -> None:
    assert str(address_of(text)) == address


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("http://arena.example.org", "is not encrypted"),
        ("http://127.0.0.1.example.org", "is not encrypted"),
        ("https://ann:secret@arena.example.org", "contains a name or a password"),
        ("ftp://arena.example.org", "is not the address"),
        ("https://arena.example.org/?a=b", "is not the address"),
        ("https://", "is not the address"),
        ("https://a b", "is not the address"),
        ("https://a:99999", "is not the address"),
        ("https://a\x1b[2J", "is not the address"),
    ],
)
def test_addresses_that_are_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as error:
        address_of(text)
    assert "secret" not in str(error.value) + error.value.hint
    if words == "is not encrypted":
        assert address_of(text, insecure=True)


def test_tokens_are_kept_for_their_owner_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = address_of("https://a.example"), address_of("https://a.example:444")
    path = server_tokens.keep(one, f"  {TOKEN}\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert (server_tokens.token_for(one), server_tokens.token_for(other)) == (TOKEN, None)
    monkeypatch.setenv(server_tokens.VARIABLE, TOKEN + "x")
    assert server_tokens.token_for(other) == TOKEN + "x"
    monkeypatch.setenv(server_tokens.VARIABLE, "two words")
    with pytest.raises(UsageError, match="ARENA_TOKEN: this is not a token"):
        server_tokens.token_for(one)
    monkeypatch.delenv(server_tokens.VARIABLE)
    assert (server_tokens.forget(one), server_tokens.forget(one), server_tokens.token_for(one)) == (
        True,
        False,
        None,
    )
    path.chmod(0o644)
    with pytest.raises(UsageError, match="other users of this machine can read"):
        server_tokens.token_for(one)
    path.unlink()
    path.symlink_to("/dev/zero")
    with pytest.raises(UsageError, match="can't be read"):
        server_tokens.token_for(one)


def test_redirects_are_not_followed() -> None:
    answer = saying(b"", "302 Found", "Location: http://evil.example/\x1b[2J")
    with serving(answer) as url, pytest.raises(ServerRefused, match=r"sends you on to 'http://evil\.example"):
        Server(address_of(url), TOKEN).whoami()


@pytest.mark.parametrize(
    ("content", "status", "words"),
    [
        (b"<html>", "200 OK", "is not what this version of Arena expects"),
        pytest.param(b"[" * 10_000, "200 OK", "is not what this version of Arena expects", id="deep"),
        pytest.param(
            b'\\"' * 100_000, "200 OK", "is not what this version of Arena expects", id="no string ends"
        ),
        ({"account": 7, "role": None}, "200 OK", "is not what this version of Arena expects"),
        (b"<html>", "404 Not Found", "not as a server of Arena with the API v1"),
        ({"message": "This site is below /ladder/."}, "404 Not Found", "This site is below /ladder/"),
        ({"error": "x"}, "500 Oh", "failed with status 500"),
        ({"message": "you are not welcome", "hint": "go"}, "403 Forbidden", "you are not welcome"),
        ({"message": "wrong token"}, "401 Unauthorized", "wrong token"),
    ],
)
def test_answers_that_are_none(content: object, status: str, words: str) -> None:
    with serving(saying(content, status)) as url, pytest.raises((NoAnswer, ServerRefused), match=words):
        Server(address_of(url), TOKEN).whoami()


def test_endless_and_dripping_answers_end() -> None:
    def flood(found: socket.socket) -> None:
        found.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            found.sendall(b" " * 65_536)

    def drip(found: socket.socket) -> None:
        found.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            found.sendall(b"x")
            threading.Event().wait(0.02)

    with (
        serving(flood) as url,
        patch.object(remote_server, "MOST_BYTES", 200_000),
        pytest.raises(NoAnswer, match="is larger than"),
    ):
        Server(address_of(url)).whoami()
    with serving(drip) as url, pytest.raises(NoAnswer, match="doesn't answer"):
        remote_server.request(address_of(url), "GET", "/", whole_s=0.3)
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    with pytest.raises(NoAnswer, match="can't be reached"):
        Server(address_of(url)).whoami()


def test_the_token_is_sent_and_never_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{TOKEN}\n"))
    with serving(saying({"account": "ann", "role": "author"})) as url:
        signed_in = arena_here("sign-in", url, cwd=tmp_path)
        assert (signed_in.returncode, signed_in.stdout) == (0, f"signed in to {url} as ann\n")
        assert TOKEN not in signed_in.stderr
        assert Server(address_of(url), TOKEN).whoami() == Who("ann", "author")
        forgotten = arena_here("sign-in", url, "--forget", cwd=tmp_path)
        assert forgotten.stdout == f"forgot the token for {url}\n"
    without = arena_here("log", "demo/0.0", "--at", "https://arena.example.org", cwd=tmp_path)
    assert without.returncode == 2
    assert "you are not signed in to https://arena.example.org" in without.stderr


def test_what_a_server_says_is_escaped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(server_tokens.VARIABLE, TOKEN)
    evil = "\x1b[2J\u202e<b>"
    seat = {"seat": 0, "bot": evil, "lines": [{"text": evil}], "kept_bytes": 1, "dropped_bytes": 0}
    with serving(saying({"game": evil, "seats": [seat], "unknown": evil})) as url:
        shown = arena_here("log", "demo/0.0", "--at", url, cwd=tmp_path)
        assert shown.returncode == 0
    with serving(saying({"message": evil, "hint": evil}, "409 Conflict")) as url:
        refused = arena_here("why", "demo/0.0", "--at", url, cwd=tmp_path)
        assert refused.returncode == 2
    for text in (shown.stdout, shown.stderr, refused.stderr):
        assert "<b>" in text
        assert "\x1b" not in text
        assert "\u202e" not in text


def test_the_upload_of_a_refused_bot_exits_like_submit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(server_tokens.VARIABLE, TOKEN)
    write_bot(tmp_path, "rye", simple(0))
    failure = {"cause": "it \x1b crashed", "came": ["\u202e"], "sent": "ask"}
    step = {"number": 1, "name": "start", "state": "ok", "text": "runs", "seconds": 0.1}
    found = {
        "id": "abcdefgh", "account": "ann", "archive": "rye.zip", "size_bytes": 1, "leagues": [], "state": "refused",
        "role": "author", "place": None, "created_at": "", "ended_at": "", "bot": "rye",
        "steps": [step], "said": "", "build_log": "", "refusal": {"step": "start", "failure": failure}, "words": "",
        "version": None, "places": [],
    }  # fmt: skip
    with serving(saying(found, "201 Created")) as url:
        refused = arena_here("submit", "rye", "--to", url, "--wait", cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (3, "1. start: runs … ok\n")
        assert "error: rye did not pass: start: it � crashed" in refused.stderr
        assert refused.stderr.endswith("for all steps of the check: arena check rye\n")
    with serving(saying({"message": "This site is below /x/.", "hint": "go"}, "404 Not Found")) as url:
        lost = arena_here("submit", "rye", "--to", url, cwd=tmp_path)
        assert lost.stderr == "error: This site is below /x/.\n  hint: go\n"
    wrong = {**found, "refusal": {"step": "reading", "failure": failure}}
    failure["cause"] = "rye.zip/bot.toml: the author is wrong"
    with serving(saying(wrong, "201 Created")) as url:
        refused = arena_here("submit", "rye", "--to", url, "--wait", cwd=tmp_path)
        assert refused.returncode == 3
        assert "rye/bot.toml: the author is wrong" in refused.stderr
        assert refused.stderr.endswith("the bot was not submitted\n")
    with serving(saying({**found, "id": "../../x"}, "201 Created")) as url:
        assert "is not what this version" in arena_here("submit", "rye", "--to", url, cwd=tmp_path).stderr


def test_a_folder_is_packed_as_submit_reads_it(tmp_path: Path) -> None:
    bot = write_bot(tmp_path, "rye", simple(0))
    (bot / ".git").mkdir()
    (bot / ".git" / "secret").write_text("x")
    with packed(bot) as (name, content, size):
        data = content.read()
    assert (name, size, b"secret" in data, b"rye/bot.toml" in data) == ("rye.zip", len(data), False, True)
    assert SeatChoice("a b", 2).query == "?bot=a+b&seat=2"


class Restarting(Server):
    """A server that doesn't answer for a while."""

    failures = 3

    def upload(self, number: str) -> Upload:
        if Restarting.failures:
            Restarting.failures -= 1
            raise NoAnswer("it can't be reached")
        return msgspec.convert(
            {
                "id": number, "account": "ann", "archive": "rye.zip", "size_bytes": 1, "leagues": [],
                "state": "accepted", "place": None, "created_at": "", "ended_at": "", "bot": "rye", "steps": [],
                "said": "", "build_log": "", "refusal": None, "words": "", "version": None, "places": [],
            },
            Upload,
        )  # fmt: skip


def test_waiting_outlasts_a_restart_of_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(submit, "LOOK_S", 0.0)
    server = Restarting(address_of("http://localhost:1"))
    assert submit._next(server, "abcdefgh").state == "accepted"
    monkeypatch.setattr(submit, "PATIENCE_S", 0.0)
    Restarting.failures = 1
    with pytest.raises(NoAnswer, match="can't be reached") as given_up:
        submit._next(server, "abcdefgh")
    assert given_up.value.hint.endswith("its page: http://localhost:1/uploads/abcdefgh")


def test_a_league_that_is_not_there_is_refused_before_anything_is_sent() -> None:
    row = {"entries": 0, "matches": 0, "games": 0, "faults": 0, "ruleset": "tens", "game": "bread-basket"}
    leagues = [{**row, "name": "spring", "state": "running"}, {**row, "name": "old", "state": "finished"}]
    with (
        serving(saying(leagues)) as url,
        pytest.raises(UsageError, match="has no league 'sprung'") as refused,
    ):
        submit._check_leagues(Server(address_of(url)), ("spring", "sprung"))
    assert refused.value.hint == "open leagues: spring"
