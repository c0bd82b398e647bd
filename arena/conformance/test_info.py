"""What a game declares about itself beyond what Arena checks when it loads the game (`arena.registry`)."""

from arena.conformance.tables import changed, other_values, refused
from arena.core.errors import BadOption
from arena.core.game import AnyGame
from arena.core.ruleset import ruleset, with_options
from arena.registry import wrong_seats


def test_what_people_read_is_one_line(game: AnyGame) -> None:
    texts = {"title": game.info.title, "summary": game.info.summary}
    texts |= {f"summary of the option {option.name}": option.summary for option in game.info.options}
    for what, text in texts.items():
        is_line = text.isprintable() and text == text.strip() != ""
        assert is_line, f"the {what} is {text!r}: write one line of text, without blanks around it"


def test_rulesets_list_only_what_differs_from_the_defaults(game: AnyGame) -> None:
    for name, changes in game.info.rulesets.items():
        for option, value in changes.items():
            assert value != game.info.option(option).default, (
                f"the ruleset {name} sets {option} to {value!r}, which is the option's default: leave it out"
            )


def test_resolving_fills_every_option_and_does_nothing_the_second_time(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        for seats in game.seats(rules):
            resolved = game.resolve(rules, seats)
            where = f"the ruleset {name} at {seats} seats"
            left_open = [option for option, value in resolved.options.items() if value is None]
            assert not left_open, f"`resolve` leaves options of {where} open: fill in {left_open}"
            assert (resolved.name, [*resolved.options]) == (rules.name, [*rules.options]), (
                f"`resolve` changes the name or the options of {where}: use `ruleset.filled(...)`"
            )
            assert game.resolve(resolved, seats) == resolved, (
                f"resolving {where} twice differs from once: change only options that are None"
            )
            again = game.resolve(with_options(game.info, resolved.options), seats)
            assert again.options == resolved.options, (
                f"`resolve` changes options of {where} that are set: change only those that are None"
            )


def test_other_numbers_of_seats_are_refused(game: AnyGame) -> None:
    for name in game.info.rulesets:
        rules = ruleset(game.info, name)
        seats = game.seats(rules)
        for wrong in {-1, 0, 1, 1000, *range(min(seats) - 1, max(seats) + 2)} - {*seats}:
            told = f"`resolve` of the ruleset {name} accepts {wrong} seats, which `seats` doesn't have: raise BadOption"
            with refused(told, BadOption) as refusal:
                game.resolve(rules, wrong)
            assert str(wrong) in str(refusal[0]), (
                f"`resolve` refuses {wrong} seats with {str(refusal[0])!r}: name the number that is wrong"
            )


def test_every_value_of_an_option_leaves_numbers_of_seats_or_none(game: AnyGame) -> None:
    for name in game.info.rulesets:
        for option in game.info.options:
            for value in other_values(option, ruleset(game.info, name)[option.name]):
                seats = game.seats(changed(game, name, (option.name, value)))
                wrong = wrong_seats(seats) if len(seats) else ""
                assert not wrong, f"the ruleset {name} with {option.name} = {value!r} {wrong}"
