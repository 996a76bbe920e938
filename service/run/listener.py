"""Socket on which the service listens."""

import errno
import socket

BACKLOG = 1024


class ListenError(Exception):
    """Raised if the address is not available; the message is for the operator."""


def listen(host: str, port: int) -> socket.socket:
    """Returns a listening socket. Raises ListenError if the address is not available."""
    try:
        return _bound(host, port)
    except OSError as error:
        hint = "; give another --port" if error.errno == errno.EADDRINUSE else ""
        raise ListenError(f"cannot listen on {host}, port {port}: {error.strerror}{hint}") from error
    except UnicodeError:
        raise ListenError(f"cannot listen on {host}, port {port}: this is no name of a host") from None


def _bound(host: str, port: int) -> socket.socket:
    # Not socket.create_server: it leaves the protocol at 0, and asyncio disables Nagle's algorithm only for sockets
    # that say TCP. Every response of two packets would wait 40 ms for the caller's delayed acknowledgement.
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP, flags=socket.AI_PASSIVE
    )[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener
