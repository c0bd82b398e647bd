"""What holds in every game, at tables of Sandwich with several options changed, and with twelve players."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pytest
from arena_conformance import test_illegal_moves, test_info, test_random_play, test_secrets
from arena_conformance.random_games import GameSetup, played

from arena.core.ruleset import Ruleset, ruleset

CHECKS = [
    test_random_play.test_decisions_are_in_seat_order_with_every_move_once,
    test_random_play.test_moves_come_back_from_json,
    test_random_play.test_every_listed_move_applies,
    test_random_play.test_apply_leaves_its_state_as_it_was,
    test_random_play.test_advance_does_the_same_in_place,
    test_random_play.test_a_copy_goes_its_own_way,
    test_random_play.test_the_result_agrees_with_the_scores,
    test_random_play.test_a_recorded_deal_replays_to_the_same_game,
    test_random_play.test_what_is_told_is_json_as_it_will_be_read,
    test_random_play.test_a_seats_lines_are_short_enough,
    test_random_play.test_moves_of_the_wrong_seats_are_refused,
    test_random_play.test_after_the_end_nobody_moves,
    test_illegal_moves.test_a_legal_move_with_one_key_more_is_refused,
    test_illegal_moves.test_moves_of_other_moments_are_refused_unless_listed,
    test_secrets.test_a_guess_looks_to_the_seat_like_the_truth,
    test_secrets.test_a_guess_takes_the_seats_own_move_and_can_be_played_to_the_end,
    test_secrets.test_views_and_moves_tell_no_more_than_the_events,
    test_info.test_every_event_is_told_in_one_sentence,
    test_info.test_the_end_can_be_drawn,
]


@dataclass(frozen=True)
class Variant(GameSetup):
    """A table with several options set otherwise than its named ruleset does."""

    options: str = ""
    """As on the command line, with spaces: `boxes=2 open=on`."""

    def __str__(self) -> str:
        return f"{self.ruleset_name}.{self.seats} {self.options}"

    @cached_property
    def _rules(self) -> Ruleset:
        info = self.game.info
        given = dict(part.split("=") for part in self.options.split())
        changes = {name: info.option(name).parse(value) for name, value in given.items()}
        return self.game.resolve(ruleset(info, self.ruleset_name, changes), self.seats)

    @property
    def rules(self) -> Ruleset:
        return self._rules


VARIANTS = [
    Variant("sandwich", ruleset_name, seats, options=options)
    for ruleset_name, seats, options in [
        ("en", 12, "boxes=2 rounds=1"),
        ("fr", 7, "boxes=2 trading=on alternate=on rounds=2"),
        ("en", 5, "boxes=2 tasting=free alternate=on rounds=2"),
        ("de", 4, "tasting=free open=on trade_rounds=1 rounds=2"),
        ("fr", 3, "tasting=free points3=4,0,0,1 rounds=2"),
        ("es", 6, "open=on alternate=on points=1,1,0 rounds=2"),
    ]
]
MOST_SEATS = {
    test_illegal_moves.test_moves_of_other_moments_are_refused_unless_listed: 0,
    test_secrets.test_a_guess_looks_to_the_seat_like_the_truth: 3,
    test_secrets.test_views_and_moves_tell_no_more_than_the_events: 3,
}
"""Of the tables in the quick suite, where a check takes long; otherwise 5."""


def cases() -> list[Any]:
    """Return every check of every variant, as parameters.

    The larger tables are left out of the quick suite; the smaller have two boxes, free tasting and trades too.
    """
    return [
        pytest.param(
            *(variant, check),
            id=f"{variant}-{check.__name__}",
            marks=[pytest.mark.slow] * (variant.seats > MOST_SEATS.get(check, 5)),
        )
        for variant in VARIANTS
        for check in CHECKS
    ]


@pytest.mark.parametrize(("table", "check"), cases())
def test_the_conformance_of_a_variant(table: Variant, check: object) -> None:
    assert callable(check)
    check(table)


@pytest.mark.parametrize("table", VARIANTS, ids=str)
@pytest.mark.parametrize("width", [40, 60, 132])
def test_a_picture_of_a_variant_fits_the_width(table: Variant, width: int) -> None:
    test_info.test_a_drawn_view_fits_the_width(table, width)


def test_the_rules_are_those_of_the_options() -> None:
    assert VARIANTS[0].rules.name == "en+boxes=2+rounds=1"
    assert played(VARIANTS[1]).start.rules.seats == 7
