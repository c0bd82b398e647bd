"""The templates of every language, as their authors use them: tested, built and played in every ruleset."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from arena.core.ruleset import ruleset
from arena.registry import game
from arena.templates.drafts import BotDraft, drafted
from arena.templates.languages import TOOLCHAINS, Language
from arena.templates.new_folder import write_new_folder
from tests.league.running import arena
from tests.protocol.scripted_arena import HELLO, QUIT, START, ScriptedArena, ask

pytestmark = pytest.mark.slow

ANY_GAME = "*"
GAMES = ("bread-basket", "bread-and-chocolate", "sandwich", ANY_GAME)
VARIANTS = {
    "bread-basket": [["none"], ["extra"], ["tens", "hands=3"]],
    "bread-and-chocolate": [["pagat"], ["gamerules"], ["shram", "hands=2"], ["shram", "values=note"]],
    "sandwich": [["fr"], ["de"], ["es"], ["en", "tasting=free", "open=true"]],
}
"""Rulesets and options in which each game is played; together, every kind of decision."""


def bot(tmp_path: Path, language: Language, name: str) -> Path:
    """Return the folder of a new bot, built. Skips the test where the compiler or the interpreter is missing."""
    toolchain = TOOLCHAINS[language]
    if shutil.which(toolchain.needs) is None or (
        toolchain.build_command == "make" and shutil.which("make") is None
    ):
        pytest.skip(f"needs {toolchain.needs}: the Debian package {toolchain.package}")
    folder = tmp_path / "bot"
    write_new_folder(folder, drafted(BotDraft("bot", "me", language, name, "a game", ())))
    if toolchain.build_command:
        shell(toolchain.build_command, folder)
    return folder


def shell(command: str, folder: Path) -> str:
    """Return what a command prints in a folder."""
    done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("language", Language)
def test_a_new_bot_passes_its_test_and_plays_every_ruleset(
    language: Language, name: str, tmp_path: Path
) -> None:
    folder = bot(tmp_path, language, name)
    assert shell(TOOLCHAINS[language].test_command, folder)
    for each in VARIANTS if name == ANY_GAME else [name]:
        for chosen, *options in VARIANTS[each]:
            seats = game(each).seats(ruleset(game(each).info, chosen))[0]
            rules = ["--game", each, "--ruleset", chosen, *(f"--option={option}" for option in options)]
            bots = [str(folder)] * (seats - 1)
            played = arena("match", *bots, "bots/any_game/random", *rules, "--format", "json", cwd=tmp_path)
            assert {row["verdict"] for row in json.loads(played.stdout)} == {""}, rules


@pytest.mark.parametrize("language", Language)
def test_a_kit_ignores_what_it_doesnt_know_and_repeats_ids_and_games(
    language: Language, tmp_path: Path
) -> None:
    folder = bot(tmp_path, language, ANY_GAME)
    played = []
    with ScriptedArena(json.loads(_command(folder)), folder) as scripted:
        scripted.say(
            {"type": "weather", "rain": None, "words": '\u2028 \\ " \x07 \U0001f35e'}, {"no": "type"}
        )
        assert scripted.exchange({**HELLO, "protocols": [7, 1], "banner": {}}) == {
            "type": "hello",
            "protocol": 1,
        }
        for _ in range(2):
            assert scripted.exchange({**START, "colour": "red"}) == {"type": "ready"}
            answers = [scripted.exchange(ask(number, hint=[1.5e3])) for number in range(1, 30)]
            assert [answer["id"] for answer in answers] == list(range(1, 30))
            played.append([answer["move"]["card"] for answer in answers])
            odd = {
                "text": '\u2028 \\ " \x07 \U0001f35e é',
                "list": [[], {}, None, True, -2, 0.5],
                "big": 2**53 - 1,
            }
            assert scripted.exchange(ask(2**53 - 1, example=odd)) == {
                "type": "move",
                "id": 2**53 - 1,
                "move": odd,
            }
            scripted.say(
                {"type": "end", "ranks": [1, 2], "scores": [1, 0], "verdicts": [None, None], "events": []}
            )
        scripted.say(QUIT)
        assert scripted.process.wait(20) == 0
        assert scripted.finish() == (0, "", "")
    assert played[0] == played[1]
    assert set(played[0]) == {"1", "9"}


@pytest.mark.parametrize("language", Language)
def test_a_bot_that_fails_says_where_and_exits_with_1(language: Language, tmp_path: Path) -> None:
    folder = bot(tmp_path, language, ANY_GAME)
    with ScriptedArena(json.loads(_command(folder)), folder) as scripted:
        scripted.begin()
        scripted.say({"type": "ask", "id": 17, "kind": "serve", "view": {}, "events": []})
        code, out, log = scripted.finish()
    assert (code, out) == (1, "")
    assert "the bot failed while answering ask 17 (serve) in bread-basket, seat 1" in log


@pytest.mark.parametrize("language", Language)
def test_a_kit_refuses_a_protocol_from_the_future_in_words(language: Language, tmp_path: Path) -> None:
    folder = bot(tmp_path, language, ANY_GAME)
    with ScriptedArena(json.loads(_command(folder)), folder) as scripted:
        assert scripted.exchange({"type": "hello", "protocols": [3, 2]}) == {"type": "hello", "protocol": 1}
        code, out, log = scripted.finish()
    assert (code, out) == (1, "")
    assert "newer arena_kit" in log


def _command(folder: Path) -> str:
    """Return `command` in bot.toml, whose form is that of JSON."""
    lines = (folder / "bot.toml").read_text(encoding="utf-8").splitlines()
    return next(line.partition("=")[2] for line in lines if line.startswith("command"))
