"""Run a command under what Docker's default seccomp profile forbids to an ordinary user:

    python tools/as_in_docker.py COMMAND...

The rules are those for a process without capabilities on x86-64, as a list of what is refused
(https://docs.docker.com/engine/security/seccomp/). libseccomp, which apt needs, loads them.
Root is held by them, too, and nobody gains rights below: sudo(8) does not work.
"""

from __future__ import annotations

import ctypes
import os
import sys

_ALLOW, _ERRNO = 0x7FFF0000, 0x00050000  # SCMP_ACT_ALLOW, SCMP_ACT_ERRNO of seccomp.h
_EPERM, _ENOSYS = 1, 38
_MASKED_EQ = 7  # SCMP_CMP_MASKED_EQ
_REFUSED = """
acct add_key bpf chroot clock_settime delete_module fanotify_init finit_module fsconfig fsmount
fsopen fspick get_mempolicy init_module io_uring_enter io_uring_register io_uring_setup ioperm iopl
kcmp kexec_file_load kexec_load keyctl lookup_dcookie mbind mount mount_setattr move_mount
move_pages open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_madvise
quotactl quotactl_fd reboot request_key set_mempolicy setdomainname sethostname setns settimeofday
swapoff swapon syslog umount2 unshare userfaultfd vhangup
"""
_NEW_NAMESPACES = 0x7E020000  # CLONE_NEW{CGROUP,IPC,NET,NS,PID,USER,UTS}
# personality(2): PER_LINUX, PER_LINUX32 and UNAME26 are allowed, and the query: all bits are set.
_PERSONALITY, _QUERY = 0x20008, 1 << 31


def _bits(flags: int) -> list[int]:
    return [1 << number for number in range(31) if flags >> number & 1]


class _Comparison(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def hold() -> None:
    """Put this process, and all that it starts, under the rules.

    Raises:
        OSError: the kernel or libseccomp refuses them.
    """
    library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
    library.seccomp_init.restype = ctypes.c_void_p
    rules = ctypes.c_void_p(library.seccomp_init(_ALLOW))

    def refuse(name: str, error: int, *when: _Comparison) -> None:
        """Refuse a system call, where its arguments are so, with this error."""
        number = library.seccomp_syscall_resolve_name(name.encode())
        array = (_Comparison * len(when))(*when)
        status = library.seccomp_rule_add_array(rules, _ERRNO | error, number, len(when), array)
        if status != 0:
            raise OSError(-status, f"seccomp: {name}: {os.strerror(-status)}")

    for name in _REFUSED.split():
        refuse(name, _EPERM)
    refuse("clone3", _ENOSYS)  # whose flags a filter cannot see; libraries fall back to clone
    for flag in _bits(_NEW_NAMESPACES):
        refuse("clone", _EPERM, _Comparison(0, _MASKED_EQ, flag, flag))
    for flag in _bits(~_PERSONALITY):
        refuse("personality", _EPERM, _Comparison(0, _MASKED_EQ, flag | _QUERY, flag))
    status = library.seccomp_load(rules)
    if status != 0:
        raise OSError(-status, f"seccomp: {os.strerror(-status)}")


if __name__ == "__main__":
    if not sys.argv[1:]:
        raise SystemExit("usage: python tools/as_in_docker.py COMMAND...")
    hold()
    os.execvp(sys.argv[1], sys.argv[1:])
