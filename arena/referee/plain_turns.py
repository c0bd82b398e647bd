"""Plays the turns of one seat in as few steps as possible, as most turns of most games go as they should.

This is the loop of `referee` written flat for the usual case: one seat has to decide, and its move is forced, or its
bot answers with a legal one without touching its bank. Whatever else happens is left to `referee`, which takes over
where this has come to.
"""

from collections.abc import Callable, Sequence
from typing import Any

from arena.core.errors import IllegalMove
from arena.core.game import AnyGame, Decision, Outcome
from arena.core.game_length import DEFAULT_LONGEST
from arena.core.late_chance import Draw, Drawn, play_chance
from arena.core.legal_moves import maker_of
from arena.players.base import Fault, Reply
from arena.referee.questions import Questions
from arena.referee.seated import Seated
from arena.referee.transcript import Transcript

Turn = Sequence[Decision[Any]] | Outcome


def play_plain_turns(
    game: AnyGame,
    questions: Questions,
    table: Sequence[Seated],
    transcript: Transcript,
    state: Any,
    draw: Callable[[Draw], Drawn],
) -> tuple[Any, Turn, Reply | Fault | None]:
    """Play on from a state, and record it, until something else than a plain turn is to be done.

    Returns the state, what the rules say of it (`Game.turn`), and what the bot answered if it has been asked already.
    That answer is still to be judged. The seats are filled with bots, and nobody watches the turns or their pace.
    The given state may change.
    """
    turn_of, make, parse_move, format_move = game.turn, maker_of(game), game.parse_move, game.format_move
    question = questions.ask
    moves, events, answered = transcript.moves, transcript.events, transcript.decisions
    longest = game.info.longest_decisions
    most = DEFAULT_LONGEST if longest is None else longest
    draws_late = hasattr(game, "due")
    while True:
        turn = turn_of(state)
        if isinstance(turn, Outcome) or len(turn) != 1 or len(moves) >= most:
            return state, turn, None
        decision = turn[0]
        seat, legal = decision.seat, decision.legal
        one = table[seat]
        if legal is not None and len(legal) == 1:
            move = legal[0]
            record = {"seat": seat, "move": format_move(move), "by": "engine"}
        elif one.forfeit is not None:
            return state, turn, None
        else:
            player, clock = one.player, one.clock
            number = player.next_id()
            if one.first_ask is None:
                one.first_ask = number
            reply = player.ask(question(state, decision, one, number, one.untold(events)), clock.alone_ns)
            if isinstance(reply, Fault) or reply.wall_ns > clock.move_ns:
                return state, turn, reply
            try:
                move = parse_move(state, seat, reply.move)
            except IllegalMove:
                return state, turn, reply
            one.times.decisions += 1
            one.times.add(reply)
            answered.append((len(moves), seat, reply.wall_ns, reply.cpu_ns))
            record = {"seat": seat, "move": format_move(move), "by": "bot"}
            if reply.note:
                record["note"] = reply.note
        state, told = make(state, {seat: move})
        moves.append(record)
        events += told
        if draws_late:
            state, told = play_chance(game, state, draw)
            events += told
