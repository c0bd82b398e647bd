"""Who may ask the API, and how often: the owner of a token, the rates of requests, known parameters alone."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from fastapi import HTTPException, Request
from fastapi.routing import APIRoute

from arena.web.api.http_responses import NotAllowed
from arena.web.http.page_threads import in_site_file_thread
from arena.web.live.site import Visitor, address_of
from arena.web.live.visitors import bearer_of

_MOST_KEYS = 20_000


class Rates:
    """Token buckets: `per_minute` requests, of which `burst` may come at once.

    Source: J. Turner, "New Directions in Communications" (1986), on the leaky bucket as a meter.
    """

    def __init__(self, per_minute: float, burst: int, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._per_s = per_minute / 60
        self._burst = burst
        self._clock_s = clock_s
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """How many requests a key has left, and when that was so."""

    def wait_s(self, key: str) -> float:
        """Count a request; return 0 if it may be answered, else after how many seconds it may be sent again."""
        now_s = self._clock_s()
        with self._lock:
            left, at_s = self._left.pop(key, (float(self._burst), now_s))
            left = min(self._burst, left + (now_s - at_s) * self._per_s)
            may = left >= 1
            self._left[key] = (left - 1 if may else left, now_s)
            if len(self._left) > _MOST_KEYS:
                self._left.popitem(last=False)
        return 0.0 if may else (1 - left) / self._per_s


def visitor_of(request: Request) -> Visitor:
    """Return who asks: the owner of the token, or nobody if there is none. Raises HTTPException 401 or 429."""
    known: Visitor | None = getattr(request.state, "bearer", None)
    if known is None:
        known = bearer_of(request) if "authorization" in request.headers else Visitor()
        request.state.bearer = known
    return known


def member(request: Request) -> Visitor:
    """Return whose token was sent. Raises HTTPException 401 or 429."""
    who = visitor_of(request)
    return who if who.account else bearer_of(request)


async def slowly(request: Request) -> None:
    """Refuse a request if its account or address sends too many. Raises HTTPException."""
    who = await in_site_file_thread(visitor_of, request) if "authorization" in request.headers else Visitor()
    rates: Rates = request.app.state.rates_of_accounts if who.account else request.app.state.rates
    wait_s = rates.wait_s(f"account {who.account}" if who.account else address_of(request))
    if wait_s:
        raise HTTPException(429, "Too many requests.", {"Retry-After": str(int(wait_s) + 1)})


async def known_parameters(request: Request) -> None:
    """Refuse a request with a parameter that its route doesn't know: a program would take it for heard."""
    route = request.scope.get("route")
    if not isinstance(route, APIRoute):
        return
    known = [one.alias for one in route.dependant.query_params]
    for name in request.query_params:
        if name not in known:
            may = f"It may have {', '.join(known)}" if known else "It may have none"
            raise NotAllowed(422, f"{name[:100]}: this address has no such parameter. {may}", "see /api")
