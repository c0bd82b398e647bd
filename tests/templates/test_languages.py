"""The templates of every language, as their authors use them: tested, built and played in every ruleset."""

import json
import runpy
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.core.ruleset import ruleset
from arena.registry import game
from arena.submissions.manifest import read_manifest
from arena.templates.new_folder import TOOLCHAINS, BotDraft, Language, drafted, write_new_folder
from protocol import kit
from tests.support.bots.scripted_arena import HELLO, QUIT, START, ScriptedArena, ask
from tests.support.bots.simulation import KitSeat, play
from tests.support.leagues import arena

pytestmark = pytest.mark.slow

ANY_GAME = "*"
GAMES = ("bread-basket", "bread-and-chocolate", "sandwich", ANY_GAME)
VARIANTS = {
    "bread-basket": [["none"], ["extra"], ["tens", "hands=3"]],
    "bread-and-chocolate": [["pagat"], ["gamerules"], ["shram", "hands=2"], ["shram", "values=note"]],
    "sandwich": [["fr"], ["de"], ["es"], ["en", "tasting=free", "open=true"]],
}
"""Rulesets and options in which each game is played; together, every kind of decision."""


@pytest.fixture(autouse=True)
def runtimes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """List the interpreters and compilers that aren't in the system's folders as an organiser would."""
    lines = ["[runtimes]"]
    for toolchain in TOOLCHAINS.values():
        found = shutil.which(toolchain.needs)
        if found and toolchain.needs != "python3" and not found.startswith(("/usr/", "/bin/")):
            folder = Path(found).resolve().parents[1]
            if toolchain.needs == "rustc":
                folder = Path(shell("rustc --print sysroot", tmp_path).strip())
            lines.append(f"{toolchain.needs} = {json.dumps(str(folder))}")
    settings = tmp_path / "settings.toml"
    settings.write_text("\n".join(lines) + "\n")
    monkeypatch.setenv("ARENA_SETTINGS", str(settings))


def bot(tmp_path: Path, language: Language, name: str) -> Path:
    """Return the folder of a new bot. Skips the test where the compiler or the interpreter is missing."""
    toolchain = TOOLCHAINS[language]
    words = shlex.split(toolchain.test_command)
    for program in (toolchain.needs, words[0]):
        if shutil.which(program) is None:
            pytest.skip(f"needs {program}; the Debian package of {toolchain.needs} is {toolchain.package}")
    folder = tmp_path / "bot"
    write_new_folder(folder, drafted(BotDraft("bot", "me", language, name, "a game", (), "./bot")))
    return folder


def scripted(tmp_path: Path, language: Language) -> ScriptedArena:
    """Return the process of a new bot for any game, built as its bot.toml says."""
    folder = bot(tmp_path, language, ANY_GAME)
    manifest = read_manifest(folder)
    if manifest.build:
        shell(shlex.join(manifest.build), folder)
    return ScriptedArena(manifest.command, folder)


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
    files = {path.name for path in folder.iterdir()}
    assert shell(TOOLCHAINS[language].test_command, folder)
    left = {path.name for path in folder.iterdir()} - files
    assert left <= {"__pycache__"}, "what a test leaves behind would be submitted"
    for each in VARIANTS if name == ANY_GAME else [name]:
        for chosen, *options in VARIANTS[each]:
            seats = game(each).seats(ruleset(game(each).info, chosen))[0]
            rules = ["--game", each, "--ruleset", chosen, *(f"--option={option}" for option in options)]
            bots = [str(folder)] * (seats - 1)
            played = arena("match", *bots, "bots/any_game/random", *rules, "--format", "json", cwd=tmp_path)
            assert {row["verdict"] for row in json.loads(played.stdout)} == {""}, rules


@pytest.mark.parametrize("language", Language)
def test_a_new_bot_passes_every_step_of_the_check(language: Language, tmp_path: Path) -> None:
    folder = bot(tmp_path, language, "bread-and-chocolate")
    assert arena("check", folder, cwd=tmp_path).stdout.endswith("me/bot passed\n")


@pytest.mark.parametrize("language", Language)
def test_a_kit_ignores_what_it_doesnt_know_and_repeats_ids_and_games(
    language: Language, tmp_path: Path
) -> None:
    played = []
    with scripted(tmp_path, language) as process:
        process.say({"type": "weather", "rain": None, "words": '\u2028 \\ " \x07 \U0001f35e'}, {"no": "type"})
        assert process.exchange({**HELLO, "protocols": [7, 1], "banner": {}}) == {
            "type": "hello",
            "protocol": 1,
        }
        for _ in range(2):
            assert process.exchange({**START, "colour": "red"}) == {"type": "ready"}
            answers = [process.exchange(ask(number, hint=[1.5e3])) for number in range(1, 30)]
            assert [answer["id"] for answer in answers] == list(range(1, 30))
            played.append([answer["move"]["card"] for answer in answers])
            odd = {
                "text": '\u2028 \\ " \x07 \U0001f35e é',
                "list": [[], {}, None, True, -2, 0.5],
                "big": 2**53 - 1,
            }
            assert process.exchange(ask(2**53 - 1, example=odd)) == {
                "type": "move",
                "id": 2**53 - 1,
                "move": odd,
            }
            process.say(
                {"type": "end", "ranks": [1, 2], "scores": [1, 0], "verdicts": [None, None], "events": []}
            )
        process.say(QUIT)
        assert process.process.wait(20) == 0
        assert process.finish() == (0, "", "")
    assert played[0] == played[1]
    assert set(played[0]) == {"1", "9"}


@pytest.mark.parametrize("language", Language)
def test_a_bot_that_fails_says_where_and_exits_with_1(language: Language, tmp_path: Path) -> None:
    with scripted(tmp_path, language) as process:
        process.begin()
        process.say({"type": "ask", "id": 17, "kind": "serve", "view": {}, "events": []})
        code, out, log = process.finish()
    assert (code, out) == (1, "")
    assert "the bot failed while answering ask 17 (serve) in bread-basket, seat 1" in log


@pytest.mark.parametrize("language", Language)
def test_a_kit_refuses_a_protocol_from_the_future_in_words(language: Language, tmp_path: Path) -> None:
    with scripted(tmp_path, language) as process:
        assert process.exchange({"type": "hello", "protocols": [3, 2]}) == {"type": "hello", "protocol": 1}
        code, out, log = process.finish()
    assert (code, out) == (1, "")
    assert "newer arena_kit" in log


def test_a_new_bot_for_bread_and_chocolate_wins_most_games_against_random_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "arena_kit", kit)
    made = runpy.run_path(str(bot(tmp_path, Language.PYTHON, "bread-and-chocolate") / "bot.py"))["choose"]

    def at_random(message: Any, game: Any) -> Any:
        return game.rng.choice(message["legal"]) if "legal" in message else message["example"]

    won = 0
    for deal in range(20):
        for seat in range(2):
            players = [KitSeat(made if number == seat else at_random) for number in range(2)]
            scores = play("bread-and-chocolate", players, deal, "pagat")[0].scores
            won += scores[seat] > scores[1 - seat]
    assert won >= 26, "31 when it was written; 20 is even"
