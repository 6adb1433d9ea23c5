"""Which hosts an adapter may reach, and names resolved once.

Three sorts of addresses: public ones; those of a private network or of this machine; and those that are never a system of
record (link-local, the metadata services of clouds, unspecified, multicast, reserved). The last are refused
unless `allow_hosts` names them. The private ones may be reached where the config itself writes the address, or `localhost`;
a name that resolves to one must stand in `allow_hosts`, since whoever answers for the name chooses the address.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Sequence

from hotato.errors import StateAdapterError
from hotato.state.bounded import within

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network

_METADATA = frozenset(map(ipaddress.ip_address, ("fd00:ec2::254", "100.100.100.200", "168.63.129.16", "192.0.0.192")))
_SHARED = ipaddress.ip_network("100.64.0.0/10")
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
# What IANA's registries of special purposes say is not reached from everywhere, and what within that is. They are held here
# because `is_global` of one Python reads other registries than that of the next, and nobody's consent changes with Python.
_LOCAL = tuple(
    map(
        ipaddress.ip_network,
        "10.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 "
        "203.0.113.0/24 2001::/23 2001:db8::/32 3fff::/20 fc00::/7".split(),
    )
)
_WIDE = tuple(
    map(
        ipaddress.ip_network,
        "192.0.0.9/32 192.0.0.10/32 2001:1::1/128 2001:1::2/128 2001:3::/32 2001:4:112::/48 2001:20::/28 "
        "2001:30::/28".split(),
    )
)
_LABEL = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
ALLOW = "name it in allow_hosts if it is meant"


def sort_of(address: Address) -> str:
    """Return `public`, `private` or `never`; an IPv4 address inside an IPv6 one counts as itself."""
    inner = _embedded(address)
    if inner is not None:
        return sort_of(inner)
    if address in _METADATA or address.is_link_local or address.is_unspecified or address.is_multicast:
        return "never"
    if address.is_loopback:
        return "private"
    if address.version == 4 and address in ipaddress.ip_network("0.0.0.0/8"):
        return "never"
    if address.is_reserved:
        return "never"
    if address.version == 4 and address in _SHARED:
        return "private"
    if address.version == 6 and address.is_site_local:
        return "never"
    return "private" if _is_within(address, _LOCAL) and not _is_within(address, _WIDE) else "public"


def _is_within(address: Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)


def _embedded(address: Address) -> ipaddress.IPv4Address | None:
    if not isinstance(address, ipaddress.IPv6Address):
        return None
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    if address.teredo is not None:
        return address.teredo[1]
    if int(address) >> 32 == 0 and int(address) > 1:  # ::a.b.c.d, long out of use
        return ipaddress.IPv4Address(int(address))
    return address.ipv4_mapped or address.sixtofour


def literal(host: str) -> Address | None:
    """Return the address that a host is written as, None where it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def host_fault(host: str, allowed: Sequence[str]) -> str:
    """Return why a host of a config cannot be asked, in words; empty where it may be."""
    if literal(host) is None:
        labels = host.split(".")
        if host.endswith("."):
            return "a host name that ends in a dot"
        if _NUMERIC.fullmatch(labels[-1]):
            return "an IPv4 address is written as four decimal numbers without leading zeros"
        if not all(map(_LABEL.fullmatch, labels)):
            return "no host name; one with other letters is written in its ASCII form (xn--...)"
        return ""
    return _refusal(host, literal(host), allowed, private_by_name=False)


def _refusal(host: str, address: Address | None, allowed: Sequence[str], private_by_name: bool) -> str:
    named = {one.lower() for one in allowed}
    if address is None or host in named or str(address) in named:
        return ""
    sort = sort_of(address)
    if sort == "never":
        return f"a link-local, metadata or reserved address; {ALLOW}"
    if sort == "private" and not private_by_name and literal(host) is None and host != "localhost":
        return f"the name resolves to an address of a private network; {ALLOW}"
    return ""


def is_local(host: str) -> bool:
    """Say whether a host is this machine, as written: a loopback address, `localhost`, or a folder of sockets."""
    if host.startswith("/") or host == "localhost":
        return True
    address = literal(host)
    return address is not None and (_embedded(address) or address).is_loopback


def resolve(
    host: str, port: int, allowed: Sequence[str], seconds: float, *, private_by_name: bool = False
) -> list[str]:
    """Return the addresses of a host, all of them allowed. Raise StateAdapterError, also where one of them is not.

    `private_by_name` lets a name stand for an address of a private network without being listed.
    """
    written = literal(host)
    addresses = [written] if written is not None else _looked_up(host, port, seconds)
    for address in addresses:
        said = _refusal(host, address, allowed, private_by_name)
        if said:
            raise StateAdapterError(said)
    return [str(address) for address in addresses]


def _looked_up(host: str, port: int, seconds: float) -> list[Address]:
    try:
        found = within(seconds, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM), "looking up the host")
        known = dict.fromkeys(ipaddress.ip_address(str(one[4][0]).partition("%")[0]) for one in found)
    except (OSError, UnicodeError, ValueError):
        raise StateAdapterError("the name of the host cannot be resolved") from None
    if not known:
        raise StateAdapterError("the name of the host cannot be resolved")
    return list(known)
