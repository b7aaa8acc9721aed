"""Is a state the same bytes, however the host's clocks cut its stream? QEMU writes the streams."""

from __future__ import annotations

import socket
import subprocess

import pytest

from hil.machine import machine, stream
from hil.machine.qmp import Qmp

# A step of memory ends: RAM_SAVE_FLAG_EOS, a footer with the section's number.
EOS = bytes(7) + b"\x10"
PAGE = b"\x12/rom@etc/acpi/rsdp"  # the head of a page, behind 8 bytes of address and flags


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The stream of a machine that has not begun to run."""
    folder = tmp_path_factory.mktemp("stream")
    ours, theirs = socket.socketpair()
    memory = "memory-backend-file,id=ram,size=16M,mem-path=memory.ram,share=on"
    words = [machine.program(), "-S", "-object", memory, *machine.options(16)]
    words += ["-chardev", f"socket,id=c,fd={theirs.fileno()}", "-mon", "chardev=c,mode=control"]
    qemu = subprocess.Popen(words, cwd=folder, pass_fds=[theirs.fileno()])
    theirs.close()
    try:
        with Qmp(ours) as control:
            ignored = [{"capability": "x-ignore-shared", "state": True}]
            control.execute("migrate-set-capabilities", capabilities=ignored)
            control.execute("migrate", uri="exec:cat > state.vm")
            while control.execute("query-migrate").get("status") != "completed":
                pass
            control.execute("quit")
    finally:
        qemu.kill()
        qemu.wait()
    return stream.canonical((folder / "state.vm").read_bytes())


def number(state: bytes) -> bytes:
    """Of the section of memory: the first that ends a step."""
    at = state.index(EOS + b"\x7e") + len(EOS) + 1
    return state[at : at + 4]


def page(state: bytes) -> int:
    """Where a page begins, in the first PART."""
    return state.index(PAGE, state.index(EOS + b"\x7e")) - 8


def test_memory_in_several_parts_is_one(state: bytes) -> None:
    at = page(state)
    cut = EOS + b"\x7e" + number(state) + b"\x02" + number(state)
    assert stream.canonical(state[:at] + cut + cut + state[at:]) == state


def test_pages_at_the_end_are_of_the_part(state: bytes) -> None:
    of = number(state)
    end = EOS + b"\x7e" + of + b"\x03" + of
    assert state.count(end) == 1
    at = page(state)
    late = state[:at] + end + state[at:].replace(end, b"", 1)
    assert late != state
    assert stream.canonical(late) == state


def test_the_hosts_clocks_are_no_state(state: bytes) -> None:
    at = state.index(b"\x05timer" + bytes(7) + b"\x02") + 14
    later = state[:at] + b"\x01" * 8 + state[at + 8 : at + 16] + b"\x02" * 8 + state[at + 24 :]
    assert later != state
    assert stream.canonical(later) == state


def test_what_is_no_such_stream_stays_as_it_is() -> None:
    assert stream.canonical(b"QEVM" + bytes(40)) == b"QEVM" + bytes(40)
