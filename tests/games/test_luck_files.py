"""The figures of luck that games bring: they are those of today's rules, and what is measured again agrees."""

import pytest

from arena.core.ruleset import ruleset
from arena.league.forecast.luck import measured_file, measured_luck
from arena.registry import game
from benchmarks.luck import SETTINGS, Setting, measured

NAMES = ("bread-basket", "bread-and-chocolate", "sandwich")


@pytest.mark.parametrize("name", NAMES)
def test_each_game_brings_the_figures_that_are_measured(name: str) -> None:
    found = measured_file(game(name))
    assert found is not None, "they are of other rules: run benchmarks/luck.py"
    expected = {
        (setting.ruleset, setting.seats, rotations)
        for setting in SETTINGS
        if setting.game == name
        for rotations in (game(name).info.rotations, "off")
    }
    assert {(one.ruleset, one.seats, one.rotations) for one in found.measured} == expected


@pytest.mark.parametrize("name", NAMES)
def test_shares_vary_less_with_each_seat_and_with_rotations(name: str) -> None:
    of_game, spreads = game(name), {}
    first = next(setting for setting in SETTINGS if setting.game == name).ruleset
    for setting in SETTINGS:
        if (setting.game, setting.ruleset) == (name, first):
            rules = of_game.resolve(ruleset(of_game.info, first, {}), setting.seats)
            off = measured_luck(of_game, rules, setting.seats, "off")
            rotated = measured_luck(of_game, rules, setting.seats, of_game.info.rotations)
            assert off is not None
            assert rotated is not None
            assert rotated.share < off.share
            spreads[setting.seats] = off.share
    assert list(spreads.values()) == sorted(spreads.values(), reverse=True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("setting", "deals"),
    [
        (Setting("bread-basket", "tens", 4, 0), 16),
        (Setting("bread-and-chocolate", "shram", 4, 0), 24),
        (Setting("sandwich", "en", 4, 0), 14),
    ],
    ids=lambda value: value.game if isinstance(value, Setting) else "",
)
def test_what_is_measured_again_agrees(setting: Setting, deals: int) -> None:
    of_game = game(setting.game)
    rules = of_game.resolve(ruleset(of_game.info, setting.ruleset, {}), setting.seats)
    for rotations, again in measured(setting, deals).items():
        known = measured_luck(of_game, rules, setting.seats, rotations)  # type: ignore[arg-type]
        assert known is not None
        errors = (again.share_error**2 + known.share_error**2) ** 0.5
        assert again.share == pytest.approx(known.share, abs=4 * errors)
        errors = (again.score_error**2 + known.score_error**2) ** 0.5
        assert again.score == pytest.approx(known.score, abs=4 * errors)
