"""Plays some games at random before a league is created, which finds errors in a game, and games that all tie."""

from itertools import cycle

from arena.core.chance import Stream
from arena.core.ticket import Ticket, match_seed
from arena.league.definition.checked_definition import Definition
from arena.players.base import Reply, ScriptedPlayer
from arena.referee.referee import Referee
from arena.referee.transcript import Entrant
from arena.registry import blaming
from protocol.messages import Ask
from results.records import GameRecord

MOST_GAMES = 48
"""Games to play while the seats of each score alike."""
_SECRET = b"arena/trial games"


def tied_games(definition: Definition) -> int:
    """Play matches at random, at least one of each table size, and until the seats of a game score differently.

    Return how many games that were if all seats scored alike in each, as in cooperative games; otherwise 0.
    Raises PluginFailed.
    """
    played = 0
    tied = True
    with blaming("game", definition.game.info.name, definition.game):
        for number, seats in enumerate(cycle(definition.rulesets)):
            if number >= len(definition.rulesets) and (not tied or played >= MOST_GAMES):
                break
            rules, seed = definition.rulesets[seats], match_seed(_SECRET, number)
            for rotation, seating in enumerate(definition.seatings(tuple(range(seats)))):
                game = _played(definition, Ticket("", number, rotation, seating, rules, seed))
                tied = tied and len({seat.score for seat in game.seats}) == 1
                played += 1
    return played if tied else 0


def _played(definition: Definition, ticket: Ticket) -> GameRecord:
    chance = ticket.stream("trial")
    players = [ScriptedPlayer(lambda ask: _reply(ask, chance)) for _ in ticket.entries]
    entrants = [Entrant(str(entry), "0" * 64) for entry in ticket.entries]
    return Referee().play(definition.game, players, entrants, ticket)


def _reply(ask: Ask, chance: Stream) -> Reply:
    move = ask.legal[chance.randrange(len(ask.legal))] if ask.legal else ask.example
    return Reply(move, None, 0, 0)
