"""Privileges in a network namespace without any on the host (user_namespaces(7)).

A network namespace belongs to a user namespace, which its creator may enter. There a process has
every capability, but only over what that namespace owns.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import os
from collections.abc import Iterator, Sequence

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000
_NS_GET_USERNS = 0xB701  # ioctl_ns(2)
_CAPABILITY_VERSION_3 = 0x20080522
_PR_SET_KEEPCAPS, _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE = 8, 47, 2
# Of capabilities(7): ports below 1024, interfaces and neighbours, captures.
_NET_BIND_SERVICE, _NET_ADMIN, _NET_RAW = 10, 12, 13
_libc = ctypes.CDLL(None, use_errno=True)


def _do(name: str, *arguments: object) -> None:
    if getattr(_libc, name)(*arguments) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def _hand_down(capabilities: Sequence[int]) -> None:
    """Pass capabilities on to the programs that this process executes."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    # effective, permitted, inheritable: of the first 32 capabilities, then of the others
    sets = (ctypes.c_uint32 * 6)()
    _do("capget", header, sets)
    sets[2] = sets[1]
    _do("capset", header, sets)
    for capability in capabilities:
        _do("prctl", _PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, capability, 0, 0)


def _keep_only(capabilities: Sequence[int]) -> None:
    """Drop all other capabilities of this process."""
    header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
    kept = sum(1 << capability for capability in capabilities)
    _do("capset", header, (ctypes.c_uint32 * 6)(kept, kept, kept, 0, 0, 0))


def become(uid: int, network_admin: bool = False) -> None:
    """Become a user without privileges, except over interfaces and raw packets of its network
    namespace if `network_admin`; programs that this process executes keep these.

    Raises:
        OSError: this process may not change its user.
    """
    kept = (_NET_ADMIN, _NET_RAW) if network_admin else ()
    if kept:
        _do("prctl", _PR_SET_KEEPCAPS, 1, 0, 0, 0)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if kept:
        _keep_only(kept)
        _hand_down(kept)


def enter(namespace: int) -> None:
    """Move this process, which has one thread, into a network namespace, open at a descriptor.

    Raises:
        OSError: the process is neither privileged nor the owner.
    """
    try:
        _do("setns", namespace, _CLONE_NEWNET)
    except PermissionError:
        owner = fcntl.ioctl(namespace, _NS_GET_USERNS)
        try:
            _do("setns", owner, _CLONE_NEWUSER)
        finally:
            os.close(owner)
        _do("setns", namespace, _CLONE_NEWNET)
        _hand_down((_NET_BIND_SERVICE, _NET_ADMIN, _NET_RAW))


@contextlib.contextmanager
def visit(namespace: int) -> Iterator[None]:
    """Move this thread into a network namespace, open at a descriptor, for the block.

    Raises:
        PermissionError: the thread lacks the privilege to enter it or to return.
    """
    home = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        _do("setns", home, _CLONE_NEWNET)
        _do("setns", namespace, _CLONE_NEWNET)
        try:
            yield
        finally:
            _do("setns", home, _CLONE_NEWNET)
    finally:
        os.close(home)
