from arena.core.move_words import seat_names, with_names


def test_players_with_the_same_name_are_numbered_in_every_text() -> None:
    names = seat_names(["greedy", "ann", "greedy"])
    assert names == ["greedy 1", "ann", "greedy 2"]
    assert with_names("Seat 2 gives seat 0 ham; seat 7 watches.", names) == (
        "greedy 2 gives greedy 1 ham; seat 7 watches."
    )
