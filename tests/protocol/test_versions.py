"""Agreeing on a version of the protocol."""

import pytest

from protocol.messages import CHANGES, SUPPORTED, negotiate
from protocol.verdicts import NoCommonVersion, ProtocolError


def test_the_bot_chooses_among_what_is_offered() -> None:
    assert negotiate((3, 2, 1), 2) == 2
    assert negotiate(SUPPORTED, 1) == 1


@pytest.mark.parametrize("choice", [0, 4, -1])
def test_any_other_choice_is_refused_with_what_both_speak(choice: int) -> None:
    with pytest.raises(NoCommonVersion) as caught:
        negotiate((3, 2, 1), choice)
    assert str(caught.value) == (
        f"no common protocol version: the arena speaks 3, 2, 1; the bot answered {choice}"
    )
    assert isinstance(caught.value, ProtocolError)


def test_every_version_says_what_it_changed() -> None:
    assert set(SUPPORTED) <= set(CHANGES)
    assert all(CHANGES[version].endswith(".") for version in SUPPORTED)
