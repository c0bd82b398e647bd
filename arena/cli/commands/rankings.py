"""`arena rankings`."""

import shlex
from datetime import UTC, datetime
from functools import partial
from typing import Annotated

import typer

from arena.cli.base import options
from arena.cli.base.open_store import reading
from arena.cli.base.stored_names import by_format, find_entries, find_entry
from arena.cli.display.long_work import FITTING, busy
from arena.cli.display.ranking_notes import what_counts
from arena.cli.display.rankings import (
    MOST_IN_A_TERMINAL,
    NEIGHBOURS,
    Choice,
    chosen,
    columns,
    print_rankings,
)
from arena.cli.display.tables import Format, list_rows
from arena.cli.terminal.consoles import console
from arena.cli.terminal.messages import say, warn
from arena.core.errors import UsageError
from results.base.scoring import LEAST_MATCHES, MAX_SEATS
from results.records import LeagueRecord
from results.records.roster import is_tune
from results.reports.fits import CachedFit, FitBy, cached_fit, fit_by_of, new_fit
from results.reports.move_costs import price_rows, with_costs
from results.reports.ranking_columns import RankingRow, Rankings
from results.reports.rankings import is_fit_due
from results.reports.rankings import rankings as rankings_of
from results.reports.recounted_matches import Selection, counted_for
from results.store import Store


def rankings(
    name: options.League = None,
    fit: Annotated[bool, typer.Option("--fit")] = False,
    fit_by: FitBy | None = None,
    least_matches: Annotated[
        int | None,
        typer.Option(
            "--min-matches",
            min=1,
            help=f"Matches that a bot needs for a rank; default: {LEAST_MATCHES} while the league runs; once it is "
            f"finished, half of the median, but at most {LEAST_MATCHES} (1 in leagues ordered by μ−3σ).",
        ),
    ] = None,
    since: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    until: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    against: Annotated[str | None, typer.Option(metavar="BOT[,BOT]")] = None,
    seats: Annotated[int | None, typer.Option(min=1, max=MAX_SEATS)] = None,
    seat: Annotated[int | None, typer.Option(min=0, max=MAX_SEATS - 1)] = None,
    ruleset: str | None = None,
    movement: Annotated[str | None, typer.Option(metavar="DATE")] = None,
    active: Annotated[bool, typer.Option("--active")] = False,
    top: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help=f"Show only the first N bots; default: all, in a terminal the first {MOST_IN_A_TERMINAL}.",
        ),
    ] = None,
    around: Annotated[
        str | None,
        typer.Option(metavar="BOT", help=f"Show only this bot, and {NEIGHBOURS} bots above and below it."),
    ] = None,
    prices: Annotated[bool, typer.Option("--prices")] = False,
    explain: Annotated[bool, typer.Option("--explain")] = False,
    store: options.Store = options.DEFAULT_STORE,
    at: options.At = None,
    insecure: options.Insecure = False,
    form: options.Form = Format.TABLE,
) -> None:
    """Show a league's rankings: ratings, matches, games, wins, share, faults.

    A Swiss and an elimination are in the order of their own standings, a round robin by share, other leagues by μ, the
    estimate of a bot's strength; σ is its uncertainty. A bot with few matches has no rank (–) and comes last.

    The share is the mean share of opponents at the table that a bot finished above, with ties counted as half.

    The column `fit` is computed from all games at once: Elo points above an average bot (+100 finishes above it in 64
    of 100 games), with 95 % confidence intervals. Arena computes it when it first shows the table of a finished
    league, and whenever you pass --fit. CSV and JSON have the latest fit.

    With --fit-by scores, and in leagues with `by = "scores"` in [ranking], the fit is in points per game above an
    average bot instead, and a column `above` counts the bots that this one is significantly stronger than: pair by
    pair, and with all pairs tested together.

    Options:
        fit: Refit strengths to all matches; takes some seconds. The fit is stored and shown from then on.
        fit_by: Like --fit, by places (who finished above whom), by scores (points per game), or by shares of places;
            default: as [ranking] says.
        since: Count only matches that ended then or later: a day (2026-11-22), a time (2026-11-22T14:30), both in UTC,
            or how long ago (7d, 12h).
        until: Count only matches that ended before then, or on that day at the latest.
        against: Count only matches with at least one of these bots at the table.
        seats: Count only matches at tables of this size.
        seat: Count, for each bot, only its games at this seat, from 0. The table is then ordered by share and has no
            ratings: a rating needs all seats of a game.
        ruleset: Count only matches with this ruleset; for leagues with several, such as casual.
        movement: Show how many places and how much rating each bot gained since then.
        active: Show only bots that play: none that are retired, replaced, paused or benched.
        prices: Show what each bot's moves cost it; `arena why --analyse` or the runner computes that.
        explain: Say what each column means, and how sure the order is.
    """
    if top is not None and around is not None:
        raise UsageError("--top and --around can't be combined", "leave out one of them")
    choice = Choice(active=active, top=top, around=around)
    if at is not None:
        selecting = (since, until, against, seats, seat, ruleset, movement)
        if fit or fit_by or prices or any(given is not None for given in selecting):
            raise UsageError(
                "a server computes no other rankings than those of the whole league",
                "with --at, leave out all options but --min-matches, --active, --top, --around and --format",
            )
        _from_server(at, insecure, name, least_matches, choice, form, explains=explain)
        return
    now = datetime.now(UTC)
    first = None if since is None else options.given_time("--since", since, now)
    last = None if until is None else options.given_time("--until", until, now, end_of_day=True)
    moved = None if movement is None else options.given_time("--movement", movement, now)
    for option, given, so in (
        ("--since", first, "no match counts"),
        ("--movement", moved, "nothing has moved since"),
    ):
        if given and given.at > now:
            warn(f"{option} {given.text} is in the future, so {so}")
    if first and last and first.at >= last.at:
        raise UsageError(f"--since {since} is not before --until {until}", "exchange the two dates")
    if seat is not None and seats is not None and seat >= seats:
        raise UsageError(f"--seat {seat}: a table of {seats} has no such seat", f"use 0 to {seats - 1}")
    with reading(store) as opened:
        league = opened.leagues.get(name)
        if not league.rated and is_tune(opened.leagues.events(league.uuid)):
            say("these are values that the tune tried; the same arena tune command shows what it found")
        opponents = {} if against is None else find_entries(opened, league, against)
        selection = Selection(
            since=first.at if first else None,
            until=last.at if last else None,
            against=frozenset(opponents),
            seats=seats,
            seat=seat,
            ruleset=ruleset,
        )
        selection = counted_for(league, selection)
        kept: CachedFit | None = None
        by = fit_by or fit_by_of(league)
        fit = fit or fit_by is not None
        if fit and not league.rated:
            raise UsageError(
                f"{league.name!r} isn't rated, so there are no strengths to fit",
                "leave out --fit and --fit-by",
            )
        if fit and not opened.leagues.progress(league.uuid).matches_counted:
            warn(f"{league.name}: no match is in the rankings yet, so there is nothing to fit")
            fit = False
        if not selection.is_everything:
            if seat is not None and fit:
                raise UsageError("--fit needs all seats of a game", "leave out --seat, or --fit and --fit-by")
        elif fit:
            with busy(FITTING):
                kept = new_fit(opened, league.uuid, by)
        else:
            kept = cached_fit(opened, league.uuid, by)
            if form in (Format.TABLE, Format.MD) and is_fit_due(opened, league, kept, least_matches):
                with busy(FITTING):
                    kept = new_fit(opened, league.uuid, by)
        with busy("counting matches again") as work:
            found = rankings_of(
                opened,
                league,
                kept,
                least_matches,
                fit_by=by,
                selection=selection,
                fits_selection=fit,
                since=moved.at if moved else None,
                report=partial(work.take, unit="matches"),
                by_format=by_format(opened, league),
            )
        if prices:
            found = _with_prices(opened, league, found)
        if around is not None:
            choice = choice._replace(around=find_entry(opened, league, around).label)
        found, left_out = chosen(found, choice, in_a_terminal=_is_for_a_terminal(form))
        conditions = [
            *([f"since {first.text}"] if first else ()),
            *([f"until {last.text}"] if last else ()),
            *([f"against {', '.join(opponents.values())}"] if opponents else ()),
            *([f"tables of {seats}"] if seats is not None else ()),
            *([f"games at seat {seat}"] if seat is not None else ()),
            *([f"ruleset {ruleset}"] if ruleset is not None else ()),
        ]
        if form is Format.TABLE:
            since_when = moved.text if moved else ""
            print_rankings(console(), found, conditions, since_when, left_out, explains=explain)
        else:
            for line in filter(None, (what_counts(found, conditions), found.league.left_out)):
                say(line)
            shown = columns(league.scale, found.rows, by_share=found.by_share)
            list_rows(RankingRow, found.rows, form, columns=shown, keys=found.keys)


def _with_prices(store: Store, league: LeagueRecord, found: Rankings) -> Rankings:
    from arena.league.move_prices import kept_of_league  # the table needs no games otherwise

    rows = price_rows(store, league, kept_of_league(store, league))
    if not rows:
        command = shlex.join(["arena", "why", league.name, "--bot", "BOT", "--analyse"])
        warn(f"no moves have prices yet; {command} prices those of a bot")
    return with_costs(found, rows)


def _from_server(
    at: str,
    insecure: bool,
    name: str | None,
    least_matches: int | None,
    choice: Choice,
    form: Format,
    *,
    explains: bool,
) -> None:
    """Show the rankings that a server has."""
    from arena.cli.base.remote_server_arguments import (  # few rankings are looked at there
        league_at,
        server_at,
    )

    server = server_at(at, insecure=insecure)
    found = server.rankings(league_at(server, name), least_matches)
    found, left_out = chosen(found, choice, in_a_terminal=_is_for_a_terminal(form))
    if form is Format.TABLE:
        print_rankings(console(), found, left_out=left_out, explains=explains)
    else:
        list_rows(
            RankingRow,
            found.rows,
            form,
            columns=columns(found.scale, found.rows, by_share=found.by_share),
            keys=found.keys,
        )


def _is_for_a_terminal(form: Format) -> bool:
    """Return whether a table is shown to a person; what goes to a file or another program is never cut."""
    return form is Format.TABLE and console().is_terminal
