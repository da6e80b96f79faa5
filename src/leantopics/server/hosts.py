"""Host names that a server answers to, which keeps out pages of other sites.

Such a page can make its own name point to this machine (DNS rebinding). The browser
then lets it read the answers, but the header Host still has that name.
"""

import re
from collections.abc import Iterable
from ipaddress import ip_address

from leantopics.server.refusals import RequestError

_HOST = re.compile(r"(\[[0-9a-f:.]+\]|[0-9a-z._-]+)(:[0-9]{0,5})?", re.IGNORECASE)


def host_name(host: str) -> str | None:
    """Return the name in a header Host without its port; None if it is not valid.

    Examples
    --------
    >>> host_name("LocalHost:8000"), host_name("[::1]:80"), host_name("a b")
    ('localhost', '::1', None)
    """
    found = _HOST.fullmatch(host)
    return found[1].lower().strip("[]").removesuffix(".") or None if found else None


def is_loopback(name: str) -> bool:
    """Return whether a name can only mean this machine.

    Examples
    --------
    >>> is_loopback("127.8.0.1"), is_loopback("::1"), is_loopback("10.0.0.1")
    (True, True, False)
    """
    try:
        return ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


class Hosts:
    """The names that requests may have in their header Host.

    These are names of this machine and those given. If it listens at an address that is
    open to other machines, and none are given, any name is answered.

    Examples
    --------
    >>> Hosts("127.0.0.1").check("localhost:8000")
    >>> Hosts("0.0.0.0").check("topics.example")
    """

    def __init__(self, address: str, names: Iterable[str] = ()) -> None:
        self._names = frozenset(names)
        self._any = not (self._names or is_loopback(address))

    def check(self, host: str) -> None:
        """Refuse a name that is not among them."""
        name = host_name(host)
        if name is None:
            raise RequestError(
                400,
                "A request must name this server in one header Host, as in "
                f"'Host: localhost', got {host[:80]!r}.",
            )
        if not (self._any or name in self._names or is_loopback(name)):
            raise RequestError(
                421,
                "This server answers to localhost and to names given by "
                f"--allowed-host, got {name[:80]!r}.",
            )
