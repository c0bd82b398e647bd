"""Audits a league whose secret is public: derives every deal and every starting circle again."""

from collections.abc import Iterator
from hashlib import sha256

from arena.config.deal_suites import deal_seed, suite_of
from arena.core.replay import deal_follows
from arena.league.definition.league_secret import secret_of_seed
from arena.league.definition.stored import definition_of
from arena.league.running.base_orders import BaseOrders
from results.records import LeagueRecord
from results.store import Store


def audit(store: Store, league: LeagueRecord) -> Iterator[str]:
    """Yield a line for everything that does not follow from the league's secret.

    Checks the commitment, the derivation of the secret from the seed (if the league has one), the starting circle and
    the seats of every match, and the deal of every kept replay.
    """
    secret = store.leagues.secret(league.uuid)
    if sha256(secret).hexdigest() != league.commitment:
        yield "the secret does not match the league's commitment"
    definition = definition_of(store, league)
    seed = definition.file.seed
    if seed is not None and secret_of_seed(seed) != secret:
        yield f"the secret does not follow from the seed {seed!r}"
    suite = suite_of(league.config)
    base_orders = BaseOrders(secret, definition.rotations, definition.drawn)
    for match in store.matches.all(league.uuid):
        units = definition.partners.units(match.entries)
        order = base_orders.choose(match.match_no, units)
        if definition.partners.seated(order, len(match.entries)) != match.entries:
            yield f"match {match.match_no}: the starting circle {list(match.entries)} does not follow"
        base_orders.add(match.match_no, units)
    hidden = store.matches.hidden(league.uuid)
    done = {
        match.match_no: match
        for match in store.matches.all(league.uuid, state="done")
        if match.match_no not in hidden
    }
    for game in store.games.all(league.uuid):
        if (match_of := done.get(game.match_no)) is None:
            continue  # games on its deal are still to come, so its replays are hidden
        name = f"game {game.match_no}.{game.rotation}"
        seated = tuple(seat.entry_no for seat in game.seats)
        if seated != definition.seatings(match_of.entries)[game.rotation]:
            yield f"{name}: the seats do not follow from the starting circle"
        if game.has_replay:
            body = store.replays.get(league.uuid, game.match_no, game.rotation).decoded(name)
            rules = definition.rulesets[len(seated)]
            deal = deal_seed(secret, suite, match_of.deal, match_of.round_no)
            if not deal_follows(definition.game, rules, len(seated), body, deal):
                yield f"{name}: the deal does not follow from the secret"
