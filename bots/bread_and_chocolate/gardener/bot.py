"""Bread and Chocolate: grows a tree of moves and replies over many possible deals.

Each walk through the tree begins with a new deal that fits all that was seen, goes down by moves
that are legal in it, adds one branch, and plays the hand on from there. Everyone in the tree
prefers the moves that have served its own seat well, and tries the others now and then: a search
of information sets, as in Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree
Search", 2012. It makes the move that was tried most often. No gain from the tree has
been shown: `rememberer`, which tries moves and grows none, is statistically tied with it.
"""

from math import log, sqrt
from time import monotonic

from arena_engine import ForwardModel
from arena_kit import Bot, run

from arena.core.card_game_base import NOTHING
from arena.games.bread_and_chocolate import GAME
from arena.games.bread_and_chocolate.moves import DISCARD, decisions
from arena.games.bread_and_chocolate.playout_policy import burden
from arena.games.bread_and_chocolate.transitions import make_move

WALKS = 160
DEALS = 80  # different ones
BATCH = 10  # of deals that are found at once
CURIOUS = 0.5  # how often a move that did less well is tried again
TURNS = 40  # after which a hand is broken off and the cards are counted
DISCARDS = 6  # different ones that are compared


class Gardener(Bot):
    def move(self, ask):
        until = monotonic() + ask["time"]["move_ms"] / 3000  # a third of the time for one move
        model = ForwardModel(self.game)
        deals, root = [], Branch()
        self.low, self.high = 0.0, 1e-9
        for walk in range(WALKS):
            if walk < DEALS and walk % BATCH == 0:
                deals += model.worlds(ask, BATCH)
            state = deals[walk % len(deals)].copy()
            state.decks = state.decks[: state.hand_no + 1]  # this hand is the last
            self.walk(root, state)
            if monotonic() > until:
                break
        return GAME.format_move(max(root.branches, key=lambda move: root.branches[move].visits))

    def walk(self, branch, state):
        """Go down the tree to a new branch, play on, and note the result in every branch on the way."""
        path = [branch]
        while state.to_move != NOTHING:
            seat = state.to_move
            moves = self.moves(state)
            new = [move for move in moves if move not in branch.branches]
            move = self.game.rng.choice(new) if new else self.preferred(branch, moves, seat)
            branch = branch.branches.setdefault(move, Branch())
            path.append(branch)
            make_move(state, move, None)
            if new:
                break
        leads = leads_of(GAME.standing(GAME.play_on(state, GAME.policy, self.game.rng, TURNS)))
        self.low, self.high = min(self.low, *leads), max(self.high, *leads)
        for branch in path:
            branch.visits += 1
            for seat, lead in enumerate(leads):
                branch.leads[seat] = branch.leads.get(seat, 0.0) + lead

    def moves(self, state):
        """Return the moves to compare: the legal ones, or some discards."""
        legal = decisions(state)[0].legal
        if legal is not None:
            return list(legal)
        hand = sorted(state.held[state.to_move], key=burden)
        spare = len(hand) - state.owed  # any cards in a row may stay
        starts = range(0, state.owed + 1, max(1, state.owed // (DISCARDS - 1)))
        return [(DISCARD, *reversed(hand[:start] + hand[start + spare :])) for start in starts]

    def preferred(self, branch, moves, seat):
        """Return the move with the best result so far, or one that has been tried too seldom to tell."""
        span = self.high - self.low
        tries = log(branch.visits + 1)

        def hope(move):
            tried = branch.branches[move]
            return tried.leads[seat] / tried.visits / span + CURIOUS * sqrt(tries / tried.visits)

        return max(moves, key=hope)


class Branch:
    """What is known of a position, as far as everybody can see it: its visits, and the leads summed by seat."""

    def __init__(self):
        self.visits = 0
        self.leads = {}
        self.branches = {}


def leads_of(scores):
    """Return by how much each seat leads the mean of the others."""
    everyone = sum(scores)
    return [score - (everyone - score) / (len(scores) - 1) for score in scores]


run(Gardener)
