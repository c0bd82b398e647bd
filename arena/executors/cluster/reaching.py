"""Finds out why a scheduler can't be reached.

Dask tries for many seconds, and then gives one reason for everything. This takes a moment, and says what to do.
"""

import asyncio
import contextlib
import errno
import re
import socket
import ssl

from arena.executors.cluster.identity import Identity

CONNECT_S = 5.0
"""How long an address may take to answer."""
_GOODBYE_S = 2.0
_PORT = re.compile(r"://\[?(?P<host>.+?)\]?:(?P<port>\d+)/?$")
_SAME_FOLDER = "give scheduler, runner and hosts the same folder of certificates, and start them again"


async def why_unreachable(url: str, identity: Identity) -> str:
    """Return why no scheduler answers at an address, and what to do; empty if one seems to be there."""
    found = _PORT.search(url)
    if found is None:
        raise ValueError(url)
    host, port = found["host"], int(found["port"])
    tls = identity.security().get_connection_args("client")["ssl_context"]
    try:
        _, writer = await asyncio.wait_for(asyncio.open_connection(host, port, ssl=tls), CONNECT_S)
    except OSError as error:  # also ssl.SSLError, and TimeoutError
        return _of_connecting(error, host, port)
    writer.close()
    with contextlib.suppress(OSError, asyncio.TimeoutError):
        await asyncio.wait_for(writer.wait_closed(), _GOODBYE_S)
    return ""


def _of_connecting(error: OSError, host: str, port: int) -> str:
    """Return in words why an address could not be connected to."""
    match error:
        case ssl.SSLCertVerificationError():
            if "expired" in error.verify_message:
                return (
                    "its certificates have expired; make new ones with `arena host certificates FOLDER`, and start "
                    "all machines with them"
                )
            return f"its certificates are those of another cluster; {_SAME_FOLDER}"
        case ssl.SSLError(reason="WRONG_VERSION_NUMBER"):
            return "what listens there doesn't speak TLS; start the scheduler with --protocol tls and the certificates"
        case ssl.SSLError():
            return f"TLS fails: {error.reason or error}; {_SAME_FOLDER}"
        case TimeoutError():
            return (
                f"it has not answered for {CONNECT_S:.0f} s; check the address, and that port {port} is open "
                "between the machines"
            )
        case socket.gaierror():
            return f"no machine is known by the name {host}; check the address"
        case ConnectionResetError() | BrokenPipeError():
            return "what listens there closes the connection; check whether it is the scheduler"
    if isinstance(error, ConnectionRefusedError) or f"[Errno {errno.ECONNREFUSED}]" in str(error):
        return "nothing listens there; start the scheduler, or check the address"
    return f"{error.strerror or error}; check the address"
